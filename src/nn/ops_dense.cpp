#include "nn/ops_dense.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "nn/fixed_sums.h"
#include "nn/graph_groups.h"

namespace rayleigh::nn {
namespace {

/// Four rows of four numbers, turned in registers; distances between rows in numbers.
void turn_four(const float* from, std::size_t from_distance, float* to, std::size_t to_distance) {
  using Row [[gnu::vector_size(4 * sizeof(float))]] = float;
  std::array<Row, 4> rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(&rows[i], from + i * from_distance, sizeof(Row));
  }
  const Row left_top = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Row left_bottom = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Row right_top = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Row right_bottom = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  rows = {__builtin_shufflevector(left_top, left_bottom, 0, 1, 4, 5),
          __builtin_shufflevector(left_top, left_bottom, 2, 3, 6, 7),
          __builtin_shufflevector(right_top, right_bottom, 0, 1, 4, 5),
          __builtin_shufflevector(right_top, right_bottom, 2, 3, 6, 7)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(to + i * to_distance, &rows[i], sizeof(Row));
  }
}

/// The numbers of some columns of `a` from row `first` on.
template <typename Real>
void turn_columns(Matrix<const Real> a, core::Range columns, std::size_t first, Matrix<Real> out) {
  for (std::size_t i = first; i < a.rows; ++i) {
    for (std::size_t j = columns.begin; j < columns.end; ++j) {
      out.data[j * a.rows + i] = a.data[i * a.cols + j];
    }
  }
}

template <typename Real>
void transpose_into(Tape<Real>& tape, Matrix<const Real> a, Matrix<Real> out) {
  constexpr std::size_t kTile = 16;
  constexpr std::size_t kTurned = 4;
  const std::size_t strips = (a.cols + kTile - 1) / kTile;
  tape.for_rows(strips, 4 * kTile * a.rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j0 = begin * kTile; j0 < std::min(a.cols, end * kTile); j0 += kTile) {
      const core::Range columns{j0, std::min(a.cols, j0 + kTile)};
      std::size_t turned = 0;  // rows
      if constexpr (std::is_same_v<Real, float>) {
        if (columns.end - columns.begin == kTile) {
          for (; turned + kTurned <= a.rows; turned += kTurned) {
            for (std::size_t j = columns.begin; j < columns.end; j += kTurned) {
              turn_four(a.data + turned * a.cols + j, a.cols, out.data + j * a.rows + turned,
                        a.rows);
            }
          }
        }
      }
      turn_columns<Real>(a, columns, turned, out);
    }
  });
}

/// work(begin, end) over the rows of a product, in parts of whole blocks of registers: the fewer
/// rows, the more often weights are read.
template <typename Real, typename Work>
void for_product_rows(Tape<Real>& tape, std::size_t rows, std::size_t cost, Work work) {
  constexpr std::size_t kLeastRows = 48;
  tape.for_rows((rows + kLeastRows - 1) / kLeastRows, kLeastRows * cost,
                [&](std::size_t begin, std::size_t end) {
                  work(begin * kLeastRows, std::min(rows, end * kLeastRows));
                });
}

/// out = activation(x weights + bias), split by rows.
template <typename Real>
void affine(Tape<Real>& tape, Matrix<const Real> x, Matrix<const Real> weights, const Real* bias,
            Real slope, Matrix<Real> out) {
  for_product_rows(tape, x.rows, x.cols * weights.cols, [&](std::size_t begin, std::size_t end) {
    tape.kernels().affine_rows(x.data + begin * x.cols, end - begin, x.cols, weights.data, bias,
                               weights.cols, slope, out.data + begin * out.cols);
  });
}

/// c += a op(b), split by rows.
template <typename Real>
void add_product(Tape<Real>& tape, Matrix<const Real> a, Matrix<const Real> b,
                 Transpose transpose_b, Matrix<Real> c) {
  for_product_rows(tape, a.rows, a.cols * c.cols, [&](std::size_t begin, std::size_t end) {
    gemm<Real>(Transpose::no, transpose_b, Real{1}, a.part(begin, end), b, Real{1},
               c.part(begin, end));
  });
}

}  // namespace

template <typename Real>
Matrix<const Real> transposed(Tape<Real>& tape, Matrix<const Real> a) {
  const Matrix<Real> out = tape.scratch(a.cols, a.rows);
  transpose_into(tape, a, out);
  return out;
}

