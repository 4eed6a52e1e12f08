// Help for people: the overview, the page of a verb, and the same as Markdown for docs/commands.md.
// All of it is made from the declared options; nothing is written twice.
// Runs only when asked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace rayleigh::cli {

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs);
std::string verb_help(const Verb& verb, const core::OptionSet& options);
/// docs/commands.md.
std::string markdown(std::vector<std::unique_ptr<Verb>>& verbs);

}  // namespace rayleigh::cli
