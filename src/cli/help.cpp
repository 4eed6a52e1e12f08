#include "cli/help.h"

#include <algorithm>
#include <fmt/format.h>

#include "rayleigh/version.h"

#include "core/text.h"

namespace rayleigh::cli {
namespace {

constexpr std::size_t kWidth = 96;

/// Breaks text into lines of at most `width` columns.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    auto& line = lines.back();
    const auto needed = core::display_width(line) + 1 + core::display_width(word);
    if (!line.empty() && needed > width) {
      lines.emplace_back(word);
    } else {
      line += line.empty() ? "" : " ";
      line += word;
    }
  }
  return lines;
}

std::string flag_text(const core::Parameter& parameter) {
  std::string text = parameter.letter != 0 ? fmt::format("-{}, ", parameter.letter) : "    ";
  text += "--" + parameter.name;
  if (!parameter.is_switch) {
    text += " " + parameter.placeholder;
  }
  return text + (parameter.is_list ? " …" : "");
}

/// Help with range and default, in one sentence.
std::string full_help(const core::Parameter& parameter) {
  std::string notes;
  const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : "; ") + text; };
  if (!parameter.range.empty() && parameter.range != parameter.placeholder) {
    note(parameter.range);
  }
  if (parameter.required) {
    note("required");
  } else if (!parameter.default_text.empty()) {
    note("default " + parameter.default_text);
  }
  return notes.empty() ? parameter.help : fmt::format("{} ({})", parameter.help, notes);
}

std::string usage_line(const Verb& verb, const core::ParameterSet& parameters) {
  auto line = fmt::format("rayleigh {}", verb.name());
  if (!verb.arguments().usage.empty()) {
    line += " " + verb.arguments().usage;
  }
  for (const auto& parameter : parameters.all()) {
    if (parameter.required) {
      line += fmt::format(
          " {} {}",
          parameter.letter != 0 ? fmt::format("-{}", parameter.letter) : "--" + parameter.name,
          parameter.placeholder);
    }
  }
  return line + " [flags]";
}

}  // namespace

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string text = fmt::format(
      "rayleigh {}: finds the anomalous graphs in a set of small graphs\n\n"
      "usage: rayleigh VERB [arguments] [flags]\n\n",
      kVersion);
  std::size_t width = 0;
  for (const auto& verb : verbs) {
    width = std::max(width, verb->name().size() + 1 + core::display_width(verb->arguments().usage));
  }
  for (const auto& verb : verbs) {
    const auto head = fmt::format("{} {}", verb->name(), verb->arguments().usage);
    text += fmt::format("  {:<{}}  {}\n", head, width, verb->summary());
  }
  text +=
      "\nrayleigh VERB --help tells all flags of a verb; rayleigh --version the version.\n"
      "DATA is a TU folder or .zip, a .jsonl or .jsonl.gz, - for JSONL on stdin, or the NAME of a\n"
      "set that fetch brought.\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 bad data, 4 done but some rows failed.\n";
  return text;
}

std::string verb_help(const Verb& verb, const core::ParameterSet& parameters) {
  std::string text = fmt::format("rayleigh {}: {}\n\nusage: {}\n\nflags:\n", verb.name(),
                                 verb.summary(), usage_line(verb, parameters));
  std::size_t width = 0;
  for (const auto& parameter : parameters.all()) {
    width = std::max(width, core::display_width(flag_text(parameter)));
  }
  for (const auto& parameter : parameters.all()) {
    auto flag = flag_text(parameter);
    for (const auto& line : wrap(full_help(parameter), kWidth - width - 4)) {
      text += fmt::format("  {}{}  {}\n", flag, std::string(width - core::display_width(flag), ' '),
                          line);
      flag.clear();
    }
  }
  text += "\nexamples:\n";
  for (const auto& example : verb.examples()) {
    text += fmt::format("  {}\n", example);
  }
  return text;
}

std::string markdown(std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string text =
      "# Commands\n\nMade by `rayleigh help --markdown` from the declared parameters; a test keeps "
      "it true. Every flag is also a key\nof `--config FILE` (JSON or TOML); flags win. Data go to "
      "stdout, everything else to stderr.\n\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 bad data, 4 done but some rows failed.\n";
  for (const auto& verb : verbs) {
    core::ParameterSet parameters;
    verb->declare(parameters);
    verb->declare_common(parameters);
    text += fmt::format(
        "\n## {}\n\n{}.\n\n    {}\n\n| flag | value | default | meaning |\n"
        "|---|---|---|---|\n",
        verb->name(), verb->summary(), usage_line(*verb, parameters));
    for (const auto& parameter : parameters.all()) {
      auto value = parameter.range.empty() ? parameter.placeholder : parameter.range;
      std::string escaped;
      for (const char c : value) {
        escaped += c == '|' ? std::string("\\|") : std::string(1, c);
      }
      text += fmt::format("| `--{}`{} | {} | {} | {} |\n", parameter.name,
                          parameter.letter != 0 ? fmt::format(", `-{}`", parameter.letter) : "",
                          escaped, parameter.required ? "required" : parameter.default_text,
                          parameter.help);
    }
    text += "\n```sh\n";
    for (const auto& example : verb->examples()) {
      text += example + "\n";
    }
    text += "```\n";
  }
  return text;
}

}  // namespace rayleigh::cli
