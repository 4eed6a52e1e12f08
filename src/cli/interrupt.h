// Ctrl-C, SIGTERM and SIGHUP as a stop request: the work ends, temporary files are removed, and the
// user is told what is kept. A second signal ends the process at once.
// Made by main before the first thread, for verbs that can stop.
// One sleeping thread.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace rayleigh::cli {

/// What shells show of a program that signal n ended: 128 + n.
inline constexpr int kExitOfSignals = 128;

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// The first one that came; 0 = none.
  int signal() const { return signal_; }

 private:
  void watch(const std::stop_token& ended);

  std::stop_source source_;
  std::atomic<int> signal_ = 0;
  std::jthread watcher_;
};

}  // namespace rayleigh::cli
