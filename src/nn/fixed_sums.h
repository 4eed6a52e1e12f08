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

/// work(begin, end, sums) adds the share of those rows to `sums`, which has `cols` entries.
template <typename Real, typename Work>
std::span<double> fixed_sums(Tape<Real>& tape, std::size_t rows, std::size_t cols, Work work) {
  constexpr std::size_t kRows = 128;
  const std::size_t parts = std::max<std::size_t>(1, (rows + kRows - 1) / kRows);
  const auto sums = tape.template array<double>(parts * cols);
  std::ranges::fill(sums, 0.0);
  tape.for_parts(parts, [&](std::size_t part) {
    work(part * kRows, std::min(rows, (part + 1) * kRows), sums.data() + part * cols);
  });
  for (std::size_t part = 1; part < parts; ++part) {
    for (std::size_t c = 0; c < cols; ++c) {
      sums[c] += sums[part * cols + c];
    }
  }
  return sums.first(cols);
}

/// term(row, sums) adds the share of a row.
template <typename Real, typename Term>
std::span<double> fixed_column_sums(Tape<Real>& tape, std::size_t rows, std::size_t cols,
                                    Term term) {
  return fixed_sums(tape, rows, cols, [&](std::size_t begin, std::size_t end, double* sums) {
    for (std::size_t i = begin; i < end; ++i) {
      term(i, sums);
    }
  });
}

template <typename Real>
std::span<double> fixed_column_sums(Tape<Real>& tape, Matrix<const Real> m) {
  return fixed_sums(tape, m.rows, m.cols, [&](std::size_t begin, std::size_t end, double* sums) {
    tape.kernels().add_sums(m.data + begin * m.cols, end - begin, m.cols, sums);
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

/// d, the gradient of leaky(… + bias) = y, becomes that of its argument; the bias, if it wants a
/// gradient, gets the column sums.
template <typename Real>
void leaky_and_bias_backward(Tape<Real>& tape, Matrix<Real> d, Matrix<const Real> y, Real slope,
                             Value bias) {
  const auto leaky = [&](std::size_t begin, std::size_t end) {
    if (slope != 1) {
      tape.kernels().leaky_backward(d.data + begin * d.cols, y.data + begin * d.cols,
                                    (end - begin) * d.cols, slope);
    }
  };
  if (!tape.wants_gradient(bias)) {
    tape.for_rows(d.rows, 2 * d.cols, leaky);
    return;
  }
  add_to<Real>(
      tape.gradient(bias),
      fixed_sums(tape, d.rows, d.cols, [&](std::size_t begin, std::size_t end, double* sums) {
        leaky(begin, end);
        tape.kernels().add_sums(d.data + begin * d.cols, end - begin, d.cols, sums);
      }));
}

}  // namespace rayleigh::nn
