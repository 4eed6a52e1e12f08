// The verbs by name; each make function lives in the file of its verb.
// Included by verbs.cpp only.
// Nothing but declarations.
#pragma once

#include <memory>

#include "cli/verb.h"

namespace rayleigh::cli {

std::unique_ptr<Verb> make_generate_colors3();
std::unique_ptr<Verb> make_generate_molecules();
std::unique_ptr<Verb> make_generate_perturb();
std::unique_ptr<Verb> make_analyze();
std::unique_ptr<Verb> make_inspect();
std::unique_ptr<Verb> make_train();
std::unique_ptr<Verb> make_evaluate();
std::unique_ptr<Verb> make_score();
std::unique_ptr<Verb> make_explain();
std::unique_ptr<Verb> make_compare();
std::unique_ptr<Verb> make_fetch();
std::unique_ptr<Verb> make_reproduce();
std::unique_ptr<Verb> make_models();

}  // namespace rayleigh::cli
