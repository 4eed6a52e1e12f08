// Durations as people write them: 90s, 5m, 1h30m.
// For flags.
#pragma once

#include <string_view>

namespace rayleigh::core {

/// Seconds; a number alone is seconds too. Throws std::string with what was expected.
double parse_duration(std::string_view text);

}  // namespace rayleigh::core
