// What a model file is: detector, data, split, threshold, metrics, vocabulary.
// Called by the verb `inspect` when its argument is a model and not data.
// Costs one load of the model.
#pragma once

#include <string>

#include "cli/verb.h"

namespace rayleigh::cli {

/// `rows` words of each vocabulary are shown. DataError for a file that is damaged or not a model.
std::string inspect_model(const std::string& path, Format format, int rows);

}  // namespace rayleigh::cli
