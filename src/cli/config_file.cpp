#include "cli/config_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <toml++/toml.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "core/text_file.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostConfigBytes = std::uint64_t{1} << 24U;

/// Options are at most tables of lists. What is nested much deeper overflows the stack when it is
/// copied or destroyed.
constexpr int kDeepestConfig = 32;

[[noreturn]] void refuse_depth(const std::string& file, std::uint64_t line) {
  throw Error(ErrorKind::usage, Place{file, line},
              fmt::format("nested more than {} deep, expected options", kDeepestConfig));
}

Json parse_json(const std::string& file, const std::string& text) {
  const auto bound_depth = [&](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    if (depth > kDeepestConfig) {
      refuse_depth(file, 0);
    }
    return true;
  };
  try {
    return Json::parse(text, bound_depth);
  } catch (const nlohmann::json::parse_error& error) {
    const auto line =
        1 +
        std::count(text.begin(),
                   text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())),
                   '\n');
    throw Error(ErrorKind::usage, Place{file, static_cast<std::uint64_t>(line)},
                "not valid JSON, expected an object of options");
  }
}

/// The parser bounds how deep values are nested, but a key of many parts, a.a.a, nests tables too.
void bound_keys(const std::string& file, const std::string& text) {
  std::uint64_t line = 1;
  int parts = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.') {
      if (++parts > kDeepestConfig) {
        refuse_depth(file, line);
      }
    } else if (c == '"' || c == '\'') {
      // What is quoted may have dots of its own; it ends on its line.
      const auto end = text.find_first_of(std::string{c, '\n'}, at + 1);
      at = end == std::string::npos || text[end] == '\n' ? at : end;
    } else if (std::string_view("=,[]{}#\n").find(c) != std::string_view::npos) {
      parts = 0;
      line += c == '\n' ? 1 : 0;
    }
  }
}

Json parse_toml(const std::string& file, const std::string& text) {
  bound_keys(file, text);
  try {
    std::ostringstream json;
    json << toml::json_formatter{toml::parse(text, file)};
    return Json::parse(json.str());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::usage, Place{file, error.source().begin.line},
                fmt::format("not valid TOML: {}", core::visible(error.description())));
  }
}

}  // namespace

ConfigFile::ConfigFile(std::string file, std::string verb,
                       const std::vector<std::string>& all_verbs)
    : file_(std::move(file)) {
  const auto text = core::read_text_file(file_, kMostConfigBytes);
  const auto config = file_.ends_with(".json") ? parse_json(file_, text) : parse_toml(file_, text);
  if (!config.is_object()) {
    throw Error(ErrorKind::usage, Place{file_, 0}, "expected an object of options");
  }
  if (const auto own = config.find(verb); own != config.end() && own->is_object()) {
    for (const auto& [key, value] : own->items()) {
      values_.emplace_back(key, value);
    }
  }
  for (const auto& [key, value] : config.items()) {
    const bool is_verb = std::ranges::find(all_verbs, key) != all_verbs.end();
    if (!is_verb || !value.is_object()) {
      values_.emplace_back(key, value);
    }
  }
}

std::optional<std::string> ConfigFile::find(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return std::nullopt;
}

void ConfigFile::assign_to(core::OptionSet& options) const {
  std::set<std::string> by_flags;
  for (const core::Option& option : options.all()) {
    if (option.given) {
      by_flags.insert(option.name());
      by_flags.insert(option.rivals.begin(), option.rivals.end());
    }
  }
  std::set<std::string> done;
  for (const auto& [key, value] : values_) {
    core::Option* option = options.find(key);
    if (option == nullptr || key == "config") {
      throw Error(ErrorKind::usage, Place{file_, 0},
                  fmt::format("{} is not an option of this verb{}", core::printable(key),
                              core::did_you_mean(key, options.names())));
    }
    if (by_flags.contains(key) || !done.insert(key).second) {
      continue;
    }
    try {
      core::OptionSet::assign_json(*option, value);
    } catch (const UsageError& error) {
      throw Error(ErrorKind::usage, Place{file_, 0}, error.option(), error.message());
    }
  }
}

}  // namespace rayleigh::cli
