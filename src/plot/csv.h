// Cells of a CSV file: quoted where they must be, empty where there is no value.
// Used by every table that is written.
// One pass over the text.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

namespace rayleigh::plot {

/// RFC 4180: quotes around commas, quotes and line ends.
inline std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return out + "\"";
}

/// The shortest text that reads back as the same number; nothing for none and NaN.
inline std::string csv_number(std::optional<double> value) {
  return !value || std::isnan(*value) ? "" : fmt::format("{}", *value);
}

}  // namespace rayleigh::plot
