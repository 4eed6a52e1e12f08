// The download of a dataset with a downloader of one's own, for tests.
// Behind rayleigh/fetch.h.
// As long as the network takes.
#pragma once

#include <cstdint>
#include <string>

#include "rayleigh/fetch.h"

#include "io/downloader.h"

namespace rayleigh::io {

/// A larger file is not one of these datasets.
inline constexpr std::uint64_t kLargestDownload = 8'000'000'000;

FetchedDataset fetch_dataset(const std::string& name, const FetchOptions& options,
                             const Downloader& downloader);

}  // namespace rayleigh::io
