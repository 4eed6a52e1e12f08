#include "compare/grid_clock.h"

#include <algorithm>

namespace rayleigh::compare {

GridClock::GridClock(const Grid& grid, int parallel) : parallel_(std::max(1, parallel)) {
  cells_.reserve(grid.cells.size());
  for (const GridCell& cell : grid.cells) {
    cells_.push_back({.data = cell.data, .model = cell.model});
  }
}

void GridClock::started(std::size_t cell, double now) {
  cells_[cell].stage = Stage::running;
  cells_[cell].began = now;
}

void GridClock::after_epoch(std::size_t cell, int epoch, int epochs, double now) {
  Cell& c = cells_[cell];
  if (c.epochs == 0) {
    c.first_epoch = epoch - 1;
  }
  c.epoch = epoch;
  c.epochs = epochs;
  c.last_epoch_at = now;
}

void GridClock::finished(std::size_t cell, bool reused, double now) {
  Cell& c = cells_[cell];
  c.stage = Stage::done;
  c.ended = now;
  c.timed = !reused && c.epochs > 0 && c.first_epoch == 0;
}

std::optional<double> GridClock::whole(const Cell& cell) {
  if (cell.timed) {
    return cell.ended - cell.began;
  }
  if (cell.stage == Stage::running && cell.epochs > 0) {
    return (cell.last_epoch_at - cell.began) / (cell.epoch - cell.first_epoch) * cell.epochs;
  }
  return std::nullopt;
}

/// Like others of the same detector, on the same data if there are any.
std::optional<double> GridClock::expected(const Cell& cell) const {
  for (const bool same_data : {true, false}) {
    double sum = 0;
    int count = 0;
    for (const Cell& other : cells_) {
      if (other.model != cell.model || (same_data && other.data != cell.data)) {
        continue;
      }
      if (const auto seconds = whole(other)) {
        sum += *seconds;
        ++count;
      }
    }
    if (count > 0) {
      return sum / count;
    }
  }
  return std::nullopt;
}

std::optional<GridClock::Left> GridClock::left(double now) const {
  Left left;
  double longest = 0;
  bool any = false;
  for (const Cell& cell : cells_) {
    if (cell.stage == Stage::done) {
      continue;
    }
    const auto seconds = cell.stage == Stage::running && whole(cell) ? whole(cell) : expected(cell);
    if (!seconds) {
      left.at_least = true;
      continue;
    }
    any = true;
    // A cell that an earlier process began has done its first epochs already.
    const double ahead =
        cell.epochs > 0 ? *seconds * cell.first_epoch / std::max(1, cell.epochs) : 0;
    const double gone = cell.stage == Stage::running ? now - cell.began + ahead : 0;
    const double rest = std::max(0.0, *seconds - gone);
    left.seconds += rest / parallel_;
    longest = std::max(longest, rest);
  }
  left.seconds = std::max(left.seconds, longest);
  return any ? std::optional(left) : std::nullopt;
}

std::vector<GridClock::Running> GridClock::running() const {
  std::vector<Running> running;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].stage == Stage::running) {
      running.push_back({i, cells_[i].epoch, cells_[i].epochs});
    }
  }
  return running;
}

std::size_t GridClock::done() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cells_, [](const Cell& cell) { return cell.stage == Stage::done; }));
}

}  // namespace rayleigh::compare
