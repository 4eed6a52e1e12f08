// The live line of a grid on stderr: cells done, what runs with its epoch, time left. Elsewhere
// than on a terminal a line a finished cell.
// Hand hooks() to learn::run_grid; the object must outlive the run.
// One write an epoch.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "core/log.h"
#include "core/stopwatch.h"
#include "learn/grid_clock.h"

namespace rayleigh::cli {

/// For SIGINT: finished cells are kept and running ones have checkpoints, so nothing is lost.
extern "C" void say_that_it_goes_on(int signal);

class GridLine {
 public:
  /// `threads` 0 = one per core.
  GridLine(const learn::Grid& grid, core::Log log, bool terminal, int threads);
  ~GridLine();
  GridLine(const GridLine&) = delete;
  GridLine& operator=(const GridLine&) = delete;

  learn::GridHooks hooks();
  /// Removes the line from a terminal.
  void finish();

 private:
  void draw();
  std::string text() const;
  void finished(std::size_t cell, const learn::CellResult& result);
  void say(const std::string& line);

  const learn::Grid& grid_;
  core::Log log_;
  bool terminal_;
  bool on_screen_ = false;
  core::Stopwatch watch_;
  learn::GridClock clock_;
  std::set<std::pair<std::size_t, std::string>> failures_;  ///< data and reason
};

}  // namespace rayleigh::cli
