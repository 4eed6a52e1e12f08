// How long a grid will still take, from the epochs and cells that have been timed.
// Tell it what happens, as GridHooks do, and when; a progress display asks it.
// One pass over the cells per question.
#pragma once

#include <optional>
#include <vector>

#include "compare/grid.h"

namespace rayleigh::compare {

class GridClock {
 public:
  /// `parallel` cells run at a time.
  GridClock(const Grid& grid, int parallel);

  void started(std::size_t cell, double now);
  void after_epoch(std::size_t cell, int epoch, int epochs, double now);
  void finished(std::size_t cell, bool reused, double now);

  struct Left {
    double seconds = 0;
    bool at_least = false;  ///< some detectors have not been timed and are not counted
  };
  /// None while nothing has been timed.
  std::optional<Left> left(double now) const;

  struct Running {
    std::size_t cell;
    int epoch;   ///< last one done
    int epochs;  ///< at most; 0 = not known yet
  };
  std::vector<Running> running() const;
  std::size_t done() const;
  std::size_t cells() const { return cells_.size(); }

 private:
  enum class Stage { waiting, running, done };
  struct Cell {
    std::size_t data;
    std::size_t model;
    Stage stage = Stage::waiting;
    bool timed = false;  ///< it ran here from its start to its end
    double began = 0;
    double ended = 0;
    int first_epoch = 0;  ///< last one that an earlier process did
    int epoch = 0;
    int epochs = 0;
    double last_epoch_at = 0;
  };
  /// Seconds of the whole cell as far as they can be told: of one that ended, or from its epochs.
  static std::optional<double> whole(const Cell& cell);
  std::optional<double> expected(const Cell& cell) const;

  std::vector<Cell> cells_;
  int parallel_;
};

}  // namespace rayleigh::compare
