// What the column id of a table calls a graph.
// For every table with a row per graph, written or read.
// A copy of the name.
#pragma once

#include <string>

#include "rayleigh/graph_set.h"

namespace rayleigh::compare {

/// Its name, or its place from 1.
inline std::string graph_id(const GraphSet& graphs, std::size_t graph) {
  return graphs.has_names() ? std::string(graphs.graph_name(graph)) : std::to_string(graph + 1);
}

}  // namespace rayleigh::compare
