// Words of the command line and keys of a config file, assigned to declared parameters.
// The one parser for all verbs; knows no verb.
// Runs once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace rayleigh::cli {

/// Assigns flags to `parameters` and returns the other words. `--name value`, `--name=value`, `-o
/// value`; a switch also as `--no-name`. `--` ends the flags, `-` is a plain word. A value may
/// start with a dash. Unknown or repeated flags throw UsageError with the nearest name.
std::vector<std::string> parse_flags(const std::vector<std::string>& words,
                                     core::ParameterSet& parameters);

/// Assigns the keys of a JSON or TOML file to parameters that no flag has given. Keys at the top
/// apply to every verb; a table named after a verb only to that verb.
void read_config(const std::string& file, std::string_view verb,
                 const std::vector<std::string>& all_verbs, core::ParameterSet& parameters);

/// Throws UsageError when a required parameter is missing.
void check_required(const core::ParameterSet& parameters);

}  // namespace rayleigh::cli
