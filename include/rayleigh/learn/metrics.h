// How good scores are: ROC-AUC, average precision, macro-F1, early recognition, with intervals.
// Label 1 is anomalous, a higher score is more anomalous. Ties never depend on the order of rows.
// One sort of the scores per metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "rayleigh/run_options.h"

namespace rayleigh::learn {

/// Labels and scores of the same graphs.
struct Scored {
  std::span<const std::int8_t> labels;  ///< 0 or 1
  std::span<const double> scores;
};

/// Ties count one half. NaN when a class is missing.
double roc_auc(const Scored& data);

/// Sum over distinct scores of precision times gained recall. NaN without positives.
double average_precision(const Scored& data);

/// Mean of the F1 of both classes when scores above the threshold are called anomalous; a score
/// equal to it is normal. An F1 of 0/0 counts as 0.
double macro_f1(const Scored& data, double threshold = 0.5);

struct Threshold {
  double value = 0.5;
  double macro_f1 = 0;
};
/// The threshold with the best macro-F1, half way between two scores that occur; the lowest such.
Threshold best_threshold(const Scored& data);

/// Share of normal graphs that must be called anomalous to find `recall` of the anomalous ones.
double false_positive_rate_at(const Scored& data, double recall = 0.95);

/// How much more frequent anomalies are in the best-scored `share` than overall; scores tied at the
/// border count with the part of them that fits.
double enrichment_factor(const Scored& data, double share = 0.01);

/// BEDROC of Truchon and Bayly (2007): 1 when all anomalies come first, weight falls by exp(-alpha
/// r) with the relative rank r. Tied scores share their mean weight.
double bedroc(const Scored& data, double alpha = 20);

struct Interval {
  double low = 0;
  double high = 0;
};
/// Percentile bootstrap of any metric: each class is drawn with replacement, `rounds` times.
/// The same for any number of threads.
Interval bootstrap_interval(const Scored& data, const std::function<double(const Scored&)>& metric,
                            double confidence = 0.95, int rounds = 1000, std::uint64_t seed = 1,
                            const RunOptions& run = {});

}  // namespace rayleigh::learn
