// What training does with a split request: the words of the option, and the parts of a set.
// Behind rayleigh/split.h.
// One pass over the labels, and a hash per graph where isomorphic ones stay together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rayleigh/graph_set.h"
#include "rayleigh/split.h"

#include "core/thread_pool.h"

namespace rayleigh::learn {

struct SplitRule {
  SplitShares shares = kPaperShares;
  bool by_scaffold = false;
};

/// "70/15/15", "scaffold" or "scaffold/80/10/10". Throws std::string with what was expected.
SplitRule parse_split(std::string_view text);
/// What parse_split() takes.
std::string to_text(const SplitRule& rule);

/// The parts of these graphs, unlabelled ones in none. UsageError for scaffolds that were not read
/// and for numbers that do not fit the graphs.
Split make_split(const SplitRequest& request, const GraphSet& graphs,
                 std::span<const std::int8_t> labels, std::uint64_t seed, core::ThreadPool& pool);

/// Keeps at most `count` training graphs: of each class its share, but at least two if there are
/// two. The others then belong to no part.
void thin_training(Split& split, std::span<const std::int8_t> labels, std::size_t count,
                   std::uint64_t seed);

}  // namespace rayleigh::learn
