// The wavelet kernels of the model: banks of q functions of the eigenvalue, the first a low-pass.
// Use wavelet_bank() for the kernels themselves (figures) and bank_coefficients() for the filters.
// A bank costs nothing; its coefficients take about a millisecond.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rayleigh/spectral/chebyshev.h"

namespace rayleigh::spectral {

enum class KernelFamily { mexican_hat, heat, beta, meyer };

struct BankOptions {
  KernelFamily family = KernelFamily::mexican_hat;
  std::size_t wavelets = 4;  ///< q
  /// Empty = the default scales. heat: s_1 … s_q; mexican_hat and meyer: s_2 … s_q; beta has none.
  std::vector<double> scales{};
};

/// i counts from 1, λ runs over [0, 2].
///
/// mexican_hat: g_1 = exp(-λ), g_i = t exp(1 - t) with t = s_i λ; s_i = 2^(i-3): peaks at 2, 1, ½ …
///
/// heat: g_i = exp(-s_i λ); s_i = 2^(i-3).
///
/// beta: g_i = (λ/2)^(i-1) (1 - λ/2)^(q-i) / (2 B(i, q-i+1)).
///
/// meyer: with ν(u) = u⁴ (35 - 84u + 70u² - 20u³) for u in [0, 1] and t = s_i λ,
/// g_i = sin(π/2 ν(3t/2 - 1)) for t in [2/3, 4/3], cos(π/2 ν(3t/4 - 1)) for t in [4/3, 8/3], else
/// 0; the low-pass, with s the largest scale and t = s λ, g_1 = 1 below 2/3, cos(π/2 ν(3t/2 - 1))
/// to 4/3, then 0. s_i = (2/3) 2^(i-2): wavelet 2 has the highest band, each further one half of
/// it, and Σ g_i² = 1 on [0, 2]. Knots at t = 2/3, 4/3, 8/3; three derivatives exist.
///
/// Wrong options (q = 0, a scale that is not positive, a wrong number of scales) throw UsageError.
std::vector<Kernel> wavelet_bank(const BankOptions& options);

/// Coefficients of orders 0 … i K for wavelet i, on [0, λ_n]; c_0 is not halved.
std::vector<std::vector<double>> bank_coefficients(std::span<const Kernel> bank, std::size_t K,
                                                   double lambda_n = 2);

}  // namespace rayleigh::spectral
