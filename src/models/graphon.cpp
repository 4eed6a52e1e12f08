#include "models/graphon.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace rayleigh::models {

std::vector<std::uint32_t> by_degree(const GraphView& graph) {
  std::vector<std::uint32_t> order(graph.nodes());
  std::iota(order.rbegin(), order.rend(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return graph.degree(a) > graph.degree(b); });
  return order;
}

SquareMatrix mean_adjacency(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                            std::size_t size) {
  SquareMatrix mean{size, std::vector<double>(size * size, 0.0)};
  std::vector<std::size_t> rank;
  for (const std::uint32_t g : chosen) {
    const GraphView graph = graphs[g];
    const auto order = by_degree(graph);
    rank.resize(graph.nodes());
    for (std::size_t r = 0; r < order.size(); ++r) {
      rank[order[r]] = r;
    }
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      for (const std::uint32_t far : graph.neighbours(i)) {
        const std::size_t j = rank[far - graph.first_node()];
        if (rank[i] < size && j < size) {
          mean(rank[i], j) += 1;
        }
      }
    }
  }
  for (double& entry : mean.value) {
    entry /= static_cast<double>(std::max<std::size_t>(1, chosen.size()));
  }
  return mean;
}

SquareMatrix threshold_singular_values(const SquareMatrix& mean, double threshold) {
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(mean.size);
  // Of a symmetric matrix the singular values are the sizes of its eigenvalues.
  const Eigen::SelfAdjointEigenSolver<Dense> solver(
      Eigen::Map<const Dense>(mean.value.data(), n, n));
  const double least = threshold * std::sqrt(static_cast<double>(mean.size));
  const Eigen::VectorXd kept =
      (solver.eigenvalues().array().abs() < least).select(0.0, solver.eigenvalues());
  SquareMatrix graphon{mean.size, std::vector<double>(mean.value.size())};
  Eigen::Map<Dense> out(graphon.value.data(), n, n);
  out = solver.eigenvectors() * kept.asDiagonal() * solver.eigenvectors().transpose();
  out = out.cwiseMax(0.0).cwiseMin(1.0).eval();
  return graphon;
}

SquareMatrix mix(const SquareMatrix& first, const SquareMatrix& second, double weight) {
  SquareMatrix mixed = first;
  for (std::size_t i = 0; i < mixed.value.size(); ++i) {
    mixed.value[i] = weight * first.value[i] + (1 - weight) * second.value[i];
  }
  return mixed;
}

DrawnGraph draw_graph(const SquareMatrix& graphon, const std::function<double()>& uniform) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<bool> used(graphon.size, false);
  for (std::uint32_t i = 0; i < graphon.size; ++i) {
    for (std::uint32_t j = 0; j < graphon.size; ++j) {
      if (uniform() <= graphon(i, j) && i <= j) {
        edges.emplace_back(i, j);
        used[i] = used[j] = true;
      }
    }
  }
  DrawnGraph graph;
  std::vector<std::uint32_t> number(graphon.size, 0);
  for (std::uint32_t i = 0; i < graphon.size; ++i) {
    if (used[i]) {
      number[i] = static_cast<std::uint32_t>(graph.position.size());
      graph.position.push_back(i);
    }
  }
  graph.edges.reserve(edges.size());
  for (const auto& [i, j] : edges) {
    graph.edges.emplace_back(number[i], number[j]);
  }
  return graph;
}

}  // namespace rayleigh::models
