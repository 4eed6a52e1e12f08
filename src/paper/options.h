// What a reproduction is asked for.
// Made from the flags of `rayleigh reproduce`, or by a program.
// A few words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>

#include "compare/grid.h"
#include "paper/experiment.h"

namespace rayleigh::paper {

struct ReproduceOptions {
  std::set<ExperimentId> experiments;  ///< that train; of others `kept` results are taken
  std::uint64_t seeds = 5;
  bool quick = false;        ///< at most kQuickGraphs per set, one seed, kQuickEpochs
  bool full = false;         ///< no budget for slow baselines
  bool baselines = true;     ///< else only those of finished runs, see `kept`
  bool all_classes = false;  ///< of COLORS-3, each as the anomalous one
  /// Is there a result of a cell already? Without it none counts as finished.
  std::function<bool(const compare::Grid& grid, const compare::GridCell& cell)> kept{};
};
inline constexpr std::size_t kQuickGraphs = 3000;
inline constexpr std::uint64_t kQuickEpochs = 10;

}  // namespace rayleigh::paper
