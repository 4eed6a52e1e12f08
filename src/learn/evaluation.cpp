#include "rayleigh/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

#include "learn/evaluation_json.h"

namespace rayleigh {

Evaluation evaluate(const learn::Scored& data, double threshold, bool probabilities) {
  return {
      .graphs = data.labels.size(),
      .anomalous = static_cast<std::size_t>(std::ranges::count(data.labels, std::int8_t{1})),
      .auc = learn::roc_auc(data),
      .average_precision = learn::average_precision(data),
      .macro_f1 = probabilities ? learn::macro_f1(data) : std::numeric_limits<double>::quiet_NaN(),
      .macro_f1_tuned = learn::macro_f1(data, threshold),
      .threshold = threshold,
      .fpr_at_95 = learn::false_positive_rate_at(data),
      .enrichment_1 = learn::enrichment_factor(data),
      .bedroc = learn::bedroc(data)};
}

std::string to_json(const Evaluation& evaluation) { return learn::json_of(evaluation).dump(); }

std::string to_json(const EvaluationIntervals& i) {
  const auto pair = [](const learn::Interval& interval) {
    return nlohmann::ordered_json::array({interval.low, interval.high});
  };
  return nlohmann::ordered_json{{"auc", pair(i.auc)},
                                {"average_precision", pair(i.average_precision)},
                                {"macro_f1", pair(i.macro_f1)},
                                {"macro_f1_tuned", pair(i.macro_f1_tuned)}}
      .dump();
}

Evaluation evaluation_from_json(std::string_view text) {
  try {
    const auto json = nlohmann::ordered_json::parse(text);
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
  } catch (const nlohmann::json::exception& error) {
    throw DataError({}, error.what());
  }
}

namespace learn {

nlohmann::ordered_json json_of(const Evaluation& e) {
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

}  // namespace learn
}  // namespace rayleigh
