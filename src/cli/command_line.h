// Words of the command line, assigned to declared options.
// The one parser for all verbs; it knows none of them.
// Runs once.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_set.h"

namespace rayleigh::cli {

/// Assigns flags to `options` and returns the other words. `--name value`, `--name=value`, `-o
/// value`; a switch also as `--no-name`. `--` ends the flags, `-` is a plain word. A value may
/// start with a dash. Unknown or repeated flags throw UsageError with the nearest name.
std::vector<std::string> parse_flags(const std::vector<std::string>& words,
                                     core::OptionSet& options);

/// What a flag says before the options are declared: the word after --name, or the rest of --name=.
std::optional<std::string> find_flag(const std::vector<std::string>& words, std::string_view name);

/// Throws UsageError when a required option is missing.
void check_required(const core::OptionSet& options);

}  // namespace rayleigh::cli
