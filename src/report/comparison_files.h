// A comparison for programs.
// What `rayleigh compare` writes beside its page.
// As large as its cells, curves left out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/comparison.h"

namespace rayleigh::report {

/// results.csv: one row per cell.
std::string comparison_csv(const Comparison& comparison);
/// results.json: cells and what the tables show.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

}  // namespace rayleigh::report
