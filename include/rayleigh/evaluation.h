// How good a detector is on labelled graphs: every metric, with what it was measured on.
// Training gives one per part of its split, Detector::evaluate() one for any data.
// A handful of sorts; intervals are a thousand resamples and cost a thousand times as much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rayleigh/learn/metrics.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

/// 95 % intervals, by bootstrap over graphs.
struct EvaluationIntervals {
  learn::Interval auc;
  learn::Interval average_precision;
  learn::Interval macro_f1;
  learn::Interval macro_f1_tuned;
};

/// A metric that does not exist is NaN: without anomalous graphs, or macro-F1 at 0.5 of scores that
/// are not probabilities.
struct Evaluation {
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
  std::optional<EvaluationIntervals> intervals{};
};

/// Without intervals.
Evaluation evaluate(const learn::Scored& data, double threshold, bool probabilities = true);
EvaluationIntervals evaluation_intervals(const learn::Scored& data, double threshold,
                                         std::uint64_t seed = 1, const RunOptions& run = {});

/// An object with the keys auc, average_precision, macro_f1, macro_f1_tuned, threshold, …; a metric
/// that does not exist is null. Intervals are not part of it.
std::string to_json(const Evaluation& evaluation);
/// Two numbers per metric.
std::string to_json(const EvaluationIntervals& intervals);
/// Reads what to_json() wrote; DataError where something is missing.
Evaluation evaluation_from_json(std::string_view json);

}  // namespace rayleigh
