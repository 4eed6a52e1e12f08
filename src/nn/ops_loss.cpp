#include "nn/ops_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace rayleigh::nn {
namespace {

/// log sigmoid(z), without overflow on either side.
double log_sigmoid(double z) {
  return z < 0 ? z - std::log1p(std::exp(z)) : -std::log1p(std::exp(-z));
}

struct Term {
  double loss;
  double slope;  ///< with respect to z
};

/// (1 - p)^gamma (-log p) with p = sigmoid(z). In logarithms l = log p and m = log(1 - p):
/// the loss is -l e^(gamma m), its slope e^(gamma m) (gamma l e^l - e^m).
Term focal_term(double z, double gamma) {
  const double l = log_sigmoid(z);
  const double m = log_sigmoid(-z);
  const double modulator = std::exp(gamma * m);
  return {-l * modulator, modulator * (gamma * l * std::exp(l) - std::exp(m))};
}

/// Records a loss whose gradient with respect to the logits is known already.
template <typename Real>
Value with_gradient(Tape<Real>& tape, Value logits, double loss, Matrix<Real> gradient) {
  const Value out = tape.make(1, 1, logits);
  tape.output(out)(0, 0) = static_cast<Real>(loss);
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real scale = t.gradient(out)(0, 0);
    t.kernels().axpy(scale, gradient.data, gradient.size(), t.gradient(logits).data);
  });
  return out;
}

}  // namespace

std::array<double, 2> class_balanced_weights(std::array<std::size_t, 2> counts, double beta) {
  std::array<double, 2> weight{};
  for (std::size_t c = 0; c < 2; ++c) {
    // 1 - beta^n, exact also where beta is close to one.
    const double effective = -std::expm1(static_cast<double>(counts[c]) * std::log(beta));
    weight[c] = counts[c] == 0 ? 0 : (1 - beta) / effective;
  }
  const double sum = weight[0] + weight[1];
  return {2 * weight[0] / sum, 2 * weight[1] / sum};
}

namespace {

/// The mean over graphs and classes of share * term(graph, class), where a graph has a share of
/// each class. `term` adds to the gradient and returns the loss.
template <typename Real, typename OfClass>
Value mean_loss(Tape<Real>& tape, Value logits, std::span<const float> targets,
                const FocalOptions& options, OfClass of_class) {
  const Matrix<const Real> z = tape.value(logits);
  assert(z.cols == 2 && z.rows == targets.size());
  const Matrix<Real> gradient = tape.scratch(z.rows, 2);
  std::ranges::fill(gradient.flat(), Real{0});
  const auto count = static_cast<double>(z.rows);
  double sum = 0;
  for (std::size_t g = 0; g < z.rows; ++g) {
    for (std::size_t own = 0; own < 2; ++own) {
      const auto target = static_cast<double>(targets[g]);
      const double share = own == 1 ? target : 1 - target;
      if (share > 0) {
        sum += of_class(z.row(g), gradient.row(g), own, share * options.weight[own] / count);
      }
    }
  }
  return with_gradient(tape, logits, sum, gradient);
}

}  // namespace

template <typename Real>
Value focal_sigmoid(Tape<Real>& tape, Value logits, std::span<const float> targets,
                    FocalOptions options) {
  return mean_loss(
      tape, logits, targets, options,
      [&](std::span<const Real> z, std::span<Real> gradient, std::size_t own, double weight) {
        double sum = 0;
        for (std::size_t c = 0; c < 2; ++c) {
          const double sign = c == own ? 1 : -1;
          const Term term = focal_term(sign * static_cast<double>(z[c]), options.gamma);
          sum += weight * term.loss;
          gradient[c] += static_cast<Real>(weight * sign * term.slope);
        }
        return sum;
      });
}

template <typename Real>
Value focal_softmax(Tape<Real>& tape, Value logits, std::span<const float> targets,
                    FocalOptions options) {
  return mean_loss(
      tape, logits, targets, options,
      [&](std::span<const Real> z, std::span<Real> gradient, std::size_t own, double weight) {
        // p_own = sigmoid of the difference of the two logits.
        const double difference = static_cast<double>(z[own]) - static_cast<double>(z[1 - own]);
        const Term term = focal_term(difference, options.gamma);
        gradient[own] += static_cast<Real>(weight * term.slope);
        gradient[1 - own] -= static_cast<Real>(weight * term.slope);
        return weight * term.loss;
      });
}

template <typename Real>
void anomaly_probability(Matrix<const Real> logits, std::span<double> probability) {
  assert(logits.cols == 2 && logits.rows == probability.size());
  for (std::size_t g = 0; g < logits.rows; ++g) {
    const double difference = static_cast<double>(logits(g, 1)) - static_cast<double>(logits(g, 0));
    probability[g] = 1 / (1 + std::exp(-difference));
  }
}

#define RAYLEIGH_INSTANTIATE(Real)                                                        \
  template Value focal_sigmoid(Tape<Real>&, Value, std::span<const float>, FocalOptions); \
  template Value focal_softmax(Tape<Real>&, Value, std::span<const float>, FocalOptions); \
  template void anomaly_probability(Matrix<const Real>, std::span<double>);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
