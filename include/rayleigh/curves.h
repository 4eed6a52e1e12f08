// What a report draws of scores: ROC and precision-recall curves, reliability bins, confusions.
// Label 1 is anomalous, a higher score is more anomalous. Ties never depend on the order of rows.
// One sort of the scores per curve.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rayleigh/metrics.h"

namespace rayleigh {

struct Curve {
  std::vector<double> x;
  std::vector<double> y;
};

/// True over false positive rate, one point per distinct score, from (0, 0) to (1, 1); none inside
/// a straight stretch. The area below is roc_auc(). Empty when a class is missing.
Curve roc_curve(const Scored& data);

/// Precision over recall in steps: a recall is drawn at the precision of the score that reaches it.
/// The area below is average_precision(). Empty without positives.
Curve precision_recall_curve(const Scored& data);

/// The points that a picture of `dots` by `dots` dots can show, ends included; for axes 0 … 1.
Curve thinned(const Curve& curve, double dots = 1000);

/// Graphs with about the same predicted probability, and what they are.
struct ReliabilityBin {
  double low = 0;  ///< included
  double high = 0;
  std::size_t graphs = 0;  ///< never 0
  std::size_t anomalous = 0;
  double predicted = 0;  ///< mean

  double observed() const { return static_cast<double>(anomalous) / static_cast<double>(graphs); }
};
/// [0, 1] in `bins` equal steps, empty ones left out. `data.scores` are probabilities.
std::vector<ReliabilityBin> reliability_bins(const Scored& data, std::size_t bins);

/// Expected calibration error: the mean over graphs of |predicted - observed|. NaN without bins.
double calibration_error(std::span<const ReliabilityBin> bins);

/// Mean squared distance of probabilities from the labels. NaN without graphs.
double brier_score(const Scored& data);

/// Wilson's 95 % interval of a share. `of` must not be 0.
Interval share_interval(std::size_t count, std::size_t of);

/// How many values lie in each of `bins` equal steps from low to high, both included; values
/// outside count in the outermost bin.
std::vector<std::size_t> bin_counts(std::span<const double> values, double low, double high,
                                    std::size_t bins);

/// Scores above the threshold are called anomalous.
struct Confusion {
  std::size_t true_positives = 0;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;
  std::size_t true_negatives = 0;

  std::size_t positives() const { return true_positives + false_negatives; }
  std::size_t negatives() const { return false_positives + true_negatives; }
  std::size_t called() const { return true_positives + false_positives; }
  // 0/0 is NaN.
  double precision() const;
  double recall() const;
  double false_positive_rate() const;
};
Confusion confusion(const Scored& data, double threshold);

}  // namespace rayleigh
