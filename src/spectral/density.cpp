#include "rayleigh/spectral/density.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/random.h"

namespace rayleigh::spectral {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Slightly beyond the spectrum, because the density blurs over the ends.
double interval_end(const Laplacian& L) {
  const double bound = L.eigenvalue_bound();
  return bound > 0 ? bound : 1.0;  // a regular Laplacian without edges is zero
}

/// x'T_k x, not divided by x'x. Two moments from every product:
/// x'T_2k x = 2 |T_k x|² - x'x and x'T_2k+1 x = 2 (T_k+1 x)'(T_k x) - x'T_1 x.
std::vector<double> raw_moments(const Laplacian& L, std::span<const double> x, std::size_t order,
                                double lambda_n) {
  const std::size_t n = L.nodes();
  assert(x.size() == n);
  std::vector<double> before(n);
  std::vector<double> now(x.begin(), x.end());  // T_0 x
  std::vector<double> next(n);
  std::vector<double> moments(order + 1, 0.0);
  moments[0] = dot(x, x);
  for (std::size_t k = 0; 2 * k + 1 <= order; ++k) {
    L.apply(std::span<const double>(now), std::span<double>(next));
    for (std::size_t i = 0; i < n; ++i) {
      const double shifted = 2 / lambda_n * next[i] - now[i];
      next[i] = k == 0 ? shifted : 2 * shifted - before[i];
    }
    const double cross = dot(next, now);
    moments[2 * k + 1] = k == 0 ? cross : 2 * cross - moments[1];
    if (2 * k + 2 <= order) {
      moments[2 * k + 2] = 2 * dot(next, next) - moments[0];
    }
    std::swap(before, now);
    std::swap(now, next);
  }
  return moments;
}

void divide_by_first(std::vector<double>& moments) {
  const double first = moments[0];
  for (double& moment : moments) {
    moment = first > 0 ? moment / first : 0.0;
  }
}

void add(std::vector<double>& sum, std::span<const double> more) {
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] += more[k];
  }
}

}  // namespace

std::vector<double> chebyshev_moments(const Laplacian& L, std::span<const double> x,
                                      std::size_t order, double lambda_n) {
  std::vector<double> moments = raw_moments(L, x, order, lambda_n);
  divide_by_first(moments);
  return moments;
}

SpectralDensity::SpectralDensity(std::span<const double> moments, double lambda_n)
    : damped_(moments.begin(), moments.end()), lambda_n_(lambda_n) {
  const auto count = static_cast<double>(damped_.size());
  const double step = std::numbers::pi / (count + 1);
  for (std::size_t k = 0; k < damped_.size(); ++k) {
    const auto order = static_cast<double>(k);
    damped_[k] *=
        ((count - order + 1) * std::cos(order * step) + std::sin(order * step) / std::tan(step)) /
        (count + 1);
  }
}

double SpectralDensity::density(double lambda) const {
  const double x = 2 * lambda / lambda_n_ - 1;
  assert(x > -1 && x < 1);
  const double theta = std::acos(x);
  double sum = damped_[0];
  for (std::size_t k = 1; k < damped_.size(); ++k) {
    sum += 2 * damped_[k] * std::cos(static_cast<double>(k) * theta);
  }
  return sum / (std::numbers::pi * std::sqrt(1 - x * x)) * 2 / lambda_n_;
}

double SpectralDensity::accumulated(double lambda) const {
  const double theta = std::acos(std::clamp(2 * lambda / lambda_n_ - 1, -1.0, 1.0));
  double sum = damped_[0] * (std::numbers::pi - theta);
  for (std::size_t k = 1; k < damped_.size(); ++k) {
    const auto order = static_cast<double>(k);
    sum -= 2 * damped_[k] * std::sin(order * theta) / order;
  }
  return sum / std::numbers::pi;
}

SpectralDensity eigenvalue_density(const Laplacian& L, const DensityOptions& options) {
  const core::RandomStream stream(options.seed, "spectral density");
  std::vector<double> sum(options.order + 1, 0.0);
  std::vector<double> probe(L.nodes());
  for (std::size_t p = 0; p < std::max<std::size_t>(options.probes, 1); ++p) {
    auto random = stream.at(p);
    for (double& value : probe) {
      value = random.chance(0.5) ? 1 : -1;
    }
    add(sum, raw_moments(L, probe, options.order, interval_end(L)));
  }
  divide_by_first(sum);
  return {sum, interval_end(L)};
}

SpectralDensity energy_density(const Laplacian& L, std::span<const double> x,
                               const DensityOptions& options) {
  return {chebyshev_moments(L, x, options.order, interval_end(L)), interval_end(L)};
}

SpectralDensity label_energy_density(const Laplacian& L, std::span<const std::uint32_t> node_labels,
                                     const DensityOptions& options) {
  std::vector<std::uint32_t> labels(node_labels.begin(), node_labels.end());
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  std::vector<double> sum(options.order + 1, 0.0);
  std::vector<double> x(L.nodes());
  for (const std::uint32_t label : labels) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = node_labels[i] == label ? 1 : 0;
    }
    add(sum, raw_moments(L, x, options.order, interval_end(L)));
  }
  divide_by_first(sum);
  return {sum, interval_end(L)};
}

}  // namespace rayleigh::spectral
