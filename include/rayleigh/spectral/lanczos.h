// Estimates of λ_2 and λ_max of a large graph by the Lanczos method.
// Use above the dense limit of spectrum.h, where a full decomposition is too expensive.
// `steps` products with L and steps^2 * n operations to keep the Krylov basis orthogonal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rayleigh/spectral/laplacian.h"

namespace rayleigh::spectral {

struct LanczosOptions {
  std::size_t steps = 120;  ///< at most; stops when both ends have converged
  double tolerance = 1e-9;  ///< of the residual, relative to the bound of the eigenvalues
  std::uint64_t seed = 1;   ///< of the start vector
};

/// An eigenvalue lies within `error` of each value: it is the residual of the Ritz pair. λ_max
/// comes from below and λ_2 from above. λ_2 is exactly 0 when two parts of the graph are not
/// connected; in long thin graphs it converges slowly, and the error says so.
struct ExtremeEigenvalues {
  double lambda_max = 0;
  double lambda_max_error = 0;
  std::optional<double> lambda_2;  ///< none for a graph of one node
  double lambda_2_error = 0;
};

ExtremeEigenvalues extreme_eigenvalues(const Laplacian& L, const LanczosOptions& options = {});

}  // namespace rayleigh::spectral
