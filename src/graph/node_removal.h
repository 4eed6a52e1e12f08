// The graphs that remain of a graph when one of its nodes is taken away, each node in turn.
// For leave-one-out explanations of any detector. Labels, edge labels, attributes, vocabularies and
// the class stay; names do not.
// As many copies as the graph has nodes.
#pragma once

#include "rayleigh/graph_set.h"

namespace rayleigh::graph {

/// Graph j is `graph` of the set without its node j. A graph of one node gives an empty set.
GraphSet without_each_node(const GraphSet& graphs, std::size_t graph);

}  // namespace rayleigh::graph
