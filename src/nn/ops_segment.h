// Operators on runs of rows, such as the nodes of each graph of a batch.
// first_row holds where each segment begins, and the row count at the end; it must outlive the
// step. One or two passes over memory; each segment is one thread's, so sums have a fixed order.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

enum class Reduce { sum, mean, max };

/// One row per segment; an empty segment gives zeros. The first of equal maxima takes the gradient.
template <typename Real>
Value segment_reduce(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row,
                     Reduce how);

/// Over the rows of a segment, for each column.
template <typename Real>
Value segment_softmax(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row);

/// Each row of a segment is row `segment` of x.
template <typename Real>
Value segment_broadcast(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row);

inline constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

/// The way back of maxima: number k of `out` was taken from row where[k] of x, or from none.
template <typename Real>
void on_backward_to_rows(Tape<Real>& tape, Value out, Value x,
                         std::span<const std::uint32_t> where) {
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    for (std::size_t k = 0; k < d.size(); ++k) {
      if (where[k] != kNoRow) {
        dx(where[k], k % d.cols) += d.data[k];
      }
    }
  });
}

/// work(segment) for all, shared among threads in runs fixed by the shape.
template <typename Real, typename Work>
void for_segments(Tape<Real>& tape, std::span<const std::uint32_t> first_row, std::size_t cost,
                  Work work) {
  const std::size_t segments = first_row.size() - 1;
  const std::size_t rows_each = segments == 0 ? 1 : first_row[segments] / segments + 1;
  tape.for_rows(segments, cost * rows_each, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      work(s);
    }
  });
}

}  // namespace rayleigh::nn