template <typename Real>
void add_gram(Tape<Real>& tape, Matrix<const Real> a, Matrix<const Real> b, Matrix<Real> c) {
  // Our own kernel where c stays in the cache and its rows are whole registers, else oneDNN.
  constexpr std::size_t kSmall = 1U << 14U;
  constexpr std::size_t kLanes = 16;
  constexpr std::size_t kOperationsPerPart = 1U << 19U;
  const bool small = c.size() <= kSmall && c.cols % kLanes == 0;
  const std::size_t most_parts = small ? 16 : 8;
  const std::size_t per_part = small ? kOperationsPerPart : 4 * kOperationsPerPart;
  const std::size_t parts =
      std::clamp<std::size_t>(a.rows * a.cols * b.cols / per_part, 1, most_parts);
  const auto add_part = [&](core::Range range, Real* sums) {
    const auto x = a.part(range.begin, range.end);
    const auto y = b.part(range.begin, range.end);
    if (small) {
      tape.kernels().add_gram(x.data, x.rows, x.cols, y.data, y.cols, sums);
    } else {
      gemm<Real>(Transpose::yes, Transpose::no, Real{1}, x, y, Real{1}, {sums, c.rows, c.cols});
    }
  };
  if (parts == 1) {
    add_part({0, a.rows}, c.data);
    return;
  }
  const Matrix<Real> sums = tape.scratch(parts, c.size());
  tape.for_parts(parts, [&](std::size_t part) {
    std::ranges::fill(sums.row(part), Real{0});
    add_part(core::part_of(a.rows, parts, part), sums.row(part).data());
  });
  add_groups<Real>(tape, sums, 0, c);
}

template <typename Real>
Value linear(Tape<Real>& tape, Value x, Value w, Value b, Activation activation) {
  const Matrix<const Real> input = tape.value(x);
  const Matrix<const Real> weights = tape.value(w);
  assert(input.cols == weights.cols);
  const Value out = tape.make(input.rows, weights.rows, x, w, b);
  const Real slope = slope_of<Real>(activation);
  const Real* bias = b.exists() ? tape.value(b).data : nullptr;
  affine<Real>(tape, input, transposed<Real>(tape, weights), bias, slope, tape.output(out));
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    leaky_and_bias_backward<Real>(t, d, t.value(out), slope, b);
    if (t.wants_gradient(w)) {
      add_gram<Real>(t, d, input, t.gradient(w));
    }
    if (t.wants_gradient(x)) {
      add_product<Real>(t, d, weights, Transpose::no, t.gradient(x));
    }
  });
  return out;
}

template <typename Real>
Value one_hot_linear(Tape<Real>& tape, Value w, Value b, Activation activation,
                     std::size_t zero_rows) {
  const Matrix<const Real> weights = tape.value(w);
  const Value out = tape.make(weights.cols + zero_rows, weights.rows, w, b);
  const Real slope = slope_of<Real>(activation);
  const Real* bias = b.exists() ? tape.value(b).data : nullptr;
  const Matrix<Real> y = tape.output(out);
  transpose_into<Real>(tape, weights, y);
  std::fill(y.data + weights.size(), y.data + y.size(), Real{0});
  tape.kernels().bias_leaky(y.data, y.rows, y.cols, bias, slope);
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    leaky_and_bias_backward<Real>(t, d, t.value(out), slope, b);
    if (t.wants_gradient(w)) {
      const Matrix<const Real> turned = transposed<Real>(t, d.part(0, weights.cols));
      t.kernels().axpy(Real{1}, turned.data, turned.size(), t.gradient(w).data);
    }
  });
  return out;
}

template <typename Real>
Value product(Tape<Real>& tape, Value a, Value b, Transpose transpose_a, Transpose transpose_b) {
  const bool ta = transpose_a == Transpose::yes;
  const bool tb = transpose_b == Transpose::yes;
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  const Value out = tape.make(ta ? left.cols : left.rows, tb ? right.rows : right.cols, a, b);
  const Matrix<const Real> x = ta ? transposed<Real>(tape, left) : Matrix<const Real>(left);
  const Matrix<const Real> y = tb ? transposed<Real>(tape, right) : Matrix<const Real>(right);
  assert(x.cols == y.rows);
  affine<Real>(tape, x, y, nullptr, Real{1}, tape.output(out));
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<const Real> d = t.gradient(out);
    if (t.wants_gradient(a)) {
      if (ta) {  // d a = op(b) d'
        gemm<Real>(transpose_b, Transpose::yes, Real{1}, right, d, Real{1}, t.gradient(a));
      } else {
        add_product<Real>(t, d, right, tb ? Transpose::no : Transpose::yes, t.gradient(a));
      }
    }
    if (t.wants_gradient(b)) {
      if (tb) {  // d b = d' op(a)
        if (ta) {
          gemm<Real>(Transpose::yes, Transpose::yes, Real{1}, d, left, Real{1}, t.gradient(b));
        } else {
          add_gram<Real>(t, d, left, t.gradient(b));
        }
      } else if (ta) {  // d b = a d
        add_product<Real>(t, left, d, Transpose::no, t.gradient(b));
      } else {
        add_gram<Real>(t, left, d, t.gradient(b));
      }
    }
  });
  return out;
}

