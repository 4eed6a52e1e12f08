// The network of GLocalKD, which HimNet took over: three graph convolutions, each followed by unit
// rows; after the first two also ReLU and a norm over nodes of the same position.
// Two dense products per row, and for the padding one more row per position.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "models/layers.h"
#include "models/padded_batch.h"
#include "nn/ops_norm.h"
#include "nn/ops_reduce.h"

namespace rayleigh::models {

template <typename Real>
class PositionEncoder {
 public:
  enum class Bias { yes, no };

  PositionEncoder() = default;
  /// Declares prefix + "conv1.weight" (inputs x outputs), prefix + "conv1.bias" and so on.
  PositionEncoder(nn::Weights<Real>& p, const std::string& prefix,
                  std::array<std::size_t, 4> widths, Bias bias, nn::Role role = nn::Role::trained) {
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const std::string name = prefix + "conv" + std::to_string(k + 1);
      layers_[k].weight = p.add(name + ".weight", widths[k], widths[k + 1], role);
      if (bias == Bias::yes) {
        layers_[k].bias = p.add(name + ".bias", 1, widths[k + 1], role);
      }
    }
    bias_ = bias;
  }

  /// Kaiming with the fan taken from the outputs, as the authors' shapes have it; biases stay 0.
  void draw(nn::Weights<Real>& p, std::uint64_t seed) const {
    for (const Layer& layer : layers_) {
      draw_uniform(p, layer.weight, seed,
                   std::sqrt(6 / static_cast<double>(p.info(layer.weight).cols)));
    }
  }

  /// One row per row of the batch. `dropout` acts on the input of the second convolution; a row
  /// that stands for several has one draw.
  nn::Value nodes(nn::Tape<Real>& tape, const nn::Weights<Real>& p, const PaddedBatch<Real>& batch,
                  double dropout, const nn::StepRandom& random) const {
    const auto bias = [&](const Layer& layer) {
      return bias_ == Bias::yes ? tape.weight(p, layer.bias) : nn::Value{};
    };
    const auto convolve = [&](nn::Value x, const Layer& layer) {
      return spmm_symmetric(tape, batch.matrix, product(tape, x, tape.weight(p, layer.weight)),
                            bias(layer));
    };
    nn::Value x = sparse_linear<Real>(tape, batch.first, tape.weight(p, layers_[0].weight),
                                      bias(layers_[0]), nn::Activation::none);
    x = nn::dropout(tape, unit_relu_norm(tape, x, batch.groups), dropout, random);
    x = unit_relu_norm(tape, convolve(x, layers_[1]), batch.groups);
    return row_l2_normalise(tape, convolve(x, layers_[2]));
  }

 private:
  struct Layer {
    nn::WeightId weight;
    nn::WeightId bias;
  };
  std::array<Layer, 3> layers_;
  Bias bias_ = Bias::no;
};

}  // namespace rayleigh::models
