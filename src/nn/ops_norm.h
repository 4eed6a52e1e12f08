// Normalisation and dropout.
// batch_norm() in training passes uses the statistics of its rows and moves the running ones.
// A few passes over the matrix; sums in double precision, in an order fixed by the shape.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "nn/ops_dense.h"
#include "nn/tape.h"

namespace rayleigh::nn {

/// The weights of a batch norm over columns, each 1 x columns.
struct BatchNorm {
  WeightId scale;
  WeightId shift;
  WeightId running_mean;  ///< Role::buffer
  WeightId running_var;   ///< Role::buffer
};

inline constexpr double kBatchNormEpsilon = 1e-5;
inline constexpr double kBatchNormMomentum = 0.1;

/// Declares name.gamma, name.beta, name.running_mean and name.running_var.
template <typename Real>
BatchNorm add_batch_norm(Weights<Real>& weights, const std::string& name, std::size_t columns);

/// The identity, as training starts.
template <typename Real>
void reset_batch_norm(Weights<Real>& weights, const BatchNorm& norm);

/// activation(norm(x)). Biased variance to normalise, unbiased into the running one, which a
/// training pass moves; it must be one that trains `weights`.
template <typename Real>
Value batch_norm(Tape<Real>& tape, const Weights<Real>& weights, const BatchNorm& norm, Value x,
                 Activation activation = Activation::none);

/// What a norm does in scoring passes: x * factor + offset, one number of each per column, in the
/// arena.
template <typename Real>
struct NormLine {
  std::span<Real> factor;
  std::span<Real> offset;
};
template <typename Real>
NormLine<Real> norm_line(Tape<Real>& tape, const Weights<Real>& weights, const BatchNorm& norm);

/// The random numbers of one step: a number depends on the purpose, the step and the position.
struct StepRandom {
  core::RandomStream stream;
  std::uint32_t step = 0;
  std::uint32_t layer = 0;

  /// Numbers of their own for another layer of the same step.
  StepRandom at(std::uint32_t other_layer) const { return {stream, step, other_layer}; }
};

/// Training passes set each number to 0 with `probability` and scale the others; else the identity.
template <typename Real>
Value dropout(Tape<Real>& tape, Value x, double probability, const StepRandom& random);

}  // namespace rayleigh::nn
