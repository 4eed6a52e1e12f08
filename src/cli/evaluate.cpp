#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "learn/training.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;
enum class Part { all, train, validation, test };

class Evaluate : public Verb {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override { return "measures a model on the labelled graphs of DATA"; }
  Arguments arguments() const override { return {"MODEL DATA", 2, 2}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh evaluate nci.model NCI-H23.zip --split test",
            "rayleigh evaluate nci.model other.jsonl --format json"};
  }

  void declare(core::ParameterSet& parameters) override {
    parameters.add("split", part_,
                   "part of the data the model was trained on; all graphs when not given",
                   {{"all", Part::all},
                    {"train", Part::train},
                    {"validation", Part::validation},
                    {"test", Part::test}});
    parameters
        .add("split-files", split_files_, "FILE", "the files the model was trained with, if it was")
        .without_effect();
    parameters.add("anomaly-class", anomaly_class_, "LABEL",
                   "class that counts as anomalous; the model's own when not given");
    parameters.add("seed", seed_, "seed of the confidence intervals");
    parameters_ = &parameters;
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    const Detector detector = Detector::load(arguments[0]);
    const auto& state = detector.state();
    follow_reading_record(state.record, *parameters_);
    state.plan->split_files = split_files_;
    read_.molecules.scaffolds = part_ != Part::all && state.plan->needs_scaffolds();
    const GraphSet graphs = load_graphs(*this, arguments[1], read_);
    if (!anomaly_class_ && state.record.contains("anomaly_class") &&
        !state.record["anomaly_class"].is_null()) {
      anomaly_class_ = state.record["anomaly_class"].get<std::string>();
    }
    const auto labels = learn::class_labels(graphs, anomaly_class_);
    core::ThreadPool pool(common.threads);
    const auto chosen = part_of_data(state, graphs, labels, pool);
    const auto raw = learn::raw_scores(state, graphs, pool);
    std::vector<std::int8_t> own_labels;
    std::vector<double> scores;
    std::size_t unknown = 0;
    for (const std::uint32_t g : chosen) {
      own_labels.push_back(labels[g]);
      scores.push_back(raw.score[g]);
      unknown += raw.unknown_label[g];
    }
    const learn::Scored scored{own_labels, scores};
    const auto evaluation =
        learn::evaluate(scored, state.threshold, state.members.front()->scores_are_probabilities());
    const auto intervals =
        learn::evaluation_intervals(scored, state.threshold, seed_, common.threads);
    print_out(common.format == Format::json
                  ? json(graphs, evaluation, intervals, unknown)
                            .dump(2, ' ', false, Json::error_handler_t::replace) +
                        "\n"
                  : text(graphs, evaluation, intervals, unknown));
    return 0;
  }

 private:
  std::vector<std::uint32_t> part_of_data(const Detector::State& state, const GraphSet& graphs,
                                          std::span<const std::int8_t> labels,
                                          core::ThreadPool& pool) {
    if (part_ == Part::all) {
      std::vector<std::uint32_t> all;
      for (std::size_t g = 0; g < graphs.size(); ++g) {
        if (labels[g] >= 0) {
          all.push_back(static_cast<std::uint32_t>(g));
        }
      }
      if (all.empty()) {
        throw UsageError("the data has no labelled graph: there is nothing to measure");
      }
      return all;
    }
    learn::Split split = learn::make_split(graphs, labels, *state.plan, pool);
    if (learn::describe_data(graphs, labels)["hash"] != state.record["data"]["hash"]) {
      throw UsageError(
          "--split: this is not the data the model was trained on, so its parts are not known; "
          "leave --split out to measure all graphs");
    }
    if (learn::split_hash(split) != state.record["split"]["hash"]) {
      throw UsageError(
          "--split: these are not the parts the model was trained with; give the files it was "
          "trained with as --split-files");
    }
    return part_ == Part::train        ? split.train
           : part_ == Part::validation ? split.validation
                                       : split.test;
  }

  std::string part_name() const {
    return part_ == Part::all     ? "all"
           : part_ == Part::train ? "train"
           : part_ == Part::test  ? "test"
                                  : "validation";
  }

  Json json(const GraphSet& graphs, const learn::Evaluation& e,
            const learn::EvaluationIntervals& intervals, std::size_t unknown) const {
    return {{"data", graphs.name()},
            {"split", part_name()},
            {"graphs", e.graphs},
            {"anomalous", e.anomalous},
            {"unknown_label_graphs", unknown},
            {"test", learn::to_json(e)},
            {"intervals_95", learn::to_json(intervals)}};
  }

  std::string text(const GraphSet& graphs, const learn::Evaluation& e,
                   const learn::EvaluationIntervals& intervals, std::size_t unknown) const {
    std::string out = fmt::format("{} ({}): {}, {} anomalous\n\n", graphs.name(), part_name(),
                                  core::counted(e.graphs, "graph"), core::with_commas(e.anomalous));
    Table table({"metric", "value", "95 % interval"});
    const auto number = [](double value) {
      return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("-");
    };
    const auto range = [&](const learn::Interval& i) {
      return std::isfinite(i.low) ? number(i.low) + " … " + number(i.high) : std::string("-");
    };
    table.add({"AUC", number(e.auc), range(intervals.auc)});
    table.add(
        {"average precision", number(e.average_precision), range(intervals.average_precision)});
    table.add({"macro-F1 at 0.5", number(e.macro_f1), range(intervals.macro_f1)});
    table.add({fmt::format("macro-F1 at {:.3f} (tuned on validation)", e.threshold),
               number(e.macro_f1_tuned), range(intervals.macro_f1_tuned)});
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

  core::ParameterSet* parameters_ = nullptr;
  Part part_ = Part::all;
  std::vector<std::string> split_files_;
  std::optional<std::string> anomaly_class_;
  std::uint64_t seed_ = 1;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace rayleigh::cli
