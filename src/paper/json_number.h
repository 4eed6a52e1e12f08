// A number in results.json: JSON has neither NaN nor infinity.
// For the experiments of the paper.
// A copy.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

namespace rayleigh::paper {

/// Null for what is not a number.
inline nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// The same, but infinity is a word.
inline nlohmann::ordered_json json_number_or_inf(double value) {
  return std::isinf(value) ? nlohmann::ordered_json("inf") : json_number(value);
}

}  // namespace rayleigh::paper
