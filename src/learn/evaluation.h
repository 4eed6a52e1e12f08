// All figures of one set of scores, with what they were measured on.
// Made after training and by `evaluate`; intervals only on request, as they cost a thousand times
// as much. A handful of sorts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "rayleigh/learn/metrics.h"

namespace rayleigh::learn {

struct Evaluation {
  std::size_t graphs = 0;
  std::size_t anomalous = 0;
  double auc = 0;
  double average_precision = 0;
  double macro_f1 = 0;        ///< at 0.5, the paper's protocol
  double macro_f1_tuned = 0;  ///< at `threshold`
  double threshold = 0.5;     ///< tuned on validation
  double fpr_at_95 = 0;
  double enrichment_1 = 0;
  double bedroc = 0;
};

struct EvaluationIntervals {
  Interval auc;
  Interval average_precision;
  Interval macro_f1;
  Interval macro_f1_tuned;
};

/// Scores that are no probabilities have no macro-F1 at 0.5.
Evaluation evaluate(const Scored& data, double threshold, bool probabilities = true);
/// Bootstrap over graphs, 95 %.
EvaluationIntervals evaluation_intervals(const Scored& data, double threshold, std::uint64_t seed,
                                         int threads);

/// Keys auc, average_precision, macro_f1, macro_f1_tuned, threshold, …; a metric that does not
/// exist (a class is missing) is null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);
nlohmann::ordered_json to_json(const EvaluationIntervals& intervals);
/// What to_json() gave; throws exceptions of the JSON library where something is missing.
Evaluation evaluation_from_json(const nlohmann::ordered_json& json);

}  // namespace rayleigh::learn
