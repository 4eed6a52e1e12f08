#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/training.h"

#include "cli/detector_flags.h"
#include "cli/epoch_line.h"
#include "cli/fold_output.h"
#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "compare/graph_id.h"
#include "core/atomic_file.h"
#include "core/duration.h"
#include "core/output_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "plot/csv.h"
#include "report/training_figures.h"
#include "report/training_page.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A line of JSON per epoch, on disk as soon as the epoch ends.
class EpochLog {
 public:
  explicit EpochLog(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) {
      throw Error(ErrorKind::failed, Place{path, 0}, "cannot be written");
    }
  }
  ~EpochLog() { std::fclose(file_); }
  EpochLog(const EpochLog&) = delete;
  EpochLog& operator=(const EpochLog&) = delete;

  void write(const TrainingProgress& p) {
    const EpochMetrics& validation = p.epoch.validation;
    Json json{{"member", p.member},
              {"epoch", p.epoch.epoch},
              {"loss", p.epoch.loss},
              {"validation",
               {{"auc", validation.auc},
                {"average_precision", validation.average_precision},
                {"macro_f1", validation.macro_f1}}},
              {"graphs_per_second", speed(p)}};
    if (p.folds > 0) {
      json["fold"] = p.fold;
    }
    const std::string line = json.dump() + "\n";
    if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0) {
      throw Error(ErrorKind::failed, Place{path_, 0}, "cannot be written: is the disk full?");
    }
  }

 private:
  /// Not known of epochs that an earlier process ran, nor where epochs are not passes.
  static Json speed(const TrainingProgress& p) {
    return p.graphs_per_second > 0 ? Json(p.graphs_per_second) : Json();
  }

  std::string path_;
  std::FILE* file_;
};

