// The loss of detectors that end in two logits: class-balanced focal or plain cross entropy.
// Part of a detector's options; class_loss() is its Model::loss().
// One pass over the logits.
#pragma once

#include <array>

#include "nn/ops_loss.h"

namespace rayleigh::models {

enum class LossKind { cb_focal, cross_entropy };
/// Of the focal loss: that of the authors' code, or that of the paper.
enum class FocalForm { sigmoid, softmax };

struct ClassLoss {
  LossKind kind = LossKind::cb_focal;
  double beta = 0.999;
  double gamma = 1.5;
  std::array<std::size_t, 2> class_counts = {1, 1};  ///< of the training part
};

template <typename Real>
nn::Value class_loss(nn::Tape<Real>& tape, const ClassLoss& options, FocalForm form,
                     nn::Value logits, std::span<const float> targets) {
  if (options.kind == LossKind::cross_entropy) {
    return nn::focal_softmax<Real>(tape, logits, targets, {});
  }
  const nn::FocalOptions focal{
      .weight = nn::class_balanced_weights(options.class_counts, options.beta),
      .gamma = options.gamma};
  return form == FocalForm::sigmoid ? nn::focal_sigmoid<Real>(tape, logits, targets, focal)
                                    : nn::focal_softmax<Real>(tape, logits, targets, focal);
}

}  // namespace rayleigh::models
