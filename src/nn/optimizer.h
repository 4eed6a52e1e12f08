// Adam with L2 added to the gradient, clipping of the gradient's norm, and learning-rate schedules.
// One step() after each backward(); the state is plain arrays that checkpoints copy.
// One pass over the trained weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/isa.h"
#include "nn/weights.h"

namespace rayleigh::nn {

struct AdamOptions {
  double rate = 5e-3;
  double l2 = 0;
  double clip_norm = 0;  ///< 0 = none
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

template <typename Real>
class Adam {
 public:
  Adam(const Weights<Real>& weights, AdamOptions options, core::Isa isa = core::best_isa());

  /// `factor` multiplies the learning rate (schedules below).
  /// Returns the norm of the gradient before clipping.
  double step(Weights<Real>& weights, const Gradients<Real>& gradients, double factor = 1);

  struct State {
    std::uint64_t steps = 0;
    std::vector<Real> mean;
    std::vector<Real> square;
  };
  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }

 private:
  AdamOptions options_;
  core::Isa isa_;
  State state_;
};

extern template class Adam<float>;
extern template class Adam<double>;

/// factor^floor(step / period); period 0 = constant.
double step_schedule(std::uint64_t step, std::uint64_t period, double factor);

/// Rises linearly to 1 during `warm_up` steps, then falls to 0 at `total` along half a cosine.
double cosine_schedule(std::uint64_t step, std::uint64_t warm_up, std::uint64_t total);

}  // namespace rayleigh::nn
