// What the spectrum says about each graph of a set: λ_2, λ_max and the energy curve of its labels.
// Use for tables and figures over a whole set; graphs above the dense limit are estimated and
// marked. About 50 µs per graph of 26 nodes, dominated by its eigenvectors.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/spectral/laplacian.h"
#include "rayleigh/spectral/spectrum.h"

namespace rayleigh::spectral {

struct SpectralProfile {
  std::optional<double> lambda_2;  ///< none for a graph of one node
  double lambda_max = 0;
  /// Exact by eigendecomposition, or else λ by Lanczos and energies by the kernel polynomial
  /// method.
  bool exact = true;
};

struct SpectralProfiles {
  std::vector<SpectralProfile> graph;
  std::size_t thresholds = 0;
  std::vector<double> high_frequency;  ///< E(t) of the one-hot labels, `thresholds` per graph

  std::span<const double> energy(std::size_t g) const {
    return std::span(high_frequency).subspan(g * thresholds, thresholds);
  }
};

/// The share of energy in a band (a, b] is E(a) - E(b). The same for any number of threads.
/// `progress` is told how many graphs were finished since its last call, by any thread.
SpectralProfiles spectral_profiles(const GraphSet& graphs, std::span<const double> thresholds,
                                   LaplacianOptions options = {}, const RunOptions& run = {},
                                   std::size_t dense_limit = kDenseLimit,
                                   const std::function<void(std::size_t)>& progress = {});

}  // namespace rayleigh::spectral
