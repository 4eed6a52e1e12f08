#include "cli/help.h"

#include <algorithm>
#include <fmt/format.h>

#include "rayleigh/version.h"

#include "core/text.h"

namespace rayleigh::cli {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::string_view kWhatItDoes = "finds the anomalous graphs in a set of small graphs";
constexpr std::string_view kWhatDataIs =
    "DATA is a TU folder or .zip, a .jsonl, molecules as .smi, .csv, .tsv or .sdf, each also .gz, "
    "- for stdin, or the NAME of a fetched set.";
constexpr std::string_view kExitCodes =
    "Exit codes: 0 done, 1 failed, 2 usage, 3 bad data, 4 done but some rows failed; 130 stopped "
    "by Ctrl-C, 143 by SIGTERM.";

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

std::string flag_text(const core::Option& option) {
  std::string text = option.letter != 0 ? fmt::format("-{}, ", option.letter) : "    ";
  text += "--" + option.name();
  if (!option.is_switch()) {
    text += " " + option.info.placeholder;
  }
  return text + (option.is_list() ? " …" : "");
}

/// Help with range and default, in one sentence.
std::string full_help(const core::Option& option) {
  std::string notes;
  const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : "; ") + text; };
  if (!option.info.range.empty() && option.info.range != option.info.placeholder) {
    note(option.info.range);
  }
  if (option.required) {
    note("required");
  } else if (!option.info.default_text.empty()) {
    note("default " + option.info.default_text);
  }
  return notes.empty() ? option.info.help : fmt::format("{} ({})", option.info.help, notes);
}

std::string usage_line(const Verb& verb, const core::OptionSet& options) {
  auto line = fmt::format("rayleigh {}", verb.name());
  if (!verb.arguments().usage.empty()) {
    line += " " + verb.arguments().usage;
  }
  for (const auto& option : options.all()) {
    if (option.required) {
      line += fmt::format(
          " {} {}", option.letter != 0 ? fmt::format("-{}", option.letter) : "--" + option.name(),
          option.info.placeholder);
    }
  }
  return line + " [flags]";
}

/// Text as roff takes it: dashes that can be copied, no line that looks like a request.
std::string roff(std::string_view text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    escaped += c == '-' ? "\\-" : c == '\\' ? "\\e" : std::string(1, c);
  }
  return escaped;
}

}  // namespace

std::string overview(const std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string text = fmt::format("rayleigh {}: {}\n\nusage: rayleigh VERB [arguments] [flags]\n\n",
                                 kVersion, kWhatItDoes);
  std::size_t width = 0;
  for (const auto& verb : verbs) {
    width = std::max(width, verb->name().size() + 1 + core::display_width(verb->arguments().usage));
  }
  for (const auto& verb : verbs) {
    const auto head = fmt::format("{} {}", verb->name(), verb->arguments().usage);
    text += fmt::format("  {:<{}}  {}\n", head, width, verb->summary());
  }
  text +=
      "\nrayleigh VERB --help lists the flags of a verb, rayleigh --version prints the version.\n";
  for (const std::string_view paragraph : {kWhatDataIs, kExitCodes}) {
    for (const auto& line : wrap(paragraph, kWidth)) {
      text += line + "\n";
    }
  }
  return text;
}

std::string verb_help(const Verb& verb, const core::OptionSet& options) {
  std::string text = fmt::format("rayleigh {}: {}\n\nusage: {}\n\nflags:\n", verb.name(),
                                 verb.summary(), usage_line(verb, options));
  std::size_t width = 0;
  for (const auto& option : options.all()) {
    width = std::max(width, core::display_width(flag_text(option)));
  }
  for (const auto& option : options.all()) {
    auto flag = flag_text(option);
    for (const auto& line : wrap(full_help(option), kWidth - width - 4)) {
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
      "# Commands\n\nMade by `rayleigh help --markdown` from the declared options; a test keeps it "
      "true. Every flag is\nalso a key of `--config FILE` (JSON or TOML); flags win. Data go to "
      "stdout, everything else to\nstderr.\n\n"
      "Exit codes: 0 done, 1 failed, 2 usage, 3 bad data, 4 done but some rows failed.\n";
  for (const auto& verb : verbs) {
    core::OptionSet options;
    verb->declare(options);
    verb->declare_common(options);
    text += fmt::format(
        "\n## {}\n\n{}.\n\n    {}\n\n| flag | value | default | meaning |\n"
        "|---|---|---|---|\n",
        verb->name(), verb->summary(), usage_line(*verb, options));
    for (const auto& option : options.all()) {
      auto value = option.info.range.empty() ? option.info.placeholder : option.info.range;
      std::string escaped;
      for (const char c : value) {
        escaped += c == '|' ? std::string("\\|") : std::string(1, c);
      }
      text +=
          fmt::format("| `--{}`{} | {} | {} | {} |\n", option.name(),
                      option.letter != 0 ? fmt::format(", `-{}`", option.letter) : "", escaped,
                      option.required ? "required" : option.info.default_text, option.info.help);
    }
    text += "\n```sh\n";
    for (const auto& example : verb->examples()) {
      text += example + "\n";
    }
    text += "```\n";
  }
  return text;
}

std::string man_page(std::vector<std::unique_ptr<Verb>>& verbs) {
  std::string text = fmt::format(
      ".TH RAYLEIGH 1 \"\" \"rayleigh {}\" \"User Commands\"\n.SH NAME\nrayleigh \\- {}\n"
      ".SH SYNOPSIS\n.B rayleigh\nVERB [arguments] [flags]\n.SH DESCRIPTION\n{}\n"
      ".PP\nEvery flag is also a key of \\-\\-config FILE (JSON or TOML); flags win. Data go to "
      "stdout, everything else to stderr.\n.SH VERBS\n",
      kVersion, kWhatItDoes, roff(kWhatDataIs));
  for (const auto& verb : verbs) {
    core::OptionSet options;
    verb->declare(options);
    verb->declare_common(options);
    text += fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", verb->name(), roff(verb->summary()),
                        roff(usage_line(*verb, options)));
    for (const auto& option : options.all()) {
      text += fmt::format(".TP\n.B {}\n{}\n", roff(core::trim(flag_text(option))),
                          roff(full_help(option)));
    }
    text += ".PP\nExamples:\n.PP\n.nf\n";
    for (const auto& example : verb->examples()) {
      text += roff(example) + "\n";
    }
    text += ".fi\n";
  }
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(kExitCodes));
  return text;
}

}  // namespace rayleigh::cli
