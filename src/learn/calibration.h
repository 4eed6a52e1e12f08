// From scores to probabilities: Platt's logistic fit on validation scores.
// Fit once after training; probability() of a score is one exponential.
// Scores that are probabilities themselves are fitted on their logit.
#pragma once

#include <cstdint>
#include <span>

#include "rayleigh/metrics.h"

namespace rayleigh::learn {

struct Calibration {
  bool on_logit = true;  ///< of the score, which then lies in (0, 1)
  double slope = 1;      ///< never negative: a higher score never means a lower probability
  double offset = 0;
  bool exists = true;  ///< false: there were no labels to fit it on

  /// NaN where there is no calibration.
  double probability(double score) const;
};

/// Maximum likelihood with Platt's smoothed targets, by Newton's method. With a class missing the
/// slope is 0 and every probability the smoothed share.
Calibration fit_calibration(const Scored& data, bool on_logit);

}  // namespace rayleigh::learn
