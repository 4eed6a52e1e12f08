// A stack of graph isomorphism layers with graph norm and a projection of every layer, as OCGIN
// (version B) and OCGTL use it: x <- relu(norm(MLP((A + I) x))), no biases anywhere. A graph is
// the sums of its projected nodes, layer beside layer.
// Linear in nodes and edges.
#pragma once

#include <string>
#include <vector>

#include "models/graph_features.h"
#include "models/layers.h"
#include "nn/ops_layer_norm.h"
#include "nn/ops_segment.h"

namespace rayleigh::models {

template <typename Real>
class NormGin {
 public:
  NormGin() = default;
  /// Declares prefix + "layer.0.conv_lin1.weight" and so on.
  NormGin(nn::Weights<Real>& p, const std::string& prefix, std::size_t labels, std::size_t hidden,
          std::size_t layers) {
    for (std::size_t k = 0; k < layers; ++k) {
      const std::string name = prefix + "layer." + std::to_string(k) + ".";
      layers_.push_back(
          {.conv1 = p.add(name + "conv_lin1.weight", hidden, k == 0 ? labels : hidden),
           .conv2 = p.add(name + "conv_lin2.weight", hidden, hidden),
           .alpha = p.add(name + "norm.alpha", 1, hidden),
           .gamma = p.add(name + "norm.gamma", 1, hidden),
           .project1 = p.add(name + "proj_lin1.weight", hidden, hidden),
           .project2 = p.add(name + "proj_lin2.weight", hidden, hidden)});
    }
  }

  void draw(nn::Weights<Real>& p, std::uint64_t seed) const {
    for (const Layer& layer : layers_) {
      for (const nn::WeightId id : {layer.conv1, layer.conv2, layer.project1, layer.project2}) {
        draw_weight(p, id, seed);
      }
      std::ranges::fill(p.value(layer.alpha).flat(), Real{1});
      std::ranges::fill(p.value(layer.gamma).flat(), Real{1});
    }
  }

  /// One row per graph, layers x hidden columns. `batch` propagates by A + I.
  nn::Value embed(nn::Tape<Real>& tape, const nn::Weights<Real>& p,
                  const MessageBatch<Real>& batch) const {
    using nn::Activation;
    const auto weight = [&](nn::WeightId id) { return tape.weight(p, id); };
    const auto pooled = tape.template array<nn::Value>(layers_.size());
    nn::Value x;
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const Layer& layer = layers_[k];
      const nn::Value inner =
          k == 0 ? sparse_linear<Real>(tape, batch.first,
                                       table_of(tape, batch.first, weight(layer.conv1)), {},
                                       Activation::relu)
                 : linear(tape, spmm_symmetric(tape, batch.matrix, x), weight(layer.conv1), {},
                          Activation::relu);
      x = activate(tape,
                   graph_norm(tape, linear(tape, inner, weight(layer.conv2), {}), batch.first_row,
                              weight(layer.alpha), weight(layer.gamma), nn::Value{}),
                   Activation::relu);
      // The second projection is linear, so it may come after the sum.
      const nn::Value projected = linear(tape, x, weight(layer.project1), {}, Activation::relu);
      pooled[k] = linear(tape, segment_reduce(tape, projected, batch.first_row, nn::Reduce::sum),
                         weight(layer.project2), {});
    }
    return concat<Real>(tape, pooled);
  }

 private:
  struct Layer {
    nn::WeightId conv1;
    nn::WeightId conv2;
    nn::WeightId alpha;
    nn::WeightId gamma;
    nn::WeightId project1;
    nn::WeightId project2;
  };
  std::vector<Layer> layers_;
};

}  // namespace rayleigh::models
