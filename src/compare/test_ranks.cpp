#include "compare/test_ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace rayleigh::compare {
namespace {

/// Twice the found over all that are called and all that are; 0/0 counts as 0.
double f1_of(double found, double called, double all) {
  return called + all > 0 ? 2 * found / (called + all) : 0;
}

}  // namespace

TestRanks ranks_of(const Scored& test, double threshold) {
  std::vector<double> levels(test.scores.begin(), test.scores.end());
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  TestRanks ranks;
  for (std::size_t g = 0; g < test.scores.size(); ++g) {
    ranks.rank.push_back(static_cast<std::uint32_t>(
        std::ranges::lower_bound(levels, test.scores[g]) - levels.begin()));
    if (test.labels[g] == 1) {
      ranks.anomalous.push_back(static_cast<std::uint32_t>(g));
    }
  }
  if (!std::isnan(threshold)) {
    ranks.called =
        static_cast<std::uint32_t>(std::ranges::upper_bound(levels, threshold) - levels.begin());
  }
  return ranks;
}

std::array<double, 3> resampled_metrics(const TestRanks& ranks,
                                        std::span<const std::uint32_t> times) {
  constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();
  struct Level {
    double normal = 0;
    double anomalous = 0;
  };
  std::vector<Level> levels(ranks.rank.empty() ? 0 : std::ranges::max(ranks.rank) + 1UL);
  Level all;
  for (std::size_t g = 0; g < times.size(); ++g) {
    levels[ranks.rank[g]].normal += times[g];
    all.normal += times[g];
  }
  for (const std::uint32_t g : ranks.anomalous) {
    levels[ranks.rank[g]].normal -= times[g];
    levels[ranks.rank[g]].anomalous += times[g];
    all.normal -= times[g];
    all.anomalous += times[g];
  }
  Level above;  // of the level that is looked at, and with it
  double pairs = 0;
  double precision = 0;
  Level called;
  for (std::size_t level = levels.size(); level-- > 0;) {
    const auto& [normal, anomalous] = levels[level];
    pairs += anomalous * (all.normal - above.normal - normal / 2);
    above.normal += normal;
    above.anomalous += anomalous;
    if (anomalous > 0) {
      precision += anomalous * above.anomalous / (above.normal + above.anomalous);
    }
    if (ranks.called && level >= *ranks.called) {
      called = above;
    }
  }
  if (all.normal == 0 || all.anomalous == 0) {
    return {kNoMetric, kNoMetric, kNoMetric};
  }
  const double found = called.normal + called.anomalous;
  const double macro_f1 =
      (f1_of(called.anomalous, found, all.anomalous) +
       f1_of(all.normal - called.normal, all.normal + all.anomalous - found, all.normal)) /
      2;
  return {pairs / (all.normal * all.anomalous), precision / all.anomalous,
          ranks.called ? macro_f1 : kNoMetric};
}

nlohmann::ordered_json to_json(const TestRanks& ranks) {
  return {{"rank", ranks.rank},
          {"anomalous", ranks.anomalous},
          {"called", ranks.called ? nlohmann::ordered_json(*ranks.called) : nullptr}};
}

TestRanks parse_test_ranks(const nlohmann::ordered_json& json) {
  TestRanks ranks;
  json.at("rank").get_to(ranks.rank);
  json.at("anomalous").get_to(ranks.anomalous);
  if (!json.at("called").is_null()) {
    ranks.called = json.at("called").get<std::uint32_t>();
  }
  const auto below_count = [&](std::uint32_t number) { return number < ranks.rank.size(); };
  if (!std::ranges::all_of(ranks.rank, below_count) ||
      !std::ranges::all_of(ranks.anomalous, below_count)) {
    throw std::string("the order of the test graphs has numbers that are too large");
  }
  return ranks;
}

}  // namespace rayleigh::compare
