#include "rayleigh/curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "learn/ties.h"

namespace rayleigh {
namespace {

using learn::Tie;
using learn::ties_of;

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

double share(std::size_t part, std::size_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

/// Graphs that score at least as much as one distinct score.
struct Reached {
  double positives = 0;
  double negatives = 0;
};

/// One entry per distinct score, best first; the last one holds all graphs.
std::vector<Reached> reached_by_score(const Scored& data) {
  std::vector<Reached> all;
  Reached now;
  for (const Tie& tie : ties_of(data)) {
    now = {now.positives + tie.positives, now.negatives + tie.negatives};
    all.push_back(now);
  }
  return all;
}

/// Whether b lies on the line from a to c; exact, as counts are whole numbers.
bool straight(const Reached& a, const Reached& b, const Reached& c) {
  return (b.positives - a.positives) * (c.negatives - b.negatives) ==
         (c.positives - b.positives) * (b.negatives - a.negatives);
}

}  // namespace

Curve roc_curve(const Scored& data) {
  const auto reached = reached_by_score(data);
  if (reached.empty() || reached.back().positives == 0 || reached.back().negatives == 0) {
    return {};
  }
  std::vector<Reached> corners{{}};
  for (const Reached& next : reached) {
    if (corners.size() > 1 && straight(corners[corners.size() - 2], corners.back(), next)) {
      corners.pop_back();
    }
    corners.push_back(next);
  }
  Curve curve;
  for (const Reached& corner : corners) {
    curve.x.push_back(ratio(corner.negatives, reached.back().negatives));
    curve.y.push_back(ratio(corner.positives, reached.back().positives));
  }
  return curve;
}

Curve precision_recall_curve(const Scored& data) {
  const auto reached = reached_by_score(data);
  Curve curve;
  double found = 0;
  for (const Reached& now : reached) {
    if (now.positives == found) {
      continue;
    }
    const double precision = ratio(now.positives, now.positives + now.negatives);
    for (const double positives : {found, now.positives}) {
      curve.x.push_back(ratio(positives, reached.back().positives));
      curve.y.push_back(precision);
    }
    found = now.positives;
  }
  return curve;
}

Curve thinned(const Curve& curve, double dots) {
  Curve out;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const bool end = i == 0 || i + 1 == curve.x.size();
    if (end || std::abs(curve.x[i] - out.x.back()) * dots >= 1 ||
        std::abs(curve.y[i] - out.y.back()) * dots >= 1) {
      out.x.push_back(curve.x[i]);
      out.y.push_back(curve.y[i]);
    }
  }
  return out;
}

std::vector<ReliabilityBin> reliability_bins(const Scored& data, std::size_t bins) {
  const auto steps = static_cast<double>(bins);
  std::vector<ReliabilityBin> out(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    out[b].low = static_cast<double>(b) / steps;
    out[b].high = static_cast<double>(b + 1) / steps;
  }
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    const double step = std::floor(data.scores[i] * steps);
    auto& bin = out[static_cast<std::size_t>(std::clamp(step, 0.0, steps - 1))];
    ++bin.graphs;
    bin.anomalous += data.labels[i] == 1 ? 1 : 0;
    bin.predicted += data.scores[i];
  }
  std::erase_if(out, [](const ReliabilityBin& bin) { return bin.graphs == 0; });
  for (ReliabilityBin& bin : out) {
    bin.predicted /= static_cast<double>(bin.graphs);
  }
  return out;
}

double calibration_error(std::span<const ReliabilityBin> bins) {
  double sum = 0;
  double graphs = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.graphs) * std::abs(bin.predicted - bin.observed());
    graphs += static_cast<double>(bin.graphs);
  }
  return sum / graphs;
}

double brier_score(const Scored& data) {
  double sum = 0;
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    const double distance = data.scores[i] - (data.labels[i] == 1 ? 1 : 0);
    sum += distance * distance;
  }
  return sum / static_cast<double>(data.scores.size());
}

Interval share_interval(std::size_t count, std::size_t of) {
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(of);
  const double share = static_cast<double>(count) / n;
  const double middle = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<std::size_t> bin_counts(std::span<const double> values, double low, double high,
                                    std::size_t bins) {
  std::vector<std::size_t> counts(bins);
  const auto last = static_cast<double>(bins - 1);
  for (const double value : values) {
    const double bin = std::floor((value - low) / (high - low) * static_cast<double>(bins));
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0.0, last))];
  }
  return counts;
}

double Confusion::precision() const { return share(true_positives, called()); }
double Confusion::recall() const { return share(true_positives, positives()); }
double Confusion::false_positive_rate() const { return share(false_positives, negatives()); }

Confusion confusion(const Scored& data, double threshold) {
  Confusion out;
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    const bool called = data.scores[i] > threshold;
    if (data.labels[i] == 1) {
      ++(called ? out.true_positives : out.false_negatives);
    } else {
      ++(called ? out.false_positives : out.true_negatives);
    }
  }
  return out;
}

}  // namespace rayleigh
