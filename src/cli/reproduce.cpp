#include "paper/reproduce.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"
#include "rayleigh/fetch.h"

#include "cli/grid_line.h"
#include "cli/table.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "paper/matches.h"
#include "paper/reproduction_json.h"

namespace rayleigh::cli {
namespace {

namespace fs = std::filesystem;

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
    const paper::ReproduceRequest request{.output = output_,
                                          .datasets = look_for_data(),
                                          .options = chosen_,
                                          .run = run_options(),
                                          .command = command};
    try {
      const auto [result, json] = paper::reproduce(request, hooks());
      print_out(common.format == Format::json ? json : text(result));
      return result.complete() ? 0 : kExitSomeFailed;
    } catch (const Cancelled&) {
      throw Cancelled(
          fmt::format("stopped; finished runs are kept in {}, and the same command "
                      "goes on where they were",
                      output_));
    }
  }

 private:
  enum class Models { all, rqgnn };

  void choose(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (word != "all") {
        chosen_.experiments.insert(paper::parse_experiment(word));
      }
    }
    if (chosen_.experiments.empty() || std::ranges::find(words, "all") != words.end()) {
      for (const paper::Experiment* const experiment : paper::all_experiments()) {
        chosen_.experiments.insert(experiment->id());
      }
    }
  }

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
      log().info(fmt::format("not in {}: {}{}", folder.string(), fmt::join(there.missing, ", "),
                             std::ranges::find(there.missing, "COLORS-3") != there.missing.end()
                                 ? " (COLORS-3 is generated)"
                                 : ""));
    }
    return there;
  }

  paper::ReproduceHooks hooks() const {
    return {.say = [this](const std::string& text) { log().info(command_words(text)); },
            .warn = [this](const std::string& text) { log().warn(command_words(text)); },
            .run_grid =
                [this](const compare::Grid& grid, const compare::GridFolder& folder) {
                  GridLine line(grid, log(), show_progress(), common.threads);
                  return compare::run_grid(grid, folder, run_options(), line.hooks());
                }};
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
