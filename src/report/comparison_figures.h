// The figures of a comparison.
// For one dataset each, as SVG.
// Some kilobytes each.
#pragma once

#include <string>

#include "report/comparison.h"

namespace rayleigh::report {

/// Mean ROC curves, best first.
std::string roc_figure(const Comparison& comparison, std::size_t set);
/// Test AUC against seconds of training.
std::string time_figure(const Comparison& comparison, std::size_t set);

}  // namespace rayleigh::report
