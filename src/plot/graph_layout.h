// Places of the nodes of a small graph on paper: distances there follow the distances in the graph.
// For pictures of graphs that are not molecules.
// Quadratic memory and cubic time; made for graphs of up to a few hundred nodes.
#pragma once

#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::plot {

inline constexpr std::size_t kMostDrawnNodes = 400;

struct Point {
  double x = 0;
  double y = 0;
};

/// Edges are about 1 long; parts without a connection lie beside each other. The same graph always
/// has the same layout. Not for graphs of more than kMostDrawnNodes.
std::vector<Point> graph_layout(const GraphView& graph);

}  // namespace rayleigh::plot
