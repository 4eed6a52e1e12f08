// One graph of a set, put behind the graphs of another with the same vocabularies: its nodes,
// edges, attributes and class, or all but one node of it. What subset() and leave-one-out are made
// of; linear in the graph.
#pragma once

#include <cstdint>
#include <limits>

#include "rayleigh/graph_set.h"

namespace rayleigh::graph {

inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

/// `without` is a node number of the whole set. Names are the caller's.
inline void copy_graph(const GraphSet& from, std::size_t graph, GraphSetData& to,
                       std::uint32_t without = kNoNode) {
  const GraphSetData& data = from.data();
  const std::uint32_t begin = data.graph_ptr[graph];
  const auto first = static_cast<std::uint32_t>(to.row_ptr.size() - 1);
  for (std::uint32_t node = begin; node < data.graph_ptr[graph + 1]; ++node) {
    if (node == without) {
      continue;
    }
    for (std::uint32_t e = data.row_ptr[node]; e < data.row_ptr[node + 1]; ++e) {
      const std::uint32_t far = data.col[e];
      if (far == without) {
        continue;
      }
      to.col.push_back(first + (far - begin) - (far > without ? 1 : 0));
      if (!data.edge_label.empty()) {
        to.edge_label.push_back(data.edge_label[e]);
      }
      if (!data.multiplicity.empty()) {
        to.multiplicity.push_back(data.multiplicity[e]);
      }
      if (!data.direction.empty()) {
        to.direction.push_back(data.direction[e]);
      }
      const auto of_edge = from.edge_attributes(e);
      to.edge_attributes.insert(to.edge_attributes.end(), of_edge.begin(), of_edge.end());
    }
    to.row_ptr.push_back(static_cast<std::uint32_t>(to.col.size()));
    to.node_label.push_back(data.node_label[node]);
    const auto row = from.attributes(node);
    to.attributes.insert(to.attributes.end(), row.begin(), row.end());
  }
  to.graph_ptr.push_back(static_cast<std::uint32_t>(to.row_ptr.size() - 1));
  to.graph_class.push_back(data.graph_class[graph]);
}

}  // namespace rayleigh::graph
