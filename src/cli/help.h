// Help for people: the overview, the page of a verb, and all of it as Markdown for docs/commands.md
// and as a manual page.
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
/// rayleigh.1, for man.
std::string man_page(std::vector<std::unique_ptr<Verb>>& verbs);

}  // namespace rayleigh::cli
