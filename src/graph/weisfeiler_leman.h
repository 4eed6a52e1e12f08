// Fingerprints of graphs that do not depend on the order of nodes (Weisfeiler-Leman refinement).
// Use to find duplicates: isomorphic graphs always agree; different ones that 1-WL cannot tell
// apart (some regular graphs) agree too. A few passes over the edges of each graph.
#pragma once

#include <cstdint>
#include <vector>

#include "rayleigh/graph_set.h"

#include "core/thread_pool.h"

namespace rayleigh::graph {

/// Labels and attributes of nodes and edges and the direction of edges take part; graph labels and
/// names do not.
std::uint64_t wl_hash(const GraphSet& graphs, std::size_t graph);

std::vector<std::uint64_t> wl_hashes(const GraphSet& graphs, core::ThreadPool& pool);

/// Graphs with the same hash.
struct DuplicateGroup {
  std::vector<std::uint32_t> graphs;  ///< ascending, at least two
  bool classes_differ = false;        ///< the same graph carries different labels
};

/// Ordered by their first graph.
std::vector<DuplicateGroup> duplicate_groups(const GraphSet& graphs,
                                             const std::vector<std::uint64_t>& hashes);

}  // namespace rayleigh::graph
