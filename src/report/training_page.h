// What `rayleigh train --report` leaves behind: one self-contained page on a training run.
// Made from a TrainingResult alone, so it holds for any detector.
// Some hundred kilobytes.
#pragma once

#include <string>

#include "rayleigh/cross_validation.h"
#include "rayleigh/training.h"

namespace rayleigh::report {

/// report.html, with all figures inside. A test part that is empty or has one class is said to be
/// so, and the validation part shown in its place. With `folds` their metrics come first.
std::string training_page(const TrainingResult& result, const CrossValidation* folds = nullptr);

}  // namespace rayleigh::report
