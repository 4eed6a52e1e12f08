// Round numbers for an axis.
// Used by every figure; also for choosing how many digits a tick label needs.
// A few operations.
#pragma once

#include <string>
#include <vector>

namespace rayleigh::plot {

/// About `wanted` multiples of 1, 2, 2.5 or 5 times a power of ten inside [low, high].
std::vector<double> nice_ticks(double low, double high, int wanted = 6);

/// Powers of ten inside [low, high]; where there is less than one decade, 1-2-5 steps.
std::vector<double> log_ticks(double low, double high);

/// As short as the step allows: 0.5, 10, 1,000, 1e-6.
std::string tick_label(double value, double step);

}  // namespace rayleigh::plot
