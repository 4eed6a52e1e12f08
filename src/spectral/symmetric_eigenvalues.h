// All eigenvalues of a small symmetric matrix, twice as fast as Eigen at 26 rows.
// Use where spectra of many graphs are wanted; Eigen does the rest and checks this in the tests.
// 2 n^3 operations for the reduction, about 12 n^2 beyond it; memory is kept from call to call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rayleigh::spectral {

/// Householder reduction to tridiagonal form, then the root-free QL method of Pal, Walker and Kahan
/// (Parlett, The Symmetric Eigenvalue Problem, section 8.15).
class SymmetricEigenvalues {
 public:
  /// Sets the size and returns the matrix to fill, row i from i * stride(). The surplus columns
  /// must stay zero, as they come.
  std::span<double> matrix(std::size_t n);
  std::size_t stride() const { return stride_; }

  /// Ascending; valid until the next call. Destroys the matrix. Accurate to a few roundings of the
  /// largest eigenvalue, which must lie between 1e-100 and 1e100, or all must be 0.
  std::span<const double> compute();
  /// The same for two matrices side by side, in less time; the numbers are those of compute().
  static void compute_both(SymmetricEigenvalues& x, SymmetricEigenvalues& y);
  std::span<const double> values() const { return diagonal_; }

 private:
  void tridiagonalise();
  double make_reflector(const double* x, std::size_t k, std::size_t begin, double tail);
  void begin();
  bool find_block();
  void solve_two();
  void finish();

  std::size_t n_ = 0;
  std::size_t stride_ = 0;
  std::vector<double> matrix_;
  std::vector<double> v_;
  std::vector<double> w_;
  std::vector<double> diagonal_;
  std::vector<double> squares_;  ///< of the off-diagonal
  double negligible_ = 0;
  std::size_t low_ = 0;  ///< the unreduced block at work
  std::size_t high_ = 0;
  std::size_t sweeps_left_ = 0;
};

}  // namespace rayleigh::spectral
