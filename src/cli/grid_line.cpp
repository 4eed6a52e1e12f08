#include "cli/grid_line.h"

#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "cli/verb.h"
#include "core/text.h"
#include "core/thread_pool.h"

namespace rayleigh::cli {
namespace {

/// A test part may lack a class.
std::string metric(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

}  // namespace

GridLine::GridLine(const compare::Grid& grid, core::Log log, bool terminal, int threads)
    : grid_(grid),
      log_(log),
      terminal_(terminal),
      clock_(grid, threads > 0 ? threads : core::available_cores()) {}

GridLine::~GridLine() { finish(); }

compare::GridHooks GridLine::hooks() {
  compare::GridHooks hooks;
  hooks.started = [this](std::size_t cell) {
    clock_.started(cell, watch_.seconds());
    draw();
  };
  hooks.after_epoch = [this](std::size_t cell, const TrainingProgress& progress) {
    clock_.after_epoch(cell, progress.epoch.epoch, progress.epochs, watch_.seconds());
    draw();
  };
  hooks.finished = [this](std::size_t cell, const compare::CellResult& result) {
    finished(cell, result);
  };
  hooks.say = [this](const std::string& text) { say(command_words(text)); };
  return hooks;
}

void GridLine::finished(std::size_t cell, const compare::CellResult& result) {
  clock_.finished(cell, result.reused, watch_.seconds());
  const std::string title =
      fmt::format("[{}/{}] {}", clock_.done(), clock_.cells(), grid_.title(cell));
  if (result.failed()) {
    finish();
    // A set that cannot be read fails all of its cells; once is enough.
    const bool known = !failures_.emplace(result.data, result.reason).second;
    if (!known) {
      log_.warn(fmt::format("{}: failed: {}", title, result.reason));
    } else {
      log_.info(fmt::format("{}: failed for the same reason", title));
    }
  } else if (!terminal_ && !result.absent) {
    log_.info(fmt::format(
        "{}: AUC {}, average precision {}, {}, {}", title, metric(result.test.auc),
        metric(result.test.average_precision), core::counted(result.epochs_run, "epoch"),
        result.reused ? std::string("kept from an earlier run")
                      : core::human_seconds(
                            std::isfinite(result.seconds_train) ? result.seconds_train : 0.0)));
  }
  draw();
}

void GridLine::say(const std::string& line) {
  finish();
  log_.info(line);
  draw();
}

std::string GridLine::text() const {
  std::string text = fmt::format("{}/{} runs", clock_.done(), clock_.cells());
  auto left = clock_.left(watch_.seconds());
  if (left && left->at_least && left->seconds < 1) {
    left.reset();  // the little that is known says nothing
  }
  text += left ? fmt::format("  {}{} left", left->at_least ? "at least " : "",
                             core::human_seconds(left->seconds))
               : "  ? left";
  const char* separator = "  ";
  for (const auto& running : clock_.running()) {
    text += separator + grid_.title(running.cell);
    text += running.epochs > 0 ? fmt::format(" {}/{}", running.epoch, running.epochs) : "";
    separator = " | ";
  }
  return text;
}

void GridLine::draw() {
  if (terminal_ && !log_.quiet()) {
    line_.show(text());
  }
}

}  // namespace rayleigh::cli
