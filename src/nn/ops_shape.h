// Operators that pick or rearrange numbers without computing: slices, gathered rows, other shapes.
// Concatenation is in ops_dense.h.
// slice_rows() and reshape() copy nothing; the others copy once.
#pragma once

#include <cstdint>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

/// Columns first … first + count - 1.
template <typename Real>
Value slice_columns(Tape<Real>& tape, Value x, std::size_t first, std::size_t count);
/// Rows first … first + count - 1.
template <typename Real>
Value slice_rows(Tape<Real>& tape, Value x, std::size_t first, std::size_t count);
/// Row k of the result is row index[k] of x; rows may repeat. `index` must outlive the step.
template <typename Real>
Value gather_rows(Tape<Real>& tape, Value x, std::span<const std::uint32_t> index);
/// Blocks of `rows_each` rows, each with zero rows behind it up to `padded_rows`.
template <typename Real>
Value pad_blocks(Tape<Real>& tape, Value x, std::size_t rows_each, std::size_t padded_rows);
/// The same numbers in the same order as rows x cols.
template <typename Real>
Value reshape(Tape<Real>& tape, Value x, std::size_t rows, std::size_t cols);

}  // namespace rayleigh::nn
