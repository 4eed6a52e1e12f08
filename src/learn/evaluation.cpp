#include "learn/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace rayleigh::learn {

Evaluation evaluate(const Scored& data, double threshold, bool probabilities) {
  return {.graphs = data.labels.size(),
          .anomalous = static_cast<std::size_t>(std::ranges::count(data.labels, std::int8_t{1})),
          .auc = roc_auc(data),
          .average_precision = average_precision(data),
          .macro_f1 = probabilities ? macro_f1(data) : std::numeric_limits<double>::quiet_NaN(),
          .macro_f1_tuned = macro_f1(data, threshold),
          .threshold = threshold,
          .fpr_at_95 = false_positive_rate_at(data),
          .enrichment_1 = enrichment_factor(data),
          .bedroc = bedroc(data)};
}

EvaluationIntervals evaluation_intervals(const Scored& data, double threshold, std::uint64_t seed,
                                         int threads) {
  const auto interval = [&](const std::function<double(const Scored&)>& metric) {
    return bootstrap_interval(data, metric, 0.95, 1000, seed, threads);
  };
  return {.auc = interval(roc_auc),
          .average_precision = interval(average_precision),
          .macro_f1 = interval([](const Scored& s) { return macro_f1(s); }),
          .macro_f1_tuned = interval([=](const Scored& s) { return macro_f1(s, threshold); })};
}

nlohmann::ordered_json to_json(const Evaluation& e) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"auc", number(e.auc)},
          {"average_precision", number(e.average_precision)},
          {"macro_f1", number(e.macro_f1)},
          {"macro_f1_tuned", number(e.macro_f1_tuned)},
          {"threshold", number(e.threshold)},
          {"fpr_at_95_recall", number(e.fpr_at_95)},
          {"enrichment_factor_1", number(e.enrichment_1)},
          {"bedroc_20", number(e.bedroc)},
          {"graphs", e.graphs},
          {"anomalous", e.anomalous}};
}

Evaluation evaluation_from_json(const nlohmann::ordered_json& json) {
  const auto number = [&](const char* key) {
    const auto& value = json.at(key);
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  };
  return {.graphs = json.at("graphs").get<std::size_t>(),
          .anomalous = json.at("anomalous").get<std::size_t>(),
          .auc = number("auc"),
          .average_precision = number("average_precision"),
          .macro_f1 = number("macro_f1"),
          .macro_f1_tuned = number("macro_f1_tuned"),
          .threshold = number("threshold"),
          .fpr_at_95 = number("fpr_at_95_recall"),
          .enrichment_1 = number("enrichment_factor_1"),
          .bedroc = number("bedroc_20")};
}

nlohmann::ordered_json to_json(const EvaluationIntervals& i) {
  const auto pair = [](const Interval& interval) {
    return nlohmann::ordered_json::array({interval.low, interval.high});
  };
  return {{"auc", pair(i.auc)},
          {"average_precision", pair(i.average_precision)},
          {"macro_f1", pair(i.macro_f1)},
          {"macro_f1_tuned", pair(i.macro_f1_tuned)}};
}

}  // namespace rayleigh::learn
