#include "models/straight_layers.h"

#include <cassert>

namespace rayleigh::models {

std::vector<double> StraightLayers::at(std::vector<double> x) {
  for (Layer& layer : layers_) {
    assert(x.size() == layer.inputs);
    std::vector<double> y = layer.bias;
    layer.slope.resize(y.size());
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        y[o] += layer.weight[o * layer.inputs + i] * x[i];
      }
      layer.slope[o] = y[o] > 0 ? 1 : layer.below_zero;
      y[o] *= layer.slope[o];
    }
    x = std::move(y);
  }
  return x;
}

std::vector<double> StraightLayers::pull_back(std::vector<double> g, double& constant) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    std::vector<double> back(layer->inputs, 0.0);
    for (std::size_t o = 0; o < layer->bias.size(); ++o) {
      const double slope = g[o] * layer->slope[o];
      constant += slope * layer->bias[o];
      for (std::size_t i = 0; i < layer->inputs; ++i) {
        back[i] += slope * layer->weight[o * layer->inputs + i];
      }
    }
    g = std::move(back);
  }
  return g;
}

}  // namespace rayleigh::models
