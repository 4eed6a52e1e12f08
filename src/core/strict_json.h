// JSON from files that cannot be trusted: bounded nesting, numbers that are what they claim to be.
// The library's own conversions wrap, truncate and round, and copying a value that is nested deeply
// overflows the stack. Throws std::string with what is wrong.
// One call per value while parsing.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rayleigh::core {

inline constexpr int kDeepestJson = 32;

/// The outermost value has depth 0.
inline void check_json_depth(int depth) {
  if (depth > kDeepestJson) {
    throw fmt::format("JSON nested more than {} deep", kDeepestJson);
  }
}

inline nlohmann::ordered_json parse_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  const auto bound_depth = [](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    check_json_depth(depth);
    return true;
  };
  try {
    return Json::parse(text, bound_depth);
  } catch (const nlohmann::json::parse_error& error) {
    throw fmt::format("no JSON at byte {}", error.byte);
  } catch (const nlohmann::json::out_of_range&) {
    throw std::string("JSON with a number out of range");
  }
}

/// The value if it is a whole number from 0 to `most`.
inline std::uint64_t whole_number(const nlohmann::ordered_json& value, std::uint64_t most,
                                  std::string_view what) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most) {
    throw fmt::format("{} is not a whole number from 0 to {}", what, most);
  }
  return value.get<std::uint64_t>();
}

}  // namespace rayleigh::core
