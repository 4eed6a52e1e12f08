// Losses on two logits per graph: class-balanced focal in both forms, and cross entropy.
// A target is the share of a graph that is anomalous: 0, 1, or between for mixtures, whose loss is
// the mixture of both. All are computed through log-sigmoid or log-sum-exp, so any finite logit
// gives a finite loss and gradient. One pass over the logits.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

/// Effective-number weights of Cui et al. (2019) from training counts: (1 - beta) / (1 - beta^n),
/// rescaled to sum 2; a class without members gets 0.
std::array<double, 2> class_balanced_weights(std::array<std::size_t, 2> counts, double beta);

struct FocalOptions {
  std::array<double, 2> weight = {1, 1};
  double gamma = 0;
};

/// mean_g w_y Σ_c (1 - pt_c)^gamma (-log pt_c), with pt_c = sigmoid(z_c) for the graph's own class
/// and 1 - sigmoid(z_c) for the other (the published code).
template <typename Real>
Value focal_sigmoid(Tape<Real>& tape, Value logits, std::span<const float> targets,
                    FocalOptions options);

/// -mean_g w_y (1 - p_y)^gamma log p_y with p = softmax (the paper); gamma 0 is weighted cross
/// entropy.
template <typename Real>
Value focal_softmax(Tape<Real>& tape, Value logits, std::span<const float> targets,
                    FocalOptions options);

/// softmax[1] of each row.
template <typename Real>
void anomaly_probability(Matrix<const Real> logits, std::span<double> probability);

}  // namespace rayleigh::nn
