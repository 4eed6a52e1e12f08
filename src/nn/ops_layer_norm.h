// Normalisation of single rows (layer norm) and of the rows of each graph (graph norm).
// For GMT and for the one-class models; batch norm is in ops_norm.h. No running statistics.
// A few passes over the matrix; sums in double precision, in an order fixed by the shape.
#pragma once

#include <cstdint>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

inline constexpr double kLayerNormEpsilon = 1e-5;
inline constexpr double kGraphNormEpsilon = 1e-8;

/// scale (x_i - mean) / sqrt(variance + epsilon) + shift over the columns of each row, with the
/// biased variance. scale and shift are 1 x c.
template <typename Real>
Value layer_norm(Tape<Real>& tape, Value x, Value scale, Value shift,
                 double epsilon = kLayerNormEpsilon);

/// With u = x - alpha mean: scale u / sqrt(mean(u^2) + epsilon) + shift, means over the rows of a
/// segment for each column. alpha, scale and shift are 1 x c; shift may be absent.
template <typename Real>
Value graph_norm(Tape<Real>& tape, Value x, std::span<const std::uint32_t> first_row, Value alpha,
                 Value scale, Value shift, double epsilon = kGraphNormEpsilon);

}  // namespace rayleigh::nn
