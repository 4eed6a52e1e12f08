// A verb of the command: its name, its options and what it does.
// One file per verb implements this; the list of all is in verbs.cpp.
// Made once per run of the command.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/error.h"
#include "rayleigh/run_options.h"

#include "core/log.h"
#include "core/option_set.h"

namespace rayleigh::cli {

enum class Format { text, json, csv, sdf };

/// What every verb takes.
struct CommonOptions {
  Format format = Format::text;
  bool quiet = false;
  int threads = 0;
  std::optional<std::string> config;
  std::stop_token stop{};  ///< Ctrl-C
};

/// What flags and the config file say of an option before it is declared.
using GivenOption = std::function<std::optional<std::string>(std::string_view name)>;

/// Arguments that are not flags: how many, and what the usage line calls them.
struct Arguments {
  std::string usage;
  std::size_t least = 0;
  std::size_t most = 0;
};

class Verb {
 public:
  virtual ~Verb() = default;

  /// "inspect", or two words: "generate colors3".
  virtual std::string name() const = 0;
  /// One line for the list of verbs.
  virtual std::string summary() const = 0;
  virtual Arguments arguments() const = 0;
  /// Lines of the form "command   # what it does".
  virtual std::vector<std::string> examples() const = 0;
  /// The formats of --format, the default first.
  virtual std::vector<std::pair<std::string, Format>> formats() const {
    return {{"text", Format::text}, {"json", Format::json}};
  }
  /// Called before declare(), for verbs whose options depend on another one.
  virtual void resolve(const GivenOption& /*given*/) {}
  virtual void declare(core::OptionSet& options) = 0;
  /// Whether it ends by itself when a stop is requested.
  virtual bool can_stop() const { return false; }
  /// Returns the exit code.
  virtual int run(const std::vector<std::string>& arguments) = 0;

  void declare_common(core::OptionSet& options);
  core::Log log() const {
    return core::Log(common.quiet ? core::Verbosity::quiet : core::Verbosity::normal);
  }
  RunOptions run_options() const { return {.threads = common.threads, .stop = common.stop}; }
  bool show_progress() const { return !common.quiet && core::stderr_is_terminal(); }

  CommonOptions common;
  /// "rayleigh compare a.zip --seeds 5": what was asked, without flags that change no result.
  std::string command;
};

std::vector<std::unique_ptr<Verb>> all_verbs();

/// Data for the user or the next program: the only way to stdout. Throws when it cannot be written.
void print_out(std::string_view text);

/// Done, but some rows or runs failed.
inline constexpr int kExitSomeFailed = 4;

/// 1 failed, 2 usage, 3 bad data.
int exit_code_of(ErrorKind kind);

/// The library names options in backticks: `lr`. Here they have dashes: --lr.
std::string command_words(std::string_view text);

}  // namespace rayleigh::cli
