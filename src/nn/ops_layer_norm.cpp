#include "nn/ops_layer_norm.h"

#include <algorithm>
#include <cmath>

#include "nn/fixed_sums.h"
#include "nn/ops_segment.h"

namespace rayleigh::nn {
namespace {

constexpr std::size_t kLayerNormCost = 8;

template <typename Real>
Matrix<double> zeros(Tape<Real>& tape, std::size_t rows, std::size_t cols) {
  const auto numbers = tape.template array<double>(rows * cols);
  std::ranges::fill(numbers, 0.0);
  return {numbers.data(), rows, cols};
}

}  // namespace

template <typename Real>
Value layer_norm(Tape<Real>& tape, Value x, Value scale, Value shift, double epsilon) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  assert(tape.cols(scale) == cols && tape.cols(shift) == cols);
  const Value out = tape.make(in.rows, cols, x, scale, shift);
  const Matrix<Real> y = tape.output(out);
  const Matrix<Real> normal = tape.scratch(in.rows, cols);  // before scale and shift
  const auto inverse = tape.template array<Real>(in.rows);  // 1 / standard deviation
  const Real* factor = tape.value(scale).data;
  const Real* offset = tape.value(shift).data;
  const auto count = static_cast<double>(cols);
  tape.for_rows(in.rows, kLayerNormCost * cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (const Real v : in.row(i)) {
        sum += static_cast<double>(v);
      }
      const double mean = sum / count;
      double squares = 0;
      for (const Real v : in.row(i)) {
        const double u = static_cast<double>(v) - mean;
        squares += u * u;
      }
      inverse[i] = static_cast<Real>(1 / std::sqrt(squares / count + epsilon));
      for (std::size_t c = 0; c < cols; ++c) {
        normal(i, c) = (in(i, c) - static_cast<Real>(mean)) * inverse[i];
        y(i, c) = normal(i, c) * factor[c] + offset[c];
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(shift)) {
      add_to<Real>(t.gradient(shift), fixed_column_sums<Real>(t, d));
    }
    if (t.wants_gradient(scale)) {
      const auto add_row = [&](std::size_t i, double* sums) {
        for (std::size_t c = 0; c < cols; ++c) {
          sums[c] += static_cast<double>(d(i, c) * normal(i, c));
        }
      };
      add_to<Real>(t.gradient(scale), fixed_column_sums(t, d.rows, cols, add_row));
    }
    if (!t.wants_gradient(x)) {
      return;
    }
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(d.rows, kLayerNormCost * cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double sum = 0;
        double along = 0;
        for (std::size_t c = 0; c < cols; ++c) {
          const Real g = d(i, c) * factor[c];
          sum += static_cast<double>(g);
          along += static_cast<double>(g * normal(i, c));
        }
        const auto mean = static_cast<Real>(sum / count);
        const auto mean_along = static_cast<Real>(along / count);
        for (std::size_t c = 0; c < cols; ++c) {
          dx(i, c) += inverse[i] * (d(i, c) * factor[c] - mean - normal(i, c) * mean_along);
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value graph_norm(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row, Value alpha,
                 Value scale, Value shift, double epsilon) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  const std::size_t segments = first_row.size() - 1;
  assert(first_row.back() == in.rows && tape.cols(alpha) == cols && tape.cols(scale) == cols);
  const Value out = tape.make(in.rows, cols, x, alpha, scale, shift);
  const Matrix<Real> y = tape.output(out);
  const Matrix<Real> normal = tape.scratch(in.rows, cols);  // before scale and shift
  const Matrix<double> mean = zeros(tape, segments, cols);
  const Matrix<double> inverse = zeros(tape, segments, cols);
  const Real* kept = tape.value(alpha).data;
  const Real* factor = tape.value(scale).data;
  const Real* offset = shift.exists() ? tape.value(shift).data : nullptr;
  const auto rows_in = [first_row](std::size_t s) {
    return static_cast<double>(first_row[s + 1] - first_row[s]);
  };
  for_segments(tape, first_row, kLayerNormCost * cols, [&](std::size_t s) {
    for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        mean(s, c) += static_cast<double>(in(i, c)) / rows_in(s);
      }
    }
    const auto centred = [&](std::size_t i, std::size_t c) {
      return static_cast<double>(in(i, c)) - static_cast<double>(kept[c]) * mean(s, c);
    };
    for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        const double u = centred(i, c);
        inverse(s, c) += u * u / rows_in(s);
      }
    }
    for (std::size_t c = 0; c < cols; ++c) {
      inverse(s, c) = 1 / std::sqrt(inverse(s, c) + epsilon);
    }
    for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        normal(i, c) = static_cast<Real>(centred(i, c) * inverse(s, c));
        y(i, c) = normal(i, c) * factor[c] + (offset == nullptr ? Real{0} : offset[c]);
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    // Sums over the rows of a segment: of d times normal, of d, and of the gradient of u.
    const Matrix<double> along = zeros(t, segments, cols);
    const Matrix<double> sum = zeros(t, segments, cols);
    const Matrix<double> sum_u = zeros(t, segments, cols);
    const Matrix<Real> dx = t.wants_gradient(x) ? t.gradient(x) : Matrix<Real>{};
    for_segments(t, first_row, 2 * kLayerNormCost * cols, [&](std::size_t s) {
      for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          along(s, c) += static_cast<double>(d(i, c) * normal(i, c));
          sum(s, c) += static_cast<double>(d(i, c));
        }
      }
      const auto gradient_of_u = [&](std::size_t i, std::size_t c) {
        return static_cast<double>(factor[c]) * inverse(s, c) *
               (static_cast<double>(d(i, c)) -
                static_cast<double>(normal(i, c)) * along(s, c) / rows_in(s));
      };
      for (std::size_t i = first_row[s]; i < first_row[s + 1]; ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          sum_u(s, c) += gradient_of_u(i, c);
        }
      }
      for (std::size_t i = first_row[s]; i < first_row[s + 1] && !dx.empty(); ++i) {
        for (std::size_t c = 0; c < cols; ++c) {
          dx(i, c) += static_cast<Real>(gradient_of_u(i, c) -
                                        static_cast<double>(kept[c]) * sum_u(s, c) / rows_in(s));
        }
      }
    });
    const auto add_sums = [&](Value to, auto term) {
      if (t.wants_gradient(to)) {
        add_to<Real>(t.gradient(to),
                     fixed_column_sums(t, segments, cols, [&](std::size_t s, double* sums) {
                       for (std::size_t c = 0; c < cols; ++c) {
                         sums[c] += term(s, c);
                       }
                     }));
      }
    };
    add_sums(scale, [&](std::size_t s, std::size_t c) { return along(s, c); });
    add_sums(shift, [&](std::size_t s, std::size_t c) { return sum(s, c); });
    add_sums(alpha, [&](std::size_t s, std::size_t c) { return -mean(s, c) * sum_u(s, c); });
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                                            \
  template Value layer_norm(Tape<Real>&, Value, Value, Value, double);                        \
  template Value graph_norm(Tape<Real>&, Value, std::span<const std::uint32_t>, Value, Value, \
                            Value, double);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
