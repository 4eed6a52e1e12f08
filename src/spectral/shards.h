// Cuts a set into runs of whole graphs with about equally many nodes, and works on them in
// parallel. Use for everything computed once per set; the cuts depend on the set alone, so results
// never depend on the number of threads. Costs a binary search per shard.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "rayleigh/graph_set.h"

#include "core/thread_pool.h"
#include "core/workspace.h"

namespace rayleigh::spectral {

inline core::Vector<core::Range> shards_of(const GraphSet& graphs) {
  constexpr std::size_t kNodesPerShard = 4096;
  const std::span<const std::uint32_t> graph_ptr = graphs.graph_ptr();
  core::Vector<core::Range> shards;
  std::size_t begin = 0;
  while (begin < graphs.size()) {
    const std::size_t wanted = graph_ptr[begin] + kNodesPerShard;
    const auto at = std::upper_bound(graph_ptr.begin(), graph_ptr.end(), wanted,
                                     [](std::size_t nodes, std::size_t p) { return nodes < p; });
    const auto last = static_cast<std::size_t>(at - graph_ptr.begin()) - 1;
    const std::size_t end = std::clamp(last, begin + 1, graphs.size());
    shards.push_back({begin, end});
    begin = end;
  }
  return shards;
}

/// Calls work(shard number, graphs of the shard) for every shard.
template <typename Work>
void for_each_shard(std::span<const core::Range> shards, core::ThreadPool& pool, Work work) {
  pool.run(shards.size(), [&](std::size_t shard) { work(shard, shards[shard]); });
}

}  // namespace rayleigh::spectral
