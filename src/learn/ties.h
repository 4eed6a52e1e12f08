// Scores with their ties: graphs that share one score, best score first.
// Metrics and curves are sums over these.
// One sort.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "rayleigh/metrics.h"

namespace rayleigh::learn {

/// Graphs that share one score.
struct Tie {
  double score;
  double positives = 0;
  double negatives = 0;

  double size() const { return positives + negatives; }
};

/// A metric that does not exist, such as the AUC of one class.
inline constexpr double kNoMetric = std::numeric_limits<double>::quiet_NaN();

/// 2 tp / (2 tp + fp + fn), and 0 for 0/0.
inline double f1(double true_positives, double called, double actual) {
  return called + actual > 0 ? 2 * true_positives / (called + actual) : 0;
}

/// Distinct scores, best first.
inline std::vector<Tie> ties_of(const Scored& data) {
  assert(data.labels.size() == data.scores.size());
  std::vector<std::size_t> order(data.scores.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto score = [&](std::size_t i) { return data.scores[i]; };
  // What is not a number has no place in an order, and sorting it would leave the bounds.
  const auto end = std::partition(order.begin(), order.end(),
                                  [&](std::size_t i) { return !std::isnan(data.scores[i]); });
  std::ranges::sort(order.begin(), end, std::greater{}, score);
  std::vector<Tie> ties;
  for (const std::size_t i : order) {
    if (ties.empty() || ties.back().score != data.scores[i]) {
      ties.push_back({data.scores[i]});
    }
    (data.labels[i] == 1 ? ties.back().positives : ties.back().negatives) += 1;
  }
  return ties;
}

}  // namespace rayleigh::learn
