// Spectral density of a graph, or of a signal's energy, by the kernel polynomial method.
// Use above the dense limit of spectrum.h; exact steps are blurred by about π λ_n / order.
// order / 2 products with L for a signal, and as many for each random probe of a density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rayleigh/spectral/laplacian.h"

namespace rayleigh::spectral {

struct DensityOptions {
  std::size_t order = 200;  ///< highest moment
  std::size_t probes = 16;  ///< random ±1 vectors for the trace; the error falls as 1/√(probes n)
  std::uint64_t seed = 1;
};

/// μ_k = x'T_k x / x'x for k = 0 … order; zero for the zero signal.
std::vector<double> chebyshev_moments(const Laplacian& L, std::span<const double> x,
                                      std::size_t order, double lambda_n);

/// A density on [0, λ_n] with given moments, smoothed so that it is never negative.
class SpectralDensity {
 public:
  SpectralDensity(std::span<const double> moments, double lambda_n);

  /// Per unit of λ, for λ strictly between 0 and λ_n.
  double density(double lambda) const;
  /// The part at or below λ: 0 below 0, μ_0 = 1 from λ_n on.
  double accumulated(double lambda) const;
  /// E(t) = 1 - accumulated(t) when built from a signal.
  double high_frequency(double t) const { return accumulated(lambda_n_) - accumulated(t); }

 private:
  std::vector<double> damped_;  ///< g_k μ_k
  double lambda_n_;
};

/// Density of eigenvalues, its integral 1.
SpectralDensity eigenvalue_density(const Laplacian& L, const DensityOptions& options = {});
/// Density of the energy of a signal over the spectrum.
SpectralDensity energy_density(const Laplacian& L, std::span<const double> x,
                               const DensityOptions& options = {});
/// The same for all one-hot label columns together; one run of products for each label.
SpectralDensity label_energy_density(const Laplacian& L, std::span<const std::uint32_t> node_labels,
                                     const DensityOptions& options = {});

}  // namespace rayleigh::spectral
