#include "cli/verbs.h"

#include <algorithm>
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

void Verb::declare_common(core::OptionSet& parameters) {
  common.format = formats().front().second;
  parameters.add("format", common.format, "form of what is printed", formats()).without_effect();
  parameters.add("threads", common.threads, "threads to use; 0 = one per core", {0, 1024})
      .without_effect();
  parameters.add("quiet", common.quiet, "print only warnings, errors and the result")
      .without_effect();
  parameters
      .add("config", common.config, "FILE",
           "JSON or TOML file with the same names as the flags; flags win")
      .without_effect();
}

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::bad_data:
      return 3;
    case ErrorKind::failed:
    case ErrorKind::cancelled:
      break;
  }
  return 1;
}

std::string command_words(std::string_view text) {
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '-' || (c >= '0' && c <= '9');
  };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '`' ? text.find('`', at + 1) : std::string_view::npos;
    const auto name =
        end == std::string_view::npos ? std::string_view() : text.substr(at + 1, end - at - 1);
    if (!name.empty() && std::ranges::all_of(name, in_name)) {
      out += "--";
      out += name;
      at = end + 1;
    } else {
      out += text[at++];
    }
  }
  return out;
}

void print_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error(ErrorKind::failed,
                "cannot write to stdout: " + std::generic_category().message(errno));
  }
}

}  // namespace rayleigh::cli
