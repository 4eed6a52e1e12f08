// A comparison for people: report.html, self-contained.
// What `rayleigh compare` leaves behind.
// Some hundred kilobytes, most of it ROC curves.
#pragma once

#include <string>

#include "report/comparison.h"

namespace rayleigh::report {

std::string comparison_page(const Comparison& comparison);

}  // namespace rayleigh::report
