// Chebyshev polynomials T_k of the Laplacian on [0, λ_n], and functions of L as truncated series.
// Use to apply any kernel g(L) to a signal without eigenvectors: coefficients once, then a product
// with L for each order. T_0 = I, T_1 = (2/λ_n) L - I, T_k = 2 T_1 T_{k-1} - T_{k-2} (Eq. 4).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/spectral/laplacian.h"

namespace rayleigh::spectral {

/// A function of the eigenvalue. Smooth but for `knots`, where a derivative may jump.
struct Kernel {
  std::string name;
  std::function<double(double)> g;
  std::vector<double> knots{};
};

/// c_0 … c_order with c_k = (2/π) ∫_0^π cos(kθ) g(λ_n (cos θ + 1)/2) dθ, accurate to 1e-12 of the
/// largest value of g. c_0 is not halved. A kernel that is not smooth between its knots throws
/// Error.
std::vector<double> chebyshev_coefficients(const Kernel& kernel, std::size_t order,
                                           double lambda_n = 2);

/// c_0/2 + Σ_k c_k T_k(λ) at a number λ.
double evaluate_series(std::span<const double> coefficients, double lambda, double lambda_n = 2);

/// T_0 x … T_order x, one after the other (order + 1 times n numbers). Real is float or double.
template <typename Real>
std::vector<Real> chebyshev_basis(const Laplacian& L, std::span<const Real> x, std::size_t order,
                                  double lambda_n = 2);

/// (c_0/2 + Σ_k c_k T_k(L)) x, the truncated g(L) x.
template <typename Real>
std::vector<Real> apply_series(const Laplacian& L, std::span<const double> coefficients,
                               std::span<const Real> x, double lambda_n = 2);

}  // namespace rayleigh::spectral
