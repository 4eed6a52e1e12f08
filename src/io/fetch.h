// Downloads a TU dataset into a folder, as NAME.zip: resumed where an earlier try ended, checked,
// and there as a whole or not at all.
// Only `rayleigh fetch` calls it: nothing else ever uses the network.
// As long as the network takes, and one reading of the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/downloader.h"

namespace rayleigh::io {

inline constexpr const char* kTuDatasetsUrl = "https://www.chrsmrrs.com/graphkerneldatasets";
/// A larger file is none of these datasets.
inline constexpr std::uint64_t kLargestDownload = 8'000'000'000;

struct FetchOptions {
  std::filesystem::path folder{};
  std::string base_url = kTuDatasetsUrl;  ///< the file is base_url/NAME.zip
  bool again = false;                     ///< also when the file is there
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Bytes that will come; 0 = unknown.
  std::function<void(std::uint64_t)> expect = [](std::uint64_t) {};
  std::function<void(std::uint64_t)> advance = [](std::uint64_t) {};
};

struct FetchedDataset {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::string sha256;
  bool resumed = false;
};

/// The address without a slash at its end and with its scheme in small letters. UsageError when it
/// is no http:// or https://, or carries a query or a password.
std::string checked_base_url(const std::string& url);

/// UsageError for a bad name, DataError when the server has no such dataset or what it sends is
/// none, Error for everything that may be better another time.
FetchedDataset fetch_dataset(const std::string& name, const FetchOptions& options,
                             const Downloader& downloader);

}  // namespace rayleigh::io
