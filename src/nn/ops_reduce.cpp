#include "nn/ops_reduce.h"

#include <algorithm>
#include <cmath>

#include "nn/fixed_sums.h"

namespace rayleigh::nn {
namespace {

constexpr std::size_t kReduceCost = 4;

/// factor times the sum of all.
template <typename Real>
Value scaled_sum(Tape<Real>& tape, Value x, double factor) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(1, 1, x);
  tape.output(out)(0, 0) = static_cast<Real>(factor * fixed_sum<Real>(tape, in.flat()));
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real d = static_cast<Real>(factor) * t.gradient(out)(0, 0);
    for (Real& to : t.gradient(x).flat()) {
      to += d;
    }
  });
  return out;
}

/// factor times the sums of columns.
template <typename Real>
Value scaled_column_sums(Tape<Real>& tape, Value x, double factor) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(1, in.cols, x);
  std::ranges::transform(fixed_column_sums<Real>(tape, in), tape.output(out).data,
                         [factor](double sum) { return static_cast<Real>(factor * sum); });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(dx.rows, kReduceCost * dx.cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        t.kernels().axpy(static_cast<Real>(factor), d, dx.cols, dx.row(i).data());
      }
    });
  });
  return out;
}

double one_over(std::size_t count) { return count == 0 ? 0 : 1 / static_cast<double>(count); }

/// forward(x, y) on each row; backward(y, d, dx) adds to dx.
template <typename Real, typename Forward, typename Backward>
Value map_rows(Tape<Real>& tape, Value x, Forward forward, Backward backward) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  constexpr std::size_t kExpCost = 32;
  tape.for_rows(in.rows, kExpCost * in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      forward(in.row(i), y.row(i));
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(in.rows, kExpCost * in.cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        backward(y.row(i), d.row(i), dx.row(i));
      }
    });
  });
  return out;
}

template <typename Real>
Real largest_of(std::span<const Real> row) {
  return row.empty() ? Real{0} : *std::ranges::max_element(row);
}

}  // namespace

template <typename Real>
Value sum_all(Tape<Real>& tape, Value x) {
  return scaled_sum(tape, x, 1);
}

template <typename Real>
Value mean_all(Tape<Real>& tape, Value x) {
  return scaled_sum(tape, x, one_over(tape.value(x).size()));
}

template <typename Real>
Value column_sums(Tape<Real>& tape, Value x) {
  return scaled_column_sums(tape, x, 1);
}

template <typename Real>
Value column_means(Tape<Real>& tape, Value x) {
  return scaled_column_sums(tape, x, one_over(tape.rows(x)));
}

template <typename Real>
Value row_sums(Tape<Real>& tape, Value x) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(in.rows, 1, x);
  Real* y = tape.output(out).data;
  tape.for_rows(in.rows, kReduceCost * in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (const Real v : in.row(i)) {
        sum += static_cast<double>(v);
      }
      y[i] = static_cast<Real>(sum);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(dx.rows, kReduceCost * dx.cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (Real& to : dx.row(i)) {
          to += d[i];
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value row_dots(Tape<Real>& tape, Value a, Value b) {
  const Matrix<const Real> left = tape.value(a);
  const Matrix<const Real> right = tape.value(b);
  assert(left.rows == right.rows && left.cols == right.cols);
  const Value out = tape.make(left.rows, 1, a, b);
  Real* y = tape.output(out).data;
  tape.for_rows(left.rows, kReduceCost * left.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      y[i] = tape.kernels().dot(left.row(i).data(), right.row(i).data(), left.cols);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const auto add_gradient = [&](Value to, Matrix<const Real> other) {
      if (!t.wants_gradient(to)) {
        return;
      }
      const Matrix<Real> target = t.gradient(to);
      t.for_rows(other.rows, kReduceCost * other.cols, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          t.kernels().axpy(d[i], other.row(i).data(), other.cols, target.row(i).data());
        }
      });
    };
    add_gradient(a, right);
    add_gradient(b, left);
  });
  return out;
}

template <typename Real>
Value row_l2_normalise(Tape<Real>& tape, Value x, double epsilon) {
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> y = tape.output(out);
  const auto norm = tape.template array<Real>(in.rows);
  const auto least = static_cast<Real>(epsilon);
  tape.for_rows(in.rows, kReduceCost * in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Real* row = in.row(i).data();
      norm[i] = std::sqrt(tape.kernels().dot(row, row, in.cols));
      const Real divisor = std::max(norm[i], least);
      std::transform(row, row + in.cols, y.row(i).data(), [=](Real v) { return v / divisor; });
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(in.rows, kReduceCost * in.cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Real* unit = y.row(i).data();
        const Real* dy = d.row(i).data();
        const Real along = norm[i] > least ? t.kernels().dot(unit, dy, in.cols) : Real{0};
        const Real divisor = std::max(norm[i], least);
        for (std::size_t c = 0; c < in.cols; ++c) {
          dx(i, c) += (dy[c] - unit[c] * along) / divisor;
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value row_softmax(Tape<Real>& tape, Value x) {
  const auto forward = [](std::span<const Real> in, std::span<Real> y) {
    const Real largest = largest_of(in);
    Real sum = 0;
    for (std::size_t c = 0; c < in.size(); ++c) {
      y[c] = std::exp(in[c] - largest);
      sum += y[c];
    }
    for (Real& v : y) {
      v /= sum;
    }
  };
  const auto backward = [](std::span<const Real> y, std::span<const Real> d, std::span<Real> dx) {
    Real along = 0;
    for (std::size_t c = 0; c < y.size(); ++c) {
      along += y[c] * d[c];
    }
    for (std::size_t c = 0; c < y.size(); ++c) {
      dx[c] += y[c] * (d[c] - along);
    }
  };
  return map_rows(tape, x, forward, backward);
}

template <typename Real>
Value row_log_softmax(Tape<Real>& tape, Value x) {
  const auto forward = [](std::span<const Real> in, std::span<Real> y) {
    const Real largest = largest_of(in);
    Real sum = 0;
    for (const Real v : in) {
      sum += std::exp(v - largest);
    }
    const Real log_sum = std::log(sum);
    std::ranges::transform(in, y.begin(), [=](Real v) { return v - largest - log_sum; });
  };
  const auto backward = [](std::span<const Real> y, std::span<const Real> d, std::span<Real> dx) {
    Real sum = 0;
    for (const Real v : d) {
      sum += v;
    }
    for (std::size_t c = 0; c < y.size(); ++c) {
      dx[c] += d[c] - std::exp(y[c]) * sum;
    }
  };
  return map_rows(tape, x, forward, backward);
}

#define RAYLEIGH_INSTANTIATE(Real)                             \
  template Value sum_all(Tape<Real>&, Value);                  \
  template Value mean_all(Tape<Real>&, Value);                 \
  template Value row_sums(Tape<Real>&, Value);                 \
  template Value column_sums(Tape<Real>&, Value);              \
  template Value column_means(Tape<Real>&, Value);             \
  template Value row_dots(Tape<Real>&, Value, Value);          \
  template Value row_l2_normalise(Tape<Real>&, Value, double); \
  template Value row_softmax(Tape<Real>&, Value);              \
  template Value row_log_softmax(Tape<Real>&, Value);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
