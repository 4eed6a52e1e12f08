// A progress bar with rate and time left on stderr, silent when stderr is not a terminal.
// Make one around any work that may take longer than a second; call advance() as parts finish.
// Draws at most ten times a second; advance() is one atomic addition in between.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "core/live_line.h"

namespace rayleigh::core {

/// The unit that is shown in multiples: "1.2 MB/s".
inline constexpr std::string_view kBytes = "bytes";

/// One line: "Reading  [#####.....]  50 %  1,000 graphs/s  12 s left". `total` 0 = unknown.
std::string progress_line(std::string_view what, std::string_view unit, std::uint64_t done,
                          std::uint64_t total, double seconds, std::size_t width);

class ProgressBar {
 public:
  /// `unit` is the plural noun of what is counted. A bar that is not shown costs nothing.
  ProgressBar(std::string what, std::string unit, std::uint64_t total, bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Thread safe.
  void advance(std::uint64_t by = 1);
  void set_total(std::uint64_t total) { total_ = total; }
  /// Removes the bar from the screen.
  void finish();

 private:
  void draw(double seconds);

  std::string what_;
  std::string unit_;
  std::atomic<std::uint64_t> total_;
  bool shown_;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<std::int64_t> next_draw_ms_ = 200;
  std::chrono::steady_clock::time_point start_;
  std::mutex drawing_;
  LiveLine line_;
};

}  // namespace rayleigh::core
