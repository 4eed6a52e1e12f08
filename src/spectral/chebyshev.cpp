#include "rayleigh/spectral/chebyshev.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

#include "rayleigh/error.h"

namespace rayleigh::spectral {
namespace {

struct Node {
  double at;
  double weight;
};

/// Gauss-Legendre nodes on [-1, 1] by Newton's method on the Legendre polynomial.
std::vector<Node> gauss_legendre(std::size_t count) {
  const auto n = static_cast<double>(count);
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 0;
    for (int round = 0; round < 100; ++round) {
      double p = 1;
      double before = 0;
      for (std::size_t k = 1; k <= count; ++k) {
        const auto degree = static_cast<double>(k);
        const double next = ((2 * degree - 1) * x * p - (degree - 1) * before) / degree;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-16) {
        break;
      }
    }
    nodes.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

/// 0, the angles of the knots, π.
std::vector<double> pieces(const Kernel& kernel, double lambda_n) {
  std::vector<double> angles{0, std::numbers::pi};
  for (const double knot : kernel.knots) {
    if (knot > 0 && knot < lambda_n) {
      angles.push_back(std::acos(2 * knot / lambda_n - 1));
    }
  }
  std::ranges::sort(angles);
  angles.erase(std::unique(angles.begin(), angles.end()), angles.end());
  return angles;
}

/// The coefficients with every piece cut into `panels`. cos kθ comes from the recurrence in k.
std::vector<double> integrate(const Kernel& kernel, std::size_t order, double lambda_n,
                              std::span<const double> angles, std::size_t panels,
                              std::span<const Node> rule) {
  std::vector<double> c(order + 1, 0.0);
  for (std::size_t piece = 0; piece + 1 < angles.size(); ++piece) {
    const double half = (angles[piece + 1] - angles[piece]) / (2 * static_cast<double>(panels));
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const double middle = angles[piece] + half * static_cast<double>(2 * panel + 1);
      for (const auto& [at, weight] : rule) {
        const double cosine = std::cos(middle + half * at);
        const double value =
            half * weight * kernel.g(lambda_n * (cosine + 1) / 2) * 2 / std::numbers::pi;
        double before = cosine;  // cos(-θ)
        double now = 1;
        for (double& coefficient : c) {
          coefficient += value * now;
          before = std::exchange(now, 2 * cosine * now - before);
        }
      }
    }
  }
  return c;
}

double largest_change(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    largest = std::max(largest, std::abs(a[k] - b[k]));
  }
  return largest;
}

}  // namespace

std::vector<double> chebyshev_coefficients(const Kernel& kernel, std::size_t order,
                                           double lambda_n) {
  assert(lambda_n > 0);
  constexpr std::size_t kNodes = 24;
  constexpr std::size_t kMaxPanels = std::size_t{1} << 14U;
  static const std::vector<Node> rule = gauss_legendre(kNodes);
  const std::vector<double> angles = pieces(kernel, lambda_n);
  // cos kθ turns order/2 times in [0, π]; 24 nodes resolve a panel of three turns well.
  std::size_t panels = 2 + order / 6;
  std::vector<double> coarse = integrate(kernel, order, lambda_n, angles, panels, rule);
  while (panels <= kMaxPanels) {
    panels *= 2;
    std::vector<double> fine = integrate(kernel, order, lambda_n, angles, panels, rule);
    const double scale = std::max(
        1.0, std::abs(*std::ranges::max_element(fine, {}, [](double c) { return std::abs(c); })));
    if (!std::ranges::all_of(fine, [](double c) { return std::isfinite(c); })) {
      throw Error(ErrorKind::failed,
                  fmt::format("kernel {} is not finite on [0, {}]", kernel.name, lambda_n));
    }
    if (largest_change(coarse, fine) <= 1e-13 * scale) {
      return fine;
    }
    coarse = std::move(fine);
  }
  throw Error(
      ErrorKind::failed,
      fmt::format("the Chebyshev coefficients of kernel {} do not converge; list the places "
                  "where it is not smooth as its knots",
                  kernel.name));
}

double evaluate_series(std::span<const double> coefficients, double lambda, double lambda_n) {
  const double x = 2 * lambda / lambda_n - 1;
  double sum = coefficients[0] / 2;
  double before = 1;
  double now = x;
  for (std::size_t k = 1; k < coefficients.size(); ++k) {
    sum += coefficients[k] * now;
    before = std::exchange(now, 2 * x * now - before);
  }
  return sum;
}

template <typename Real>
std::vector<Real> chebyshev_basis(const Laplacian& L, std::span<const Real> x, std::size_t order,
                                  double lambda_n) {
  const std::size_t n = L.nodes();
  assert(x.size() == n && lambda_n > 0);
  const auto stretch = static_cast<Real>(2 / lambda_n);
  std::vector<Real> basis((order + 1) * n);
  std::ranges::copy(x, basis.begin());
  for (std::size_t k = 1; k <= order; ++k) {
    const std::span<const Real> previous = std::span(basis).subspan((k - 1) * n, n);
    const std::span<Real> next = std::span(basis).subspan(k * n, n);
    L.apply(previous, next);
    for (std::size_t i = 0; i < n; ++i) {
      const Real shifted = stretch * next[i] - previous[i];
      next[i] = k == 1 ? shifted : 2 * shifted - basis[(k - 2) * n + i];
    }
  }
  return basis;
}

template <typename Real>
std::vector<Real> apply_series(const Laplacian& L, std::span<const double> coefficients,
                               std::span<const Real> x, double lambda_n) {
  const std::size_t n = L.nodes();
  const std::vector<Real> basis = chebyshev_basis(L, x, coefficients.size() - 1, lambda_n);
  std::vector<double> sum(n, 0.0);
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    const double c = k == 0 ? coefficients[0] / 2 : coefficients[k];
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += c * static_cast<double>(basis[k * n + i]);
    }
  }
  return {sum.begin(), sum.end()};
}

template std::vector<float> chebyshev_basis(const Laplacian&, std::span<const float>, std::size_t,
                                            double);
template std::vector<double> chebyshev_basis(const Laplacian&, std::span<const double>, std::size_t,
                                             double);
template std::vector<float> apply_series(const Laplacian&, std::span<const double>,
                                         std::span<const float>, double);
template std::vector<double> apply_series(const Laplacian&, std::span<const double>,
                                          std::span<const double>, double);

}  // namespace rayleigh::spectral
