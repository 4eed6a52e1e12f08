// Margins of several members added with weights that are not negative: the score of a blend.
// fit_blend() finds the weights on the validation part, shrunk towards usual ones, because that
// part is small and was used to choose epochs and rounds before. A few milliseconds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rayleigh::learn {

struct Blend {
  double offset = 0;
  std::vector<double> weights;  ///< of the members' margins; none below zero
};

/// Softmax[1] of (0, margin).
double probability_of(double margin);

/// The logistic loss of offset + sum of weights times margins is least, plus a penalty on the
/// squared distance of the weights from `usual` ones, times `shrinkage` and the largest mean square
/// of a member's margins. margins[m][i] is that of member m and graph i; both classes must be
/// there.
Blend fit_blend(std::span<const std::vector<double>> margins, std::span<const std::int8_t> labels,
                std::span<const double> usual, double shrinkage);

/// Cross-validation within validation parts of tox21 tells little apart from 0 to 20; this much
/// keeps weights near the usual ones where there are a few dozen graphs.
inline constexpr double kBlendShrinkage = 5;

}  // namespace rayleigh::learn
