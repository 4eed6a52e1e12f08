// Graphons of small graphs, as G-Mixup uses them: the mean adjacency of a class with its nodes
// sorted by degree, cleaned by singular value thresholding, and random graphs drawn from it.
// mean_adjacency() and threshold_singular_values() once per class, draw_graph() once per graph.
// Costs the edges of the class and an eigendecomposition of the graphon's size.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::models {

/// Symmetric, row-major.
struct SquareMatrix {
  std::size_t size = 0;
  std::vector<double> value;

  double& operator()(std::size_t i, std::size_t j) { return value[i * size + j]; }
  double operator()(std::size_t i, std::size_t j) const { return value[i * size + j]; }
};

/// Nodes by falling degree; of equal degrees the later node comes first, as in the authors' code.
std::vector<std::uint32_t> by_degree(const GraphView& graph);

/// Mean of the adjacencies with sorted nodes, cropped or padded with zeros to size x size.
SquareMatrix mean_adjacency(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                            std::size_t size);

/// Universal singular value thresholding: values below threshold * sqrt(size) are dropped, the rest
/// is put together again and clipped to [0, 1].
SquareMatrix threshold_singular_values(const SquareMatrix& mean, double threshold);

/// weight * first + (1 - weight) * second.
SquareMatrix mix(const SquareMatrix& first, const SquareMatrix& second, double weight);

/// A graph drawn from a graphon. Nodes without an edge are left out.
struct DrawnGraph {
  std::vector<std::uint32_t> position;                         ///< of each node in the graphon
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< of nodes, loops too, i <= j
};

/// `uniform` gives a number for every entry of the graphon, row by row; those on and above the
/// diagonal decide.
DrawnGraph draw_graph(const SquareMatrix& graphon, const std::function<double()>& uniform);

}  // namespace rayleigh::models
