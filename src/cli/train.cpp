#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "cli/epoch_line.h"
#include "cli/reading.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "io/output_file.h"
#include "learn/training.h"
#include "report/csv.h"
#include "report/training_page.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A line of JSON an epoch, on disk as soon as the epoch ends.
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

  void write(const TrainProgress& p, const learn::EpochMetrics& validation) {
    const std::string line = Json{{"member", p.member},
                                  {"epoch", p.epoch},
                                  {"loss", p.loss},
                                  {"validation",
                                   {{"auc", validation.auc},
                                    {"average_precision", validation.average_precision},
                                    {"macro_f1", validation.macro_f1}}},
                                  {"graphs_per_second", speed(p)}}
                                 .dump() +
                             "\n";
    if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0) {
      throw Error(ErrorKind::failed, Place{path_, 0}, "cannot be written: is the disk full?");
    }
  }

 private:
  /// Not known of epochs that an earlier process ran.
  static Json speed(const TrainProgress& p) {
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
            "rayleigh train HIV.csv.gz --label-column HIV_active --split scaffold -o hiv.model"};
  }

  void peek(const std::vector<std::string>& words) override {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--model" && i + 1 < words.size()) {
        model_ = words[i + 1];
      } else if (words[i].starts_with("--model=")) {
        model_ = words[i].substr(8);
      }
    }
  }

  void declare(core::ParameterSet& parameters) override {
    parameters_ = &parameters;
    parameters.add("output", output_, "MODEL", "model file to write")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    plan_ = std::make_unique<learn::Plan>(model_);
    plan_->declare(parameters);
    parameters.add("checkpoint", checkpoint_, "FILE", "state of the run, written as it goes")
        .without_effect();
    parameters.add("resume", resume_, "go on from the checkpoint; without one start anew")
        .without_effect();
    parameters
        .add("predictions", predictions_, "FILE",
             "CSV with the score of every graph and the part it belongs to")
        .without_effect();
    parameters.add("report", report_, "DIR", "folder for report.html and figures (.svg)")
        .without_effect();
    parameters.add("log", log_file_, "FILE", "JSONL with a line an epoch").without_effect();
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    if (resume_ && !checkpoint_) {
      throw UsageError("--resume needs --checkpoint FILE");
    }
    if (report_ == output_) {
      throw UsageError("--report and --output need different names: one is a folder, one a file");
    }
    plan_->settle(*parameters_);
    // Opened first: a place that cannot be written is better known before training than after.
    core::AtomicFile model_file(output_);
    std::optional<io::OutputFile> predictions;
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
    read_.molecules.scaffolds = plan_->needs_scaffolds();
    const GraphSet graphs = load_graphs(*this, arguments[0], read_);
    const double seconds_load = watch.seconds();
    if (report_ && graphs.classes().size() == 0) {
      throw UsageError(
          "--report shows how well two classes are told apart: the graphs have no "
          "labels");
    }
    log().info(fmt::format("{}: {}, {} labels, read in {:.2f} s", graphs.name(),
                           core::counted(graphs.size(), "graph"), graphs.node_labels().size(),
                           seconds_load));
    EpochLine line(log(), show_progress(), plan_->ensemble);
    learn::TrainingHooks hooks;
    hooks.threads = common.threads;
    if (checkpoint_) {
      hooks.checkpoint = *checkpoint_;
    }
    hooks.resume = resume_;
    hooks.say = [&](const std::string& text) { log().info(text); };
    hooks.restored_epoch = [&](int member, const learn::EpochRecord& epoch) {
      if (epochs) {
        epochs->write({.member = member, .epoch = epoch.epoch, .loss = epoch.loss},
                      epoch.validation);
      }
    };
    hooks.after_epoch = [&](const TrainProgress& progress, const learn::EpochMetrics& validation) {
      line.show(progress);
      if (epochs) {
        epochs->write(progress, validation);
      }
    };
    const learn::TrainingResult result = learn::train(graphs, std::move(plan_), hooks);
    line.finish();
    if (const Json reading = reading_record(read_); !reading.is_null()) {
      result.detector->record["reading"] = reading;
    }
    model_file.write(learn::model_bytes(*result.detector));
    model_file.commit();
    if (predictions) {
      write_predictions(graphs, result, *predictions);
    }
    if (report) {
      write_report(result, *report);
    }
    print_out(common.format == Format::json ? json(result, seconds_load).dump(2) + "\n"
                                            : text(result));
    return 0;
  }

 private:
  static void write_predictions(const GraphSet& graphs, const learn::TrainingResult& result,
                                io::OutputFile& file) {
    std::vector<const char*> part(graphs.size(), "none");
    for (const std::uint32_t g : result.split.train) part[g] = "train";
    for (const std::uint32_t g : result.split.validation) part[g] = "validation";
    for (const std::uint32_t g : result.split.test) part[g] = "test";
    const auto& detector = *result.detector;
    file.write("index,id,part,label,score,probability,anomalous\n");
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const double score = result.scores[g];
      const auto id =
          graphs.has_names() ? std::string(graphs.graph_name(g)) : std::to_string(g + 1);
      file.write(fmt::format("{},{},{},{},{},{},{}\n", g, report::csv_text(id), part[g],
                             result.labels[g] < 0 ? "" : std::to_string(result.labels[g]), score,
                             report::csv_number(detector.calibration.probability(score)),
                             score > detector.threshold ? 1 : 0));
    }
    file.commit();
  }

  static void write_report(const learn::TrainingResult& result, core::AtomicFolder& folder) {
    for (const auto& [file, text] : report::training_figures(result)) {
      core::write_file_atomically(folder.file(file), text);
    }
    core::write_file_atomically(folder.file("report.html"), report::training_page(result));
    folder.commit();
  }

  static Json json(const learn::TrainingResult& result, double seconds_load) {
    const auto& detector = *result.detector;
    Json data = detector.record["data"];
    const auto& split = detector.record["split"];
    return {{"data", data},
            {"model",
             {{"name", detector.plan->recipe().name()},
              {"profile", detector.plan->recipe().variant()},
              {"parameters", detector.members.front()->weights().trained()},
              {"members", detector.members.size()},
              {"settings", detector.plan->values()}}},
            {"split",
             {{"train", result.split.train.size()},
              {"validation", result.split.validation.size()},
              {"test", result.split.test.size()},
              {"seed", *detector.plan->split_seed},
              {"train_anomalous", split["train"]["anomalous"]},
              {"validation_anomalous", split["validation"]["anomalous"]},
              {"test_anomalous", split["test"]["anomalous"]},
              {"hash", split["hash"]}}},
            {"epochs_run", result.histories.back().size()},
            {"best_epoch", result.best_epochs.back()},
            {"members", detector.record["members"]},
            {"seconds",
             {{"load", seconds_load},
              {"prepare", result.seconds_prepare},
              {"train", result.seconds_train},
              {"evaluate", result.seconds_evaluate}}},
            {"train_graphs_per_second", result.train_graphs_per_second},
            {"validation", learn::to_json(result.validation)},
            {"test", learn::to_json(result.test)}};
  }

  std::string text(const learn::TrainingResult& result) const {
    const auto& detector = *result.detector;
    std::string out = fmt::format("{}, {} trained parameters{}\n", detector.plan->recipe().title(),
                                  core::with_commas(detector.members.front()->weights().trained()),
                                  detector.members.size() > 1
                                      ? fmt::format(", mean of {} models", detector.members.size())
                                      : "");
    out +=
        fmt::format("best epoch {} of {}; {:.1f} s, {} graphs/s\n\n", result.best_epochs.back(),
                    result.histories.back().size(), result.seconds_train,
                    core::with_commas(static_cast<std::uint64_t>(result.train_graphs_per_second)));
    Table table({"", "graphs", "anomalous", "AUC", "average precision", "macro-F1 at 0.5",
                 fmt::format("macro-F1 at {:.3f}", detector.threshold)});
    const auto row = [&](const char* part, const learn::Evaluation& e) {
      const auto number = [](double value) {
        return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("-");
      };
      table.add({part, core::with_commas(e.graphs), core::with_commas(e.anomalous), number(e.auc),
                 number(e.average_precision), number(e.macro_f1), number(e.macro_f1_tuned)});
    };
    row("validation", result.validation);
    row("test", result.test);
    out += table.text();
    out += result.labelled
               ? fmt::format("\nThe threshold {:.3f} was tuned on the validation graphs.",
                             detector.threshold)
               : fmt::format(
                     "\nThe graphs have no labels: above {:.3f} lies the share given by "
                     "--contamination of the validation graphs.",
                     detector.threshold);
    out += fmt::format(" Model: {}\n", output_);
    if (report_) {
      out += fmt::format("report: {}/report.html\n", *report_);
    }
    return out;
  }

  core::ParameterSet* parameters_ = nullptr;
  std::string model_ = "rqgnn";
  std::unique_ptr<learn::Plan> plan_;
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
