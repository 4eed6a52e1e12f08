#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"

#include "cli/comparison_table.h"
#include "cli/grid_line.h"
#include "cli/reading.h"
#include "cli/verbs.h"
#include "compare/grid.h"
#include "compare/outside_scores.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "paper/published.h"
#include "report/comparison_files.h"
#include "report/comparison_page.h"

namespace rayleigh::cli {
namespace {

/// "folder/NCI-H23.zip" -> "NCI-H23".
std::string title_of(const std::string& path) {
  if (path == "-") {
    return "stdin";
  }
  auto name = std::filesystem::path(path);
  if (!name.has_filename()) {
    name = name.parent_path();  // "dir/"
  }
  std::string title = name.filename().string();
  for (const std::string_view end : {".gz", ".zip", ".jsonl", ".smi", ".csv", ".tsv", ".sdf"}) {
    if (title.size() > end.size() && title.ends_with(end)) {
      title.resize(title.size() - end.size());
    }
  }
  return core::printable(title, 60);
}

class Compare : public Verb {
 public:
  std::string name() const override { return "compare"; }
  std::string summary() const override {
    return "trains and tests detectors on datasets with several seeds: tables and one page";
  }
  Arguments arguments() const override { return {"DATA...", 1, 1000}; }
  std::vector<std::string> examples() const override {
    return {
        "rayleigh compare MCF-7.zip NCI-H23.zip -o comparison",
        "rayleigh compare NCI-H23.zip -o c --models chebynet,chebynet:loss=cb-focal,size",
        "rayleigh compare NCI-H23.zip -o c --models rqgnn:profile=published --seeds 5 --full",
        "rayleigh compare NCI-H23.zip -o c --models rayleigh,size --folds 5 --write-parts p.csv",
        "rayleigh compare NCI-H23.zip -o c --models rayleigh,size --folds 5 --scores forest.csv"};
  }
  std::vector<std::pair<std::string, Format>> formats() const override {
    return {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}};
  }

  bool can_stop() const override { return true; }

  void declare(core::OptionSet& parameters) override {
    parameters.add("output", output_, "DIR", "folder for report.html, tables and finished runs")
        .shortcut('o')
        .must_be_given()
        .without_effect();
    parameters.add("models", models_, "LIST",
                   "all, or names with commas between: name[:key=value[:key=value…]]");
    parameters.add("seeds", seeds_, "seeds 1 … N; the split moves with the seed", {1, 1000});
    parameters.add("epochs", granted_.epochs, "epochs of all models, in place of their budget");
    parameters.add("train-graphs", granted_.train_graphs,
                   "at most this many training graphs for all models, in place of their budget");
    parameters.add("full", granted_.full, "no budget: own epochs, all seeds, all training graphs");
    parameters.add("split", granted_.split, "SHARES",
                   "80/10/10, or scaffold for molecules, for all models; 70/15/15 when not given");
    parameters
        .add("split-files", split_files_, "FILE",
             "three files with 0-based graph numbers: training, validation, test; for all seeds")
        .without_effect()
        .instead_of("split");
    parameters
        .add("folds", folds_,
             "folds in place of seeds: as many test parts that hold every graph once, made as the "
             "split would be",
             {2, 1000})
        .instead_of("seeds")
        .instead_of("split-files");
    parameters.add("scores", scores_, "FILE",
                   "CSV files with scores of other methods, higher for more anomalous: columns "
                   "index or id, score, and seed or fold, part, model, data where they are needed");
    parameters
        .add("write-parts", write_parts_, "FILE",
             "CSV with the part of every graph, to train other methods on the same parts")
        .without_effect();
    parameters.add(
        "reference", reference_, "NAME",
        "method that all others are compared with, pair by pair; the first of the models "
        "when not given");
    parameters.add("anomaly-class", anomaly_class_, "LABEL",
                   "class that counts as anomalous; the rarer of two when not given");
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    compare::Grid grid = make_grid(arguments);
    const std::size_t reference = reference_place(grid);
    auto outside = look_ahead(grid);
    const compare::GridFolder folder(output_);
    GridLine line(grid, log(), show_progress(), common.threads);
    log().info(fmt::format("{}: {}, {}; {} into {}", core::counted(grid.cells.size(), "run"),
                           core::counted(grid.data.size(), "dataset"),
                           core::counted(trained_, "model"), "results go", output_));
    auto cells = run_cells(grid, folder, line);
    line.finish();
    std::ranges::move(outside, std::back_inserter(cells));
    const auto comparison = report::make_comparison(grid, std::move(cells), paper::published(),
                                                    reference, run_options());
    const std::string text = comparison_text(comparison);
    const std::string csv = report::comparison_csv(comparison);
    nlohmann::ordered_json results{{"command", command}};
    results.update(report::comparison_json(comparison));
    const std::string json = folder.finish(std::move(results), comparison.cells);
    const auto file = [&](const char* name, const std::string& bytes) {
      core::write_file_atomically(std::filesystem::path(output_) / name, bytes);
    };
    file("table.txt", text);
    file("results.csv", csv);
    file("report.html", report::comparison_page(comparison));
    log().info(
        fmt::format("report: {}", (std::filesystem::path(output_) / "report.html").string()));
    print_out(common.format == Format::text ? text : common.format == Format::csv ? csv : json);
    return comparison.failures() > 0 ? kExitSomeFailed : 0;
  }

