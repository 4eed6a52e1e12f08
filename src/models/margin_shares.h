// Why a graph got its margin z_1 - z_0: a constant, a share of each label of the explicit branch
// and a share of each node, which add up to the margin. All activations are piecewise linear, so
// with the slopes of this one graph nothing is left over. A share is not the effect of removing the
// node: without it the slopes, the attention and its neighbours would be different.
// Model::explain() gives one; about the cost of a hundred scores.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace rayleigh::models {

/// Where a vocabulary is named: not one of those, but the bins of real attributes.
inline constexpr std::size_t kBinsOfAttributes = std::numeric_limits<std::size_t>::max();

struct LabelShare {
  std::size_t vocabulary = 0;  ///< of Recipe::encoders(), or kBinsOfAttributes
  std::uint32_t label = 0;     ///< in that vocabulary; its size() is "other"
  double share = 0;
};

struct MarginShares {
  double margin = 0;               ///< as the forward pass has it
  double constant = 0;             ///< what depends on no label and no node
  std::vector<LabelShare> labels;  ///< those that occur in the graph
  /// Relative to the mean training graph, whose pooled part is spread evenly over the nodes: what a
  /// node adds to the margin above that.
  std::vector<double> nodes;
};

}  // namespace rayleigh::models
