// Operators that bring numbers of a matrix, a row or a column together: sums, norms, softmax.
// For losses and for layers that look at whole rows; rows of a graph are ops_segment.h's.
// One or two passes over memory; sums over rows in double precision, in an order fixed by the
// shape.
#pragma once

#include "nn/tape.h"

namespace rayleigh::nn {

/// 1 x 1
template <typename Real>
Value sum_all(Tape<Real>& tape, Value x);
/// 1 x 1; 0 if there are no numbers.
template <typename Real>
Value mean_all(Tape<Real>& tape, Value x);
/// n x 1
template <typename Real>
Value row_sums(Tape<Real>& tape, Value x);
/// 1 x c
template <typename Real>
Value column_sums(Tape<Real>& tape, Value x);
/// 1 x c; zeros if there are no rows.
template <typename Real>
Value column_means(Tape<Real>& tape, Value x);
/// n x 1: <a_i, b_i>
template <typename Real>
Value row_dots(Tape<Real>& tape, Value a, Value b);

/// x_i / max(|x_i|, epsilon)
template <typename Real>
Value row_l2_normalise(Tape<Real>& tape, Value x, double epsilon = 1e-12);
/// Over the columns of each row.
template <typename Real>
Value row_softmax(Tape<Real>& tape, Value x);
template <typename Real>
Value row_log_softmax(Tape<Real>& tape, Value x);

}  // namespace rayleigh::nn
