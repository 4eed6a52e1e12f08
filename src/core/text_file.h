// A small file of text, whole.
// For configuration and lists that a person wrote; data goes through the readers of io.
// One read.
#pragma once

#include <cstdint>
#include <string>

namespace rayleigh::core {

/// DataError when it cannot be read or has more than `limit` bytes.
std::string read_text_file(const std::string& path, std::uint64_t limit);

}  // namespace rayleigh::core
