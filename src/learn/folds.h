// Folds of cross-validation: test parts that together hold every graph once.
// Behind FoldSplit of rayleigh/split.h.
// A sort of the groups, and one split of the graphs outside the fold.
#pragma once

#include <cstdint>
#include <span>

#include "rayleigh/graph_set.h"
#include "rayleigh/split.h"

#include "core/thread_pool.h"

namespace rayleigh::learn {

/// `seed` counts where the rule has none.
Split split_by_fold(const FoldSplit& request, const GraphSet& graphs,
                    std::span<const std::int8_t> labels, std::uint64_t seed,
                    core::ThreadPool& pool);

}  // namespace rayleigh::learn
