#include "nn/ops_elementwise.h"

#include <cmath>

#include "nn/fixed_sums.h"

namespace rayleigh::nn {
namespace {

/// Roughly an operation; a part of the work is then 2^14 numbers.
constexpr std::size_t kElementCost = 4;

/// y = f(x), and slope(x, y) its derivative.
template <typename Real, typename Function, typename Slope>
Value map(Tape<Real>& tape, Value x, Function f, Slope slope) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  tape.for_rows(in.size(), kElementCost, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      y.data[i] = f(in.data[i]);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    Real* dx = t.gradient(x).data;
    t.for_rows(in.size(), kElementCost, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        dx[i] += d[i] * slope(in.data[i], y.data[i]);
      }
    });
  });
  return out;
}

/// y = f(a, b); slope_a(a, b) and slope_b(a, b) are its derivatives.
template <typename Real, typename Function, typename SlopeA, typename SlopeB>
Value map_pairs(Tape<Real>& tape, Value a, Value b, Function f, SlopeA slope_a, SlopeB slope_b) {
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  assert(left.rows == right.rows && left.cols == right.cols);
  const Value out = tape.make(left.rows, left.cols, a, b);
  const Matrix<Real> y = tape.output(out);
  tape.for_rows(y.size(), kElementCost, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      y.data[i] = f(left.data[i], right.data[i]);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const auto add_gradient = [&](Value to, auto slope) {
      if (!t.wants_gradient(to)) {
        return;
      }
      Real* target = t.gradient(to).data;
      t.for_rows(d.size(), kElementCost, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          target[i] += d.data[i] * slope(left.data[i], right.data[i]);
        }
      });
    };
    add_gradient(a, slope_a);
    add_gradient(b, slope_b);
  });
  return out;
}

}  // namespace

template <typename Real>
Value add(Tape<Real>& tape, Value a, Value b) {
  const auto one = [](Real, Real) { return Real{1}; };
  return map_pairs(
      tape, a, b, [](Real x, Real y) { return x + y; }, one, one);
}

template <typename Real>
Value subtract(Tape<Real>& tape, Value a, Value b) {
  return map_pairs(
      tape, a, b, [](Real x, Real y) { return x - y; }, [](Real, Real) { return Real{1}; },
      [](Real, Real) { return Real{-1}; });
}

template <typename Real>
Value multiply(Tape<Real>& tape, Value a, Value b) {
  return map_pairs(
      tape, a, b, [](Real x, Real y) { return x * y; }, [](Real, Real y) { return y; },
      [](Real x, Real) { return x; });
}

template <typename Real>
Value divide(Tape<Real>& tape, Value a, Value b) {
  return map_pairs(
      tape, a, b, [](Real x, Real y) { return x / y; }, [](Real, Real y) { return 1 / y; },
      [](Real x, Real y) { return -x / (y * y); });
}

template <typename Real>
Value add_row(Tape<Real>& tape, Value x, Value row) {
  const Matrix<const Real> in = tape.value(x);
  const Real* added = tape.value(row).data;
  assert(tape.rows(row) == 1 && tape.cols(row) == in.cols);
  const Value out = tape.make(in.rows, in.cols, x, row);
  const Matrix<Real> y = tape.output(out);
  tape.for_rows(in.rows, kElementCost * in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < in.cols; ++c) {
        y.data[i * in.cols + c] = in.data[i * in.cols + c] + added[c];
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(x)) {
      t.kernels().axpy(Real{1}, d.data, d.size(), t.gradient(x).data);
    }
    if (t.wants_gradient(row)) {
      add_to<Real>(t.gradient(row), fixed_column_sums<Real>(t, d));
    }
  });
  return out;
}

template <typename Real>
Value scale_columns(Tape<Real>& tape, Value x, Value row) {
  const Matrix<const Real> in = tape.value(x);
  const Real* factor = tape.value(row).data;
  assert(tape.rows(row) == 1 && tape.cols(row) == in.cols);
  const Value out = tape.make(in.rows, in.cols, x, row);
  const Matrix<Real> y = tape.output(out);
  const std::size_t cols = in.cols;
  tape.for_rows(in.rows, kElementCost * cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        y.data[i * cols + c] = in.data[i * cols + c] * factor[c];
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(x)) {
      const Matrix<Real> dx = t.gradient(x);
      t.for_rows(d.rows, kElementCost * cols, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t c = 0; c < cols; ++c) {
            dx.data[i * cols + c] += d.data[i * cols + c] * factor[c];
          }
        }
      });
    }
    if (t.wants_gradient(row)) {
      add_to<Real>(t.gradient(row),
                   fixed_column_sums(t, d.rows, cols, [&](std::size_t i, double* sums) {
                     for (std::size_t c = 0; c < cols; ++c) {
                       sums[c] += static_cast<double>(d.data[i * cols + c] * in.data[i * cols + c]);
                     }
                   }));
    }
  });
  return out;
}

