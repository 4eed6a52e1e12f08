#include "cli/fold_output.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/table.h"
#include "compare/graph_id.h"
#include "core/text.h"
#include "plot/csv.h"

namespace rayleigh::cli {
namespace {

using FoldJson = nlohmann::ordered_json;

struct FoldMetric {
  const char* key;
  double Metrics::*of;
};
/// The first four are shown to people.
constexpr std::array<FoldMetric, 7> kFoldMetrics{
    {{"auc", &Metrics::auc},
     {"average_precision", &Metrics::average_precision},
     {"macro_f1", &Metrics::macro_f1},
     {"macro_f1_tuned", &Metrics::macro_f1_tuned},
     {"fpr_at_95_recall", &Metrics::fpr_at_95},
     {"enrichment_factor_1", &Metrics::enrichment_1},
     {"bedroc_20", &Metrics::bedroc}}};
constexpr std::size_t kShownMetrics = 4;

FoldJson finite_or_null(double value) {
  return std::isfinite(value) ? FoldJson(value) : FoldJson();
}

}  // namespace

std::string folds_text(const CrossValidation& result) {
  Table table({"fold", "test graphs", "anomalous", "AUC", "average precision", "macro-F1 at 0.5",
               "macro-F1 tuned"});
  for (std::size_t fold = 0; fold < result.folds.size(); ++fold) {
    const Metrics& test = result.folds[fold].test;
    std::vector<std::string> row{std::to_string(fold + 1), core::with_commas(test.graphs),
                                 core::with_commas(test.anomalous)};
    for (std::size_t m = 0; m < kShownMetrics; ++m) {
      row.push_back(core::four_digits(test.*kFoldMetrics[m].of));
    }
    table.add(row);
  }
  std::vector<std::string> means{"mean", "", ""};
  for (std::size_t m = 0; m < kShownMetrics; ++m) {
    const ResampledMean mean = result.mean(kFoldMetrics[m].of);
    means.push_back(
        core::four_digits(mean.mean) +
        (std::isfinite(mean.low) ? fmt::format(" ({:.3f} … {:.3f})", mean.low, mean.high) : ""));
  }
  table.add(means);
  return fmt::format(
      "{} folds: every graph tested once, by a model that never saw it\n\n{}\nIn brackets 95 % "
      "intervals of the mean over folds (corrected for training graphs that folds share).\n",
      result.folds.size(), table.text());
}

FoldJson folds_json(const CrossValidation& result) {
  FoldJson test = FoldJson::object();
  for (const FoldMetric& metric : kFoldMetrics) {
    const ResampledMean mean = result.mean(metric.of);
    test[metric.key] = {{"mean", finite_or_null(mean.mean)},
                        {"deviation", finite_or_null(mean.deviation)},
                        {"low", finite_or_null(mean.low)},
                        {"high", finite_or_null(mean.high)},
                        {"folds", mean.count}};
  }
  FoldJson each = FoldJson::array();
  for (std::size_t fold = 0; fold < result.folds.size(); ++fold) {
    const FoldResult& one = result.folds[fold];
    each.push_back({{"fold", fold + 1},
                    {"split",
                     {{"train", one.split.train.size()},
                      {"validation", one.split.validation.size()},
                      {"test", one.split.test.size()},
                      {"hash", split_hash(one.split)}}},
                    {"best_epoch", one.members.front().best_epoch},
                    {"epochs_run", one.members.front().history.size()},
                    {"seconds", one.seconds.prepare + one.seconds.train + one.seconds.evaluate},
                    {"validation", FoldJson::parse(to_json(one.validation))},
                    {"test", FoldJson::parse(to_json(one.test))}});
  }
  return {{"count", result.folds.size()}, {"test", test}, {"each", each}};
}

void write_out_of_fold(const GraphSet& graphs, const CrossValidation& result,
                       core::OutputFile& file) {
  file.write("index,id,part,label,score,probability,anomalous,fold\n");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const OutOfFold& graph = result.graphs[g];
    const std::string start = fmt::format("{},{}", g, plot::csv_text(compare::graph_id(graphs, g)));
    if (graph.fold < 0) {
      file.write(start + ",none,,,,,\n");
      continue;
    }
    file.write(fmt::format("{},test,{},{},{},{},{}\n", start,
                           result.labels[g] < 0 ? "" : std::to_string(result.labels[g]),
                           graph.score, plot::csv_number(graph.probability),
                           graph.anomalous ? 1 : 0, graph.fold + 1));
  }
  file.commit();
}

}  // namespace rayleigh::cli
