// How good scores are: ROC-AUC, average precision, macro-F1, early recognition, each by itself or
// all at once, with intervals. Training gives Metrics per part, Detector::evaluate() for any data.
// Label 1 is anomalous, a higher score is more anomalous. Ties never depend on the order of rows.
// One sort of the scores per metric; intervals are a thousand resamples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rayleigh/run_options.h"

namespace rayleigh {

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

/// 95 % intervals, by bootstrap over graphs.
struct MetricIntervals {
  Interval auc;
  Interval average_precision;
  Interval macro_f1;
  Interval macro_f1_tuned;
};

/// A metric that does not exist is NaN: without anomalous graphs, or macro-F1 at 0.5 of scores that
/// are not probabilities.
struct Metrics {
  std::size_t graphs = 0;
  std::size_t anomalous = 0;
  double auc = 0;
  double average_precision = 0;
  double macro_f1 = 0;        ///< at 0.5, the paper's protocol
  double macro_f1_tuned = 0;  ///< at `threshold`
  double threshold = 0.5;     ///< tuned on validation
  double fpr_at_95 = 0;       ///< false positive rate at 95 % recall
  double enrichment_1 = 0;    ///< enrichment factor of the best 1 %
  double bedroc = 0;          ///< with alpha 20
  /// Where they were asked for.
  std::optional<MetricIntervals> intervals{};
};

/// Without intervals.
Metrics measure(const Scored& data, double threshold, bool probabilities = true);
MetricIntervals metric_intervals(const Scored& data, double threshold, std::uint64_t seed = 1,
                                 const RunOptions& run = {});

/// An object with the keys auc, average_precision, macro_f1, macro_f1_tuned, threshold, …; a metric
/// that does not exist is null. Intervals are not part of it.
std::string to_json(const Metrics& metrics);
/// Two numbers per metric.
std::string to_json(const MetricIntervals& intervals);
/// Reads what to_json() wrote; DataError where something is missing.
Metrics metrics_from_json(std::string_view json);

}  // namespace rayleigh