class Train : public Verb {
 public:
  std::string name() const override { return "train"; }
  std::string summary() const override {
    return "learns a detector from the labelled graphs of DATA";
  }
  Arguments arguments() const override { return {"DATA", 1, 1}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh train NCI-H23.zip -o nci.model",
            "rayleigh train NCI-H23.zip -o nci.model --profile published --report report",
            "rayleigh train screen.jsonl -o m.model --ensemble 5 --checkpoint run.ckpt --resume",
            "rayleigh train NCI-H23.zip -o nci.model --folds 5 --predictions out_of_fold.csv",
            "rayleigh train HIV.csv.gz --label-column HIV_active --split scaffold -o hiv.model"};
  }

  bool can_stop() const override { return true; }

  void resolve(const GivenOption& given) override {
    // Profiles are those of the network: whoever names one wants it alone.
    const auto switched = given("unlabelled");
    const bool unlabelled = (switched && *switched != "false") || given("normal-class");
    const std::string usual(given("profile") ? "rqgnn"
                            : unlabelled     ? kUnlabelledDetector
                                             : kDefaultDetector);
    const std::string model = given("model").value_or("");
    named_ = !model.empty() || given("profile");
    request_.options = DetectorOptions(model.empty() ? usual : model);
  }

  void declare(core::OptionSet& options) override {
    options.add("output", output_, "MODEL", "model file to write")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    declare_detector(options, request_.options);
    options
        .add("split-files", split_files_, "FILE",
             "three files with 0-based graph numbers: training, validation, test")
        .without_effect()
        .instead_of("split")
        .instead_of("split-group");
    options
        .add("folds", folds_,
             "cross-validation: as many test parts that hold every graph once, made as the split "
             "would be; the model itself then learns from all graphs",
             {2, 1000})
        .without_effect()
        .instead_of("split-files");
    options.add("checkpoint", checkpoint_, "FILE", "state of the run, written as it goes")
        .without_effect();
    options.add("resume", resume_, "go on from the checkpoint; without one start anew")
        .without_effect();
    options
        .add_parsed(
            "time-budget", "TIME",
            "end training in about this time, 90s, 5m or 1h30m, with the best so far", "",
            [this](std::string_view text) {
              request_.time_budget = std::chrono::duration<double>(core::parse_duration(text));
            },
            [] { return nlohmann::ordered_json(); })
        .without_effect();
    options
        .add(
            "predictions", predictions_, "FILE",
            "CSV with the score of every graph and the part it belongs to; with folds the score of "
            "the model that never saw it")
        .without_effect();
    options.add("report", report_, "DIR", "folder for report.html and figures (.svg)")
        .without_effect();
    options.add("log", log_file_, "FILE", "JSONL with a line per epoch").without_effect();
    declare_reading(options, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    check_flags();
    // Opened first: a place that cannot be written is better known before training than after.
    core::AtomicFile model_file(output_);
    std::optional<core::OutputFile> predictions;
    if (predictions_) {
      predictions.emplace(*predictions_);
    }
    std::optional<core::AtomicFolder> report;
    if (report_) {
      report.emplace(*report_);
    }
    std::optional<EpochLog> epochs;
    if (log_file_) {
      epochs.emplace(*log_file_);
    }
    const core::Stopwatch watch;
    const GraphSet graphs = load(arguments[0]);
    const double seconds_load = watch.seconds();
    EpochLine line(log(), show_progress());
    request_.progress = [&](const TrainingProgress& progress) {
      if (!progress.restored) {
        line.show(progress);
      }
      if (epochs) {
        epochs->write(progress);
      }
    };
    std::optional<CrossValidation> folds;
    if (folds_) {
      folds = cross_validate(graphs, request_, *folds_);
      request_.split = without_test(request_.options.split());
    }
    const TrainingResult result = train(graphs, request_);
    line.finish();
    model_file.write(result.detector.bytes());
    model_file.commit();
    if (predictions && folds) {
      write_out_of_fold(graphs, *folds, *predictions);
    } else if (predictions) {
      write_predictions(graphs, result, *predictions);
    }
    if (report) {
      write_report(result, folds, *report);
    }
    if (common.format == Format::json) {
      Json all = json(result, seconds_load);
      if (folds) {
        all["folds"] = folds_json(*folds);
      }
      print_out(all.dump(2) + "\n");
    } else {
      print_out((folds ? folds_text(*folds) + "\nThe model on all graphs: " : "") + text(result));
    }
    return 0;
  }

 private:
  void check_flags() {
    if (resume_ && !checkpoint_) {
      throw UsageError("resume", "needs `checkpoint` FILE");
    }
    if (report_ == output_) {
      throw UsageError("report", "needs another name than `output`: one is a folder, one a file");
    }
    if (!split_files_.empty() && split_files_.size() != 3) {
      throw UsageError("split-files", "expected three files: training, validation, test");
    }
    request_.options.check();
    if (checkpoint_) {
      request_.checkpoint = *checkpoint_;
    }
    request_.resume = resume_ ? Resume::yes : Resume::no;
    if (folds_ && request_.time_budget) {
      *request_.time_budget /= static_cast<double>(*folds_ + 1);  // of each fold and of the model
    }
    request_.run = run_options();
    request_.say = [this](const std::string& text) { log().info(command_words(text)); };
  }

  GraphSet load(const std::string& data) {
    const core::Stopwatch watch;
    read_.molecules.scaffolds =
        split_files_.empty() && std::holds_alternative<ScaffoldSplit>(request_.options.split());
    read_.molecules.fingerprints = detector_info(request_.options.detector()).needs_fingerprints;
    GraphSet graphs = load_graphs(*this, data, read_);
    if (!named_ && graphs.classes().size() == 0 && graphs.nodes() > 0) {
      take_unlabelled_detector();
    }
    if (report_ && (graphs.classes().size() == 0 || request_.options.given("unlabelled") ||
                    request_.options.given("normal-class"))) {
      throw UsageError("report",
                       "shows how well two classes are told apart: the graphs have no labels");
    }
    if (!named_ && request_.options.detector() == kUnlabelledDetector) {
      log().info(
          fmt::format("without labels the detector is {}; --model names another, `rayleigh models` "
                      "lists them",
                      kUnlabelledDetector));
    }
    log().info(fmt::format("{}: {}, {} labels, read in {:.2f} s", graphs.name(),
                           core::counted(graphs.size(), "graph"), graphs.node_labels().size(),
                           watch.seconds()));
    if (!split_files_.empty()) {
      request_.split =
          read_split({split_files_[0], split_files_[1], split_files_[2]}, graphs.size());
    }
    return graphs;
  }

  void take_unlabelled_detector() {
    try {
      request_.options = request_.options.with_detector(kUnlabelledDetector);
    } catch (const UsageError& error) {
      throw UsageError(error.option(),
                       fmt::format("the graphs have no labels, and {}, the detector for such "
                                   "graphs, has no such option: name another with `model`",
                                   kUnlabelledDetector));
    }
  }

  static void write_predictions(const GraphSet& graphs, const TrainingResult& result,
                                core::OutputFile& file) {
    std::vector<const char*> part(graphs.size(), "none");
    for (const std::uint32_t g : result.split.train) part[g] = "train";
    for (const std::uint32_t g : result.split.validation) part[g] = "validation";
    for (const std::uint32_t g : result.split.test) part[g] = "test";
    for (const std::uint32_t g : result.split.calibration) part[g] = "calibration";
    const Detector& detector = result.detector;
    const bool promises = detector.promised_false_alarms().has_value();
    file.write(fmt::format("index,id,part,label,score,probability,anomalous{}\n",
                           promises ? ",p_value" : ""));
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const double score = result.scores[g];
      file.write(fmt::format(
          "{},{},{},{},{},{},{}{}\n", g, plot::csv_text(compare::graph_id(graphs, g)), part[g],
          result.labels[g] < 0 ? "" : std::to_string(result.labels[g]), score,
          plot::csv_number(detector.probability(score)), score > detector.threshold() ? 1 : 0,
          promises ? fmt::format(",{}", detector.p_value(score)) : ""));
    }
    file.commit();
  }

  static void write_report(const TrainingResult& result,
                           const std::optional<CrossValidation>& folds,
                           core::AtomicFolder& folder) {
    for (const auto& [file, text] : report::training_figures(result)) {
      core::write_file_atomically(folder.file(file), text);
    }
    core::write_file_atomically(folder.file("report.html"),
                                report::training_page(result, folds ? &*folds : nullptr));
    folder.commit();
  }

  static Json json(const TrainingResult& result, double seconds_load) {
    const Detector& detector = result.detector;
    const Json metadata = Json::parse(detector.metadata());
    const Json& record = metadata.at("record");
    const Json& split = record.at("split");
    // Options of training act on the first part of a blend.
    const TrainedMember& shown =
        metadata.contains("blend") ? result.members.front() : result.members.back();
    Json all{{"data", record.at("data")},
             {"model",
              {{"name", detector.options().detector()},
               {"profile", detector.options().profile()},
               {"parameters", detector.trained_weights()},
               {"members", detector.members()},
               {"settings", Json::parse(detector.options().json())}}},
             {"split",
              {{"train", result.split.train.size()},
               {"validation", result.split.validation.size()},
               {"test", result.split.test.size()},
               {"seed", split["seed"]},
               {"train_anomalous", split["train"]["anomalous"]},
               {"validation_anomalous", split["validation"]["anomalous"]},
               {"test_anomalous", split["test"]["anomalous"]},
               {"hash", split["hash"]}}},
             {"epochs_run", shown.history.size()},
             {"best_epoch", shown.best_epoch},
             {"members", record.at("members")},
             {"seconds",
              {{"load", seconds_load},
               {"prepare", result.seconds.prepare},
               {"train", result.seconds.train},
               {"evaluate", result.seconds.evaluate}}},
             {"train_graphs_per_second",
              result.train_graphs_per_second > 0 ? Json(result.train_graphs_per_second) : Json()},
             {"validation", Json::parse(to_json(result.validation))},
             {"test", Json::parse(to_json(result.test))}};
    if (metadata.contains("blend")) {
      all["blend"] = metadata["blend"];
    }
    if (const auto promised = detector.promised_false_alarms()) {
      all["split"]["calibration"] = result.split.calibration.size();
      all["false_alarms"] = {{"promised", *promised}, {"threshold", detector.threshold()}};
    }
    for (const auto& [part, evaluation] :
         {std::pair("validation", &result.validation), std::pair("test", &result.test)}) {
      all["intervals_95"][part] = Json::parse(to_json(*evaluation->intervals));
    }
    return all;
  }

  std::string text(const TrainingResult& result) const {
    const Detector& detector = result.detector;
    std::string out =
        fmt::format("{}, {} trained parameters{}\n", detector.options().title(),
                    core::with_commas(detector.trained_weights()), members_text(detector));
    out += fmt::format("{}; {:.1f} s", epochs_text(result), result.seconds.train);
    if (const double rate = result.train_graphs_per_second; rate > 0) {
      out += fmt::format(", {} graphs/s", core::with_commas(static_cast<std::uint64_t>(rate)));
    }
    out += "\n\n";
    Table table({"", "graphs", "anomalous", "AUC", "average precision", "macro-F1 at 0.5",
                 fmt::format("macro-F1 at {:.3f}", detector.threshold())});
    const auto row = [&](const char* part, const Metrics& e) {
      const auto number = [](double value, const Interval& interval) {
        if (!std::isfinite(value)) {
          return std::string("-");
        }
        return std::isfinite(interval.low)
                   ? fmt::format("{:.4f} ({:.3f} … {:.3f})", value, interval.low, interval.high)
                   : fmt::format("{:.4f}", value);
      };
      table.add({part, core::with_commas(e.graphs), core::with_commas(e.anomalous),
                 number(e.auc, e.intervals->auc),
                 number(e.average_precision, e.intervals->average_precision),
                 number(e.macro_f1, e.intervals->macro_f1),
                 number(e.macro_f1_tuned, e.intervals->macro_f1_tuned)});
    };
    row("validation", result.validation);
    if (!folds_) {
      row("test", result.test);
    }
    out += table.text();
    out += "\nIn brackets 95 % intervals. ";
    out += threshold_text(result);
    out += fmt::format(" Model: {}\n", output_);
    if (report_) {
      out += fmt::format("report: {}/report.html\n", *report_);
    }
    return out;
  }

  static std::string threshold_text(const TrainingResult& result) {
    const double threshold = result.detector.threshold();
    if (const auto promised = result.detector.promised_false_alarms()) {
      return fmt::format(
          "Of normal graphs at most {:.4g} % score above {:.3f} and are called anomalous, by {} "
          "that training never saw.",
          100 * *promised, threshold, core::counted(result.split.calibration.size(), "graph"));
    }
    return result.labelled
               ? fmt::format("The threshold {:.3f} was tuned on the validation graphs.", threshold)
               : fmt::format(
                     "The graphs have no labels: above {:.3f} lies the share given by "
                     "--contamination of the validation graphs.",
                     threshold);
  }

  /// ", mean of 5 models", ", blend of 0.21 rqgnn + 0.42 trees + 0.13 linear", or nothing.
  static std::string members_text(const Detector& detector) {
    const Json metadata = Json::parse(detector.metadata());
    if (!metadata.contains("blend")) {
      return detector.members() > 1 ? fmt::format(", mean of {} models", detector.members()) : "";
    }
    const Json& blend = metadata["blend"];
    std::vector<std::string> parts;
    for (std::size_t m = 0; m < blend["weights"].size(); ++m) {
      parts.push_back(fmt::format("{:.2f} {}", blend["weights"][m].get<double>(),
                                  blend["members"][m].get<std::string>()));
    }
    return fmt::format(", blend of {}", fmt::join(parts, " + "));
  }

  static std::string epochs_text(const TrainingResult& result) {
    std::vector<std::string> members;
    for (const TrainedMember& member : result.members) {
      members.push_back(fmt::format("{} of {}", member.best_epoch, member.history.size()));
    }
    return fmt::format("best epoch{} {}", members.size() > 1 ? "s" : "", fmt::join(members, ", "));
  }

  TrainingRequest request_;
  bool named_ = false;  ///< whether somebody chose the detector
  std::vector<std::string> split_files_;
  std::optional<std::uint64_t> folds_;
  std::string output_;
  std::optional<std::string> checkpoint_;
  bool resume_ = false;
  std::optional<std::string> predictions_;
  std::optional<std::string> report_;
  std::optional<std::string> log_file_;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_train() { return std::make_unique<Train>(); }

}  // namespace rayleigh::cli
