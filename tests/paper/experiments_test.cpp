#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "rayleigh/error.h"
#include "rayleigh/generators.h"

#include "paper/experiment_grids.h"

namespace rayleigh::paper {
namespace {

using compare::CellResult;
using compare::Grid;
using compare::GridCell;
using compare::GridData;

std::vector<FoundDataset> datasets(const std::vector<std::string>& names) {
  std::vector<FoundDataset> found;
  found.reserve(names.size());
  for (const std::string& name : names) {
    found.push_back({name, [] { return generate::molecules({.seed = 1, .graphs = 100}); }});
  }
  return found;
}

ReproduceOptions options_for(std::set<ExperimentId> experiments) {
  ReproduceOptions options;
  options.experiments = std::move(experiments);
  options.seeds = 2;
  return options;
}

TEST(Experiments, HaveNames) {
  ASSERT_EQ(all_experiments().size(), 11U);
  int number = 0;
  for (const Experiment* const experiment : all_experiments()) {
    EXPECT_EQ(short_name(experiment->id()), "E" + std::to_string(number++));
    EXPECT_EQ(parse_experiment(short_name(experiment->id())), experiment->id());
    EXPECT_TRUE(experiment->heading().starts_with(short_name(experiment->id()) + ": "));
  }
  EXPECT_EQ(parse_experiment("e10"), ExperimentId::claims);
  EXPECT_THROW(parse_experiment("E11"), UsageError);
  EXPECT_THROW(parse_experiment("main"), UsageError);
}

TEST(Experiments, TakeOnlyTheDataThatIsThere) {
  const auto grids =
      plan_experiments(datasets({"MCF-7", "SN12C", "MUTAG"}),
                       options_for({ExperimentId::main_table, ExperimentId::parameters}));
  ASSERT_EQ(grids.size(), 2U);
  ASSERT_EQ(grids[0].grid.data.size(), 2U);
  EXPECT_EQ(grids[0].grid.data[0].title, "MCF-7");
  EXPECT_EQ(grids[0].grid.data[1].title, "SN12C");
  EXPECT_EQ(grids[0].grid.models.size(), 17U);
  EXPECT_EQ(grids[1].grid.models.size(), 18U);  // the paper's values are one model
}

TEST(Experiments, QuickRunsAreSmallAndSaySo) {
  ReproduceOptions options = options_for({ExperimentId::main_table});
  options.quick = true;
  const auto grids = plan_experiments(datasets({"MCF-7", "SN12C"}), options);
  const Grid& grid = grids.at(0).grid;
  EXPECT_EQ(grid.data[0].title, "MCF-7, quick");
  EXPECT_EQ(grid.data[0].published_as, "MCF-7");
  std::map<std::string, std::size_t> cells;
  for (const GridCell& cell : grid.cells) {
    EXPECT_EQ(cell.seed, 1U);
    ++cells[grid.models[cell.model].model];
  }
  EXPECT_EQ(cells["chebynet"], 1U);
  EXPECT_EQ(cells["rqgnn"], 10U);
}

TEST(Experiments, RunsThatSeveralShowAreMadeOnce) {
  const auto grids =
      plan_experiments(datasets({"MCF-7"}),
                       options_for({ExperimentId::main_table, ExperimentId::class_balanced_loss}));
  const MergedGrid merged = merge(grids);
  ASSERT_EQ(merged.places.size(), 2U);
  // chebynet, bernnet, tvgnn, gmixup, gmt and rqgnn published are in both.
  const std::size_t in_both = 3 * 2 + 3;  // gmt, gmixup and tvgnn have one seed
  EXPECT_EQ(merged.grid.cells.size() + in_both,
            grids[0].grid.cells.size() + grids[1].grid.cells.size());
  std::vector<CellResult> results(merged.grid.cells.size());
  for (std::size_t c = 0; c < results.size(); ++c) {
    results[c].model_title = merged.grid.models[merged.grid.cells[c].model].title;
    results[c].seed = merged.grid.cells[c].seed;
  }
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const auto own = results_of(grids[i], merged.places[i], results);
    ASSERT_EQ(own.size(), grids[i].grid.cells.size());
    for (std::size_t c = 0; c < own.size(); ++c) {
      const GridCell& cell = grids[i].grid.cells[c];
      EXPECT_EQ(own[c].model_title, grids[i].grid.models[cell.model].title);
      EXPECT_EQ(own[c].seed, cell.seed);
      EXPECT_EQ(own[c].model, cell.model);
    }
  }
  for (std::size_t c = 1; c < merged.grid.cells.size(); ++c) {
    EXPECT_GE(merged.grid.cells[c].data, merged.grid.cells[c - 1].data);
  }
}

std::map<std::string, std::size_t> class_counts(const GraphSet& graphs) {
  std::map<std::string, std::size_t> counts;
  for (const std::int32_t number : graphs.graph_class()) {
    ++counts[graphs.classes()[static_cast<std::size_t>(number)]];
  }
  return counts;
}

TEST(Experiments, TheAnomalousClassOfColorsHasTheShareOfThePaper) {
  const auto grids = plan_experiments({}, options_for({ExperimentId::other_domains}));
  const GraphSet graphs = grids.at(0).grid.data.at(0).load();
  const auto counts = class_counts(graphs);
  EXPECT_NEAR(static_cast<double>(counts.at("1")) / static_cast<double>(graphs.size()), 0.090,
              0.002);
  EXPECT_THAT(graphs.name(), testing::HasSubstr("anomalous"));
}

TEST(Experiments, OfOthersOnlyWhatIsKeptIsTaken) {
  ReproduceOptions options = options_for({ExperimentId::main_table});
  options.baselines = false;
  options.kept = [](const Grid& grid, const GridCell& cell) {
    const std::string& title = grid.models[cell.model].title;
    return title == "bernnet" || title == "rqgnn published hidden=32";
  };
  const auto grids = plan_experiments(datasets({"MCF-7"}), options);
  ASSERT_EQ(grids.size(), 4U);  // bernnet is in E2 and E3 too, hidden=32 in E7
  EXPECT_EQ(grids[3].experiment, ExperimentId::parameters);
  for (const ExperimentGrid& one : grids) {
    for (const GridCell& cell : one.grid.cells) {
      const std::string& title = one.grid.models[cell.model].title;
      const bool trains = one.experiment == ExperimentId::main_table && title != "bernnet";
      EXPECT_EQ(cell.train, trains) << title;
    }
  }
  const MergedGrid merged = merge(grids);
  std::vector<CellResult> results(merged.grid.cells.size());
  for (CellResult& result : results) {
    result.absent = true;
  }
  EXPECT_TRUE(results_of(grids[3], merged.places[3], results).empty());
}

TEST(Experiments, AnomaliesOutOfDistributionOnlyTest) {
  const auto grids = plan_experiments({}, options_for({ExperimentId::other_domains}));
  const Grid& grid = grids.at(0).grid;
  ASSERT_EQ(grid.data.size(), 3U);  // without DBLP_v1
  EXPECT_EQ(grid.data[1].title, "COLORS-3-ind");
  EXPECT_THAT(grid.data[1].load().name(), testing::HasSubstr("class 9 known, 10 unseen"));
  const GridData& data = grid.data[2];
  const GraphSet graphs = data.load();
  const Split split = data.split(graphs, 3);
  const auto has = [&](const std::vector<std::uint32_t>& part, std::string_view original) {
    return std::ranges::count_if(part, [&](std::uint32_t g) {
      return graphs.graph_class()[g] == 1 && graphs.graph_name(g) == original;
    });
  };
  EXPECT_THAT(graphs.name(), testing::HasSubstr("COLORS-3, generated, class "));
  EXPECT_GT(has(split.train, "known"), 0);
  EXPECT_GT(has(split.validation, "known"), 0);
  EXPECT_EQ(has(split.test, "known"), 0);
  EXPECT_EQ(has(split.train, "unseen"), 0);
  EXPECT_EQ(has(split.validation, "unseen"), 0);
  EXPECT_GT(has(split.test, "unseen"), 500);
  std::vector<std::uint32_t> all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_EQ(all.size(), graphs.size());
  const double share =
      static_cast<double>(has(split.test, "unseen")) / static_cast<double>(split.test.size());
  EXPECT_NEAR(share, 0.410, 0.002);  // the rounding of the parts
}

}  // namespace
}  // namespace rayleigh::paper
