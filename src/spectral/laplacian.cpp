#include "rayleigh/spectral/laplacian.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rayleigh::spectral {

Laplacian::Laplacian(const GraphSet& graphs, std::size_t graph, LaplacianOptions options)
    : graph_(graphs, graph), options_(options) {
  if (options.weight == EdgeWeight::multiplicity) {
    multiplicity_ = graphs.multiplicity();
  }
  const std::size_t n = graph_.nodes();
  degree_.resize(n);
  scale_.assign(n, 1.0);
  diagonal_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double degree = 0;
    for_each_neighbour(i, [&](std::size_t, double weight) { degree += weight; });
    degree_[i] = degree;
    diagonal_[i] = degree;
    if (options.kind == LaplacianKind::normalised) {
      scale_[i] = degree > 0 ? 1 / std::sqrt(degree) : 0.0;
      diagonal_[i] = degree > 0 || options.isolated == IsolatedNode::one ? 1.0 : 0.0;
    }
  }
}

template <typename Real>
void Laplacian::apply_as(std::span<const Real> x, std::span<Real> y) const {
  assert(x.size() == nodes() && y.size() == nodes() && x.data() != y.data());
  for (std::size_t i = 0; i < nodes(); ++i) {
    double sum = 0;
    for_each_neighbour(i, [&](std::size_t j, double weight) {
      sum += weight * scale_[j] * static_cast<double>(x[j]);
    });
    y[i] = static_cast<Real>(diagonal_[i] * static_cast<double>(x[i]) - scale_[i] * sum);
  }
}

template <typename Real>
double Laplacian::quadratic_form_as(std::span<const Real> x) const {
  assert(x.size() == nodes());
  double sum = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    const double here = scale_[i] * static_cast<double>(x[i]);
    for_each_neighbour(i, [&](std::size_t j, double weight) {
      if (i < j) {
        const double difference = here - scale_[j] * static_cast<double>(x[j]);
        sum += weight * difference * difference;
      }
    });
    if (degree_[i] == 0) {
      sum += diagonal_[i] * static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
  }
  return sum;
}

void Laplacian::apply(std::span<const double> x, std::span<double> y) const { apply_as(x, y); }
void Laplacian::apply(std::span<const float> x, std::span<float> y) const { apply_as(x, y); }
double Laplacian::quadratic_form(std::span<const double> x) const { return quadratic_form_as(x); }
double Laplacian::quadratic_form(std::span<const float> x) const { return quadratic_form_as(x); }

double Laplacian::eigenvalue_bound() const {
  if (options_.kind == LaplacianKind::normalised) {
    return 2;
  }
  return 2 * *std::ranges::max_element(degree_);
}

std::vector<double> Laplacian::dense() const {
  std::vector<double> matrix(nodes() * nodes());
  fill_dense(matrix, nodes());
  return matrix;
}

void Laplacian::fill_dense(std::span<double> matrix, std::size_t stride) const {
  assert(stride >= nodes() && matrix.size() >= (nodes() - 1) * stride + nodes());
  for (std::size_t i = 0; i < nodes(); ++i) {
    const std::span row = matrix.subspan(i * stride, nodes());
    std::ranges::fill(row, 0.0);
    row[i] = diagonal_[i];
    for_each_neighbour(
        i, [&](std::size_t j, double weight) { row[j] = -weight * scale_[i] * scale_[j]; });
  }
}

}  // namespace rayleigh::spectral
