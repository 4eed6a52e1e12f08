// Downloads TU datasets into the folder where every other part finds them by name.
// The only part that uses the network; needs the download module.
// Takes as long as the network, plus one pass over the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace rayleigh::io {

inline constexpr const char* kTuDatasetsUrl = "https://www.chrsmrrs.com/graphkerneldatasets";

/// RAYLEIGH_DATA, else $XDG_DATA_HOME/rayleigh, else ~/.local/share/rayleigh; empty where the
/// environment knows none of them. The folder need not exist.
std::filesystem::path data_folder();

/// UsageError when it is not a name: letters, digits, - and _, at most 100, a letter or digit
/// first.
void check_dataset_name(const std::string& name);

/// The address without a slash at its end and with its scheme in small letters. UsageError when it
/// is not http:// or https://, or carries a query or a password.
std::string checked_base_url(const std::string& url);

struct FetchOptions {
  std::filesystem::path folder{};
  std::string base_url = kTuDatasetsUrl;  ///< the file is base_url/NAME.zip
  bool again = false;                     ///< even when the file is there
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Told how many bytes will come, 0 = unknown; then advance how many came.
  std::function<void(std::uint64_t)> expect = [](std::uint64_t) {};
  std::function<void(std::uint64_t)> advance = [](std::uint64_t) {};
};

struct FetchedDataset {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::string sha256;
  bool resumed = false;
};

/// Downloads NAME.zip into the folder: resumed where an earlier try ended, checked, and whole or
/// absent. UsageError for a bad name, DataError when the server has no such dataset or sends
/// something else, Error for everything that may work at another time.
FetchedDataset fetch_dataset(const std::string& name, const FetchOptions& options);

}  // namespace rayleigh::io
