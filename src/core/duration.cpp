#include "core/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace rayleigh::core {

double parse_duration(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 3> kUnits = {{{'h', 3600}, {'m', 60}, {'s', 1}}};
  constexpr const char* kExpected = "a time above zero such as 90s, 5m or 1h30m";
  constexpr double kLongest = 1e9;
  double seconds = 0;
  double last_unit = std::numeric_limits<double>::infinity();
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number < 0) {
      throw std::string(kExpected);
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    double unit = 1;
    if (!text.empty()) {
      unit = 0;
      for (const auto& [letter, length] : kUnits) {
        unit = letter == text.front() ? length : unit;
      }
      text.remove_prefix(1);
    }
    // Units come once each, the longest first.
    if (unit == 0 || unit >= last_unit) {
      throw std::string(kExpected);
    }
    last_unit = unit;
    seconds += number * unit;
  }
  if (seconds <= 0 || seconds > kLongest) {
    throw std::string(kExpected);
  }
  return seconds;
}

}  // namespace rayleigh::core
