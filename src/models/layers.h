// Linear layers of a model: their weights, their start values, their use on a tape.
// Every detector builds on these.
// A layer is two positions; it costs nothing to copy.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "core/random.h"
#include "nn/ops_dense.h"

namespace rayleigh::models {

/// name.weight (outputs x inputs) and name.bias (1 x outputs).
struct Linear {
  nn::WeightId weight;
  nn::WeightId bias;
};

template <typename Real>
Linear add_linear(nn::Weights<Real>& weights, const std::string& name, std::size_t inputs,
                  std::size_t outputs) {
  return {.weight = weights.add(name + ".weight", outputs, inputs),
          .bias = weights.add(name + ".bias", 1, outputs)};
}

/// Uniform in [-bound, bound]; the numbers depend on the seed and the name of the weight.
template <typename Real>
void draw_uniform(nn::Weights<Real>& weights, nn::WeightId id, std::uint64_t seed, double bound) {
  const core::RandomStream stream(seed, "weights " + weights.info(id).name);
  core::Generator generator = stream.at(0);
  for (Real& w : weights.value(id).flat()) {
    w = static_cast<Real>((2 * generator.uniform() - 1) * bound);
  }
}

/// Normal with the given deviation (Box-Muller).
template <typename Real>
void draw_normal(nn::Weights<Real>& weights, nn::WeightId id, std::uint64_t seed,
                 double deviation) {
  const core::RandomStream stream(seed, "weights " + weights.info(id).name);
  core::Generator generator = stream.at(0);
  for (Real& w : weights.value(id).flat()) {
    const double radius = std::sqrt(-2 * std::log1p(-generator.uniform()));
    const double angle = 2 * std::numbers::pi * generator.uniform();
    w = static_cast<Real>(deviation * radius * std::cos(angle));
  }
}

/// PyTorch's default: weight and bias uniform within 1 / sqrt(inputs).
template <typename Real>
void draw_linear(nn::Weights<Real>& weights, const Linear& layer, std::uint64_t seed) {
  const auto inputs = static_cast<double>(weights.info(layer.weight).cols);
  const double bound = 1 / std::sqrt(inputs);
  draw_uniform(weights, layer.weight, seed, bound);
  draw_uniform(weights, layer.bias, seed, bound);
}

/// The same for a weight without a bias.
template <typename Real>
void draw_weight(nn::Weights<Real>& weights, nn::WeightId weight, std::uint64_t seed) {
  draw_uniform(weights, weight, seed,
               1 / std::sqrt(static_cast<double>(weights.info(weight).cols)));
}

template <typename Real>
nn::Value apply(nn::Tape<Real>& tape, const nn::Weights<Real>& weights, const Linear& layer,
                nn::Value x, nn::Activation activation = nn::Activation::none) {
  return nn::linear(tape, x, tape.weight(weights, layer.weight), tape.weight(weights, layer.bias),
                    activation);
}

}  // namespace rayleigh::models
