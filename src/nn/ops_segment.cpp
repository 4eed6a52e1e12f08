#include "nn/ops_segment.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rayleigh::nn {
namespace {

constexpr std::size_t kSegmentCost = 4;
constexpr std::size_t kExpCost = 32;

template <typename Real>
Matrix<Real> rows_of(Matrix<Real> m, std::span<const std::uint32_t> first_row,
                     std::size_t segment) {
  return m.part(first_row[segment], first_row[segment + 1]);
}

template <typename Real>
Real factor_of(Reduce how, std::size_t rows) {
  return how == Reduce::mean && rows > 0 ? Real{1} / static_cast<Real>(rows) : Real{1};
}

template <typename Real>
Value segment_sum(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row, Reduce how) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(first_row.size() - 1, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  for_segments(tape, first_row, kSegmentCost * in.cols, [&](std::size_t s) {
    const Matrix<const Real> rows = rows_of(in, first_row, s);
    Real* sum = y.row(s).data();
    std::fill_n(sum, y.cols, Real{0});
    tape.kernels().add_column_sums(rows.data, rows.rows, rows.cols, sum);
    const Real factor = factor_of<Real>(how, rows.rows);
    for (std::size_t c = 0; c < y.cols; ++c) {
      sum[c] *= factor;
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    for_segments(t, first_row, kSegmentCost * d.cols, [&](std::size_t s) {
      const Matrix<Real> rows = rows_of(dx, first_row, s);
      for (std::size_t i = 0; i < rows.rows; ++i) {
        t.kernels().axpy(factor_of<Real>(how, rows.rows), d.row(s).data(), d.cols,
                         rows.row(i).data());
      }
    });
  });
  return out;
}

template <typename Real>
Value segment_max(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  const Value out = tape.make(first_row.size() - 1, cols, x);
  const Matrix<Real> y = tape.output(out);
  const auto where = tape.template array<std::uint32_t>(y.size());
  for_segments(tape, first_row, kSegmentCost * cols, [&](std::size_t s) {
    Real* largest = y.row(s).data();
    std::uint32_t* at = where.data() + s * cols;
    const std::uint32_t begin = first_row[s];
    const bool empty = begin == first_row[s + 1];
    for (std::size_t c = 0; c < cols; ++c) {
      largest[c] = empty ? Real{0} : in(begin, c);
      at[c] = empty ? kNoRow : begin;
    }
    for (std::uint32_t i = begin; i < first_row[s + 1]; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        const bool more = in(i, c) > largest[c];
        largest[c] = more ? in(i, c) : largest[c];
        at[c] = more ? i : at[c];
      }
    }
  });
  on_backward_to_rows<Real>(tape, out, x, where);
  return out;
}

}  // namespace

template <typename Real>
Value segment_reduce(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row,
                     Reduce how) {
  assert(first_row.back() == tape.rows(x));
  return how == Reduce::max ? segment_max(tape, x, first_row)
                            : segment_sum(tape, x, first_row, how);
}

template <typename Real>
Value segment_softmax(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> in = tape.value(x);
  assert(first_row.back() == in.rows);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  const std::size_t cols = in.cols;
  const std::size_t segments = first_row.size() - 1;
  const Matrix<Real> largest = tape.scratch(segments, cols);
  const Matrix<Real> sum = tape.scratch(segments, cols);
  for_segments(tape, first_row, kExpCost * cols, [&](std::size_t s) {
    const Matrix<const Real> from = rows_of(in, first_row, s);
    const Matrix<Real> to = rows_of(y, first_row, s);
    for (std::size_t c = 0; c < cols; ++c) {
      largest(s, c) = std::numeric_limits<Real>::lowest();
      sum(s, c) = 0;
    }
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        largest(s, c) = std::max(largest(s, c), from(i, c));
      }
    }
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        to(i, c) = std::exp(from(i, c) - largest(s, c));
        sum(s, c) += to(i, c);
      }
    }
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        to(i, c) /= sum(s, c);
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    const Matrix<Real> along = t.scratch(segments, cols);
    for_segments(t, first_row, kSegmentCost * cols, [&](std::size_t s) {
      std::ranges::fill(along.row(s), Real{0});
      for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          along(s, c) += y(i, c) * d(i, c);
        }
      }
      for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          dx(i, c) += y(i, c) * (d(i, c) - along(s, c));
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value segment_broadcast(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> in = tape.value(x);
  assert(first_row.size() == in.rows + 1);
  const Value out = tape.make(first_row.back(), in.cols, x);
  const Matrix<Real> y = tape.output(out);
  for_segments(tape, first_row, in.cols, [&](std::size_t s) {
    for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
      std::copy_n(in.row(s).data(), in.cols, y.row(i).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    for_segments(t, first_row, kSegmentCost * d.cols, [&](std::size_t s) {
      const Matrix<Real> rows = rows_of(d, first_row, s);
      t.kernels().add_column_sums(rows.data, rows.rows, rows.cols, dx.row(s).data());
    });
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                                           \
  template Value segment_reduce(Tape<Real>&, Value, std::span<const std::uint32_t>, Reduce); \
  template Value segment_softmax(Tape<Real>&, Value, std::span<const std::uint32_t>);        \
  template Value segment_broadcast(Tape<Real>&, Value, std::span<const std::uint32_t>);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
