// The Laplacian L = D - A of one graph, or its normalised form I - D^-1/2 A D^-1/2, as an operator.
// Use it wherever a formula says L; it multiplies signals sparsely and is never stored as a matrix.
// Making one is linear in the nodes, apply() and quadratic_form() in nodes and edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::spectral {

enum class LaplacianKind { regular, normalised };

/// Diagonal of the normalised Laplacian at a node without neighbours, where D^-1/2 does not exist.
/// `zero` keeps the quotient of a constant at 0 and is the default of quotients; `one` makes the
/// row of L - I zero and is what the filters use. The regular Laplacian has 0 there by definition.
enum class IsolatedNode { zero, one };

/// `multiplicity`: an edge counts as often as the source repeats it, in L and in the degrees.
enum class EdgeWeight { one, multiplicity };

struct LaplacianOptions {
  LaplacianKind kind = LaplacianKind::normalised;
  IsolatedNode isolated = IsolatedNode::zero;
  EdgeWeight weight = EdgeWeight::one;

  friend bool operator==(const LaplacianOptions&, const LaplacianOptions&) = default;
};

/// Valid while the set lives.
class Laplacian {
 public:
  Laplacian(const GraphSet& graphs, std::size_t graph, LaplacianOptions options = {});

  std::size_t nodes() const { return diagonal_.size(); }
  const LaplacianOptions& options() const { return options_; }

  /// y = L x.
  void apply(std::span<const double> x, std::span<double> y) const;
  void apply(std::span<const float> x, std::span<float> y) const;

  /// x'Lx as a sum of squares over edges, so never negative.
  double quadratic_form(std::span<const double> x) const;
  double quadratic_form(std::span<const float> x) const;

  double diagonal(std::size_t node) const { return diagonal_[node]; }
  /// The sum of the node's edge weights.
  double degree(std::size_t node) const { return degree_[node]; }

  /// An upper bound of every eigenvalue: 2, or twice the largest degree.
  double eigenvalue_bound() const;

  /// L as a full matrix, row after row.
  std::vector<double> dense() const;
  /// The same into memory of the caller, where row i begins at i * stride. The rest stays as it is.
  void fill_dense(std::span<double> matrix, std::size_t stride) const;

  /// Calls visit(neighbour, weight) for every neighbour, local numbers, ascending.
  template <typename Visit>
  void for_each_neighbour(std::size_t node, Visit visit) const {
    const std::span<const std::uint32_t> neighbours = graph_.neighbours(node);
    const std::size_t first = graph_.first_entry(node);
    for (std::size_t e = 0; e < neighbours.size(); ++e) {
      visit(static_cast<std::size_t>(neighbours[e] - graph_.first_node()),
            multiplicity_.empty() ? 1.0 : static_cast<double>(multiplicity_[first + e]));
    }
  }

 private:
  template <typename Real>
  void apply_as(std::span<const Real> x, std::span<Real> y) const;
  template <typename Real>
  double quadratic_form_as(std::span<const Real> x) const;

  GraphView graph_;
  std::span<const std::uint32_t> multiplicity_;  ///< empty = every edge has weight 1
  LaplacianOptions options_;
  std::vector<double> degree_;
  std::vector<double> scale_;  ///< D^-1/2, or 1 in the regular Laplacian
  std::vector<double> diagonal_;
};

}  // namespace rayleigh::spectral
