#include "paper/grid_plan.h"

#include <fmt/format.h>
#include <iterator>
#include <set>

#include "paper/tasks.h"

namespace rayleigh::paper {
namespace {

/// In quick runs the baselines of E1 and E2 see this set only. E3 is about baselines; its sets are
/// small enough.
constexpr std::string_view kQuickBaselines = "MCF-7";

}  // namespace

void GridPlan::add_data(std::string_view name) {
  if (const FoundDataset* const found = dataset(name)) {
    add_data(found->name, found->load);
  }
}

void GridPlan::add_main_data() {
  for (const MainDataset& main : main_datasets()) {
    add_data(main.name);
  }
}

compare::GridData& GridPlan::add_data(const std::string& name, std::function<GraphSet()> load) {
  compare::GridData& data = grid_.data.emplace_back();
  data.published_as = name;
  if (options_.quick) {
    data.title = fmt::format("{}, quick", name);
    data.load = [load = std::move(load)] { return thinned(load(), kQuickGraphs); };
  } else {
    data.title = name;
    data.load = std::move(load);
  }
  return data;
}

/// Cells that `trains` refuses only where they are kept.
void GridPlan::add_row(std::string_view entry,
                       const std::function<bool(std::size_t data)>& trains) {
  compare::GridModel model = compare::parse_grid_model(entry);
  const std::size_t seeds =
      compare::grant(model, {.seeds = options_.quick ? 1 : options_.seeds,
                             .epochs = options_.quick ? std::optional(kQuickEpochs) : std::nullopt,
                             .train_graphs = {},
                             .full = options_.full && !options_.quick});
  grid_.models.push_back(std::move(model));
  for (std::size_t data = 0; data < grid_.data.size(); ++data) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      compare::GridCell cell{data, grid_.models.size() - 1, seed};
      cell.train = trains_ && trains(data);
      if (cell.train || (options_.kept && options_.kept(grid_, cell))) {
        grid_.cells.push_back(cell);
      }
    }
  }
}

void GridPlan::add_model(std::string_view entry) {
  add_row(entry, [](std::size_t /*data*/) { return true; });
}

void GridPlan::add_baseline(std::string_view entry, On on) {
  add_row(entry, [&](std::size_t data) {
    return options_.baselines && (!options_.quick || on == On::every_set ||
                                  grid_.data[data].published_as == kQuickBaselines);
  });
}

compare::Grid GridPlan::take() {
  std::set<std::size_t> used;
  for (const compare::GridCell& cell : grid_.cells) {
    used.insert(cell.model);
  }
  std::vector<compare::GridModel> models;
  models.reserve(used.size());
  for (const std::size_t model : used) {
    models.push_back(std::move(grid_.models[model]));
  }
  grid_.models = std::move(models);
  for (compare::GridCell& cell : grid_.cells) {
    cell.model = static_cast<std::size_t>(std::distance(used.begin(), used.find(cell.model)));
  }
  return std::move(grid_);
}

}  // namespace rayleigh::paper
