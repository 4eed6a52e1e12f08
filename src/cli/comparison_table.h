// A comparison as text: AUC and macro-F1 of all, and one table per dataset with everything.
// What `compare` prints and keeps as table.txt.
// Some kilobytes.
#pragma once

#include <string>

#include "report/comparison.h"

namespace rayleigh::cli {

std::string comparison_text(const report::Comparison& comparison);

}  // namespace rayleigh::cli
