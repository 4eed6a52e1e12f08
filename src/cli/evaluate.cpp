#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;

class Evaluate : public Verb {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override { return "measures a model on the labelled graphs of DATA"; }
  Arguments arguments() const override { return {"MODEL DATA", 2, 2}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh evaluate nci.model NCI-H23.zip --split test",
            "rayleigh evaluate nci.model other.jsonl --format json"};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& options) override {
    options.add("split", request_.part,
                "part of the data the model was trained on; all graphs when not given",
                {{"all", Part::all},
                 {"train", Part::train},
                 {"validation", Part::validation},
                 {"test", Part::test}});
    options.add("split-files", split_files_, "FILE", "the files the model was trained with, if any")
        .without_effect();
    options.add("anomaly-class", request_.anomaly_class, "LABEL",
                "class that counts as anomalous; the model's own when not given");
    options.add("seed", request_.seed, "seed of the confidence intervals");
    options_ = &options;
    declare_reading(options, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    if (!split_files_.empty() && split_files_.size() != 3) {
      throw UsageError("split-files", "expected three files: training, validation, test");
    }
    if (!split_files_.empty() && request_.part == Part::all) {
      throw UsageError("split-files", "needs `split`: which part is to be measured");
    }
    const Detector detector = load_model(arguments);
    read_like(detector, *options_, read_);
    read_.molecules.scaffolds = request_.part != Part::all &&
                                std::holds_alternative<ScaffoldSplit>(detector.options().split());
    const GraphSet graphs = load_graphs(*this, arguments[1], read_);
    if (!split_files_.empty()) {
      request_.split =
          read_split({split_files_[0], split_files_[1], split_files_[2]}, graphs.size());
    }
    const Evaluation result = detector.evaluate(graphs, request_, run_options());
    print_out(common.format == Format::json
                  ? json(graphs, result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                  : text(graphs, result, origin_of_threshold(detector)));
    return 0;
  }

 private:
  std::string part_name() const {
    constexpr std::array kNames{"all", "train", "validation", "test"};
    return kNames[static_cast<std::size_t>(request_.part)];
  }

  Json json(const GraphSet& graphs, const Evaluation& result) const {
    const Metrics& e = result.metrics;
    Json all{{"data", graphs.name()},
             {"split", part_name()},
             {"graphs", e.graphs},
             {"anomalous", e.anomalous},
             {"unknown_label_graphs", result.unknown_label_graphs},
             {"test", Json::parse(to_json(e))},
             {"intervals_95", Json::parse(to_json(*e.intervals))}};
    if (const auto& seen = result.false_alarms) {
      all["false_alarms"] = {
          {"promised", seen->promised},
          {"normal", seen->normal},
          {"alarms", seen->alarms},
          {"share", static_cast<double>(seen->alarms) / static_cast<double>(seen->normal)},
          {"interval_95", {seen->share.low, seen->share.high}}};
    }
    return all;
  }

  /// Where the threshold comes from.
  static std::string_view origin_of_threshold(const Detector& detector) {
    return detector.promised_false_alarms()      ? "by the promised false alarms"
           : detector.trained_on().anomaly_class ? "tuned on validation"
                                                 : "by --contamination";
  }

  std::string text(const GraphSet& graphs, const Evaluation& result,
                   std::string_view origin) const {
    const Metrics& e = result.metrics;
    const MetricIntervals& intervals = *e.intervals;
    const std::size_t unknown = result.unknown_label_graphs;
    std::string out = fmt::format("{} ({}): {}, {} anomalous\n\n", graphs.name(), part_name(),
                                  core::counted(e.graphs, "graph"), core::with_commas(e.anomalous));
    Table table({"metric", "value", "95 % interval"});
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("-");
    };
    const auto range = [&](const Interval& i) {
      return std::isfinite(i.low) ? number(i.low) + " … " + number(i.high) : std::string("-");
    };
    table.add({"AUC", number(e.auc), range(intervals.auc)});
    table.add(
        {"average precision", number(e.average_precision), range(intervals.average_precision)});
    table.add({"macro-F1 at 0.5", number(e.macro_f1), range(intervals.macro_f1)});
    table.add({fmt::format("macro-F1 at {:.3f} ({})", e.threshold, origin),
               number(e.macro_f1_tuned), range(intervals.macro_f1_tuned)});
    if (const auto& seen = result.false_alarms) {
      table.add({fmt::format("false alarms, at most {:.4g} promised", seen->promised),
                 number(static_cast<double>(seen->alarms) / static_cast<double>(seen->normal)),
                 range(seen->share)});
    }
    table.add({"false positives at 95 % recall", number(e.fpr_at_95), ""});
    table.add({"enrichment factor 1 %", number(e.enrichment_1), ""});
    table.add({"BEDROC 20", number(e.bedroc), ""});
    out += table.text();
    if (unknown > 0) {
      out += fmt::format("\n{} with node labels the model never saw\n",
                         core::counted(unknown, "graph"));
    }
    return out;
  }

  const core::OptionSet* options_ = nullptr;
  EvaluationRequest request_;
  std::vector<std::string> split_files_;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace rayleigh::cli
