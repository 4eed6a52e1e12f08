#include "nn/ops_shape.h"

#include <algorithm>

namespace rayleigh::nn {
namespace {

/// A run of the numbers of x in another shape.
template <typename Real>
Value window(Tape<Real>& tape, Value x, std::size_t offset, std::size_t rows, std::size_t cols) {
  const Value out = tape.view({tape.value(x).data + offset, rows, cols}, x);
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    t.kernels().axpy(Real{1}, d.data, d.size(), t.gradient(x).data + offset);
  });
  return out;
}

}  // namespace

template <typename Real>
Value slice_columns(Tape<Real>& tape, Value x, std::size_t first, std::size_t count) {
  const Matrix<const Real> in = tape.value(x);
  assert(first + count <= in.cols);
  const Value out = tape.make(in.rows, count, x);
  const Matrix<Real> y = tape.output(out);
  for (std::size_t i = 0; i < in.rows; ++i) {
    std::copy_n(in.data + i * in.cols + first, count, y.data + i * count);
  }
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    for (std::size_t i = 0; i < d.rows; ++i) {
      t.kernels().axpy(Real{1}, d.data + i * count, count, dx.data + i * dx.cols + first);
    }
  });
  return out;
}

template <typename Real>
Value slice_rows(Tape<Real>& tape, Value x, std::size_t first, std::size_t count) {
  assert(first + count <= tape.rows(x));
  const std::size_t cols = tape.cols(x);
  return window(tape, x, first * cols, count, cols);
}

template <typename Real>
Value gather_rows(Tape<Real>& tape, Value x, std::span<const std::uint32_t> index) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(index.size(), in.cols, x);
  const Matrix<Real> y = tape.output(out);
  tape.for_rows(index.size(), in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      std::copy_n(in.row(index[k]).data(), in.cols, y.row(k).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    // Rows may repeat, so one thread adds them in order.
    for (std::size_t k = 0; k < index.size(); ++k) {
      t.kernels().axpy(Real{1}, d.row(k).data(), d.cols, dx.row(index[k]).data());
    }
  });
  return out;
}

template <typename Real>
Value pad_blocks(Tape<Real>& tape, Value x, std::size_t rows_each, std::size_t padded_rows) {
  const Matrix<const Real> in = tape.value(x);
  assert(rows_each > 0 && padded_rows >= rows_each && in.rows % rows_each == 0);
  const std::size_t blocks = in.rows / rows_each;
  const std::size_t from = rows_each * in.cols;
  const std::size_t to = padded_rows * in.cols;
  const Value out = tape.make(blocks * padded_rows, in.cols, x);
  Real* y = tape.output(out).data;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::copy_n(in.data + b * from, from, y + b * to);
    std::fill(y + b * to + from, y + (b + 1) * to, Real{0});
  }
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    Real* dx = t.gradient(x).data;
    for (std::size_t b = 0; b < blocks; ++b) {
      t.kernels().axpy(Real{1}, d + b * to, from, dx + b * from);
    }
  });
  return out;
}

template <typename Real>
Value reshape(Tape<Real>& tape, Value x, std::size_t rows, std::size_t cols) {
  assert(rows * cols == tape.value(x).size());
  return window(tape, x, 0, rows, cols);
}

#define RAYLEIGH_INSTANTIATE(Real)                                                \
  template Value pad_blocks(Tape<Real>&, Value, std::size_t, std::size_t);        \
  template Value slice_columns(Tape<Real>&, Value, std::size_t, std::size_t);     \
  template Value slice_rows(Tape<Real>&, Value, std::size_t, std::size_t);        \
  template Value gather_rows(Tape<Real>&, Value, std::span<const std::uint32_t>); \
  template Value reshape(Tape<Real>&, Value, std::size_t, std::size_t);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
