// Which polynomials of L - I a label basis holds: T_0 … T_order, or one Chebyshev series per block.
// Shared by the dense and the sparse way of computing them.
// A number and a span.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rayleigh::spectral {

struct PolynomialPlan {
  std::size_t order = 0;                        ///< the highest
  std::span<const std::vector<double>> series;  ///< empty = the Chebyshev polynomials themselves

  std::size_t blocks() const { return series.empty() ? order + 1 : series.size(); }
  /// The factor of T_k in block b of a series.
  double coefficient(std::size_t b, std::size_t k) const {
    if (k >= series[b].size()) {
      return 0;
    }
    return k == 0 ? series[b][0] / 2 : series[b][k];
  }
};

}  // namespace rayleigh::spectral
