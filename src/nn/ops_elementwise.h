// Operators that act on each number, or on pairs of numbers, by itself.
// For what the fused operators of ops_dense.h (activations too) and ops_rows.h do not cover.
// One pass over memory each; large matrices are cut into fixed parts that threads share.
#pragma once

#include "nn/tape.h"

namespace rayleigh::nn {

// a and b have the same shape; they may be the same value.

template <typename Real>
Value add(Tape<Real>& tape, Value a, Value b);
template <typename Real>
Value subtract(Tape<Real>& tape, Value a, Value b);
template <typename Real>
Value multiply(Tape<Real>& tape, Value a, Value b);
template <typename Real>
Value divide(Tape<Real>& tape, Value a, Value b);

/// Adds a 1 x c row to each row of x.
template <typename Real>
Value add_row(Tape<Real>& tape, Value x, Value row);
/// Row i of x times number i of an n x 1 column.
template <typename Real>
Value scale_rows(Tape<Real>& tape, Value x, Value column);
/// Column c of x times number c of a 1 x c row.
template <typename Real>
Value scale_columns(Tape<Real>& tape, Value x, Value row);

template <typename Real>
Value scale(Tape<Real>& tape, Value x, double factor);
template <typename Real>
Value sigmoid(Tape<Real>& tape, Value x);
template <typename Real>
Value tanh(Tape<Real>& tape, Value x);
template <typename Real>
Value exp(Tape<Real>& tape, Value x);
/// log(x + guard)
template <typename Real>
Value log(Tape<Real>& tape, Value x, double guard = 0);
/// The slope at zero is taken as 0, so the norm of a vector of zeros has no gradient.
template <typename Real>
Value sqrt(Tape<Real>& tape, Value x);
template <typename Real>
Value square(Tape<Real>& tape, Value x);
template <typename Real>
Value abs(Tape<Real>& tape, Value x);
/// max(x, floor); the slope below the floor is 0.
template <typename Real>
Value at_least(Tape<Real>& tape, Value x, double floor);
/// x itself, with the gradient of x^2 / 2: for methods that start the way back with the loss in
/// place of 1.
template <typename Real>
Value with_gradient_of_square(Tape<Real>& tape, Value x);
/// relu(x - threshold) x / (|x - threshold| + 1e-12): zero up to the threshold, x above it
/// (HimNet).
template <typename Real>
Value hard_shrink(Tape<Real>& tape, Value x, double threshold);

}  // namespace rayleigh::nn
