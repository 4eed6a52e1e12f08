#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"
#include "rayleigh/metrics.h"

#include "learn/metrics_json.h"

namespace rayleigh {

Metrics measure(const Scored& data, double threshold, bool probabilities) {
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

std::string to_json(const Metrics& metrics) { return learn::json_of(metrics).dump(); }

std::string to_json(const MetricIntervals& i) {
  const auto pair = [](const Interval& interval) {
    return nlohmann::ordered_json::array({interval.low, interval.high});
  };
  return nlohmann::ordered_json{{"auc", pair(i.auc)},
                                {"average_precision", pair(i.average_precision)},
                                {"macro_f1", pair(i.macro_f1)},
                                {"macro_f1_tuned", pair(i.macro_f1_tuned)}}
      .dump();
}

Metrics metrics_from_json(std::string_view text) {
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

nlohmann::ordered_json json_of(const Metrics& m) {
  const auto number = [](double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  return {{"auc", number(m.auc)},
          {"average_precision", number(m.average_precision)},
          {"macro_f1", number(m.macro_f1)},
          {"macro_f1_tuned", number(m.macro_f1_tuned)},
          {"threshold", number(m.threshold)},
          {"fpr_at_95_recall", number(m.fpr_at_95)},
          {"enrichment_factor_1", number(m.enrichment_1)},
          {"bedroc_20", number(m.bedroc)},
          {"graphs", m.graphs},
          {"anomalous", m.anomalous}};
}

}  // namespace learn
}  // namespace rayleigh
