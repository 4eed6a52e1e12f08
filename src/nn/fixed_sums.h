// Sums over many rows that come out the same for any number of threads; for operators only.
// Use where a gradient or a reduction adds up rows that several threads work on.
// Rows are cut into parts fixed by the shape, summed in double precision, parts added in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

/// term(row, sums) adds the share of a row to `sums`, which has `cols` entries.
template <typename Real, typename Term>
std::span<double> fixed_column_sums(Tape<Real>& tape, std::size_t rows, std::size_t cols,
                                    Term term) {
  constexpr std::size_t kRows = 512;
  const std::size_t parts = std::max<std::size_t>(1, (rows + kRows - 1) / kRows);
  const auto sums = tape.template array<double>(parts * cols);
  std::ranges::fill(sums, 0.0);
  tape.for_parts(parts, [&](std::size_t part) {
    double* own = sums.data() + part * cols;
    for (std::size_t i = part * kRows; i < std::min(rows, (part + 1) * kRows); ++i) {
      term(i, own);
    }
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t c = 0; c < cols; ++c) {
      sums[c] += sums[part * cols + c];
    }
  }
  return sums.first(cols);
}

template <typename Real>
std::span<double> fixed_column_sums(Tape<Real>& tape, Matrix<const Real> m) {
  return fixed_column_sums(tape, m.rows, m.cols, [&](std::size_t i, double* sums) {
    const Real* row = m.data + i * m.cols;
    for (std::size_t c = 0; c < m.cols; ++c) {
      sums[c] += static_cast<double>(row[c]);
    }
  });
}

template <typename Real>
double fixed_sum(Tape<Real>& tape, std::span<const Real> numbers) {
  constexpr std::size_t kLanes = 8;  // sums of their own, so that additions overlap
  constexpr std::size_t kRow = 16 * kLanes;
  const std::size_t rows = (numbers.size() + kRow - 1) / kRow;
  const auto sums = fixed_column_sums(tape, rows, kLanes, [&](std::size_t i, double* lanes) {
    const auto row = numbers.subspan(i * kRow, std::min(kRow, numbers.size() - i * kRow));
    for (std::size_t k = 0; k < row.size(); ++k) {
      lanes[k % kLanes] += static_cast<double>(row[k]);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// target[c] += sums[c]
template <typename Real>
void add_to(Matrix<Real> target, std::span<const double> sums) {
  for (std::size_t c = 0; c < sums.size(); ++c) {
    target.data[c] += static_cast<Real>(sums[c]);
  }
}

}  // namespace rayleigh::nn