 private:
  std::vector<compare::CellResult> run_cells(const compare::Grid& grid,
                                             const compare::GridFolder& folder,
                                             GridLine& line) const {
    try {
      return compare::run_grid(grid, folder, run_options(), line.hooks());
    } catch (const Cancelled&) {
      line.finish();
      throw Cancelled(
          fmt::format("stopped; finished runs are kept in {}, and the same command "
                      "goes on where they were",
                      output_));
    }
  }

  compare::Grid make_grid(const std::vector<std::string>& paths) {
    if (granted_.full && (granted_.epochs || granted_.train_graphs)) {
      throw UsageError("full",
                       "means own epochs and all graphs: leave out `epochs`, `train-graphs`");
    }
    if (!split_files_.empty() && split_files_.size() != 3) {
      throw UsageError("split-files", "expected three files: training, validation, test");
    }
    if (!split_files_.empty() && paths.size() > 1) {
      throw UsageError("split-files", "are of one dataset, and there are several");
    }
    compare::Grid grid;
    add_data(grid, paths);
    grid.models = listed_models();
    const std::vector<bool> molecules = leave_out_what_needs_molecules(paths, grid.models);
    grid.folds = folds_.value_or(0);
    granted_.seeds = folds_.value_or(seeds_);
    std::vector<std::size_t> seeds;
    seeds.reserve(grid.models.size());
    for (compare::GridModel& model : grid.models) {
      seeds.push_back(compare::grant(model, granted_));
    }
    read_.molecules.scaffolds =
        split_files_.empty() && std::holds_alternative<ScaffoldSplit>(
                                    compare::make_options(grid.models.front(), 1).split());
    for (std::size_t data = 0; data < grid.data.size(); ++data) {
      for (std::size_t model = 0; model < grid.models.size(); ++model) {
        if (models_ == "all" && !molecules[data] && needs_molecules(grid.models[model])) {
          continue;
        }
        for (std::uint64_t seed = 1; seed <= seeds[model]; ++seed) {
          grid.cells.push_back({data, model, seed});
        }
      }
    }
    const bool by_scaffold = read_.molecules.scaffolds;
    grid.keep_ranks = !folds_ && (seeds_ == 1 || by_scaffold || !split_files_.empty());
    add_outside(grid);
    return grid;
  }

  static bool needs_molecules(const compare::GridModel& model) {
    return detector_info(model.model).needs_fingerprints;
  }

  /// Which of the data are molecules. Of all detectors those that need them are left out where none
  /// are; one that is asked for by name stays, and says what it lacks.
  std::vector<bool> leave_out_what_needs_molecules(const std::vector<std::string>& paths,
                                                   std::vector<compare::GridModel>& models) {
    read_.molecules.fingerprints = std::ranges::any_of(models, needs_molecules);
    std::vector<bool> molecules;
    std::string others;
    for (const std::string& path : paths) {
      molecules.push_back(io::holds_molecules(path, read_));
      others += molecules.back() ? "" : (others.empty() ? "" : ", ") + title_of(path);
    }
    for (const compare::GridModel& model : models) {
      if (models_ == "all" && !others.empty() && needs_molecules(model)) {
        log().info(
            fmt::format("{} is left out for {}: it needs molecules (.smi, .csv, .tsv or .sdf)",
                        model.title, others));
      }
    }
    if (models_ == "all" && std::ranges::find(molecules, true) == molecules.end()) {
      std::erase_if(models, needs_molecules);
    }
    return molecules;
  }

  /// Behind the models that are trained here.
  void add_outside(compare::Grid& grid) {
    trained_ = grid.models.size();
    outside_ = compare::OutsideScores(scores_);
    outside_.check_data(grid);
    for (compare::GridModel& model : outside_.models()) {
      if (std::ranges::find(grid.models, model.title, &compare::GridModel::title) !=
          grid.models.end()) {
        throw UsageError("scores", fmt::format("{} is the name of another row already: name the "
                                               "method in a column model",
                                               model.title));
      }
      grid.models.push_back(std::move(model));
    }
  }

