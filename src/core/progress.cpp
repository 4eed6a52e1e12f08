#include "core/progress.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/text.h"

namespace rayleigh::core {
namespace {

constexpr std::int64_t kRedrawMs = 100;
constexpr std::size_t kBarCells = 24;

std::string amount(std::uint64_t count, std::string_view unit) {
  return unit == kBytes ? human_bytes(count) : fmt::format("{} {}", with_commas(count), unit);
}

std::string bar(double share) {
  const auto full = static_cast<std::size_t>(share * kBarCells);
  std::string cells;
  for (std::size_t i = 0; i < kBarCells; ++i) {
    cells += i < full ? "█" : "░";
  }
  return cells;
}

}  // namespace

std::string progress_line(std::string_view what, std::string_view unit, std::uint64_t done,
                          std::uint64_t total, double seconds, std::size_t width) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const auto shown_rate = amount(static_cast<std::uint64_t>(std::llround(rate)), unit);
  std::string head(what);
  std::string tail;
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const double left =
        rate > 0 ? static_cast<double>(total - std::min(done, total)) / rate : HUGE_VAL;
    tail = fmt::format("  {:3.0f} %  {}/s  {} left", std::floor(100 * share), shown_rate,
                       human_seconds(left));
    if (display_width(head) + kBarCells + 2 + display_width(tail) < width) {
      head += "  " + bar(share);
    }
  } else {
    tail = fmt::format("  {}  {}/s", amount(done, unit), shown_rate);
  }
  return head + tail;
}

ProgressBar::ProgressBar(std::string what, std::string unit, std::uint64_t total, bool shown)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      shown_(shown),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::advance(std::uint64_t by) {
  done_ += by;
  if (!shown_) {
    return;
  }
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  auto due = next_draw_ms_.load();
  if (ms >= due && next_draw_ms_.compare_exchange_strong(due, ms + kRedrawMs)) {
    draw(std::chrono::duration<double>(elapsed).count());
  }
}

void ProgressBar::draw(double seconds) {
  const std::lock_guard lock(drawing_);
  line_.show(progress_line(what_, unit_, done_, total_, seconds, terminal_width()));
}

void ProgressBar::finish() {
  const std::lock_guard lock(drawing_);
  line_.clear();
}

}  // namespace rayleigh::core
