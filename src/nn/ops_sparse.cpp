#include "nn/ops_sparse.h"

#include <algorithm>
#include <numeric>

#include "nn/fixed_sums.h"

namespace rayleigh::nn {
namespace {

/// Operations an average row takes.
std::size_t cost_of_row(std::span<const std::uint32_t> row_ptr, std::size_t width) {
  const std::size_t rows = row_ptr.size() - 1;
  return 2 * width * (rows == 0 ? 1 : row_ptr[rows] / rows + 1);
}

/// out += a x, split by rows; prepare(begin, end) comes before each part.
template <typename Real, typename Prepare>
void add_product(Tape<Real>& tape, Csr<Real> a, Matrix<const Real> x, Matrix<Real> out,
                 Prepare prepare) {
  assert(a.rows() == out.rows && x.cols == out.cols);
  tape.for_rows(a.rows(), cost_of_row(a.row_ptr, x.cols), [&](std::size_t begin, std::size_t end) {
    prepare(begin, end);
    tape.kernels().add_sparse_product({.row_ptr = a.row_ptr.data() + begin,
                                       .col = a.col.data(),
                                       .value = a.value.empty() ? nullptr : a.value.data(),
                                       .rows = end - begin},
                                      x.data, x.cols, out.data + begin * out.cols);
  });
}
template <typename Real>
void add_product(Tape<Real>& tape, Csr<Real> a, Matrix<const Real> x, Matrix<Real> out) {
  add_product(tape, a, x, out, [](std::size_t, std::size_t) {});
}

}  // namespace

template <typename Real>
Value spmm(Tape<Real>& tape, Csr<Real> a, Csr<Real> transposed, Value x, Value bias) {
  const Matrix<const Real> in = tape.value(x);
  assert(transposed.rows() == in.rows);
  const Value out = tape.make(a.rows(), in.cols, x, bias);
  const Matrix<Real> y = tape.output(out);
  const Real* start = bias.exists() ? tape.value(bias).data : nullptr;
  add_product<Real>(tape, a, in, y, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (start == nullptr) {
        std::ranges::fill(y.row(i), Real{0});
      } else {
        std::copy_n(start, y.cols, y.row(i).data());
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(bias)) {
      add_to<Real>(t.gradient(bias), fixed_column_sums<Real>(t, d));
    }
    if (t.wants_gradient(x)) {
      add_product<Real>(t, transposed, d, t.gradient(x));
    }
  });
  return out;
}

template <typename Real>
Value spmm_weighted(Tape<Real>& tape, EdgePattern pattern, Value weights, Value x) {
  const Matrix<const Real> in = tape.value(x);
  const Matrix<const Real> weight = tape.value(weights);
  assert(weight.rows == pattern.col.size() && weight.cols == 1);
  assert(pattern.transposed_row_ptr.size() == in.rows + 1);
  const Value out = tape.make(pattern.rows(), in.cols, weights, x);
  std::ranges::fill(tape.output(out).flat(), Real{0});
  add_product<Real>(tape, {pattern.row_ptr, pattern.col, weight.flat()}, in, tape.output(out));
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(x)) {
      const auto turned = t.template array<Real>(weight.rows);
      std::ranges::transform(pattern.transposed_entry, turned.begin(),
                             [&](std::uint32_t entry) { return weight.data[entry]; });
      add_product<Real>(t, {pattern.transposed_row_ptr, pattern.transposed_col, turned}, d,
                        t.gradient(x));
    }
    if (t.wants_gradient(weights)) {
      Real* d_weight = t.gradient(weights).data;
      t.for_rows(d.rows, cost_of_row(pattern.row_ptr, d.cols),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t i = begin; i < end; ++i) {
                     for (std::size_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
                       d_weight[e] +=
                           t.kernels().dot(d.row(i).data(), in.row(pattern.col[e]).data(), d.cols);
                     }
                   }
                 });
    }
  });
  return out;
}

TransposedPattern transpose_pattern(std::span<const std::uint32_t> row_ptr,
                                    std::span<const std::uint32_t> col, std::size_t cols) {
  TransposedPattern result;
  result.row_ptr.assign(cols + 1, 0);
  result.col.resize(col.size());
  result.entry.resize(col.size());
  for (const std::uint32_t c : col) {
    ++result.row_ptr[c + 1];
  }
  std::partial_sum(result.row_ptr.begin(), result.row_ptr.end(), result.row_ptr.begin());
  std::vector<std::uint32_t> next(result.row_ptr.begin(), result.row_ptr.end() - 1);
  for (std::uint32_t i = 0; i + 1 < row_ptr.size(); ++i) {
    for (std::uint32_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      const std::uint32_t to = next[col[e]]++;
      result.col[to] = i;
      result.entry[to] = e;
    }
  }
  return result;
}

#define RAYLEIGH_INSTANTIATE(Real)                                      \
  template Value spmm(Tape<Real>&, Csr<Real>, Csr<Real>, Value, Value); \
  template Value spmm_weighted(Tape<Real>&, EdgePattern, Value, Value);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
