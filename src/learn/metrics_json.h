// Metrics as the JSON of model files has it.
// For the library itself; others take the text of rayleigh/metrics.h.
// Ten numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rayleigh/metrics.h"

namespace rayleigh::learn {

nlohmann::ordered_json json_of(const Metrics& metrics);

}  // namespace rayleigh::learn
