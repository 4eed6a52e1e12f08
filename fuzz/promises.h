// How fuzz targets say that a promise is broken, and what every error message must be.
// Shared by all targets.
// Throws std::logic_error.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::fuzz {

inline void require(bool kept, const std::string& promise) {
  if (!kept) {
    throw std::logic_error("broken promise: " + promise);
  }
}

/// An error message is one line of printable UTF-8 about bad data.
inline void check_error(const Error& error) {
  const std::string_view message = error.what();
  require(error.kind() == ErrorKind::bad_data, "bad input is bad data");
  require(std::ranges::none_of(message, [](unsigned char c) { return c < 0x20; }),
          "a message is one printable line");
  require(core::find_invalid_utf8(message) == std::string_view::npos, "a message is UTF-8");
}

}  // namespace rayleigh::fuzz