template <typename Real>
Value scale_rows(Tape<Real>& tape, Value x, Value column) {
  const Matrix<const Real> in = tape.value(x);
  const Real* factor = tape.value(column).data;
  assert(tape.rows(column) == in.rows && tape.cols(column) == 1);
  const Value out = tape.make(in.rows, in.cols, x, column);
  const Matrix<Real> y = tape.output(out);
  const std::size_t cols = in.cols;
  tape.for_rows(in.rows, kElementCost * cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < cols; ++c) {
        y.data[i * cols + c] = in.data[i * cols + c] * factor[i];
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    Real* dx = t.wants_gradient(x) ? t.gradient(x).data : nullptr;
    Real* d_factor = t.wants_gradient(column) ? t.gradient(column).data : nullptr;
    t.for_rows(in.rows, kElementCost * cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (dx != nullptr) {
          t.kernels().axpy(factor[i], d + i * cols, cols, dx + i * cols);
        }
        if (d_factor != nullptr) {
          d_factor[i] += t.kernels().dot(d + i * cols, in.data + i * cols, cols);
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value scale(Tape<Real>& tape, Value x, double factor) {
  const auto by = static_cast<Real>(factor);
  return map(
      tape, x, [by](Real v) { return by * v; }, [by](Real, Real) { return by; });
}

template <typename Real>
Value sigmoid(Tape<Real>& tape, Value x) {
  // Where exp overflows, the result is 0 as it should.
  return map(
      tape, x, [](Real v) { return 1 / (1 + std::exp(-v)); },
      [](Real, Real y) { return y * (1 - y); });
}

template <typename Real>
Value tanh(Tape<Real>& tape, Value x) {
  return map(
      tape, x, [](Real v) { return std::tanh(v); }, [](Real, Real y) { return 1 - y * y; });
}

template <typename Real>
Value exp(Tape<Real>& tape, Value x) {
  return map(
      tape, x, [](Real v) { return std::exp(v); }, [](Real, Real y) { return y; });
}

template <typename Real>
Value log(Tape<Real>& tape, Value x, double guard) {
  const auto added = static_cast<Real>(guard);
  return map(
      tape, x, [added](Real v) { return std::log(v + added); },
      [added](Real v, Real) { return 1 / (v + added); });
}

template <typename Real>
Value sqrt(Tape<Real>& tape, Value x) {
  return map(
      tape, x, [](Real v) { return std::sqrt(v); },
      [](Real, Real y) { return y > 0 ? Real{1} / (2 * y) : Real{0}; });
}

template <typename Real>
Value square(Tape<Real>& tape, Value x) {
  return map(
      tape, x, [](Real v) { return v * v; }, [](Real v, Real) { return 2 * v; });
}

template <typename Real>
Value abs(Tape<Real>& tape, Value x) {
  const auto sign = [](Real v, Real) { return static_cast<Real>((v > 0) - (v < 0)); };
  return map(
      tape, x, [](Real v) { return std::abs(v); }, sign);
}

template <typename Real>
Value at_least(Tape<Real>& tape, Value x, double floor) {
  const auto least = static_cast<Real>(floor);
  return map(
      tape, x, [least](Real v) { return v < least ? least : v; },
      [least](Real v, Real) { return static_cast<Real>(!(v < least)); });
}

template <typename Real>
Value with_gradient_of_square(Tape<Real>& tape, Value x) {
  return map(
      tape, x, [](Real v) { return v; }, [](Real v, Real) { return v; });
}

template <typename Real>
Value hard_shrink(Tape<Real>& tape, Value x, double threshold) {
  const auto l = static_cast<Real>(threshold);
  constexpr auto kEpsilon = static_cast<Real>(1e-12);
  const auto f = [l](Real v) { return v > l ? (v - l) * v / (v - l + kEpsilon) : Real{0}; };
  // With u = v - l, of u v / (u + e): (u^2 + e (u + v)) / (u + e)^2.
  const auto slope = [l](Real v, Real) {
    if (!(v > l)) {
      return Real{0};
    }
    const Real u = v - l;
    const Real whole = u / (u + kEpsilon);
    return whole * whole + kEpsilon / (u + kEpsilon) * ((u + v) / (u + kEpsilon));
  };
  return map(tape, x, f, slope);
}

#define RAYLEIGH_INSTANTIATE(Real)                            \
  template Value add(Tape<Real>&, Value, Value);              \
  template Value subtract(Tape<Real>&, Value, Value);         \
  template Value multiply(Tape<Real>&, Value, Value);         \
  template Value divide(Tape<Real>&, Value, Value);           \
  template Value add_row(Tape<Real>&, Value, Value);          \
  template Value scale_columns(Tape<Real>&, Value, Value);    \
  template Value scale_rows(Tape<Real>&, Value, Value);       \
  template Value scale(Tape<Real>&, Value, double);           \
  template Value sigmoid(Tape<Real>&, Value);                 \
  template Value tanh(Tape<Real>&, Value);                    \
  template Value exp(Tape<Real>&, Value);                     \
  template Value log(Tape<Real>&, Value, double);             \
  template Value sqrt(Tape<Real>&, Value);                    \
  template Value square(Tape<Real>&, Value);                  \
  template Value abs(Tape<Real>&, Value);                     \
  template Value at_least(Tape<Real>&, Value, double);        \
  template Value with_gradient_of_square(Tape<Real>&, Value); \
  template Value hard_shrink(Tape<Real>&, Value, double);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