template <typename Real>
Value transpose(Tape<Real>& tape, Value a) {
  const Matrix<const Real> from = tape.value(a);
  const Value out = tape.make(from.cols, from.rows, a);
  transpose_into<Real>(tape, from, tape.output(out));
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<const Real> turned = transposed<Real>(t, t.gradient(out));
    t.kernels().axpy(Real{1}, turned.data, turned.size(), t.gradient(a).data);
  });
  return out;
}

template <typename Real>
Value block_product(Tape<Real>& tape, Value a, Value b) {
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  assert(left.cols > 0 && right.rows % left.cols == 0);
  const std::size_t blocks = right.rows / left.cols;
  const auto block = [](auto m, std::size_t rows, std::size_t k) {
    return m.part(k * rows, (k + 1) * rows);
  };
  const Value out = tape.make(blocks * left.rows, right.cols, a, b);
  const Matrix<Real> y = tape.output(out);
  tape.for_parts(blocks, [&](std::size_t k) {
    tape.kernels().affine_rows(left.data, left.rows, left.cols, block(right, left.cols, k).data,
                               nullptr, right.cols, Real{1}, block(y, left.rows, k).data);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(b)) {
      const Matrix<Real> db = t.gradient(b);
      t.for_parts(blocks, [&](std::size_t k) {
        gemm<Real>(Transpose::yes, Transpose::no, Real{1}, left, block(d, left.rows, k), Real{1},
                   block(db, left.cols, k));
      });
    }
    if (t.wants_gradient(a)) {
      const Matrix<Real> da = t.gradient(a);
      t.for_rows(left.rows, right.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = 0; k < blocks; ++k) {
          gemm<Real>(Transpose::no, Transpose::yes, Real{1},
                     block(d, left.rows, k).part(begin, end), block(right, left.cols, k), Real{1},
                     da.part(begin, end));
        }
      });
    }
  });
  return out;
}

template <typename Real>
Value activate(Tape<Real>& tape, Value x, Activation activation) {
  const Matrix<const Real> in = tape.value(x);
  const Real slope = slope_of<Real>(activation);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  tape.for_rows(in.rows, 2 * in.cols, [&](std::size_t begin, std::size_t end) {
    std::copy(in.data + begin * in.cols, in.data + end * in.cols, y.data + begin * in.cols);
    tape.kernels().bias_leaky(y.data + begin * in.cols, end - begin, in.cols, nullptr, slope);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(d.rows, 4 * d.cols, [&](std::size_t begin, std::size_t end) {
      const std::size_t first = begin * d.cols;
      const std::size_t count = (end - begin) * d.cols;
      t.kernels().leaky_backward(d.data + first, y.data + first, count, slope);
      t.kernels().axpy(Real{1}, d.data + first, count, dx.data + first);
    });
  });
  return out;
}

template <typename Real>
Value concat(Tape<Real>& tape, std::span<const Value> parts) {
  assert(!parts.empty());
  const std::size_t rows = tape.rows(parts[0]);
  std::size_t cols = 0;
  Value wanting;  // any part that wants a gradient speaks for all
  for (const Value part : parts) {
    assert(tape.rows(part) == rows);
    cols += tape.cols(part);
    if (tape.wants_gradient(part)) {
      wanting = part;
    }
  }
  const Value out = tape.make(rows, cols, wanting);
  const auto kept = tape.template array<Value>(parts.size());
  std::ranges::copy(parts, kept.begin());
  const auto for_each_piece = [kept, rows, cols](Tape<Real>& t, auto&& piece) {
    std::size_t first = 0;
    for (const Value part : kept) {
      const std::size_t width = t.cols(part);
      for (std::size_t i = 0; i < rows; ++i) {
        piece(part, i * cols + first, i * width, width);
      }
      first += width;
    }
  };
  Real* joined = tape.output(out).data;
  for_each_piece(tape, [&](Value part, std::size_t to, std::size_t from, std::size_t width) {
    std::copy_n(tape.value(part).data + from, width, joined + to);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    for_each_piece(t, [&](Value part, std::size_t from, std::size_t to, std::size_t width) {
      if (t.wants_gradient(part)) {
        Real* target = t.gradient(part).data + to;
        for (std::size_t c = 0; c < width; ++c) {
          target[c] += d[from + c];
        }
      }
    });
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                                           \
  template Matrix<const Real> transposed(Tape<Real>&, Matrix<const Real>);                   \
  template void add_gram(Tape<Real>&, Matrix<const Real>, Matrix<const Real>, Matrix<Real>); \
  template Value linear(Tape<Real>&, Value, Value, Value, Activation);                       \
  template Value one_hot_linear(Tape<Real>&, Value, Value, Activation, std::size_t);         \
  template Value product(Tape<Real>&, Value, Value, Transpose, Transpose);                   \
  template Value transpose(Tape<Real>&, Value);                                              \
  template Value block_product(Tape<Real>&, Value, Value);                                   \
  template Value activate(Tape<Real>&, Value, Activation);                                   \
  template Value concat(Tape<Real>&, std::span<const Value>);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
