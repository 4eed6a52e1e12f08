// The header Content-Range of HTTP: which bytes of a file an answer holds.
// Use before bytes are appended to a part.
// One pass over a short text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rayleigh::io {

struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;              ///< inclusive, never before `first`
  std::optional<std::uint64_t> whole;  ///< bytes of the file; always beyond `last`
};

/// "bytes 10-19/20" or "bytes 10-19/*"; none for everything else.
std::optional<ContentRange> parse_content_range(std::string_view text);

}  // namespace rayleigh::io
