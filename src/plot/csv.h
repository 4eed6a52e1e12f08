// Cells of a CSV file: quoted where they must be, empty where there is no value.
// Used by every table that is written.
// One pass over the text.
#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "core/text.h"

namespace rayleigh::plot {

/// RFC 4180: quotes around commas, quotes and line ends. Other control characters are made visible,
/// because tables are looked at in terminals too.
inline std::string csv_text(std::string_view text) {
  const auto special = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F || c == ',' || c == '"';
  };
  if (std::ranges::none_of(text, special)) {
    return std::string(text);
  }
  std::string shown = core::visible(text, "\t\r\n", core::BadBytes::kept);
  if (shown.find_first_of(",\"\r\n") == std::string::npos) {
    return shown;
  }
  std::string out = "\"";
  for (const char c : shown) {
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return out + "\"";
}

/// The shortest text that reads back as the same number; nothing for none and NaN.
inline std::string csv_number(std::optional<double> value) {
  return !value || std::isnan(*value) ? "" : fmt::format("{}", *value);
}

}  // namespace rayleigh::plot
