#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/fetch.h"
#include "rayleigh/generators.h"
#include "rayleigh/statistics.h"
#include "rayleigh/training.h"

#include "cli/grid_line.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "paper/case_study.h"
#include "paper/datasets.h"
#include "paper/experiments.h"
#include "paper/printed_values.h"
#include "paper/published.h"
#include "paper/reproduction.h"
#include "report/analysis_page.h"

namespace rayleigh::cli {
namespace {

namespace fs = std::filesystem;
using paper::Experiment;

class Reproduce : public Verb {
 public:
  std::string name() const override { return "reproduce"; }
  std::string summary() const override {
    return "runs the paper's experiments and puts the paper's values beside ours";
  }
  Arguments arguments() const override { return {"[E0 … E10|all]...", 0, 20}; }
  std::vector<std::string> examples() const override {
    return {"rayleigh reproduce all --quick --data-dir data -o paper",
            "rayleigh reproduce E1 --data-dir data -o paper --seeds 3 --models rqgnn",
            "rayleigh reproduce E4 E5 E9 --data-dir data -o paper"};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
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
        "quick", chosen_.quick,
        "at most 3,000 graphs per set, one seed, 10 epochs, baselines of E1 and E2 on MCF-7 only");
    parameters.add("full", chosen_.full, "no budget for slow baselines: own epochs, all graphs");
    parameters.add("seeds", chosen_.seeds, "seeds 1 … N; the split moves with the seed", {1, 1000});
    parameters.add("models", models_,
                   "which detectors train; finished runs of others are shown too",
                   {{"all", Models::all}, {"rqgnn", Models::rqgnn}});
    parameters.add("all-classes", chosen_.all_classes,
                   "E3: every class of COLORS-3 as the anomalous one");
  }

  int run(const std::vector<std::string>& arguments) override {
    if (chosen_.quick && chosen_.full) {
      throw UsageError("quick", "and `full` contradict each other");
    }
    choose(arguments);
    chosen_.baselines = models_ == Models::all;
    const paper::DatasetsThere there = look_for_data();
    paper::Reproduction result;
    result.quick = chosen_.quick;
    result.full = chosen_.full;
    result.seeds = chosen_.quick ? 1 : chosen_.seeds;
    result.missing = there.missing;
    const compare::GridFolder folder(output_);
    chosen_.kept = [&folder](const compare::Grid& grid, const compare::GridCell& cell) {
      return folder.has_result(grid, cell);
    };
    run_all(there.found, folder, result);
    result.claims =
        paper::check_claims(printed_values, paper::our_values(result), paper::our_curves(result));
    write(result, folder);
    return failed_runs(result) > 0 || !result.failed.empty() ? kExitSomeFailed : 0;
  }

 private:
  enum class Models { all, rqgnn };

  void run_all(const std::vector<paper::FoundDataset>& found, const compare::GridFolder& folder,
               paper::Reproduction& result) {
    try {
      look_at_data(found, result);
      run_grids(found, folder, result);
      study_case(found, result);
      measure_theory(found, result);
    } catch (const Cancelled&) {
      throw Cancelled(
          fmt::format("stopped; finished runs are kept in {}, and the same command "
                      "goes on where they were",
                      output_));
    }
  }

  void choose(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (word == "all") {
        continue;
      }
      chosen_.experiments.insert(paper::parse_experiment(word));
    }
    if (chosen_.experiments.empty() || std::ranges::find(words, "all") != words.end()) {
      for (std::size_t e = 0; e < paper::kExperiments; ++e) {
        chosen_.experiments.insert(static_cast<Experiment>(e));
      }
    }
  }

  bool wants(Experiment experiment) const { return chosen_.experiments.contains(experiment); }

  void say(const std::string& text) const { log().info(text); }

