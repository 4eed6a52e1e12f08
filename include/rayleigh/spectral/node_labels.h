// Which label each node of a set has: the set's own labels, or others such as refined ones.
// Everything computed from one-hot labels takes one.
// A view: what it points to must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rayleigh/graph_set.h"

namespace rayleigh::spectral {

struct NodeLabels {
  std::span<const std::uint32_t> of_node;  ///< one per node of the set, below count
  std::size_t count = 0;                   ///< size of the vocabulary

  NodeLabels(std::span<const std::uint32_t> labels, std::size_t vocabulary)
      : of_node(labels), count(vocabulary) {}
  /// The set's own.
  NodeLabels(const GraphSet& graphs)
      : of_node(graphs.node_label()), count(graphs.node_labels().size()) {}
};

}  // namespace rayleigh::spectral
