// The graphs that remain of a graph when one of its nodes is taken away, each node in turn.
// For leave-one-out explanations of any detector. Labels, edge labels, attributes, vocabularies and
// the class stay; names do not.
// One copy of the graph per node taken away: ask for few at a time of large graphs.
#pragma once

#include "rayleigh/graph_set.h"

namespace rayleigh::graph {

/// Graph i is `graph` of the set without its node first + i, for nodes from `first` to `last`,
/// which is not included. A graph of one node gives an empty set.
GraphSet without_each_node(const GraphSet& graphs, std::size_t graph, std::size_t first,
                           std::size_t last);

}  // namespace rayleigh::graph
