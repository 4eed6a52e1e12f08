// Batches of graphs that a method fills up with empty rows to one size, without those rows: empty
// rows of the same position are the same for all graphs, so each stands once behind the rows of the
// graphs, for all that share it.
// For GLocalKD and HimNet. The price of padding is one row per position instead of one row per
// graph and position; sums and maxima over padding go through suffixes, so they cost no more than
// that.
#pragma once

#include <cstdint>
#include <span>

#include "nn/ops_segment.h"
#include "nn/tape.h"

namespace rayleigh::nn {

/// Which rows a graph has. Its empty ones are the rows from first_shared on, each once; only the
/// last one, which stands for all positions that look alike, counts last_repeats times.
struct PaddedRows {
  std::span<const std::uint32_t> first_row;     ///< of each graph, and of the shared rows
  std::span<const std::uint32_t> first_shared;  ///< of each graph; `rows` = it has no empty rows
  std::span<const std::uint32_t> last_repeats;  ///< of each graph
  std::size_t rows = 0;                         ///< with the shared ones

  std::size_t graphs() const { return first_row.size() - 1; }
  std::size_t own_rows() const { return first_row.back(); }
  std::size_t shared_rows() const { return rows - own_rows(); }
};

/// One row per graph, over its own and its empty rows; the mean is over all of them. The first of
/// equal maxima takes the gradient; a graph without any row gives zeros.
template <typename Real>
Value padded_reduce(Tape<Real>& tape, Value x, const PaddedRows& rows, Reduce how);

/// Rows that are standardised together.
struct RowGroups {
  std::span<const std::uint32_t> group;    ///< of each row; empty = each row by itself
  std::span<const std::uint32_t> repeats;  ///< how many equal rows each one stands for
  std::size_t groups = 0;
};

inline constexpr double kUnitNormEpsilon = 1e-5;

/// (z - mean) / sqrt(variance + 1e-5) with z = max(x_i / |x_i|, 0), mean and biased variance over
/// all numbers of the rows of a group. A row shorter than 1e-12 is divided by that.
template <typename Real>
Value unit_relu_norm(Tape<Real>& tape, Value x, const RowGroups& groups);

}  // namespace rayleigh::nn
