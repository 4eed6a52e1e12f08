#include "rayleigh/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "core/two_sample.h"
#include "learn/ties.h"

namespace rayleigh {
namespace {

using learn::f1;
using learn::kNoMetric;
using learn::Tie;
using learn::ties_of;

struct Totals {
  double positives = 0;
  double negatives = 0;
};

Totals totals_of(const Scored& data) {
  Totals out;
  for (const std::int8_t label : data.labels) {
    (label == 1 ? out.positives : out.negatives) += 1;
  }
  return out;
}

/// Macro-F1 when `positives` and `negatives` graphs are called anomalous.
double macro_f1_of(const Totals& totals, double positives, double negatives) {
  const double all = totals.positives + totals.negatives;
  const double called = positives + negatives;
  return (f1(positives, called, totals.positives) +
          f1(totals.negatives - negatives, all - called, totals.negatives)) /
         2;
}

}  // namespace

double roc_auc(const Scored& data) {
  std::vector<double> negative;
  std::vector<double> positive;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    (data.labels[i] == 1 ? positive : negative).push_back(data.scores[i]);
  }
  return negative.empty() || positive.empty() ? kNoMetric : core::auc(negative, positive);
}

double average_precision(const Scored& data) {
  const Totals totals = totals_of(data);
  if (totals.positives == 0) {
    return kNoMetric;
  }
  double found = 0;
  double seen = 0;
  double sum = 0;
  for (const Tie& tie : ties_of(data)) {
    found += tie.positives;
    seen += tie.size();
    sum += found / seen * (tie.positives / totals.positives);
  }
  return sum;
}

double macro_f1(const Scored& data, double threshold) {
  double positives = 0;
  double negatives = 0;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (data.scores[i] > threshold) {
      (data.labels[i] == 1 ? positives : negatives) += 1;
    }
  }
  return macro_f1_of(totals_of(data), positives, negatives);
}

Threshold best_threshold(const Scored& data) {
  const Totals totals = totals_of(data);
  const auto ties = ties_of(data);
  Threshold best;
  if (ties.empty()) {
    return best;
  }
  // Calling nothing anomalous, then one more tie at a time.
  best = {ties.front().score, macro_f1_of(totals, 0, 0)};
  double positives = 0;
  double negatives = 0;
  for (std::size_t i = 0; i < ties.size(); ++i) {
    positives += ties[i].positives;
    negatives += ties[i].negatives;
    const double value = macro_f1_of(totals, positives, negatives);
    if (value >= best.macro_f1) {
      const bool last = i + 1 == ties.size();
      const double below = last ? ties[i].score - 1 : ties[i + 1].score;
      best = {below + (ties[i].score - below) / 2, value};
    }
  }
  return best;
}

double false_positive_rate_at(const Scored& data, double recall) {
  const Totals totals = totals_of(data);
  if (totals.positives == 0 || totals.negatives == 0) {
    return kNoMetric;
  }
  double positives = 0;
  double negatives = 0;
  for (const Tie& tie : ties_of(data)) {
    positives += tie.positives;
    negatives += tie.negatives;
    if (positives >= recall * totals.positives) {
      break;
    }
  }
  return negatives / totals.negatives;
}

double enrichment_factor(const Scored& data, double share) {
  const Totals totals = totals_of(data);
  const double all = totals.positives + totals.negatives;
  if (totals.positives == 0) {
    return kNoMetric;
  }
  const double chosen = std::max(1.0, std::round(share * all));
  double left = chosen;
  double found = 0;
  for (const Tie& tie : ties_of(data)) {
    const double taken = std::min(left, tie.size());
    found += tie.positives * taken / tie.size();
    left -= taken;
    if (left <= 0) {
      break;
    }
  }
  return found / chosen / (totals.positives / all);
}

double bedroc(const Scored& data, double alpha) {
  const Totals totals = totals_of(data);
  const double all = totals.positives + totals.negatives;
  if (totals.positives == 0 || totals.negatives == 0) {
    return kNoMetric;
  }
  // Sum of exp(-alpha r / N) over the ranks first+1 … first+count.
  const auto weights = [&](double first, double count) {
    const double step = std::exp(-alpha / all);
    return std::exp(-alpha * (first + 1) / all) * (1 - std::exp(-alpha * count / all)) / (1 - step);
  };
  double rank = 0;
  double sum = 0;
  for (const Tie& tie : ties_of(data)) {
    sum += tie.positives * weights(rank, tie.size()) / tie.size();
    rank += tie.size();
  }
  // Scaled so that the best and the worst order give 1 and 0.
  const double best = weights(0, totals.positives);
  const double worst = weights(totals.negatives, totals.positives);
  return (sum - worst) / (best - worst);
}

Interval bootstrap_interval(const Scored& data, const std::function<double(const Scored&)>& metric,
                            double confidence, int rounds, std::uint64_t seed,
                            const RunOptions& run) {
  std::vector<double> negative;
  std::vector<double> positive;
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    (data.labels[i] == 1 ? positive : negative).push_back(data.scores[i]);
  }
  const core::RandomStream stream(seed, "bootstrap");
  std::vector<double> values(static_cast<std::size_t>(rounds));
  core::ThreadPool pool(run);
  pool.run(values.size(), [&](std::size_t round) {
    auto random = stream.at(round);
    std::vector<std::int8_t> labels;
    std::vector<double> scores;
    for (const auto* part : {&negative, &positive}) {
      for (std::size_t i = 0; i < part->size(); ++i) {
        labels.push_back(part == &positive ? 1 : 0);
        scores.push_back((*part)[random.below(static_cast<std::uint32_t>(part->size()))]);
      }
    }
    values[round] = metric({labels, scores});
  });
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) {
    return {kNoMetric, kNoMetric};
  }
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at((1 - confidence) / 2), at((1 + confidence) / 2)};
}

}  // namespace rayleigh
