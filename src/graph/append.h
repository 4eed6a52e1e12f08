// A set of graphs with further graphs behind its own, for training on made-up graphs.
// The new graphs use the numbering of the set's vocabularies; they have no class and no name.
// One copy of the set.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::graph {

struct PlainGraph {
  std::vector<std::uint32_t> node_label;
  /// Each edge once, in either direction, no loops.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
};

/// Where the set has edge labels, new edges take its most frequent one; attributes are 0.
GraphSet append(const GraphSet& graphs, std::span<const PlainGraph> further);

}  // namespace rayleigh::graph
