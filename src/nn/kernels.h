// The hot loops over packed numbers, written once (kernels_isa.inc) and compiled per instruction
// set. Take kernels<Real>(isa) once per step and call through it; operators of the tape do.
// Rows of up to 64 numbers stay in registers; each kernel runs on the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rayleigh/spectral/label_basis.h"

#include "core/isa.h"

namespace rayleigh::nn {

/// Sparse rows of a fixed matrix: entries of row i are entries[row_ptr[i]] … [row_ptr[i + 1]].
template <typename Real>
struct SparseRows {
  const spectral::BasisEntry<Real>* entries;
  const std::uint32_t* row_ptr;
  std::size_t rows;
};

/// A sparse matrix whose columns and values lie apart: row i is entries row_ptr[i] … row_ptr[i +
/// 1].
template <typename Real>
struct CompressedRows {
  const std::uint32_t* row_ptr;
  const std::uint32_t* col;
  const Real* value;  ///< null = all ones
  std::size_t rows;
};

/// The same matrix by columns: column k of those that occur is column[k], its entries are
/// entries[col_ptr[k]] … [col_ptr[k + 1]] with the row in place of the column.
template <typename Real>
struct SparseColumns {
  const spectral::BasisEntry<Real>* entries;
  const std::uint32_t* col_ptr;
  const std::uint32_t* column;
  std::size_t columns;
};

/// The numbers of one Adam step of one weight matrix.
template <typename Real>
struct AdamStep {
  Real rate;  ///< over the bias correction of the mean
  Real l2;
  Real shrink;  ///< by clipping
  Real beta1;
  Real beta2;
  Real root_bias2;
  Real epsilon;
};

/// What a norm over columns does: y = leaky((x - mean) * inverse * factor + offset), one number of
/// each per column; slope 1 means no activation.
template <typename Real>
struct ColumnNorm {
  const Real* mean;
  const Real* inverse;
  const Real* factor;
  const Real* offset;
  Real slope;
};

/// No register has more lanes.
inline constexpr std::size_t kTurnedStep = 16;

/// The way back through y = (max(u, 0) - mean) * inverse of a unit row u = x / |x|.
template <typename Real>
struct UnitNorm {
  Real factor;          ///< inverse / |x|
  Real mean_d;          ///< what the mean takes from the gradient of this row's numbers
  Real mean_dy;         ///< what the variance takes, times y
  Real inverse_square;  ///< 1 / |x|^2; 0 where the length of x is too small to be divided by
};

/// `slope` is that of a leaky ReLU below zero; 1 means no activation at all.
template <typename Real>
struct Kernels {
  /// out = leaky(sparse * table + bias). bias may be null.
  void (*gather_rows)(SparseRows<Real> sparse, const Real* table, const Real* bias,
                      std::size_t width, Real slope, Real* out);
  /// table += sparse' * in.
  void (*scatter_rows)(SparseRows<Real> sparse, const Real* in, std::size_t width, Real* table);
  /// The same from the matrix by columns: each row of the table is touched once.
  void (*scatter_columns)(SparseColumns<Real> sparse, const Real* in, std::size_t width,
                          Real* table);
  /// y = leaky(x * weights + bias), weights inputs x outputs. bias may be null.
  void (*affine_rows)(const Real* x, std::size_t rows, std::size_t inputs, const Real* weights,
                      const Real* bias, std::size_t outputs, Real slope, Real* y);
  /// c += a' b for matrices of `rows` rows: a few hundred rows, c in the cache.
  void (*add_gram)(const Real* a, std::size_t rows, std::size_t a_width, const Real* b,
                   std::size_t b_width, Real* c);
  /// score_j = <h_j, query>, pooled = Σ_j score_j h_j.
  void (*attend)(const Real* h, std::size_t rows, std::size_t width, const Real* query, Real* score,
                 Real* pooled);
  /// Gradients of attend() given that of pooled: d_query is assigned; d_h = d score_j query +
  /// score_j d_pooled, times the slope of the leaky ReLU that made h, is assigned.
  void (*attend_backward)(const Real* h, std::size_t rows, std::size_t width, const Real* query,
                          const Real* score, const Real* d_pooled, Real slope, Real* d_h,
                          Real* d_query);
  /// y = leaky(y + bias) row by row. bias may be null.
  void (*bias_leaky)(Real* y, std::size_t rows, std::size_t width, const Real* bias, Real slope);
  /// d *= slope where y, the result of the leaky ReLU, is not above zero.
  void (*leaky_backward)(Real* d, const Real* y, std::size_t count, Real slope);
  /// sums += column sums.
  void (*add_column_sums)(const Real* m, std::size_t rows, std::size_t width, Real* sums);
  /// The same in double precision, for sums over very many rows.
  void (*add_sums)(const Real* m, std::size_t rows, std::size_t width, double* sums);
  /// squares += column sums of (m - centre)^2.
  void (*add_squares)(const Real* m, std::size_t rows, std::size_t width, const double* centre,
                      double* squares);
  void (*normalise)(ColumnNorm<Real> norm, const Real* x, std::size_t rows, std::size_t width,
                    Real* y);
  /// d, the gradient of y, becomes that of y before its activation; its column sums, and those of d
  /// times the normalised x, are added to.
  void (*normalise_sums)(ColumnNorm<Real> norm, const Real* x, const Real* y, std::size_t rows,
                         std::size_t width, Real* d, double* sum_d, double* sum_dx);
  /// dx += factor * inverse * (d - mean_d - normalised x * mean_dx).
  void (*normalise_backward)(ColumnNorm<Real> norm, const Real* x, const Real* d, std::size_t rows,
                             std::size_t width, const Real* mean_d, const Real* mean_dx, Real* dx);
  /// mask = 0 where draw < dropped, else kept; y = mask * x.
  void (*drop)(const std::uint16_t* draws, std::size_t count, std::uint32_t dropped, Real kept,
               const Real* x, Real* mask, Real* y);
  /// y += a x.
  void (*axpy)(Real a, const Real* x, std::size_t count, Real* y);
  /// Moves w by gradient g; m and v are the running mean and square.
  void (*adam)(AdamStep<Real> step, const Real* g, std::size_t count, Real* w, Real* m, Real* v);
  /// moments = |x|^2, Σ max(x, 0), Σ max(x, 0)^2.
  void (*positive_moments)(const Real* x, std::size_t width, Real* moments);
  /// y = factor max(x, 0) + offset.
  void (*relu_line)(const Real* x, std::size_t width, Real factor, Real offset, Real* y);
  /// sums = Σ d, <d, y>.
  void (*sum_and_dot)(const Real* d, const Real* y, std::size_t width, Real* sums);
  /// With g = factor (d - mean_d - y mean_dy) where x > 0, else 0: dx += g - x <g, x>
  /// inverse_square.
  void (*unit_norm_backward)(UnitNorm<Real> norm, const Real* x, const Real* y, const Real* d,
                             std::size_t width, Real* dx);
  /// <a, b>
  Real (*dot)(const Real* a, const Real* b, std::size_t count);
  /// out[j] = <a, row j>; a row begins every `stride` numbers.
  void (*dots)(const Real* a, const Real* rows, std::size_t count, std::size_t stride,
               std::size_t width, Real* out);
  /// out += Σ_j weights[j * weight_stride] row j; a row begins every `stride` numbers.
  void (*add_weighted_rows)(const Real* weights, std::size_t weight_stride, const Real* rows,
                            std::size_t count, std::size_t stride, std::size_t width, Real* out);
  /// out += matrix * x; out has one row per row of the matrix, both are `width` wide.
  void (*add_sparse_product)(CompressedRows<Real> matrix, const Real* x, std::size_t width,
                             Real* out);
  /// Σ_c |a_c - b_c|
  Real (*l1_distance)(const Real* a, const Real* b, std::size_t width);

  // For all rows of a matrix and a point. `turned` is the matrix transposed; its rows begin every
  // `stride` numbers, kTurnedStep times something. There and in `out` are as many numbers as count
  // rounded up to the same.

  /// out[j] = Σ_c |row j - point|
  void (*l1_distances)(const Real* point, const Real* turned, std::size_t width, std::size_t stride,
                       std::size_t count, Real* out);
  /// out[j] = <row j of the first matrix - a, row j of the second - b>
  void (*difference_dots)(const Real* a, const Real* turned_a, const Real* b, const Real* turned_b,
                          std::size_t width, std::size_t stride, std::size_t count, Real* out);
  /// out += Σ_j weights[j] (row j - point)
  void (*add_differences)(const Real* weights, const Real* rows, std::size_t count,
                          std::size_t width, const Real* point, Real* out);
  /// out += Σ_j weights[j] sign(row j - point)
  void (*add_signs)(const Real* weights, const Real* rows, std::size_t count, std::size_t width,
                    const Real* point, Real* out);
};

/// Of this instruction set, or of the best one below it that the build has.
template <typename Real>
const Kernels<Real>& kernels(core::Isa isa);

}  // namespace rayleigh::nn
