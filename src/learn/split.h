// What training does with a split request: the words of the option, and the parts of a set.
// Behind rayleigh/split.h.
// One pass over the labels, and a hash per graph where isomorphic ones stay together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/split.h"

#include "core/thread_pool.h"

namespace rayleigh::learn {

struct SplitRule {
  SplitShares shares = kUsualShares;
  bool by_scaffold = false;
};

/// "70/15/15", "scaffold" or "scaffold/80/10/10". Throws std::string with what was expected.
SplitRule parse_split(std::string_view text);
/// What parse_split() takes.
std::string to_text(const SplitRule& rule);

/// The same with threads that are there already.
Split make_split(const SplitRequest& request, const GraphSet& graphs,
                 std::span<const std::int8_t> labels, std::uint64_t seed, core::ThreadPool& pool);

/// UsageError where molecules were not read with their scaffolds.
void check_scaffolds(const GraphSet& graphs);
/// The groups of the request, or isomorphic graphs where it has none.
std::vector<std::uint64_t> groups_of(const GroupedSplit& request, const GraphSet& graphs,
                                     core::ThreadPool& pool);

/// Keeps at most `count` training graphs: of each class its share, but at least two if there are
/// two. The others then belong to no part.
void thin_training(Split& split, std::span<const std::int8_t> labels, std::size_t count,
                   std::uint64_t seed);

}  // namespace rayleigh::learn
