// fetch_dataset() with any downloader, so that tests need no network.
// Behind rayleigh/fetch.h.
// Takes as long as the downloader.
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
