// The figures of a training run.
// Made from a TrainingResult alone, so they hold for any detector.
// Some kilobytes each.
#pragma once

#include <vector>

#include "rayleigh/training.h"

#include "plot/named_text.h"

namespace rayleigh::report {

/// loss.svg, validation.svg, roc.svg, precision_recall.svg, scores.svg, score_counts.svg,
/// calibration_score.svg (only where scores are probabilities), calibration.svg.
std::vector<plot::NamedText> training_figures(const TrainingResult& result);

}  // namespace rayleigh::report
