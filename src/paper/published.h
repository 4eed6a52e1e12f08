// The values of the paper as a comparison takes them.
// For report::make_comparison().
// Looks at constant tables.
#pragma once

#include "report/published.h"

namespace rayleigh::paper {

report::Published published();

}  // namespace rayleigh::paper
