#include "report/comparison_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/version.h"

#include "plot/csv.h"

namespace rayleigh::report {
namespace {

using plot::csv_number;
using plot::csv_text;
using Json = nlohmann::ordered_json;
using compare::CellResult;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json to_json(const OverSeeds& summary) {
  return {{"mean", number_or_null(summary.mean)},
          {"deviation", number_or_null(summary.deviation)},
          {"seeds", summary.count}};
}

Json entry_json(const Comparison& comparison, std::size_t row, std::size_t set) {
  const ComparisonEntry& entry = comparison.entries[row][set];
  Json json = {{"data", comparison.data[set]}, {"model", comparison.rows[row].title}};
  for (const ComparisonMetric& metric : {kAuc, kAveragePrecision, kMacroF1, kMacroF1Tuned}) {
    const OverSeeds& ours = entry.*metric.of;
    json[metric.key] = to_json(ours);
    json[metric.key]["best"] = comparison.is_best(row, set, metric);
    if (const auto published = published_value(entry, metric)) {
      json[metric.key][comparison.published_by] = *published;
      json[metric.key]["difference"] = number_or_null(ours.mean - *published);
    }
  }
  json["seconds_train"] = to_json(entry.seconds_train);
  json["below_size"] = entry.below_size;
  json["failed"] = entry.failed.size();
  return json;
}

Json to_json(const PairedEntry& entry) {
  Json json = Json::object();
  for (std::size_t m = 0; m < kPairedMetrics.size(); ++m) {
    json[kPairedMetrics[m].key] = {{"mean", number_or_null(entry[m].mean)},
                                   {"low", number_or_null(entry[m].low)},
                                   {"high", number_or_null(entry[m].high)},
                                   {"p_value", number_or_null(entry[m].p_value)},
                                   {"pairs", entry[m].count}};
  }
  return json;
}

Json paired_json(const Comparison& comparison) {
  const PairedDifferences& paired = comparison.paired;
  Json differences = Json::array();
  Json over_data = Json::array();
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    if (row == paired.reference) {
      continue;
    }
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      Json json{{"data", comparison.data[set]}, {"model", comparison.rows[row].title}};
      json.update(to_json(paired.entries[row][set]));
      differences.push_back(std::move(json));
    }
    if (comparison.data.size() > 1) {
      Json json{{"model", comparison.rows[row].title}};
      json.update(to_json(paired.over_data[row]));
      over_data.push_back(std::move(json));
    }
  }
  return {{"reference",
           comparison.rows.empty() ? Json() : Json(comparison.rows[paired.reference].title)},
          {"over", comparison.folds > 0 ? "folds" : "seeds"},
          {"test", paired.drawn         ? "paired bootstrap of the test graphs"
                   : paired.fixed_parts ? "paired t, parts do not move with the seed"
                                        : "corrected resampled t (Nadeau and Bengio)"},
          {"differences", differences},
          {"over_data", over_data}};
}

std::string setting(const CellResult& cell, const char* key) {
  if (!cell.settings.is_object() || !cell.settings.contains(key)) {
    return "";
  }
  const Json& value = cell.settings[key];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csv_row(const CellResult& cell) {
  std::string row =
      fmt::format("{},{},{},{},{},{},{}", csv_text(cell.data_title), csv_text(cell.model_title),
                  cell.detector, cell.seed, cell.failed() ? "failed" : "done",
                  setting(cell, "epochs"), setting(cell, "train-graphs"));
  if (cell.failed()) {
    return row + ",,,,,,,,,,,,,,,," + csv_text(cell.reason) + "\n";
  }
  row += fmt::format(",{},{},{},{},{}", cell.epochs_run, cell.best_epoch,
                     cell.split["train"].get<std::size_t>(), cell.test.graphs, cell.test.anomalous);
  for (const double value :
       {cell.validation.auc, cell.validation.average_precision, cell.validation.macro_f1,
        cell.test.auc, cell.test.average_precision, cell.test.macro_f1, cell.test.macro_f1_tuned,
        cell.test.threshold, cell.seconds_train, cell.train_graphs_per_second}) {
    row += "," + csv_number(value);
  }
  return row + ",\n";
}

}  // namespace

std::string comparison_csv(const Comparison& comparison) {
  std::string csv =
      "data,model,detector,seed,status,epochs,train_graphs,epochs_run,best_epoch,train,test,"
      "test_anomalous,validation_auc,validation_average_precision,validation_macro_f1,test_auc,"
      "test_average_precision,test_macro_f1,test_macro_f1_tuned,threshold,seconds_train,"
      "train_graphs_per_second,reason\n";
  for (const CellResult& cell : comparison.cells) {
    csv += csv_row(cell);
  }
  return csv;
}

Json comparison_json(const Comparison& comparison) {
  Json models = Json::array();
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    const ComparisonRow& r = comparison.rows[row];
    Json beats = Json::object();
    for (std::size_t other = 0; other < comparison.rows.size(); ++other) {
      const Duel& duel = comparison.duels[row][other];
      if (other != row) {
        beats[comparison.rows[other].title] = {
            {"wins", duel.wins}, {"ties", duel.ties}, {"losses", duel.losses}};
      }
    }
    Json model{{"title", r.title}};
    if (!comparison.published_by.empty()) {
      model["in_" + comparison.published_by] =
          r.published_as.empty() ? Json() : Json(r.published_as);
    }
    model["yardstick"] = r.yardstick;
    model["one_class"] = r.one_class;
    if (!r.scores.empty()) {
      model["scores"] = r.scores;
    }
    model["mean_rank"] = number_or_null(comparison.ranks[row].mean);
    model["against"] = std::move(beats);
    models.push_back(std::move(model));
  }
  Json entries = Json::array();
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      entries.push_back(entry_json(comparison, row, set));
    }
  }
  return {{"version", kVersion},
          {"data", comparison.data},
          {"models", models},
          {"aggregates", entries},
          {"paired", paired_json(comparison)}};
}

}  // namespace rayleigh::report
