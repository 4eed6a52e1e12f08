#include "nn/ops_clusters.h"

#include <algorithm>

#include "nn/gemm.h"
#include "nn/ops_segment.h"

namespace rayleigh::nn {
namespace {

/// The entry of a column that `rank` larger ones come before.
template <typename Real>
struct Quantile {
  Real value = 0;
  std::uint32_t row = kNoRow;  ///< none: it is one of the zeros behind the rows
};

/// Keeps the rank + 1 largest of the column, sorted. All columns of a segment take about n^2 steps
/// at most, because a cluster's rank is n / k.
template <typename Real>
Quantile<Real> find_quantile(Matrix<const Real> s, std::size_t column, std::size_t rank,
                             std::span<std::uint32_t> largest) {
  if (rank >= s.rows) {
    return {};
  }
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < s.rows; ++i) {
    const Real value = s(i, column);
    if (count > rank) {
      if (!(value > s(largest[rank], column))) {
        continue;
      }
      --count;
    }
    std::size_t at = count++;
    for (; at > 0 && value > s(largest[at - 1], column); --at) {
      largest[at] = largest[at - 1];
    }
    largest[at] = i;
  }
  return {.value = s(largest[rank], column), .row = largest[rank]};
}

}  // namespace

template <typename Real>
Value segment_gram(Tape<Real>& tape, Value a, Value b, std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  const std::size_t segments = first_row.size() - 1;
  assert(left.rows == first_row.back() && right.rows == first_row.back());
  const Value out = tape.make(segments * left.cols, right.cols, a, b);
  const Matrix<Real> y = tape.output(out);
  const auto rows_of = [=](auto m, std::size_t g) {
    return m.part(first_row[g], first_row[g + 1]);
  };
  const std::size_t cost = 2 * left.cols * right.cols;
  for_segments(tape, first_row, cost, [&](std::size_t g) {
    const Matrix<Real> to = y.part(g * left.cols, (g + 1) * left.cols);
    std::ranges::fill(to.flat(), Real{0});
    const Matrix<const Real> x = rows_of(left, g);
    tape.kernels().add_gram(x.data, x.rows, x.cols, rows_of(right, g).data, right.cols, to.data);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> da = t.wants_gradient(a) ? t.gradient(a) : Matrix<Real>{};
    const Matrix<Real> db = t.wants_gradient(b) ? t.gradient(b) : Matrix<Real>{};
    for_segments(t, first_row, 2 * cost, [&](std::size_t g) {
      const Matrix<Real> dy = d.part(g * left.cols, (g + 1) * left.cols);
      if (!da.empty()) {
        gemm<Real>(Transpose::no, Transpose::yes, Real{1}, rows_of(right, g), dy, Real{1},
                   rows_of(da, g));
      }
      if (!db.empty()) {
        gemm<Real>(Transpose::no, Transpose::no, Real{1}, rows_of(left, g), dy, Real{1},
                   rows_of(db, g));
      }
    });
  });
  return out;
}

template <typename Real>
Value paired_product(Tape<Real>& tape, Value a, Value b, std::size_t blocks) {
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  assert(blocks == 0 || (left.rows % blocks == 0 && right.rows == blocks * left.cols));
  const Value out = tape.make(left.rows, right.cols, a, b);
  const Matrix<Real> y = tape.output(out);
  const auto block = [=](auto m, std::size_t k) {
    const std::size_t rows = m.rows / blocks;
    return m.part(k * rows, (k + 1) * rows);
  };
  tape.for_parts(blocks, [&](std::size_t k) {
    const Matrix<const Real> x = block(left, k);
    tape.kernels().affine_rows(x.data, x.rows, x.cols, block(right, k).data, nullptr, right.cols,
                               Real{1}, block(y, k).data);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> da = t.wants_gradient(a) ? t.gradient(a) : Matrix<Real>{};
    const Matrix<Real> db = t.wants_gradient(b) ? t.gradient(b) : Matrix<Real>{};
    t.for_parts(blocks, [&](std::size_t k) {
      if (!da.empty()) {
        gemm<Real>(Transpose::no, Transpose::yes, Real{1}, block(d, k), block(right, k), Real{1},
                   block(da, k));
      }
      if (!db.empty()) {
        gemm<Real>(Transpose::yes, Transpose::no, Real{1}, block(left, k), block(d, k), Real{1},
                   block(db, k));
      }
    });
  });
  return out;
}

