#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "cli/command_line.h"
#include "cli/config_file.h"
#include "cli/help.h"
#include "cli/interrupt.h"
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

/// Empty without --config.
ConfigFile config_of(const Verb& verb, const Verbs& verbs, const Words& words) {
  const auto file = find_flag(words, "config");
  if (!file) {
    return {};
  }
  Words names;
  for (const auto& other : verbs) {
    names.push_back(other->name());
  }
  return {*file, verb.name(), names};
}

/// Everything that flags and the config file say, checked; the words that are not flags come back.
Words read_options(const Verb& verb, const Words& words, const ConfigFile& config,
                   core::OptionSet& options) {
  auto arguments = parse_flags(words, options);
  config.assign_to(options);
  options.check();
  const auto expected = verb.arguments();
  if (arguments.size() < expected.least) {
    throw UsageError(fmt::format("rayleigh {}: {} is missing", verb.name(), expected.usage));
  }
  if (arguments.size() > expected.most) {
    throw UsageError(fmt::format("rayleigh {}: '{}' is one argument too many, expected {}",
                                 verb.name(), core::printable(arguments[expected.most]),
                                 expected.usage.empty() ? "only flags" : expected.usage));
  }
  check_required(options);
  return arguments;
}

/// What was asked, in one line, for files of results.
std::string command_of(const Verb& verb, const Words& arguments, const core::OptionSet& options) {
  std::string line = fmt::format("rayleigh {}", verb.name());
  for (const std::string& word : arguments) {
    line += " " + core::printable(word);
  }
  for (const core::Option& option : options.all()) {
    if (!option.given || option.effect == core::Effect::none) {
      continue;
    }
    const nlohmann::ordered_json value = option.value();
    line += " --" + option.name();
    if (value.is_string()) {
      line += " " + core::printable(value.get<std::string>(), 1000);
    } else if (!option.is_switch()) {
      line += " " + value.dump();
    }
  }
  return line;
}

/// Ends what the verb does when a signal comes, and says how it went on.
int run_until_signal(Verb& verb, const Words& arguments) {
  if (!verb.can_stop()) {
    return verb.run(arguments);
  }
  Interrupt interrupt;
  verb.common.stop = interrupt.token();
  try {
    return verb.run(arguments);
  } catch (const Cancelled& stop) {
    core::Log().error(fmt::format("rayleigh: {}", command_words(stop.message())));
    return kExitOfSignals + interrupt.signal();
  }
}

int run_verb(Verb& verb, const Verbs& verbs, const Words& words) {
  core::OptionSet options;
  const ConfigFile config = config_of(verb, verbs, words);
  bool from_config = false;
  try {
    verb.resolve([&](std::string_view name) {
      auto flag = find_flag(words, name);
      if (!flag && words.back() == fmt::format("--{}", name)) {
        flag.emplace();  // a switch
      }
      from_config = !flag;
      return flag ? flag : config.find(name);
    });
  } catch (const UsageError& error) {
    if (!from_config) {
      throw;
    }
    throw Error(ErrorKind::usage, {config.file(), 0}, error.option(), error.message());
  }
  verb.declare(options);
  verb.declare_common(options);
  if (asks_for_help(words)) {
    print_out(verb_help(verb, options));
    return 0;
  }
  const Words arguments = read_options(verb, words, config, options);
  verb.command = command_of(verb, arguments, options);
  return run_until_signal(verb, arguments);
}

int run(Words words) {
  auto verbs = all_verbs();
  if (words.empty()) {
    core::Log().error(overview(verbs));
    return exit_code_of(ErrorKind::usage);
  }
  if (words[0] == "--version") {
    print_out(fmt::format("rayleigh {}\n", kVersion));
    return 0;
  }
  if (words[0] == "help" && words.size() == 2 && words[1] == "--markdown") {
    print_out(markdown(verbs));
    return 0;
  }
  if (words[0] == "help" && words.size() == 2 && words[1] == "--man") {
    print_out(man_page(verbs));
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

/// One clear line: "file:line: what" where there is a place, "rayleigh: --option: what" elsewhere.
int report(const Error& error) {
  const std::string what = command_words(error.message());
  std::string line = fmt::format("rayleigh: {}", what);
  if (!error.place().file.empty()) {
    const auto& option = error.option();
    line = fmt::format("{}: {}{}", error.place().text(), option.empty() ? "" : option + ": ", what);
  } else if (!error.option().empty()) {
    line = fmt::format("rayleigh: --{}: {}", error.option(), what);
  }
  core::Log().error(line);
  return exit_code_of(error.kind());
}

/// A closed one would be the number of the next file that is opened: what is said would go into a
/// model. Opened the wrong way round, so that reading and writing still fail as they should.
void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // The lowest free number is this one. Where there is no /dev/null, neither is a terminal.
      static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

int report(std::string_view what) {
  core::Log().error(fmt::format("rayleigh: {}", what));
  return exit_code_of(ErrorKind::failed);
}

}  // namespace
}  // namespace rayleigh::cli

int main(int argc, char** argv) {
  namespace cli = rayleigh::cli;
  cli::open_standard_descriptors();
  try {
    return cli::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const rayleigh::Error& error) {
    return cli::report(error);
  } catch (const std::bad_alloc&) {
    return cli::report("not enough memory");
  } catch (const std::exception& error) {
    return cli::report(error.what());
  }
}
