#include "paper/experiment_grids.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "paper/grid_plan.h"

namespace rayleigh::paper {

std::vector<ExperimentGrid> plan_experiments(std::span<const FoundDataset> found,
                                             const ReproduceOptions& options) {
  std::vector<ExperimentGrid> grids;
  for (const Experiment* const experiment : all_experiments()) {
    GridPlan plan(found, options, options.experiments.contains(experiment->id()));
    experiment->plan(plan);
    compare::Grid grid = plan.take();
    if (!grid.cells.empty()) {
      grids.push_back({experiment->id(), std::move(grid)});
    }
  }
  return grids;
}

MergedGrid merge(std::span<const ExperimentGrid> grids) {
  MergedGrid merged;
  std::map<std::string, std::size_t> data_places;
  std::map<std::string, std::size_t> model_places;
  // By data, so that a set is in memory only while its cells run.
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::size_t> cell_places;
  const auto data_place = [&](const compare::GridData& data) {
    const auto [at, is_new] = data_places.emplace(data.title, merged.grid.data.size());
    if (is_new) {
      merged.grid.data.push_back(data);
    }
    return at->second;
  };
  const auto model_place = [&](const compare::GridModel& model) {
    const auto [at, is_new] = model_places.emplace(model.title, merged.grid.models.size());
    if (is_new) {
      merged.grid.models.push_back(model);
    }
    return at->second;
  };
  const auto key_of = [&](const ExperimentGrid& one, const compare::GridCell& cell) {
    return std::tuple(data_place(one.grid.data[cell.data]),
                      model_place(one.grid.models[cell.model]), cell.seed);
  };
  std::set<std::tuple<std::size_t, std::size_t, std::uint64_t>> trained;
  for (const ExperimentGrid& one : grids) {
    for (const compare::GridCell& cell : one.grid.cells) {
      const auto key = key_of(one, cell);
      cell_places.emplace(key, 0);
      if (cell.train) {
        trained.insert(key);
      }
    }
  }
  merged.grid.cells.reserve(cell_places.size());
  for (auto& [key, place] : cell_places) {
    place = merged.grid.cells.size();
    merged.grid.cells.push_back(
        {std::get<0>(key), std::get<1>(key), std::get<2>(key), trained.contains(key)});
  }
  merged.places.reserve(grids.size());
  for (const ExperimentGrid& one : grids) {
    auto& places = merged.places.emplace_back();
    places.reserve(one.grid.cells.size());
    for (const compare::GridCell& cell : one.grid.cells) {
      places.push_back(cell_places.at(key_of(one, cell)));
    }
  }
  return merged;
}

std::vector<compare::CellResult> results_of(const ExperimentGrid& one,
                                            const std::vector<std::size_t>& places,
                                            std::span<const compare::CellResult> merged) {
  std::vector<compare::CellResult> results;
  results.reserve(places.size());
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (merged[places[c]].absent) {
      continue;
    }
    compare::CellResult& result = results.emplace_back(merged[places[c]]);
    result.data = one.grid.cells[c].data;
    result.model = one.grid.cells[c].model;
  }
  return results;
}

}  // namespace rayleigh::paper
