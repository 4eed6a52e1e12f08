#include "learn/false_alarms.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/random.h"

namespace rayleigh::learn {
namespace {

constexpr double kRounding = 1e-9;  // 0.01 times 100 must not fall short of 1

/// How many calibration graphs may have a score as high for it to count as an alarm.
std::size_t allowed_above(double rate, std::size_t graphs) {
  const double most = std::floor(rate * (static_cast<double>(graphs) + 1) + kRounding);
  return static_cast<std::size_t>(most) - 1;
}

}  // namespace

FalseAlarms::FalseAlarms(double promised, std::vector<double> scores)
    : promised_(promised), scores_(std::move(scores)) {
  assert(scores_.size() >= least_calibration(promised));
  std::ranges::sort(scores_);
}

double FalseAlarms::p_value(double score) const {
  const auto as_high = scores_.end() - std::ranges::lower_bound(scores_, score);
  return (1 + static_cast<double>(as_high)) / (1 + static_cast<double>(scores_.size()));
}

double FalseAlarms::threshold() const {
  return scores_[scores_.size() - 1 - allowed_above(promised_, scores_.size())];
}

nlohmann::ordered_json FalseAlarms::to_json() const {
  return {{"promised", promised_}, {"graphs", scores_.size()}, {"scores", scores_}};
}

FalseAlarms FalseAlarms::from_json(const nlohmann::ordered_json& json) {
  const auto promised = json.at("promised").get<double>();
  auto scores = json.at("scores").get<std::vector<double>>();
  if (!(promised > 0 && promised < 1)) {
    throw fmt::format("the promised share of false alarms is {}", promised);
  }
  if (promised * (static_cast<double>(scores.size()) + 1) + kRounding < 1) {
    throw fmt::format("{} scores of the calibration part are too few for its promise",
                      scores.size());
  }
  if (!std::ranges::all_of(scores, [](double score) { return std::isfinite(score); })) {
    throw std::string("a score of the calibration part is not finite");
  }
  return {promised, std::move(scores)};
}

std::size_t least_calibration(double rate) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(1 / rate - kRounding) - 1));
}

std::size_t calibration_size(std::size_t normal, double rate) {
  constexpr double kPrecise = 20;  // graphs above the threshold
  constexpr std::size_t kMost = 20'000;
  const auto enough = static_cast<std::size_t>(std::ceil(kPrecise / rate - kRounding));
  return std::min({normal / 4, enough, kMost});
}

void cut_calibration(Split& split, std::span<const std::int8_t> labels, double rate,
                     std::uint64_t seed) {
  std::vector<std::uint32_t> normal;
  std::ranges::copy_if(split.train, std::back_inserter(normal),
                       [&](std::uint32_t g) { return labels[g] == 0; });
  core::Generator generator = core::RandomStream(seed, "calibration part").at(0);
  generator.shuffle(std::span(normal));
  normal.resize(calibration_size(normal.size(), rate));
  std::ranges::sort(normal);
  std::erase_if(split.train,
                [&](std::uint32_t g) { return std::ranges::binary_search(normal, g); });
  split.calibration = std::move(normal);
}

}  // namespace rayleigh::learn
