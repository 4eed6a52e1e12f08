// The order of the test graphs by score: all that AUC, average precision and macro-F1 of a resample
// of them need.
// Kept with the result of a run where test graphs are drawn again to see how sure a difference is.
// Two numbers per graph.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

#include "rayleigh/metrics.h"

namespace rayleigh::compare {

struct TestRanks {
  std::vector<std::uint32_t> rank;       ///< of every test graph; 0 = lowest, equal scores share it
  std::vector<std::uint32_t> anomalous;  ///< places of the anomalous graphs, ascending
  std::optional<std::uint32_t>
      called{};  ///< the first rank above the threshold, where there is one

  friend bool operator==(const TestRanks&, const TestRanks&) = default;
};

/// `threshold` may be NaN: none.
TestRanks ranks_of(const Scored& test, double threshold);

/// AUC, average precision and macro-F1 at the threshold (NaN for none) when every test graph is
/// there `times` times.
std::array<double, 3> resampled_metrics(const TestRanks& ranks,
                                        std::span<const std::uint32_t> times);

nlohmann::ordered_json to_json(const TestRanks& ranks);
/// Throws std::string when the numbers do not fit each other.
TestRanks parse_test_ranks(const nlohmann::ordered_json& json);

}  // namespace rayleigh::compare
