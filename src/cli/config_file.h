// A JSON or TOML file with the same names as the flags.
// Keys at the top apply to every verb; a table named after a verb only to that verb, and first.
// Read once.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_set.h"

namespace rayleigh::cli {

class ConfigFile {
 public:
  /// Says nothing without a file. Errors carry the file, those of syntax the line too.
  ConfigFile() = default;
  ConfigFile(std::string file, std::string verb, const std::vector<std::string>& all_verbs);

  const std::string& file() const { return file_; }
  /// What it says of an option, as words; none where it says nothing.
  std::optional<std::string> find(std::string_view name) const;

  /// Sets every option it names, unless a flag has set that option or one of its rivals.
  void assign_to(core::OptionSet& options) const;

 private:
  std::string file_;
  std::vector<std::pair<std::string, nlohmann::ordered_json>> values_;  ///< those of the verb first
};

}  // namespace rayleigh::cli
