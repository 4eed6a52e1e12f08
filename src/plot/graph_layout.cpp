#include "plot/graph_layout.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rayleigh::plot {
namespace {

constexpr double kFar = 0;  // no path

/// Steps between all pairs of nodes.
Eigen::MatrixXd distances(const GraphView& graph) {
  const std::size_t n = graph.nodes();
  Eigen::MatrixXd steps =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n), kFar);
  std::vector<std::size_t> queue;
  std::vector<std::uint8_t> seen;
  for (std::size_t from = 0; from < n; ++from) {
    queue.assign(1, from);
    seen.assign(n, 0);
    seen[from] = 1;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const std::size_t node = queue[at];
      for (const std::uint32_t far : graph.neighbours(node)) {
        const std::size_t next = far - graph.first_node();
        if (seen[next] == 0) {
          seen[next] = 1;
          queue.push_back(next);
          steps(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(next)) =
              steps(static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(node)) + 1;
        }
      }
    }
  }
  return steps;
}

/// Nodes of each connected part, the largest part first.
std::vector<std::vector<Eigen::Index>> parts_of(const Eigen::MatrixXd& steps) {
  std::vector<std::vector<Eigen::Index>> parts;
  std::vector<std::uint8_t> placed(static_cast<std::size_t>(steps.rows()), 0);
  for (Eigen::Index i = 0; i < steps.rows(); ++i) {
    if (placed[static_cast<std::size_t>(i)] != 0) {
      continue;
    }
    auto& part = parts.emplace_back();
    for (Eigen::Index j = i; j < steps.rows(); ++j) {
      if (j == i || steps(i, j) > 0) {
        part.push_back(j);
        placed[static_cast<std::size_t>(j)] = 1;
      }
    }
  }
  std::ranges::stable_sort(parts, std::ranges::greater{}, &std::vector<Eigen::Index>::size);
  return parts;
}

/// Classical scaling: the plane in which the squared distances vary most, the longest way across.
/// Every node is then moved a little, `away` at most, in a direction of its own: nodes with the
/// same distances to all others would start at one place.
Eigen::MatrixX2d first_places(const Eigen::MatrixXd& steps, double away) {
  const Eigen::Index n = steps.rows();
  const Eigen::MatrixXd squares = steps.array().square();
  const Eigen::VectorXd means = squares.rowwise().mean();
  Eigen::MatrixXd inner = squares;
  inner.colwise() -= means;
  inner.rowwise() -= means.transpose();
  inner.array() += means.mean();
  inner *= -0.5;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(inner);
  Eigen::MatrixX2d places = Eigen::MatrixX2d::Zero(n, 2);
  for (Eigen::Index axis = 0; axis < std::min<Eigen::Index>(2, n); ++axis) {
    const Eigen::Index k = n - 1 - axis;
    places.col(axis) =
        solver.eigenvectors().col(k) * std::sqrt(std::max(0.0, solver.eigenvalues()(k)));
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double angle = 2.399963 * static_cast<double>(i) * (1 + away);
    places(i, 0) += away * std::cos(angle);
    places(i, 1) += away * std::sin(angle);
  }
  return places;
}

/// Stress majorization: every node moves to where its distances to all others, weighted by their
/// inverse squares, fit best.
void relax(const Eigen::MatrixXd& steps, Eigen::MatrixX2d& places) {
  constexpr int kRounds = 200;
  const Eigen::Index n = steps.rows();
  for (int round = 0; round < kRounds && n > 1; ++round) {
    double moved = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::RowVector2d sum = Eigen::RowVector2d::Zero();
      double weights = 0;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (j == i) {
          continue;
        }
        const Eigen::RowVector2d apart = places.row(i) - places.row(j);
        const double length = std::max(apart.norm(), 1e-9);
        const double weight = 1 / (steps(i, j) * steps(i, j));
        sum += weight * (places.row(j) + apart * (steps(i, j) / length));
        weights += weight;
      }
      const Eigen::RowVector2d next = sum / weights;
      moved = std::max(moved, (next - places.row(i)).norm());
      places.row(i) = next;
    }
    if (moved < 1e-3) {
      break;
    }
  }
}

/// What relax() makes small.
double stress(const Eigen::MatrixXd& steps, const Eigen::MatrixX2d& places) {
  double sum = 0;
  for (Eigen::Index i = 0; i < steps.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double part = (places.row(i) - places.row(j)).norm() / steps(i, j) - 1;
      sum += part * part;
    }
  }
  return sum;
}

/// The best of several starts: from one alone rings at the ends of chains stay twisted.
Eigen::MatrixX2d best_places(const Eigen::MatrixXd& steps) {
  Eigen::MatrixX2d best;
  double least = std::numeric_limits<double>::infinity();
  for (const double away : {0.05, 0.4, 0.7, 1.0, 1.5}) {
    Eigen::MatrixX2d places = first_places(steps, away);
    relax(steps, places);
    const double own = stress(steps, places);
    if (own < least) {
      least = own;
      best = std::move(places);
    }
  }
  return best;
}

}  // namespace

std::vector<Point> graph_layout(const GraphView& graph) {
  std::vector<Point> points(graph.nodes());
  const Eigen::MatrixXd steps = distances(graph);
  double left = 0;
  for (const auto& part : parts_of(steps)) {
    const Eigen::MatrixXd own = steps(part, part);
    const Eigen::MatrixX2d places = best_places(own);
    const double shift = left - places.col(0).minCoeff();
    const double middle = (places.col(1).minCoeff() + places.col(1).maxCoeff()) / 2;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      points[static_cast<std::size_t>(part[k])] = {places(row, 0) + shift, places(row, 1) - middle};
    }
    left = places.col(0).maxCoeff() + shift + 1;
  }
  return points;
}

}  // namespace rayleigh::plot
