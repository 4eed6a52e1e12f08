// An evaluation as the JSON of model files has it.
// For the library itself; others take the text of rayleigh/evaluation.h.
// Ten numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rayleigh/evaluation.h"

namespace rayleigh::learn {

nlohmann::ordered_json json_of(const Evaluation& evaluation);

}  // namespace rayleigh::learn
