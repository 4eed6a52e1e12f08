#include "rayleigh/spectral/energy.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace rayleigh::spectral {

SpectralEnergy::SpectralEnergy(std::span<const double> eigenvalues, std::span<const double> energy)
    : eigenvalues_(eigenvalues.begin(), eigenvalues.end()),
      share_(energy.begin(), energy.end()),
      accumulated_(energy.size() + 1, 0.0) {
  assert(eigenvalues.size() == energy.size() && std::ranges::is_sorted(eigenvalues));
  const double total = std::accumulate(energy.begin(), energy.end(), 0.0);
  for (std::size_t k = 0; k < share_.size(); ++k) {
    share_[k] = total > 0 ? share_[k] / total : 0.0;
    accumulated_[k + 1] = accumulated_[k] + share_[k];
  }
}

double SpectralEnergy::accumulated(double t) const {
  const double slack = eigenvalues_.empty() ? 0 : 1e-12 * std::max(1.0, eigenvalues_.back());
  const auto beyond = std::ranges::upper_bound(eigenvalues_, t + slack);
  return accumulated_[static_cast<std::size_t>(beyond - eigenvalues_.begin())];
}

double SpectralEnergy::high_frequency(double t) const {
  return accumulated_.back() - accumulated(t);
}

double SpectralEnergy::high_frequency_integral() const {
  double integral = 0;
  double from = 0;  // the integral begins at 0, where rounding may have put λ_1 a little below
  for (std::size_t k = 0; k < eigenvalues_.size(); ++k) {
    const double to = std::max(from, eigenvalues_[k]);
    integral += (to - from) * (accumulated_.back() - accumulated_[k]);
    from = to;
  }
  return integral;
}

SpectralEnergy spectral_energy(const EigenDecomposition& decomposition, std::span<const double> x) {
  std::vector<double> energy = decomposition.transform(x);
  for (double& value : energy) {
    value *= value;
  }
  return {decomposition.values(), energy};
}

SpectralEnergy label_energy(const EigenDecomposition& decomposition,
                            std::span<const std::uint32_t> node_labels) {
  const std::size_t n = decomposition.size();
  assert(node_labels.size() == n);
  std::vector<std::size_t> order(n);  // nodes of one label side by side
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return node_labels[i]; });
  std::vector<double> energy(n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const auto u = decomposition.vector(k);
    for (std::size_t at = 0; at < n;) {
      const std::uint32_t label = node_labels[order[at]];
      double coefficient = 0;
      for (; at < n && node_labels[order[at]] == label; ++at) {
        coefficient += u[order[at]];
      }
      energy[k] += coefficient * coefficient;
    }
  }
  return {decomposition.values(), energy};
}

}  // namespace rayleigh::spectral
