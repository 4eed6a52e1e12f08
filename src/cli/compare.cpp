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
    return {"rayleigh compare MCF-7.zip NCI-H23.zip -o comparison",
            "rayleigh compare NCI-H23.zip -o c --models chebynet,chebynet:loss=cb-focal,size",
            "rayleigh compare NCI-H23.zip -o c --models rqgnn:profile=published --seeds 5 --full"};
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
    parameters.add("anomaly-class", anomaly_class_, "LABEL",
                   "class that counts as anomalous; the rarer of two when not given");
    declare_reading(parameters, read_);
  }

  int run(const std::vector<std::string>& arguments) override {
    const compare::Grid grid = make_grid(arguments);
    const compare::GridFolder folder(output_);
    GridLine line(grid, log(), show_progress(), common.threads);
    log().info(fmt::format("{}: {}, {}; {} into {}", core::counted(grid.cells.size(), "run"),
                           core::counted(grid.data.size(), "dataset"),
                           core::counted(grid.models.size(), "model"), "results go", output_));
    auto cells = run_cells(grid, folder, line);
    line.finish();
    const auto comparison = report::make_comparison(grid, std::move(cells), paper::published());
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
    compare::Grid grid;
    add_data(grid, paths);
    grid.models = listed_models();
    granted_.seeds = seeds_;
    std::vector<std::size_t> seeds;
    seeds.reserve(grid.models.size());
    for (compare::GridModel& model : grid.models) {
      seeds.push_back(compare::grant(model, granted_));
    }
    read_.molecules.scaffolds = std::holds_alternative<ScaffoldSplit>(
        compare::make_options(grid.models.front(), 1).split());
    for (std::size_t data = 0; data < grid.data.size(); ++data) {
      for (std::size_t model = 0; model < grid.models.size(); ++model) {
        for (std::uint64_t seed = 1; seed <= seeds[model]; ++seed) {
          grid.cells.push_back({data, model, seed});
        }
      }
    }
    return grid;
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
  compare::GridOptions granted_;
  std::optional<std::string> anomaly_class_;
  io::ReadOptions read_;
};

}  // namespace

std::unique_ptr<Verb> make_compare() { return std::make_unique<Compare>(); }

}  // namespace rayleigh::cli