  paper::DatasetsThere look_for_data() const {
    const fs::path folder = data_dir_ ? fs::path(*data_dir_) : io::data_folder();
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      throw UsageError(
          "data-dir", fmt::format("there is no folder {}; rayleigh fetch makes it, or name another",
                                  core::printable(folder.string(), 200)));
    }
    auto there = paper::look_for_datasets(folder, run_options());
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
    return chosen_.quick ? paper::thinned(graphs, paper::kQuickGraphs) : graphs;
  }

  static bool is_main(const std::string& name) { return paper::main_dataset(name) != nullptr; }

  /// Does what it can: what fails is told and kept for the report.
  template <typename Step>
  bool attempt(const std::string& title, paper::Reproduction& result, const Step& step) const {
    say(title);
    try {
      step();
      return true;
    } catch (const Cancelled&) {
      throw;
    } catch (const Error& error) {
      log().warn(fmt::format("{}: {}", title, command_words(error.what())));
      result.failed.emplace_back(title, error.what());
      return false;
    }
  }

  /// E0, E4, E5, and the quotients of E6: without training, so always.
  void look_at_data(const std::vector<paper::FoundDataset>& found,
                    paper::Reproduction& result) const {
    for (const paper::FoundDataset& dataset : found) {
      if (!is_main(dataset.name)) {
        continue;
      }
      attempt("E0, E4, E5: " + dataset.name, result, [&] {
        const GraphSet graphs = dataset.load();
        result.datasets.push_back(facts_of(dataset.name, graphs));
        result.quotients.push_back(quotients_of(dataset.name, thinned_if_quick(graphs)));
        if (dataset.name == paper::kCaseDataset) {
          look_at_perturbed(graphs, result);
        }
      });
    }
  }

  void look_at_perturbed(const GraphSet& source, paper::Reproduction& result) const {
    for (const double probability : paper::kPerturbations) {
      const auto perturbed = paper::perturbed(source, probability);
      auto& facts = result.perturbed.emplace_back(
          quotients_of(paper::perturbed_title(probability), thinned_if_quick(perturbed.graphs)));
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

  paper::DatasetFacts facts_of(const std::string& name, const GraphSet& graphs) const {
    const auto statistics = rayleigh::statistics(graphs, run_options());
    const auto anomalous = anomaly_class(graphs);
    paper::DatasetFacts facts{.name = name,
                              .mean_nodes = statistics.nodes.mean,
                              .mean_edges = statistics.edges.mean,
                              .labels = statistics.node_labels.size()};
    for (const std::int32_t number : graphs.graph_class()) {
      const bool is_anomalous = anomalous && number == static_cast<std::int32_t>(*anomalous);
      ++(is_anomalous ? facts.anomalous : facts.normal);
    }
    return facts;
  }

  paper::QuotientFacts quotients_of(const std::string& name, const GraphSet& graphs) const {
    spectral::AnalysisOptions options;
    options.run = run_options();
    const auto analysis = spectral::analyse(graphs, options);
    const auto figures = report::analysis_figures(graphs, analysis);
    const auto svg = [&](std::string_view file) {
      return std::ranges::find(figures, file, &plot::NamedText::first)->second;
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

  void run_grids(const std::vector<paper::FoundDataset>& found, const compare::GridFolder& folder,
                 paper::Reproduction& result) {
    const auto grids = paper::plan_experiments(found, chosen_);
    const auto merged = paper::merge(grids);
    if (merged.grid.cells.empty()) {
      return;
    }
    const auto done = std::ranges::count_if(merged.grid.cells, [&](const compare::GridCell& cell) {
      return chosen_.kept(merged.grid, cell);
    });
    say(fmt::format("{}: {}, {}; {} done already, results go into {}",
                    core::counted(merged.grid.cells.size(), "run"),
                    core::counted(merged.grid.data.size(), "dataset"),
                    core::counted(merged.grid.models.size(), "model"), done, output_));
    GridLine line(merged.grid, log(), show_progress(), common.threads);
    auto cells = compare::run_grid(merged.grid, folder, run_options(), line.hooks());
    line.finish();
    for (std::size_t i = 0; i < grids.size(); ++i) {
      auto results = paper::results_of(grids[i], merged.places[i], cells);
      if (!results.empty()) {
        result.tables.push_back(
            {grids[i].experiment,
             report::make_comparison(grids[i].grid, std::move(results), paper::published())});
      }
    }
    std::erase_if(cells, [](const compare::CellResult& cell) { return cell.absent; });
    cells_ = std::move(cells);
  }

  /// Its run is that of E1 with seed 1, kept as a checkpoint; once begun it is always shown.
  void study_case(const std::vector<paper::FoundDataset>& found,
                  paper::Reproduction& result) const {
    const auto at = std::ranges::find(found, paper::kCaseDataset, &paper::FoundDataset::name);
    const fs::path checkpoint =
        fs::path(output_) / "cells" / (chosen_.quick ? "E8_quick.checkpoint" : "E8.checkpoint");
    if (at == found.end() || (!wants(Experiment::case_study) && !fs::exists(checkpoint))) {
      return;
    }
    attempt("E8: " + at->name, result, [&] {
      const GraphSet graphs = thinned_if_quick(at->load());
      auto model = compare::parse_grid_model("rqgnn:profile=published");
      compare::grant(model,
                     {.seeds = 1,
                      .epochs = chosen_.quick ? std::optional(paper::kQuickEpochs) : std::nullopt});
      TrainingRequest request;
      request.options = compare::make_options(model, 1);
      request.run = run_options();
      request.intervals = false;
      request.checkpoint = checkpoint;
      request.resume = fs::exists(checkpoint) ? Resume::if_usable : Resume::no;
      request.say = [&](const std::string& text) { say("E8: " + command_words(text)); };
      request.progress = [&](const TrainingProgress& progress) {
        constexpr int kTold = 10;
        if (progress.epoch.epoch % kTold == 0 && !progress.restored) {
          say(fmt::format("E8: epoch {} of {}", progress.epoch.epoch, progress.epochs));
        }
      };
      const TrainingResult trained = train(graphs, request);
      result.case_study =
          paper::study_case(graphs, trained.split, trained.labels, trained.scores, 1);
    });
  }

  /// On the first dataset that can be read, else on generated molecules.
  void measure_theory(const std::vector<paper::FoundDataset>& found,
                      paper::Reproduction& result) const {
    const auto measure = [&](const std::string& name, const GraphSet& graphs) {
      result.theory = paper::measure_theory(graphs);
      result.theory_data = name;
    };
    for (const paper::FoundDataset& dataset : found) {
      if (is_main(dataset.name) &&
          attempt("E9: theory", result, [&] { measure(dataset.name, dataset.load()); })) {
        return;
      }
    }
    say("E9: theory");
    measure("generated molecules", generate::molecules({.seed = 1, .graphs = 500}));
  }

  static std::optional<paper::MethodValues> printed_values(std::string_view data,
                                                           std::string_view method) {
    const auto found = paper::printed_value(data, method);
    return found ? std::optional(paper::MethodValues{found->auc, found->macro_f1}) : std::nullopt;
  }

  static std::size_t failed_runs(const paper::Reproduction& result) {
    std::size_t failures = 0;
    for (const auto& table : result.tables) {
      failures += table.comparison.failures();
    }
    return failures;
  }

  void write(const paper::Reproduction& result, const compare::GridFolder& folder) const {
    nlohmann::ordered_json results{{"command", command}};
    results.update(paper::reproduction_json(result));
    const std::string json = folder.finish(std::move(results), cells_);
    core::write_file_atomically(fs::path(output_) / "report.html",
                                paper::reproduction_page(result));
    for (const auto& [name, table] : paper::reproduction_tables(result)) {
      core::write_file_atomically(fs::path(output_) / name, table);
    }
    const fs::path figures = fs::path(output_) / "figures";
    fs::create_directories(figures);
    for (std::size_t e = 0; e < paper::kExperiments; ++e) {
      for (const auto& figure : paper::reproduction_figures(result, static_cast<Experiment>(e))) {
        core::write_file_atomically(figures / (figure.name + ".svg"), figure.svg);
      }
    }
    say(fmt::format("report: {}", (fs::path(output_) / "report.html").string()));
    print_out(common.format == Format::json ? json : text(result));
  }

  static std::string text(const paper::Reproduction& result) {
    const auto all = paper::matches(result);
    std::string out;
    if (!all.empty()) {
      Table table({"", "data", "method", "metric", "ours", "the paper", "difference"});
      for (const paper::Match& match : all) {
        table.add({paper::short_name(match.experiment), match.data, match.method,
                   std::string(paper::short_title(match.metric)), fmt::format("{:.4f}", match.ours),
                   fmt::format("{:.4f}", match.paper), fmt::format("{:+.4f}", match.difference())});
      }
      out += table.text() + "\n";
      Table tallies({"", "cells", fmt::format("within {}", paper::kMatch), "above", "below",
                     "mean difference"});
      for (const paper::Tally& tally : paper::tallies(all)) {
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
    for (const paper::Claim& claim : result.claims) {
      ++verdicts[static_cast<std::size_t>(claim.ours.verdict)];
    }
    out += fmt::format("what the text claims: {} true, {} false, {} untested in our runs\n",
                       verdicts[0], verdicts[1], verdicts[2]);
    if (result.quick) {
      out += paper::protocol_of(result) + "\n";
    }
    return out;
  }

  std::string output_;
  std::optional<std::string> data_dir_;
  Models models_ = Models::all;
  paper::ReproduceOptions chosen_;
  std::vector<compare::CellResult> cells_;  ///< of all experiments, each once
};

}  // namespace

std::unique_ptr<Verb> make_reproduce() { return std::make_unique<Reproduce>(); }

}  // namespace rayleigh::cli
