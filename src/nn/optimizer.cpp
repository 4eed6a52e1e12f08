#include "nn/optimizer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "nn/kernels.h"

namespace rayleigh::nn {
namespace {

template <typename Real>
double norm_of(const Gradients<Real>& gradients, const Weights<Real>& weights) {
  std::array<double, 8> sums{};  // several, so that additions overlap
  for (const WeightInfo& info : weights.all()) {
    if (info.role == Role::trained) {
      const auto some = gradients.values().subspan(info.offset, info.size());
      for (std::size_t i = 0; i < some.size(); ++i) {
        sums[i % sums.size()] += static_cast<double>(some[i]) * static_cast<double>(some[i]);
      }
    }
  }
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

}  // namespace

template <typename Real>
Adam<Real>::Adam(const Weights<Real>& weights, AdamOptions options, core::Isa isa)
    : options_(options), isa_(isa) {
  state_.mean.assign(weights.values().size(), Real{0});
  state_.square.assign(weights.values().size(), Real{0});
}

template <typename Real>
double Adam<Real>::step(Weights<Real>& weights, const Gradients<Real>& gradients, double factor) {
  assert(state_.mean.size() == weights.values().size());
  const double norm = norm_of(gradients, weights);
  const double shrink =
      options_.clip_norm > 0 ? std::min(1.0, options_.clip_norm / (norm + 1e-6)) : 1;
  ++state_.steps;
  const auto steps = static_cast<double>(state_.steps);
  const double bias1 = 1 - std::pow(options_.beta1, steps);
  const double bias2 = 1 - std::pow(options_.beta2, steps);
  for (const WeightInfo& info : weights.all()) {
    if (info.role != Role::trained) {
      continue;
    }
    const AdamStep<Real> step{.rate = static_cast<Real>(options_.rate * factor * info.rate / bias1),
                              .l2 = static_cast<Real>(options_.l2 * info.decay),
                              .shrink = static_cast<Real>(shrink),
                              .beta1 = static_cast<Real>(options_.beta1),
                              .beta2 = static_cast<Real>(options_.beta2),
                              .root_bias2 = static_cast<Real>(std::sqrt(bias2)),
                              .epsilon = static_cast<Real>(options_.epsilon)};
    kernels<Real>(isa_).adam(step, gradients.values().data() + info.offset, info.size(),
                             weights.values().data() + info.offset,
                             state_.mean.data() + info.offset, state_.square.data() + info.offset);
  }
  return norm;
}

template class Adam<float>;
template class Adam<double>;

double step_schedule(std::uint64_t step, std::uint64_t period, double factor) {
  if (period == 0) {
    return 1;
  }
  const std::uint64_t times = step / period;
  return std::pow(factor, static_cast<double>(times));
}

double cosine_schedule(std::uint64_t step, std::uint64_t warm_up, std::uint64_t total) {
  if (step < warm_up) {
    return static_cast<double>(step) / static_cast<double>(warm_up);
  }
  if (step >= total) {
    return 0;
  }
  const double done = static_cast<double>(step - warm_up) / static_cast<double>(total - warm_up);
  return 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace rayleigh::nn
