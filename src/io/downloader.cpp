#include "io/downloader.h"

#include "io/module.h"

namespace rayleigh::io {

const Downloader& downloader() {
  static const auto& made = open_module<Downloader>(
      {.file = "librayleigh_fetch.so",
       .does = "downloads",
       .needed = "datasets are downloaded by libcurl",
       .advice = "install libcurl and OpenSSL (Debian: libcurl4-openssl-dev and libssl-dev; "
                 "scripts/setup.sh build does it) and build rayleigh again",
       .links = "libcurl and OpenSSL (Debian: libcurl4 and libssl3)",
       .factory = kDownloaderFactory,
       .version = kDownloaderVersion});
  return made;
}

}  // namespace rayleigh::io
