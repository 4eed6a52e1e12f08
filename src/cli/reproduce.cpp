#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/generators.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/statistics.h"

#include "cli/grid_line.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "io/data_folder.h"
#include "learn/case_study.h"
#include "learn/experiments.h"
#include "report/analysis_report.h"
#include "report/reproduction.h"

namespace rayleigh::cli {
namespace {

namespace fs = std::filesystem;
using learn::Experiment;

constexpr int kSomeFailed = 4;

/// The paper's datasets that lie in a folder, and the names of those that do not.
struct DatasetsThere {
  std::vector<learn::PaperDataset> found;
  std::vector<std::string> missing;
};

class Reproduce : public Verb {
 public:
  std::string name() const override { return "reproduce"; }
  std::string summary() const override {
    return "runs the paper's experiments and puts the paper's figures beside ours";
  }
  Arguments arguments() const override { return {"[E0 … E10|all]...", 0, 20}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh reproduce all --quick --data-dir data -o paper",
            "rayleigh reproduce E1 --data-dir data -o paper --seeds 3 --models rqgnn",
            "rayleigh reproduce E4 E5 E9 --data-dir data -o paper"};
  }

  void declare(core::ParameterSet& parameters) override {
    parameters
        .add("output", output_, "DIR",
             "folder for report.html, results.json, tables, figures and finished runs")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    parameters
        .add(
            "data-dir", data_dir_, "DIR",
            "where the datasets are, as NAME.zip or folder NAME; the folder of rayleigh fetch when "
            "not given")
        .without_effect();
    parameters.add(
        "quick", wish_.quick,
        "at most 3,000 graphs a set, one seed, 10 epochs, baselines of E1 and E2 on MCF-7 only");
    parameters.add("full", wish_.full, "no budget for slow baselines: own epochs, all graphs");
    parameters.add("seeds", wish_.seeds, "seeds 1 … N; the split moves with the seed", {1, 1000});
    parameters.add("models", models_,
                   "which detectors train; finished runs of others are shown too",
                   {{"all", Models::all}, {"rqgnn", Models::rqgnn}});
    parameters.add("all-classes", wish_.all_classes,
                   "E3: every class of COLORS-3 as the anomalous one");
  }

  int run(const std::vector<std::string>& arguments) override {
    if (wish_.quick && wish_.full) {
      throw UsageError("--quick and --full contradict each other");
    }
    choose(arguments);
    wish_.baselines = models_ == Models::all;
    const DatasetsThere there = look_for_data();
    report::Reproduction result;
    result.quick = wish_.quick;
    result.full = wish_.full;
    result.seeds = wish_.quick ? 1 : wish_.seeds;
    result.missing = there.missing;
    const learn::GridFolder folder(output_);
    wish_.kept = [&folder](const learn::Grid& grid, const learn::GridCell& cell) {
      return fs::exists(folder.result_file(grid, cell));
    };
    std::signal(SIGINT, say_that_it_goes_on);
    look_at_data(there.found, result);
    run_grids(there.found, folder, result);
    study_case(there.found, result);
    measure_theory(there.found, result);
    result.claims = report::check_claims(papers_figures, report::our_figures(result),
                                         report::our_curves(result));
    write(result);
    return failed_runs(result) > 0 || !result.failed.empty() ? kSomeFailed : 0;
  }

 private:
  enum class Models { all, rqgnn };

  void choose(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (word == "all") {
        continue;
      }
      wish_.experiments.insert(learn::parse_experiment(word));
    }
    if (wish_.experiments.empty() || std::ranges::find(words, "all") != words.end()) {
      for (std::size_t e = 0; e < learn::kExperiments; ++e) {
        wish_.experiments.insert(static_cast<Experiment>(e));
      }
    }
  }

  bool wants(Experiment experiment) const { return wish_.experiments.contains(experiment); }

  void say(const std::string& text) const { log().info(text); }

