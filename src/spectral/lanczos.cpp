#include "rayleigh/spectral/lanczos.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.h"

namespace rayleigh::spectral {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add_multiple(Vector& y, double a, const Vector& x) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] += a * x[i];
  }
}

/// Scales to length 1 and returns the old length; a zero vector stays.
double normalise(Vector& x) {
  const double length = std::sqrt(dot(x, x));
  for (double& value : x) {
    value = length > 0 ? value / length : 0;
  }
  return length;
}

/// Removes the components along an orthonormal basis. Twice, as once leaves rounding behind.
void orthogonalise(Vector& x, const std::vector<Vector>& basis) {
  for (int round = 0; round < 2; ++round) {
    for (const Vector& q : basis) {
      add_multiple(x, -dot(x, q), q);
    }
  }
}

/// Parts of the graph in which L has the eigenvalue 0, each given by one of its nodes.
struct NullSpace {
  std::size_t dimension = 0;
  Vector vector;  ///< the null vector of the first part
};

/// In a connected part L x = 0 for x = 1, normalised x = D^1/2 1. An isolated node with diagonal 1
/// has no such vector.
NullSpace null_space(const Laplacian& L) {
  NullSpace result;
  const bool normalised = L.options().kind == LaplacianKind::normalised;
  std::vector<bool> seen(L.nodes(), false);
  std::vector<std::size_t> queue;
  for (std::size_t start = 0; start < L.nodes(); ++start) {
    if (seen[start] || (L.degree(start) == 0 && L.diagonal(start) > 0)) {
      continue;
    }
    queue.assign(1, start);
    seen[start] = true;
    for (std::size_t at = 0; at < queue.size(); ++at) {
      L.for_each_neighbour(queue[at], [&](std::size_t j, double) {
        if (!seen[j]) {
          seen[j] = true;
          queue.push_back(j);
        }
      });
    }
    if (result.dimension++ == 0) {
      result.vector.assign(L.nodes(), 0.0);
      for (const std::size_t i : queue) {
        result.vector[i] = normalised && L.degree(i) > 0 ? std::sqrt(L.degree(i)) : 1.0;
      }
      normalise(result.vector);
    }
  }
  return result;
}

/// Eigenvalues of the Lanczos tridiagonal matrix with the residuals of their Ritz pairs.
struct RitzEnds {
  double smallest;
  double smallest_error;
  double largest;
  double largest_error;
};

RitzEnds ritz_ends(const Vector& alpha, const Vector& beta, double next_beta) {
  const auto m = static_cast<Eigen::Index>(alpha.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(alpha.data(), m),
                                Eigen::Map<const Eigen::VectorXd>(beta.data(), m - 1));
  const auto& values = solver.eigenvalues();
  const auto& vectors = solver.eigenvectors();
  return {values[0], std::abs(next_beta * vectors(m - 1, 0)), values[m - 1],
          std::abs(next_beta * vectors(m - 1, m - 1))};
}

Vector random_start(std::size_t n, std::uint64_t seed) {
  auto random = core::RandomStream(seed, "lanczos").at(n);
  Vector x(n);
  for (double& value : x) {
    value = random.uniform() - 0.5;
  }
  return x;
}

}  // namespace

ExtremeEigenvalues extreme_eigenvalues(const Laplacian& L, const LanczosOptions& options) {
  const std::size_t n = L.nodes();
  if (n == 1) {
    return {.lambda_max = L.diagonal(0), .lambda_2 = std::nullopt};
  }
  const NullSpace null = null_space(L);
  const double scale = std::max(L.eigenvalue_bound(), 1e-300);
  std::vector<Vector> basis;  // Krylov vectors, behind the null vector, which both ends can spare
  if (null.dimension > 0) {
    basis.push_back(null.vector);
  }
  Vector alpha;
  Vector beta;
  Vector q = random_start(n, options.seed);
  orthogonalise(q, basis);
  normalise(q);
  Vector w(n);
  RitzEnds ends{};
  const std::size_t most = std::min(options.steps, n - std::min<std::size_t>(null.dimension, 1));
  for (std::size_t step = 1; step <= most; ++step) {
    basis.push_back(q);
    L.apply(std::span<const double>(q), std::span<double>(w));
    alpha.push_back(dot(q, w));
    orthogonalise(w, basis);
    double next = normalise(w);
    if (next <= 1e-13 * scale) {
      next = 0;  // the Krylov space is invariant: its Ritz values are eigenvalues
    }
    const bool last = next == 0 || step == most;
    if (last || step % 10 == 0) {
      ends = ritz_ends(alpha, beta, next);
      if (last || std::max(ends.smallest_error, ends.largest_error) <= options.tolerance * scale) {
        break;
      }
    }
    beta.push_back(next);
    q = w;
  }
  ExtremeEigenvalues result{.lambda_max = ends.largest,
                            .lambda_max_error = ends.largest_error,
                            .lambda_2 = ends.smallest,
                            .lambda_2_error = ends.smallest_error};
  if (null.dimension > 1) {
    result.lambda_2 = 0;
    result.lambda_2_error = 0;
  }
  return result;
}

}  // namespace rayleigh::spectral
