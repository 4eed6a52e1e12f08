// The live line of a grid on stderr: cells done, what runs and at which epoch, time left. Where
// stderr is not a terminal, one line per finished cell.
// Hand hooks() to compare::run_grid; the object must outlive the run.
// One write per epoch.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "compare/grid_clock.h"
#include "core/live_line.h"
#include "core/log.h"
#include "core/stopwatch.h"

namespace rayleigh::cli {

class GridLine {
 public:
  /// `threads` 0 = one per core.
  GridLine(const compare::Grid& grid, core::Log log, bool terminal, int threads);
  ~GridLine();
  GridLine(const GridLine&) = delete;
  GridLine& operator=(const GridLine&) = delete;

  compare::GridHooks hooks();
  /// Removes the line from a terminal.
  void finish() { line_.clear(); }

 private:
  void draw();
  std::string text() const;
  void finished(std::size_t cell, const compare::CellResult& result);
  void say(const std::string& line);

  const compare::Grid& grid_;
  core::Log log_;
  bool terminal_;
  core::LiveLine line_;
  core::Stopwatch watch_;
  compare::GridClock clock_;
  std::set<std::pair<std::size_t, std::string>> failures_;  ///< data and reason
};

}  // namespace rayleigh::cli
