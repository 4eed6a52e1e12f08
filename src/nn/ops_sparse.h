// Sparse matrices times dense ones: the propagation of every graph convolution.
// Matrices are spans of arrays that the caller keeps for the step, say a batch of adjacencies as
// blocks on one diagonal. Cost: two operations per entry and column, forward and backward alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/tape.h"

namespace rayleigh::nn {

/// Entries of row i are row_ptr[i] … row_ptr[i + 1] of `col` and `value`.
template <typename Real>
struct Csr {
  std::span<const std::uint32_t> row_ptr;  ///< rows + 1
  std::span<const std::uint32_t> col;
  std::span<const Real> value;  ///< empty = all ones

  std::size_t rows() const { return row_ptr.size() - 1; }
};

/// a x + bias. `transposed` is a' and has as many rows as x; bias is 1 x columns or absent.
template <typename Real>
Value spmm(Tape<Real>& tape, Csr<Real> a, Csr<Real> transposed, Value x, Value bias = {});

/// The same for a symmetric a.
template <typename Real>
Value spmm_symmetric(Tape<Real>& tape, Csr<Real> a, Value x, Value bias = {}) {
  return spmm(tape, a, a, x, bias);
}

/// Where the entries of a matrix are, by rows and by columns.
struct EdgePattern {
  std::span<const std::uint32_t> row_ptr;
  std::span<const std::uint32_t> col;
  std::span<const std::uint32_t> transposed_row_ptr;  ///< of the transpose
  std::span<const std::uint32_t> transposed_col;
  std::span<const std::uint32_t> transposed_entry;  ///< the entry that each one of a' is in a

  std::size_t rows() const { return row_ptr.size() - 1; }
};

/// a(weights) x, where weights is entries x 1 and gets a gradient too.
template <typename Real>
Value spmm_weighted(Tape<Real>& tape, EdgePattern pattern, Value weights, Value x);

/// The arrays behind the second half of an EdgePattern; columns come sorted.
struct TransposedPattern {
  std::vector<std::uint32_t> row_ptr;
  std::vector<std::uint32_t> col;
  std::vector<std::uint32_t> entry;
};
TransposedPattern transpose_pattern(std::span<const std::uint32_t> row_ptr,
                                    std::span<const std::uint32_t> col, std::size_t cols);

}  // namespace rayleigh::nn
