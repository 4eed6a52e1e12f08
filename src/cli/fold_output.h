// What `rayleigh train --folds` shows of its folds: for people, for programs, and per graph.
// Beside what it shows of the model on all graphs.
// A few kilobytes, and a line per graph.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "rayleigh/cross_validation.h"

#include "core/output_file.h"

namespace rayleigh::cli {

/// Every fold, and the means with their intervals.
std::string folds_text(const CrossValidation& result);
/// The value of the key `folds`.
nlohmann::ordered_json folds_json(const CrossValidation& result);
/// The columns of --predictions and the fold.
void write_out_of_fold(const GraphSet& graphs, const CrossValidation& result,
                       core::OutputFile& file);

}  // namespace rayleigh::cli
