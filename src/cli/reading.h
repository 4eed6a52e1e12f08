// How a verb reads DATA: the flags, declared once for all verbs, and loading with what must be
// said. Use in every verb that takes DATA, so that they all read alike. As long as the reading
// takes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "rayleigh/graph_io.h"

#include "cli/verb.h"
#include "core/parameters.h"

namespace rayleigh::cli {

void declare_reading(core::ParameterSet& parameters, io::ReadOptions& options);

/// Threads, and where the reader's remarks go.
void settle_reading(const Verb& verb, io::ReadOptions& options);

/// Settles, loads, and warns of rows that were left out.
GraphSet load_graphs(const Verb& verb, const std::string& path, io::ReadOptions& options);

/// What a model file must remember of the reading for other data to be read alike; null for the
/// usual.
nlohmann::ordered_json reading_record(const io::ReadOptions& options);

/// Reads as the model's training data was read, where no flag says otherwise.
void follow_reading_record(const nlohmann::ordered_json& record, core::ParameterSet& parameters);

}  // namespace rayleigh::cli
