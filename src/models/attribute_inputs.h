// The attributes of a model that takes them: how many, and how they are standardised, kept with the
// weights so that a stored model scores the same bits.
// A few numbers.
#pragma once

#include <algorithm>

#include "rayleigh/error.h"

#include "models/dense_features.h"

namespace rayleigh::models {

/// attributes.mean and attributes.inverse, frozen, 1 x count each; nothing without attributes.
struct AttributeInputs {
  nn::WeightId mean;
  nn::WeightId inverse;
  std::size_t count = 0;
};

template <typename Real>
AttributeInputs add_attributes(nn::Weights<Real>& weights, std::size_t count) {
  if (count == 0) {
    return {};
  }
  return {.mean = weights.add("attributes.mean", 1, count, nn::Role::frozen),
          .inverse = weights.add("attributes.inverse", 1, count, nn::Role::frozen),
          .count = count};
}

/// Whether the model of these weights takes attributes as numbers.
template <typename Real>
bool takes_attributes(const nn::Weights<Real>& weights) {
  return std::ranges::any_of(
      weights.all(), [](const nn::WeightInfo& info) { return info.name == "attributes.mean"; });
}

template <typename Real>
void set_attributes(nn::Weights<Real>& weights, const AttributeInputs& inputs,
                    const AttributeScale& scale) {
  for (std::size_t a = 0; a < inputs.count; ++a) {
    weights.value(inputs.mean)(0, a) = static_cast<Real>(scale.mean[a]);
    weights.value(inputs.inverse)(0, a) = static_cast<Real>(scale.inverse[a]);
  }
}

/// Throws UsageError when the graphs have another number of attributes.
template <typename Real>
AttributeScale attribute_scale(const nn::Weights<Real>& weights, const AttributeInputs& inputs,
                               const GraphSet& graphs) {
  if (inputs.count > 0 && graphs.attribute_count() != inputs.count) {
    throw UsageError("the model takes " + std::to_string(inputs.count) +
                     " node attributes, the graphs have " +
                     std::to_string(graphs.attribute_count()));
  }
  AttributeScale scale;
  for (std::size_t a = 0; a < inputs.count; ++a) {
    scale.mean.push_back(static_cast<double>(weights.value(inputs.mean)(0, a)));
    scale.inverse.push_back(static_cast<double>(weights.value(inputs.inverse)(0, a)));
  }
  return scale;
}

/// Columns of the node features.
inline std::size_t feature_width(NodeFeatures which, std::size_t labels, std::size_t attributes) {
  return (which == NodeFeatures::attributes ? 0 : labels) +
         (which == NodeFeatures::labels ? 0 : attributes);
}

}  // namespace rayleigh::models
