#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <string>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "cli/command_line.h"
#include "cli/help.h"
#include "cli/verb.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

using Verbs = std::vector<std::unique_ptr<Verb>>;
using Words = std::vector<std::string>;

bool asks_for_help(const Words& words) {
  return std::ranges::any_of(words, [](const auto& w) { return w == "--help" || w == "-h"; });
}

/// "generate colors3" takes two words of the line, "inspect" one.
Verb* find_verb(const Verbs& verbs, Words& words) {
  for (const std::size_t length : {2UL, 1UL}) {
    if (words.size() < length) {
      continue;
    }
    const auto name = length == 2 ? words[0] + " " + words[1] : words[0];
    const auto it = std::ranges::find_if(verbs, [&](const auto& v) { return v->name() == name; });
    if (it != verbs.end()) {
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(length));
      return it->get();
    }
  }
  return nullptr;
}

[[noreturn]] void reject_verb(const Verbs& verbs, const Words& words) {
  Words first;
  Words second;
  for (const auto& verb : verbs) {
    const auto name = verb->name();
    const auto blank = name.find(' ');
    first.push_back(name.substr(0, blank));
    if (blank != std::string::npos && first.back() == words[0]) {
      second.push_back(name.substr(blank + 1));
    }
  }
  if (!second.empty()) {
    const bool none = words.size() < 2 || words[1].starts_with('-');
    throw UsageError(
        none ? fmt::format("{} what? expected one of: {}", words[0], fmt::join(second, ", "))
             : fmt::format("cannot {} '{}'{} (expected one of: {})", words[0],
                           core::printable(words[1]), core::did_you_mean(words[1], second),
                           fmt::join(second, ", ")));
  }
  throw UsageError(fmt::format("unknown verb '{}'{} (rayleigh --help lists them)",
                               core::printable(words[0]), core::did_you_mean(words[0], first)));
}

int run_verb(Verb& verb, const Verbs& verbs, const Words& words) {
  core::ParameterSet parameters;
  verb.peek(words);
  verb.declare(parameters);
  verb.declare_common(parameters);
  if (asks_for_help(words)) {
    print_out(verb_help(verb, parameters));
    return 0;
  }
  const auto arguments = parse_flags(words, parameters);
  if (verb.common.config) {
    Words names;
    for (const auto& other : verbs) {
      names.push_back(other->name());
    }
    read_config(*verb.common.config, verb.name(), names, parameters);
  }
  const auto expected = verb.arguments();
  if (arguments.size() < expected.least) {
    throw UsageError(fmt::format("rayleigh {}: {} is missing", verb.name(), expected.usage));
  }
  if (arguments.size() > expected.most) {
    throw UsageError(fmt::format("rayleigh {}: '{}' is one argument too many, expected {}",
                                 verb.name(), core::printable(arguments[expected.most]),
                                 expected.usage.empty() ? "only flags" : expected.usage));
  }
  check_required(parameters);
  return verb.run(arguments);
}

int run(Words words) {
  auto verbs = all_verbs();
  if (words.empty()) {
    core::Log().error(overview(verbs));
    return static_cast<int>(ErrorKind::usage);
  }
  if (words[0] == "--version") {
    print_out(fmt::format("rayleigh {}\n", kVersion));
    return 0;
  }
  if (words[0] == "help" && words.size() == 2 && words[1] == "--markdown") {
    print_out(markdown(verbs));
    return 0;
  }
  if (words[0] == "help" && words.size() > 1) {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words[0] == "help" || words[0] == "--help" || words[0] == "-h") {
    print_out(overview(verbs));
    return 0;
  }
  Verb* verb = find_verb(verbs, words);
  if (verb == nullptr) {
    reject_verb(verbs, words);
  }
  return run_verb(*verb, verbs, words);
}

/// One clear line: "file:line: what" where there is a place, "rayleigh: what" where there is none.
int report(ErrorKind kind, bool placed, std::string_view what) {
  core::Log().error(placed ? std::string(what) : fmt::format("rayleigh: {}", what));
  return static_cast<int>(kind);
}

}  // namespace
}  // namespace rayleigh::cli

int main(int argc, char** argv) {
  using rayleigh::ErrorKind;
  namespace cli = rayleigh::cli;
  try {
    return cli::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const rayleigh::Error& error) {
    return cli::report(error.kind(), !error.place().file.empty(), error.what());
  } catch (const std::bad_alloc&) {
    return cli::report(ErrorKind::failed, false, "not enough memory");
  } catch (const std::exception& error) {
    return cli::report(ErrorKind::failed, false, error.what());
  }
}
