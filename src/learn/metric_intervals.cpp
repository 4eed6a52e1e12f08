#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rayleigh/metrics.h"

#include "core/random.h"
#include "core/thread_pool.h"
#include "learn/ties.h"

namespace rayleigh {
namespace {

using learn::f1;
using learn::kNoMetric;
using learn::Tie;

constexpr std::size_t kRounds = 1000;
constexpr double kConfidence = 0.95;

/// AUC, average precision, macro-F1 at 0.5 and at the tuned threshold.
using FourMetrics = std::array<double, 4>;

/// All metrics of a resample in one pass: `ties` are those of the data with counts of the resample.
FourMetrics metrics_of(const std::vector<Tie>& ties, double positives, double negatives,
                       double threshold) {
  double found = 0;
  double seen = 0;
  double above = 0;  // pairs of an anomalous graph with a normal one below it
  double precision = 0;
  std::array<Tie, 2> called{{{0.5}, {threshold}}};
  for (const Tie& tie : ties) {
    const double normal_below = negatives - (seen - found) - tie.negatives;
    above += tie.positives * (normal_below + tie.negatives / 2);
    found += tie.positives;
    seen += tie.size();
    if (tie.size() > 0) {
      precision += found / seen * (tie.positives / positives);
    }
    for (Tie& at : called) {
      if (tie.score > at.score) {
        at.positives += tie.positives;
        at.negatives += tie.negatives;
      }
    }
  }
  const auto macro_f1 = [&](const Tie& at) {
    return (f1(at.positives, at.size(), positives) +
            f1(negatives - at.negatives, positives + negatives - at.size(), negatives)) /
           2;
  };
  const bool both = positives > 0 && negatives > 0;
  return {both ? above / (positives * negatives) : kNoMetric, positives > 0 ? precision : kNoMetric,
          macro_f1(called[0]), macro_f1(called[1])};
}

Interval interval_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) {
    return {kNoMetric, kNoMetric};
  }
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at((1 - kConfidence) / 2), at((1 + kConfidence) / 2)};
}

}  // namespace

MetricIntervals metric_intervals(const Scored& data, double threshold, std::uint64_t seed,
                                 const RunOptions& run) {
  std::vector<Tie> blank = learn::ties_of(data);
  for (Tie& tie : blank) {
    tie = {tie.score};
  }
  // Of every graph its tie, class by class.
  std::array<std::vector<std::uint32_t>, 2> drawn_from;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const auto tie = std::ranges::lower_bound(blank, data.scores[i], std::greater{}, &Tie::score);
    drawn_from[data.labels[i] == 1 ? 1 : 0].push_back(
        static_cast<std::uint32_t>(tie - blank.begin()));
  }
  const std::vector<std::uint32_t>& negative = drawn_from[0];
  const std::vector<std::uint32_t>& positive = drawn_from[1];
  const core::RandomStream stream(seed, "bootstrap");
  std::vector<FourMetrics> rounds(kRounds);
  core::ThreadPool pool(run);
  pool.run(kRounds, [&](std::size_t round) {
    auto random = stream.at(round);
    std::vector<Tie> ties = blank;
    for (std::size_t i = 0; i < negative.size(); ++i) {
      ties[negative[random.below(static_cast<std::uint32_t>(negative.size()))]].negatives += 1;
    }
    for (std::size_t i = 0; i < positive.size(); ++i) {
      ties[positive[random.below(static_cast<std::uint32_t>(positive.size()))]].positives += 1;
    }
    rounds[round] = metrics_of(ties, static_cast<double>(positive.size()),
                               static_cast<double>(negative.size()), threshold);
  });
  const auto interval = [&](std::size_t metric) {
    std::vector<double> values;
    values.reserve(rounds.size());
    for (const FourMetrics& one : rounds) {
      values.push_back(one[metric]);
    }
    return interval_of(std::move(values));
  };
  return {.auc = interval(0),
          .average_precision = interval(1),
          .macro_f1 = interval(2),
          .macro_f1_tuned = interval(3)};
}

}  // namespace rayleigh
