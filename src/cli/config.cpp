#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <toml++/toml.h>

#include "rayleigh/error.h"

#include "cli/command_line.h"
#include "core/text.h"
#include "io/byte_source.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24U;

Json parse_json(const std::string& file, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const auto line =
        1 +
        std::count(text.begin(),
                   text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size())),
                   '\n');
    throw Error(ErrorKind::usage, Place{file, static_cast<std::uint64_t>(line)},
                "not valid JSON, expected an object of parameters");
  }
}

Json parse_toml(const std::string& file, const std::string& text) {
  try {
    std::ostringstream json;
    json << toml::json_formatter{toml::parse(text, file)};
    return Json::parse(json.str());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::usage, Place{file, error.source().begin.line},
                fmt::format("not valid TOML: {}", error.description()));
  }
}

void assign(const std::string& file, const std::string& key, const Json& value,
            core::ParameterSet& parameters) {
  auto* parameter = parameters.find(key);
  const auto origin = fmt::format("{}: {}", file, key);
  if (parameter == nullptr || key == "config") {
    throw UsageError(fmt::format("{} is not a parameter of this verb{}", origin,
                                 core::did_you_mean(key, parameters.names())));
  }
  if (parameter->given) {
    return;
  }
  core::ParameterSet::assign_json(*parameter, value, origin);
}

}  // namespace

void read_config(const std::string& file, std::string_view verb,
                 const std::vector<std::string>& all_verbs, core::ParameterSet& parameters) {
  const auto source = io::open_file(file);
  const auto text = io::read_all(*source, kMostBytes, 0);
  const auto config = file.ends_with(".json") ? parse_json(file, text) : parse_toml(file, text);
  if (!config.is_object()) {
    throw UsageError(fmt::format("{}: expected an object of parameters", file));
  }
  // What is said for this verb alone goes before what is said for all.
  if (const auto own = config.find(std::string(verb)); own != config.end() && own->is_object()) {
    for (const auto& [key, value] : own->items()) {
      assign(file, key, value, parameters);
    }
  }
  for (const auto& [key, value] : config.items()) {
    const bool is_verb = std::ranges::find(all_verbs, key) != all_verbs.end();
    if (!is_verb || !value.is_object()) {
      assign(file, key, value, parameters);
    }
  }
}

}  // namespace rayleigh::cli