template <typename Real>
Value cluster_balance(Tape<Real>& tape, Value s, std::span<const std::uint32_t> first_row,
                      std::size_t rows) {
  const Matrix<const Real> in = tape.value(s);
  const std::size_t segments = first_row.size() - 1;
  const std::size_t clusters = in.cols;
  assert(in.rows == first_row.back());
  const Value out = tape.make(segments, 1, s);
  Real* loss = tape.output(out).data;
  const auto quantiles = tape.template array<Quantile<Real>>(segments * clusters);
  // Room for the largest entries of a column: no more than there are rows, nor than rank + 1.
  const auto room = tape.template array<std::uint32_t>(in.rows + segments);
  const auto padded_rows = [=](std::size_t g) {
    return std::max<std::size_t>(rows, first_row[g + 1] - first_row[g]);
  };
  const auto above = static_cast<Real>(clusters) - 1;
  const auto factor = [=](std::size_t g) {
    const Real most = above * static_cast<Real>(padded_rows(g));
    return most > 0 ? 1 / most : Real{0};
  };
  for_segments(tape, first_row, 8 * clusters, [&](std::size_t g) {
    const Matrix<const Real> own = in.part(first_row[g], first_row[g + 1]);
    const std::size_t rank = padded_rows(g) / clusters;
    const auto largest = room.subspan(first_row[g] + g, own.rows + 1);
    Real norm = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
      const auto q = find_quantile<Real>(own, c, rank, largest);
      quantiles[g * clusters + c] = q;
      norm += static_cast<Real>(padded_rows(g) - own.rows) * q.value;
      for (std::size_t i = 0; i < own.rows; ++i) {
        const Real over = own(i, c) - q.value;
        norm += over >= 0 ? above * over : -over;
      }
    }
    loss[g] = factor(g) > 0 ? 1 - norm * factor(g) : Real{0};
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const Matrix<Real> ds = t.gradient(s);
    for_segments(t, first_row, 8 * clusters, [&](std::size_t g) {
      const Matrix<const Real> own = in.part(first_row[g], first_row[g + 1]);
      const Matrix<Real> to = ds.part(first_row[g], first_row[g + 1]);
      const Real slope = -d[g] * factor(g);
      for (std::size_t c = 0; c < clusters; ++c) {
        const Quantile<Real> q = quantiles[g * clusters + c];
        Real of_quantile = slope * static_cast<Real>(padded_rows(g) - own.rows);
        for (std::size_t i = 0; i < own.rows; ++i) {
          const Real part = own(i, c) >= q.value ? slope * above : -slope;
          to(i, c) += part;
          of_quantile -= part;
        }
        if (q.row != kNoRow) {
          to(q.row, c) += of_quantile;
        }
      }
    });
  });
  return out;
}

template Value segment_gram(Tape<float>&, Value, Value, std::span<const std::uint32_t>);
template Value segment_gram(Tape<double>&, Value, Value, std::span<const std::uint32_t>);
template Value paired_product(Tape<float>&, Value, Value, std::size_t);
template Value paired_product(Tape<double>&, Value, Value, std::size_t);
template Value cluster_balance(Tape<float>&, Value, std::span<const std::uint32_t>, std::size_t);
template Value cluster_balance(Tape<double>&, Value, std::span<const std::uint32_t>, std::size_t);

}  // namespace rayleigh::nn
