#include "cli/verbs.h"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "rayleigh/error.h"

namespace rayleigh::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  verbs.push_back(make_fetch());
  verbs.push_back(make_generate_colors3());
  verbs.push_back(make_generate_molecules());
  verbs.push_back(make_generate_perturb());
  verbs.push_back(make_inspect());
  verbs.push_back(make_analyze());
  verbs.push_back(make_train());
  verbs.push_back(make_evaluate());
  verbs.push_back(make_score());
  verbs.push_back(make_explain());
  verbs.push_back(make_compare());
  verbs.push_back(make_reproduce());
  verbs.push_back(make_models());
  return verbs;
}

void Verb::declare_common(core::ParameterSet& parameters) {
  common.format = formats().front().second;
  parameters.add("format", common.format, "form of what is printed", formats()).without_effect();
  parameters.add("threads", common.threads, "threads to use; 0 = one per core", {0, 1024})
      .without_effect();
  parameters.add("quiet", common.quiet, "say nothing but warnings, errors and the result")
      .without_effect();
  parameters
      .add("config", common.config, "FILE",
           "JSON or TOML file with the same names as the flags; flags win")
      .without_effect();
}

void print_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::failed,
                "cannot write to stdout: " + std::generic_category().message(errno));
  }
}

}  // namespace rayleigh::cli
