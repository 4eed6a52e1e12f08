// What `rayleigh train --report` leaves behind: figures and one self-contained page on a training
// run. Made from a TrainingResult alone, so it holds for any detector.
// Some hundred kilobytes.
#pragma once

#include <string>
#include <vector>

#include "rayleigh/training.h"

#include "report/named_text.h"

namespace rayleigh::report {

/// loss.svg, validation.svg, roc.svg, precision_recall.svg, scores.svg, score_counts.svg,
/// calibration_score.svg (only where scores are probabilities), calibration.svg.
std::vector<NamedText> training_figures(const TrainingResult& result);

/// report.html, with all figures inside. A test part that is empty or has one class is said to be
/// so, and the validation part shown in its place.
std::string training_page(const TrainingResult& result);

}  // namespace rayleigh::report
