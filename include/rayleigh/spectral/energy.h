// How the energy of a signal is spread over the spectrum of its graph (section 3.1 of the paper).
// Use for energy curves E(t) and shares of bands; its integral is the Rayleigh quotient (Prop. 1).
// Needs an eigendecomposition; then n^2 for a signal, n for an integral, log n for a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rayleigh/spectral/spectrum.h"

namespace rayleigh::spectral {

/// Energy shares x̂_k² / Σ x̂_i² at the eigenvalues λ_k; a step function of the frequency.
class SpectralEnergy {
 public:
  /// `energy` is not negative and need not sum to 1. All zero gives share 0 everywhere.
  SpectralEnergy(std::span<const double> eigenvalues, std::span<const double> energy);

  std::span<const double> eigenvalues() const { return eigenvalues_; }
  /// The spectral energy of λ_k.
  std::span<const double> share() const { return share_; }
  /// Share at eigenvalues ≤ t. Eigenvalues within a few roundings of t count as t.
  double accumulated(double t) const;
  /// E(t) = 1 - accumulated(t), the share at eigenvalues > t.
  double high_frequency(double t) const;
  /// ∫ E(t) dt from 0 to λ_n, which is x'Lx / x'x.
  double high_frequency_integral() const;

 private:
  std::vector<double> eigenvalues_;
  std::vector<double> share_;
  std::vector<double> accumulated_;  ///< share at the first k eigenvalues
};

/// Of one signal.
SpectralEnergy spectral_energy(const EigenDecomposition& decomposition, std::span<const double> x);
/// Of all one-hot label columns together, Σ_c x̂_ck² / n: the energy behind the scalar quotient.
SpectralEnergy label_energy(const EigenDecomposition& decomposition,
                            std::span<const std::uint32_t> node_labels);

}  // namespace rayleigh::spectral
