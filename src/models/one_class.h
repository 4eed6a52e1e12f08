// Detectors that learn what is normal: the result of a pass is one number per graph, which is the
// score; the mean of these is the loss.
// Derive from this instead of Model.
#pragma once

#include <algorithm>

#include "models/model.h"
#include "nn/ops_reduce.h"

namespace rayleigh::models {

template <typename Real>
class OneClassModel : public Model<Real> {
 public:
  nn::Value loss(nn::Tape<Real>& tape, const Output& out,
                 std::span<const float> /*targets*/) const override {
    return mean_all(tape, out.result);
  }
  void scores(nn::Tape<Real>& tape, nn::Value result, std::span<double> scores) const override {
    std::ranges::transform(tape.value(result).flat(), scores.begin(),
                           [](Real score) { return static_cast<double>(score); });
  }
  bool scores_are_probabilities() const override { return false; }
};

}  // namespace rayleigh::models
