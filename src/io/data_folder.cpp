#include "io/data_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestDataName = 100;

/// An empty variable counts as none.
fs::path from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? fs::path(value) : fs::path();
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

fs::path data_folder() {
  if (auto chosen = from_environment("RAYLEIGH_DATA"); !chosen.empty()) {
    return chosen;
  }
  // The specification of these folders says that a relative one counts as none.
  if (const auto shared = from_environment("XDG_DATA_HOME"); shared.is_absolute()) {
    return shared / "rayleigh";
  }
  if (const auto home = from_environment("HOME"); !home.empty()) {
    return home / ".local" / "share" / "rayleigh";
  }
  return {};
}

bool is_dataset_name(std::string_view word) {
  return !word.empty() && word.size() <= kLongestDataName && is_letter_or_digit(word.front()) &&
         std::ranges::all_of(word,
                             [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

void check_dataset_name(const std::string& name) {
  if (!is_dataset_name(name)) {
    throw UsageError(fmt::format(
        "'{}' is not the name of a dataset, expected letters, digits, - and _, such as NCI-H23",
        core::printable(name)));
  }
}

std::string find_data(const std::string& data) {
  std::error_code error;
  if (!is_dataset_name(data) || fs::exists(data, error) || error) {
    return data;
  }
  const fs::path folder = data_folder();
  if (folder.empty()) {
    throw DataError({data, 0},
                    "no such file or directory, and no folder to look for it by name: name one in "
                    "RAYLEIGH_DATA");
  }
  const fs::path archive = folder / (data + ".zip");
  if (fs::is_regular_file(archive, error)) {
    return archive.string();
  }
  if (fs::is_directory(folder / data, error)) {
    return (folder / data).string();
  }
  throw DataError(
      {data, 0},
      fmt::format("no such file or directory, and {} holds no {}.zip: `rayleigh fetch {}` "
                  "would download it if it is the name of a TU dataset",
                  core::printable(folder.string(), 200), data, data));
}

}  // namespace rayleigh::io
