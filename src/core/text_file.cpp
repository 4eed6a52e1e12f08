#include "core/text_file.h"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <system_error>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::core {

std::string read_text_file(const std::string& path, std::uint64_t limit) {
  const Place place{printable(path, 4096), 0};
  const auto fail = [&](const char* action) {
    throw DataError(place,
                    fmt::format("cannot {}: {}", action, std::generic_category().message(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) {
    fail("open");
  }
  std::string text;
  char block[1U << 14U];
  while (const std::size_t got = std::fread(block, 1, sizeof(block), file.get())) {
    text.append(block, got);
    if (text.size() > limit) {
      throw DataError(place, fmt::format("has more than {} bytes, expected a small file of text",
                                         with_commas(limit)));
    }
  }
  if (std::ferror(file.get()) != 0) {
    fail("read");
  }
  return text;
}

}  // namespace rayleigh::core
