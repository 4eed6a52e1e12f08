// How a verb reads DATA: the flags, declared once for all verbs, and loading with its warnings.
// Use in every verb that takes DATA, so that all read alike.
// Takes as long as the reading.
#pragma once

#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"

#include "cli/verb.h"
#include "core/option_set.h"

namespace rayleigh::cli {

void declare_reading(core::OptionSet& options, io::ReadOptions& read);

/// The model of a verb that takes MODEL and DATA. DataError where they come the other way round.
Detector load_model(const std::vector<std::string>& arguments);

/// DataError where a model is given as DATA.
void refuse_model(const std::string& path);

/// Sets threads, Ctrl-C, and where the reader's remarks go.
void settle_reading(const Verb& verb, io::ReadOptions& read);

/// Settles, loads, and warns of rows that were left out.
GraphSet load_graphs(const Verb& verb, const std::string& path, io::ReadOptions& read);

/// Reads as the model's training data was read, where no flag says otherwise.
void read_like(const Detector& detector, const core::OptionSet& options, io::ReadOptions& read);

}  // namespace rayleigh::cli
