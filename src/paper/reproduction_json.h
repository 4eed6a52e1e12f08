// results.json of a reproduction.
// Everything that the page shows, for programs.
// Some hundred kilobytes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "paper/reproduction.h"

namespace rayleigh::paper {

nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);

}  // namespace rayleigh::paper
