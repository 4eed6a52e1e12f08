#include "nn/ops_norm.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "nn/fixed_sums.h"

namespace rayleigh::nn {

template <typename Real>
BatchNorm add_batch_norm(Weights<Real>& weights, const std::string& name, std::size_t columns) {
  return {.scale = weights.add(name + ".gamma", 1, columns),
          .shift = weights.add(name + ".beta", 1, columns),
          .running_mean = weights.add(name + ".running_mean", 1, columns, Role::buffer),
          .running_var = weights.add(name + ".running_var", 1, columns, Role::buffer)};
}

template <typename Real>
void reset_batch_norm(Weights<Real>& weights, const BatchNorm& norm) {
  std::ranges::fill(weights.value(norm.scale).flat(), Real{1});
  std::ranges::fill(weights.value(norm.shift).flat(), Real{0});
  std::ranges::fill(weights.value(norm.running_mean).flat(), Real{0});
  std::ranges::fill(weights.value(norm.running_var).flat(), Real{1});
}

template <typename Real>
Value batch_norm(Tape<Real>& tape, const Weights<Real>& weights, const BatchNorm& norm, Value x,
                 Activation activation) {
  const Value scale = tape.weight(weights, norm.scale);
  const Value shift = tape.weight(weights, norm.shift);
  const Matrix<const Real> in = tape.value(x);
  const std::size_t rows = in.rows;
  const std::size_t cols = in.cols;
  assert(cols == tape.cols(scale));
  const auto mean = tape.template array<Real>(cols);
  const auto inverse = tape.template array<Real>(cols);  // 1 / standard deviation
  if (tape.training()) {
    const Matrix<Real> running_mean = tape.running(weights, norm.running_mean);
    const Matrix<Real> running_var = tape.running(weights, norm.running_var);
    const auto n = static_cast<double>(rows);
    const auto sums = fixed_column_sums<Real>(tape, in);
    const auto centre = tape.template array<double>(cols);
    std::ranges::transform(sums, centre.begin(), [n](double sum) { return sum / n; });
    const auto squares =
        fixed_sums(tape, rows, cols, [&](std::size_t begin, std::size_t end, double* out) {
          tape.kernels().add_squares(in.data + begin * cols, end - begin, cols, centre.data(), out);
        });
    for (std::size_t c = 0; c < cols; ++c) {
      const double variance = squares[c] / n;
      mean[c] = static_cast<Real>(centre[c]);
      inverse[c] = static_cast<Real>(1 / std::sqrt(variance + kBatchNormEpsilon));
      const double unbiased = rows > 1 ? squares[c] / (n - 1) : variance;
      const auto move = [](Real& running, double now) {
        running = static_cast<Real>((1 - kBatchNormMomentum) * static_cast<double>(running) +
                                    kBatchNormMomentum * now);
      };
      move(running_mean.data[c], centre[c]);
      move(running_var.data[c], unbiased);
    }
  } else {
    const Matrix<const Real> running_mean = weights.value(norm.running_mean);
    const Matrix<const Real> running_var = weights.value(norm.running_var);
    for (std::size_t c = 0; c < cols; ++c) {
      mean[c] = running_mean.data[c];
      inverse[c] = static_cast<Real>(
          1 / std::sqrt(static_cast<double>(running_var.data[c]) + kBatchNormEpsilon));
    }
  }
  const Value out = tape.make(rows, cols, x, scale, shift);
  const ColumnNorm<Real> columns{.mean = mean.data(),
                                 .inverse = inverse.data(),
                                 .factor = tape.value(scale).data,
                                 .offset = tape.value(shift).data,
                                 .slope = slope_of<Real>(activation)};
  const Real* y = tape.value(out).data;
  tape.for_rows(rows, 4 * cols, [&](std::size_t begin, std::size_t end) {
    tape.kernels().normalise(columns, in.data + begin * cols, end - begin, cols,
                             tape.output(out).data + begin * cols);
  });
  // Batch statistics depend on x too; scoring passes never come here.
  tape.on_backward(out, [=](Tape<Real>& t) {
    Real* d = t.gradient(out).data;
    const auto sums =
        fixed_sums(t, rows, 2 * cols, [&](std::size_t begin, std::size_t end, double* own) {
          t.kernels().normalise_sums(columns, in.data + begin * cols, y + begin * cols, end - begin,
                                     cols, d + begin * cols, own, own + cols);
        });
    const auto sum_d = sums.first(cols);
    const auto sum_dx = sums.subspan(cols);
    if (t.wants_gradient(scale)) {
      add_to<Real>(t.gradient(scale), sum_dx);
    }
    if (t.wants_gradient(shift)) {
      add_to<Real>(t.gradient(shift), sum_d);
    }
    if (!t.wants_gradient(x)) {
      return;
    }
    const auto n = static_cast<double>(rows);
    const auto mean_d = t.template array<Real>(cols);
    const auto mean_dx = t.template array<Real>(cols);
    for (std::size_t c = 0; c < cols; ++c) {
      mean_d[c] = static_cast<Real>(sum_d[c] / n);
      mean_dx[c] = static_cast<Real>(sum_dx[c] / n);
    }
    Real* dx = t.gradient(x).data;
    t.for_rows(rows, 6 * cols, [&](std::size_t begin, std::size_t end) {
      t.kernels().normalise_backward(columns, in.data + begin * cols, d + begin * cols, end - begin,
                                     cols, mean_d.data(), mean_dx.data(), dx + begin * cols);
    });
  });
  return out;
}

template <typename Real>
NormLine<Real> norm_line(Tape<Real>& tape, const Weights<Real>& weights, const BatchNorm& norm) {
  const auto scale = weights.value(norm.scale);
  const std::size_t cols = scale.size();
  const NormLine<Real> line{tape.template array<Real>(cols), tape.template array<Real>(cols)};
  for (std::size_t c = 0; c < cols; ++c) {
    const double factor =
        static_cast<double>(scale.data[c]) /
        std::sqrt(static_cast<double>(weights.value(norm.running_var).data[c]) + kBatchNormEpsilon);
    const auto mean = static_cast<double>(weights.value(norm.running_mean).data[c]);
    line.factor[c] = static_cast<Real>(factor);
    line.offset[c] =
        static_cast<Real>(static_cast<double>(weights.value(norm.shift).data[c]) - mean * factor);
  }
  return line;
}

template <typename Real>
Value dropout(Tape<Real>& tape, Value x, double probability, const StepRandom& random) {
  const auto dropped = static_cast<std::uint32_t>(std::lround(probability * 65536));
  if (!tape.training() || dropped == 0) {
    return x;
  }
  const Matrix<const Real> in = tape.value(x);
  const Value out = tape.make(in.rows, in.cols, x);
  const Matrix<Real> mask = tape.scratch(in.rows, in.cols);
  const Matrix<Real> y = tape.output(out);
  const auto kept = static_cast<Real>(65536.0 / (65536.0 - dropped));
  // Two draws of 16 bits from each random number, the lower half first.
  static_assert(std::endian::native == std::endian::little);
  const std::size_t numbers = (in.cols + 1) / 2;
  const auto all_draws = tape.template array<std::uint32_t>(in.rows * numbers);
  tape.for_rows(in.rows, 8 * in.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto draws = all_draws.subspan(i * numbers, numbers);
      random.stream.at((std::uint64_t{random.layer} << 32U) + i, random.step).fill(draws);
      const auto* halves = reinterpret_cast<const std::uint16_t*>(draws.data());
      tape.kernels().drop(halves, in.cols, dropped, kept, in.row(i).data(), mask.row(i).data(),
                          y.row(i).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(d.size(), 2, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) {
        dx.data[at] += d.data[at] * mask.data[at];
      }
    });
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                                        \
  template BatchNorm add_batch_norm(Weights<Real>&, const std::string&, std::size_t);     \
  template void reset_batch_norm(Weights<Real>&, const BatchNorm&);                       \
  template Value batch_norm(Tape<Real>&, const Weights<Real>&, const BatchNorm&, Value,   \
                            Activation);                                                  \
  template NormLine<Real> norm_line(Tape<Real>&, const Weights<Real>&, const BatchNorm&); \
  template Value dropout(Tape<Real>&, Value, double, const StepRandom&);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