  DatasetsThere look_for_data() const {
    const fs::path folder = data_dir_ ? fs::path(*data_dir_) : io::data_folder();
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      throw UsageError(
          fmt::format("--data-dir: there is no folder {}; rayleigh fetch makes it, or name another",
                      core::printable(folder.string(), 200)));
    }
    DatasetsThere there;
    std::vector<std::string> names;
    for (const std::string_view name : learn::main_datasets()) {
      names.emplace_back(name);
    }
    names.insert(names.end(), {"COLORS-3", "DBLP_v1"});
    for (const std::string& name : names) {
      std::string path;
      for (const char* ending : {".zip", "", ".jsonl", ".jsonl.gz"}) {
        if (path.empty() && fs::exists(folder / (name + ending), error)) {
          path = (folder / (name + ending)).string();
        }
      }
      if (path.empty()) {
        there.missing.push_back(name);
        continue;
      }
      there.found.push_back({name, [path, threads = common.threads] {
                               io::ReadOptions options;
                               options.threads = threads;
                               return io::load(path, options);
                             }});
    }
    if (there.found.empty()) {
      log().warn(fmt::format("none of the paper's datasets is in {}", folder.string()));
    }
    if (!there.missing.empty()) {
      say(fmt::format("not in {}: {}{}", folder.string(), fmt::join(there.missing, ", "),
                      std::ranges::find(there.missing, "COLORS-3") != there.missing.end()
                          ? " (COLORS-3 is generated)"
                          : ""));
    }
    return there;
  }

  GraphSet thinned_if_quick(const GraphSet& graphs) const {
    return wish_.quick ? learn::thinned(graphs, learn::kQuickGraphs) : graphs;
  }

  static bool is_main(const std::string& name) {
    const auto names = learn::main_datasets();
    return std::ranges::find(names, name) != names.end();
  }

  /// Does what it can: what fails is told and kept for the report.
  template <typename Step>
  bool attempt(const std::string& title, report::Reproduction& result, const Step& step) const {
    say(title);
    try {
      step();
      return true;
    } catch (const Error& error) {
      log().warn(fmt::format("{}: {}", title, error.what()));
      result.failed.emplace_back(title, error.what());
      return false;
    }
  }

  /// E0, E4, E5, and the quotients of E6: without training, so always.
  void look_at_data(const std::vector<learn::PaperDataset>& found,
                    report::Reproduction& result) const {
    for (const learn::PaperDataset& dataset : found) {
      if (!is_main(dataset.name)) {
        continue;
      }
      attempt("E0, E4, E5: " + dataset.name, result, [&] {
        const GraphSet graphs = dataset.load();
        result.datasets.push_back(facts_of(dataset.name, graphs));
        result.quotients.push_back(quotients_of(dataset.name, thinned_if_quick(graphs)));
        if (dataset.name == learn::kCaseDataset) {
          look_at_perturbed(graphs, result);
        }
      });
    }
  }

  void look_at_perturbed(const GraphSet& source, report::Reproduction& result) const {
    for (const double probability : learn::kPerturbations) {
      const auto perturbed = learn::perturbed(source, probability);
      auto& facts = result.perturbed.emplace_back(
          quotients_of(learn::perturbed_title(probability), thinned_if_quick(perturbed.graphs)));
      facts.untouched = untouched_share(perturbed);
    }
  }

  static double untouched_share(const generate::PerturbedSet& perturbed) {
    std::set<std::uint32_t> touched;
    for (const generate::PerturbedNode& node : perturbed.touched) {
      touched.insert(node.graph);
    }
    const auto anomalies = std::ranges::count(perturbed.graphs.graph_class(), 1);
    return anomalies == 0
               ? 0
               : 1 - static_cast<double>(touched.size()) / static_cast<double>(anomalies);
  }

  report::DatasetFacts facts_of(const std::string& name, const GraphSet& graphs) const {
    const auto statistics = rayleigh::statistics(graphs, common.threads);
    const auto anomalous = anomaly_class(graphs);
    report::DatasetFacts facts{.name = name,
                               .mean_nodes = statistics.nodes.mean,
                               .mean_edges = statistics.edges.mean,
                               .labels = statistics.node_labels.size()};
    for (const std::int32_t number : graphs.graph_class()) {
      const bool is_anomalous = anomalous && number == static_cast<std::int32_t>(*anomalous);
      ++(is_anomalous ? facts.anomalous : facts.normal);
    }
    return facts;
  }

  report::QuotientFacts quotients_of(const std::string& name, const GraphSet& graphs) const {
    spectral::AnalysisOptions options;
    options.threads = common.threads;
    const auto analysis = spectral::analyse(graphs, options);
    const auto figures = report::analysis_figures(graphs, analysis);
    const auto svg = [&](std::string_view file) {
      return std::ranges::find(figures, file, &report::NamedText::first)->second;
    };
    const auto auc = [&](std::size_t column) {
      const auto& separation = analysis.columns[column].separation;
      return separation ? separation->auc : 0.5;
    };
    const auto& normalised = analysis.columns[analysis.quotients[0].column].separation;
    return {.name = name,
            .normalised_svg = svg("quotient_normalised.svg"),
            .regular_svg = svg("quotient_regular.svg"),
            .normalised_auc = auc(analysis.quotients[0].column),
            .regular_auc = auc(analysis.quotients[1].column),
            .p_value = normalised ? normalised->p_value : 1,
            .ratios = analysis.quotients[0].ratios};
  }

  void run_grids(const std::vector<learn::PaperDataset>& found, const learn::GridFolder& folder,
                 report::Reproduction& result) {
    const auto grids = learn::plan_experiments(found, wish_);
    const auto merged = learn::merge(grids);
    if (merged.grid.cells.empty()) {
      return;
    }
    const auto done = std::ranges::count_if(merged.grid.cells, [&](const learn::GridCell& cell) {
      return wish_.kept(merged.grid, cell);
    });
    say(fmt::format("{}: {}, {}; {} done already, results go into {}",
                    core::counted(merged.grid.cells.size(), "run"),
                    core::counted(merged.grid.data.size(), "dataset"),
                    core::counted(merged.grid.models.size(), "model"), done, output_));
    GridLine line(merged.grid, log(), show_progress(), common.threads);
    const auto cells = learn::run_grid(merged.grid, folder, common.threads, line.hooks());
    line.finish();
    for (std::size_t i = 0; i < grids.size(); ++i) {
      auto results = learn::results_of(grids[i], merged.places[i], cells);
      if (!results.empty()) {
        result.tables.push_back(
            {grids[i].experiment, report::make_comparison(grids[i].grid, std::move(results))});
      }
    }
  }

  /// Its run is that of E1 with seed 1, kept as a checkpoint; once begun it is always shown.
  void study_case(const std::vector<learn::PaperDataset>& found,
                  report::Reproduction& result) const {
    const auto at = std::ranges::find(found, learn::kCaseDataset, &learn::PaperDataset::name);
    const fs::path checkpoint =
        fs::path(output_) / "cells" / (wish_.quick ? "E8_quick.checkpoint" : "E8.checkpoint");
    if (at == found.end() || (!wants(Experiment::case_study) && !fs::exists(checkpoint))) {
      return;
    }
    attempt("E8: " + at->name, result, [&] {
      const GraphSet graphs = thinned_if_quick(at->load());
      auto model = learn::parse_grid_model("rqgnn:profile=published");
      learn::grant(
          model,
          {.seeds = 1, .epochs = wish_.quick ? std::optional(learn::kQuickEpochs) : std::nullopt});
      learn::TrainingHooks hooks;
      hooks.threads = common.threads;
      hooks.checkpoint = checkpoint;
      hooks.resume = fs::exists(checkpoint);
      hooks.replace_unfit_checkpoint = true;
      hooks.say = [&](const std::string& text) { say("E8: " + text); };
      hooks.after_epoch = [&](const TrainProgress& progress, const learn::EpochMetrics&) {
        constexpr int kTold = 10;
        if (progress.epoch % kTold == 0) {
          say(fmt::format("E8: epoch {} of {}", progress.epoch, progress.epochs));
        }
      };
      result.case_study =
          learn::study_case(graphs, learn::train(graphs, learn::make_plan(model, 1), hooks), 1);
    });
  }

  /// On the first dataset that can be read, else on generated molecules.
  void measure_theory(const std::vector<learn::PaperDataset>& found,
                      report::Reproduction& result) const {
    const auto measure = [&](const std::string& name, const GraphSet& graphs) {
      result.theory = spectral::measure_theory(graphs);
      result.theory_data = name;
    };
    for (const learn::PaperDataset& dataset : found) {
      if (is_main(dataset.name) &&
          attempt("E9: theory", result, [&] { measure(dataset.name, dataset.load()); })) {
        return;
      }
    }
    say("E9: theory");
    measure("generated molecules", generate::molecules({.seed = 1, .graphs = 500}));
  }

  static std::optional<report::MethodFigures> papers_figures(std::string_view data,
                                                             std::string_view method) {
    const auto found = report::paper_figure(data, method);
    return found ? std::optional(report::MethodFigures{found->auc, found->macro_f1}) : std::nullopt;
  }

  static std::size_t failed_runs(const report::Reproduction& result) {
    std::size_t failures = 0;
    for (const auto& table : result.tables) {
      failures += table.comparison.failures();
    }
    return failures;
  }

  void write(const report::Reproduction& result) const {
    const std::string json = learn::to_text(report::reproduction_json(result));
    core::write_file_atomically(fs::path(output_) / "results.json", json);
    core::write_file_atomically(fs::path(output_) / "report.html",
                                report::reproduction_page(result));
    for (const auto& [name, table] : report::reproduction_tables(result)) {
      core::write_file_atomically(fs::path(output_) / name, table);
    }
    const fs::path figures = fs::path(output_) / "figures";
    fs::create_directories(figures);
    for (std::size_t e = 0; e < learn::kExperiments; ++e) {
      for (const auto& figure : report::reproduction_figures(result, static_cast<Experiment>(e))) {
        core::write_file_atomically(figures / (figure.name + ".svg"), figure.svg);
      }
    }
    say(fmt::format("report: {}", (fs::path(output_) / "report.html").string()));
    print_out(common.format == Format::json ? json : text(result));
  }

  static std::string text(const report::Reproduction& result) {
    const auto all = report::matches(result);
    std::string out;
    if (!all.empty()) {
      Table table({"", "data", "method", "metric", "ours", "the paper", "difference"});
      for (const report::Match& match : all) {
        table.add({learn::short_name(match.experiment), match.data, match.method,
                   std::string(report::short_title(match.metric)),
                   fmt::format("{:.4f}", match.ours), fmt::format("{:.4f}", match.paper),
                   fmt::format("{:+.4f}", match.difference())});
      }
      out += table.text() + "\n";
      Table tallies({"", "cells", fmt::format("within {}", report::kMatch), "above", "below",
                     "mean difference"});
      for (const report::Tally& tally : report::tallies(all)) {
        tallies.add({tally.title, fmt::format("{}", tally.cells), fmt::format("{}", tally.within),
                     fmt::format("{}", tally.above), fmt::format("{}", tally.below),
                     fmt::format("{:+.4f}", tally.mean_difference)});
      }
      out += tallies.text() + "\n";
    }
    const auto held =
        std::ranges::count_if(result.theory, [](const auto& margin) { return margin.holds(); });
    out += fmt::format("theory: {} of {} claims hold as measured\n", held, result.theory.size());
    std::array<std::size_t, 3> verdicts{};
    for (const report::Claim& claim : result.claims) {
      ++verdicts[static_cast<std::size_t>(claim.ours.verdict)];
    }
    out += fmt::format("what the text claims: {} true, {} false, {} untested in our runs\n",
                       verdicts[0], verdicts[1], verdicts[2]);
    if (result.quick) {
      out += report::protocol_of(result) + "\n";
    }
    return out;
  }

  std::string output_;
  std::optional<std::string> data_dir_;
  Models models_ = Models::all;
  learn::ReproduceWish wish_;
};

}  // namespace

std::unique_ptr<Verb> make_reproduce() { return std::make_unique<Reproduce>(); }

}  // namespace rayleigh::cli
