#include "paper/reproduce.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "compare/cell_result.h"
#include "core/atomic_file.h"
#include "core/text.h"
#include "paper/experiment_grids.h"
#include "paper/published.h"
#include "paper/reproduction_json.h"
#include "paper/reproduction_page.h"

namespace rayleigh::paper {
namespace {

namespace fs = std::filesystem;

/// Every set is loaded once for all experiments that need no training, so these are always made.
void look_at_data(const Session& session, Reproduction& result) {
  for (const FoundDataset& dataset : session.request().datasets.found) {
    if (main_dataset(dataset.name) == nullptr) {
      continue;
    }
    session.attempt("E0, E4, E5: " + dataset.name, result, [&] {
      const GraphSet graphs = dataset.load();
      for (const Experiment* const experiment : all_experiments()) {
        experiment->look_at(dataset.name, graphs, session, result);
      }
    });
  }
}

/// Files of the results that the experiments which train will leave.
std::set<fs::path> results_to_come(const Session& session, const compare::GridFolder& folder) {
  std::set<fs::path> files;
  const auto& request = session.request();
  for (const ExperimentGrid& one : plan_experiments(request.datasets.found, request.options)) {
    for (const compare::GridCell& cell : one.grid.cells) {
      files.insert(folder.result_file(one.grid, cell));
    }
  }
  return files;
}

/// The cells of all experiments, each once.
std::vector<compare::CellResult> run_grids(const Session& session,
                                           const compare::GridFolder& folder,
                                           Reproduction& result) {
  ReproduceOptions options = session.request().options;
  // What this run trains for one experiment it shows in the others too: the same command again
  // finds it there and must say the same.
  options.kept = [&folder, to_come = results_to_come(session, folder)](
                     const compare::Grid& grid, const compare::GridCell& cell) {
    return folder.has_result(grid, cell) || to_come.contains(folder.result_file(grid, cell));
  };
  const auto grids = plan_experiments(session.request().datasets.found, options);
  const auto merged = merge(grids);
  if (merged.grid.cells.empty()) {
    return {};
  }
  const auto done = std::ranges::count_if(merged.grid.cells, [&](const compare::GridCell& cell) {
    return folder.has_result(merged.grid, cell);
  });
  session.say(fmt::format("{}: {}, {}; {} done already, results go into {}",
                          core::counted(merged.grid.cells.size(), "run"),
                          core::counted(merged.grid.data.size(), "dataset"),
                          core::counted(merged.grid.models.size(), "model"), done,
                          session.request().output.string()));
  auto cells = session.run_grid(merged.grid, folder);
  for (std::size_t i = 0; i < grids.size(); ++i) {
    auto results = results_of(grids[i], merged.places[i], cells);
    if (!results.empty()) {
      result.tables.push_back(
          {grids[i].experiment,
           report::make_comparison(grids[i].grid, std::move(results), published())});
    }
  }
  std::erase_if(cells, [](const compare::CellResult& cell) { return cell.absent; });
  return cells;
}

void write_files(const Reproduction& result, const fs::path& folder) {
  core::write_file_atomically(folder / "report.html", reproduction_page(result));
  const fs::path figures = folder / "figures";
  fs::create_directories(figures);
  for (const Experiment* const experiment : all_experiments()) {
    if (const auto text = experiment->markdown(result); !text.empty()) {
      core::write_file_atomically(folder / (short_name(experiment->id()) + ".md"), text);
    }
    for (const ReportFigure& figure : experiment->figures(result)) {
      core::write_file_atomically(figures / (figure.name + ".svg"), figure.svg);
    }
  }
}

}  // namespace

Reproduced reproduce(const ReproduceRequest& request, const ReproduceHooks& hooks) {
  const compare::GridFolder folder(request.output);
  const Session session(request, hooks);
  Reproduction result;
  result.quick = request.options.quick;
  result.full = request.options.full;
  result.seeds = request.options.quick ? 1 : request.options.seeds;
  result.missing = request.datasets.missing;
  look_at_data(session, result);
  const auto cells = run_grids(session, folder, result);
  for (const Experiment* const experiment : all_experiments()) {
    experiment->run(session, result);
  }
  nlohmann::ordered_json results{{"command", request.command}};
  results.update(reproduction_json(result));
  std::string json = folder.finish(std::move(results), cells);
  write_files(result, request.output);
  session.say(fmt::format("report: {}", (request.output / "report.html").string()));
  return {.result = std::move(result), .json = std::move(json)};
}

}  // namespace rayleigh::paper