  std::size_t reference_place(const compare::Grid& grid) const {
    if (!reference_) {
      return 0;
    }
    std::vector<std::string> titles;
    std::ranges::transform(grid.models, std::back_inserter(titles), &compare::GridModel::title);
    auto at = std::ranges::find(titles, *reference_);
    // As --models has it: "rqgnn:profile=published".
    if (at == titles.end() && reference_->find(':') != std::string::npos) {
      at = std::ranges::find(titles, compare::parse_grid_model(*reference_).title);
    }
    if (at == titles.end()) {
      throw UsageError("reference",
                       fmt::format("{} is not a row of the tables{}", core::printable(*reference_),
                                   core::did_you_mean(*reference_, titles)));
    }
    return static_cast<std::size_t>(at - titles.begin());
  }

  /// Files of the user are checked against the graphs before anything is trained. Gives the results
  /// of methods from outside; the graphs stay for the runs.
  std::vector<compare::CellResult> look_ahead(compare::Grid& grid) {
    std::vector<compare::CellResult> cells;
    if (outside_.empty() && !write_parts_ && split_files_.empty()) {
      return cells;
    }
    std::string parts = compare::parts_header(grid);
    for (std::size_t data = 0; data < grid.data.size(); ++data) {
      const auto add = [&](std::vector<compare::CellResult> more) {
        std::ranges::move(more, std::back_inserter(cells));
      };
      auto graphs = std::make_shared<GraphSet>();
      std::vector<std::int8_t> labels;
      try {
        *graphs = grid.data[data].load();
        labels = anomaly_labels(*graphs, grid.data[data].anomaly_class);
      } catch (const Cancelled&) {
        throw;
      } catch (const Error& error) {
        // Its runs will say so too.
        add(outside_.failed_cells(grid, trained_, data, granted_.seeds, error.what()));
        continue;
      }
      std::vector<Split> splits;
      for (std::uint64_t seed = 1; seed <= granted_.seeds; ++seed) {
        const auto request = compare::training_request(grid, {data, 0, seed}, *graphs);
        splits.push_back(make_split(request.split.value_or(request.options.split()), *graphs,
                                    labels, seed, run_options()));
      }
      add(outside_.cells(grid, trained_, data, *graphs, splits));
      if (write_parts_) {
        parts += compare::parts_rows(grid, data, *graphs, labels, splits);
      }
      grid.data[data].load = [graphs] { return std::move(*graphs); };
    }
    if (write_parts_) {
      core::write_file_atomically(*write_parts_, parts);
    }
    return cells;
  }

  void add_data(compare::Grid& grid, const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      if (std::ranges::count(paths, path) > 1) {
        throw UsageError(fmt::format("'{}' is given twice", core::printable(path)));
      }
      const auto same = std::ranges::count_if(
          paths, [&](const std::string& other) { return title_of(other) == title_of(path); });
      grid.data.push_back({.title = same > 1 ? core::printable(path, 200) : title_of(path),
                           .load =
                               [this, path]() {
                                 io::ReadOptions options = read_;
                                 return load_graphs(*this, path, options);
                               },
                           .anomaly_class = anomaly_class_});
    }
    if (!split_files_.empty()) {
      grid.data[0].parts_are_given = true;
      grid.data[0].split = [this](const GraphSet& graphs, std::uint64_t) {
        return read_split({split_files_[0], split_files_[1], split_files_[2]}, graphs.size());
      };
    }
  }

  std::vector<compare::GridModel> listed_models() const {
    if (models_ == "all") {
      return compare::all_grid_models();
    }
    std::vector<compare::GridModel> models;
    for (std::size_t begin = 0; begin <= models_.size();) {
      const std::size_t end = std::min(models_.find(',', begin), models_.size());
      auto model = compare::parse_grid_model(models_.substr(begin, end - begin));
      if (std::ranges::find(models, model.title, &compare::GridModel::title) != models.end()) {
        throw UsageError("models", fmt::format("{} is given twice", model.title));
      }
      models.push_back(std::move(model));
      begin = end + 1;
    }
    return models;
  }

  std::string output_;
  std::string models_ = "all";
  std::uint64_t seeds_ = 3;
  std::optional<std::uint64_t> folds_;
  std::vector<std::string> split_files_;
  std::vector<std::string> scores_;
  std::optional<std::string> write_parts_;
  std::optional<std::string> reference_;
  compare::OutsideScores outside_;
  std::size_t trained_ = 0;  ///< models of the grid that are trained here
  compare::GridOptions granted_;
  std::optional<std::string> anomaly_class_;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_compare() { return std::make_unique<Compare>(); }

}  // namespace rayleigh::cli
