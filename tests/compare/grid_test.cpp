#include "compare/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rayleigh/error.h"

#include "compare/grid_clock.h"
#include "expect_error.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::compare {
namespace {

using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kQuick = "rqgnn:profile=published:hidden=8:batch-size=64:epochs=3";

GridData molecules(const std::string& title, std::uint64_t seed) {
  return {.title = title, .load = [seed] { return test::molecules(120, 0.2, seed); }};
}

/// Two datasets, two models, two seeds.
Grid small_grid(const std::vector<std::string>& models = {kQuick, "size"}) {
  Grid grid;
  grid.data = {molecules("one", 1), molecules("two", 2)};
  for (const std::string& model : models) {
    grid.models.push_back(parse_grid_model(model));
  }
  for (std::size_t data = 0; data < 2; ++data) {
    for (std::size_t model = 0; model < models.size(); ++model) {
      for (const std::uint64_t seed : {1U, 2U}) {
        grid.cells.push_back({data, model, seed});
      }
    }
  }
  return grid;
}

/// Runs a grid and keeps what it said.
struct Ran {
  std::vector<CellResult> results;
  std::vector<std::string> said;
  int epochs = 0;

  Ran(const Grid& grid, const std::filesystem::path& folder, int threads = 2) {
    GridHooks hooks;
    hooks.say = [&](const std::string& text) { said.push_back(text); };
    hooks.after_epoch = [&](std::size_t, const TrainingProgress&) { ++epochs; };
    results = run_grid(grid, GridFolder(folder), {.threads = threads}, hooks);
  }
  std::size_t reused() const {
    return static_cast<std::size_t>(std::ranges::count_if(results, &CellResult::reused));
  }
};

/// Without what depends on the clock.
std::string timeless(const CellResult& result) {
  auto json = to_json(result);
  for (const char* key : {"seconds", "train_graphs_per_second", "continued"}) {
    json.erase(key);
  }
  return json.dump();
}

void expect_same(const std::vector<CellResult>& a, const std::vector<CellResult>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(timeless(a[i]), timeless(b[i]));
  }
}

std::vector<std::string> checkpoints(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cells")) {
    if (entry.path().extension() == ".checkpoint") {
      names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

TEST(Grid, ResultsAreThoseOfTrainAndDoNotDependOnWhatRunsBeside) {
  const TemporaryFolder one;
  const TemporaryFolder four;
  const Grid grid = small_grid();
  const Ran serial(grid, one.path(), 1);
  expect_same(serial.results, Ran(grid, four.path(), 4).results);
  for (std::size_t i = 0; i < grid.cells.size(); ++i) {
    const GridCell& cell = grid.cells[i];
    const CellResult& result = serial.results[i];
    ASSERT_FALSE(result.failed()) << result.reason;
    const auto direct =
        train(grid.data[cell.data].load(),
              {.options = make_options(grid.models[cell.model], cell.seed), .intervals = false});
    EXPECT_EQ(rayleigh::to_json(result.test), rayleigh::to_json(direct.test));
    EXPECT_EQ(rayleigh::to_json(result.validation), rayleigh::to_json(direct.validation));
    EXPECT_EQ(result.best_epoch, direct.members[0].best_epoch);
    EXPECT_EQ(result.split["hash"], split_hash(direct.split));
    EXPECT_LE(result.roc.x.size(), 202U);
    EXPECT_EQ(std::pair(result.roc.x.front(), result.roc.y.front()), std::pair(0.0, 0.0));
    EXPECT_EQ(std::pair(result.roc.x.back(), result.roc.y.back()), std::pair(1.0, 1.0));
    double area = 0;
    for (std::size_t p = 1; p < result.roc.x.size(); ++p) {
      area += (result.roc.x[p] - result.roc.x[p - 1]) * (result.roc.y[p] + result.roc.y[p - 1]) / 2;
    }
    EXPECT_NEAR(area, result.test.auc, 1e-12) << "so few graphs have a curve with all its points";
  }
  EXPECT_NE(serial.results[0].split["hash"], serial.results[1].split["hash"])
      << "the split moves with the seed";
  EXPECT_EQ(serial.results[0].split["hash"], serial.results[2].split["hash"])
      << "all models have the same split";
  EXPECT_TRUE(checkpoints(one).empty());
}

TEST(Grid, WhatIsDoneIsNotRunAgain) {
  const TemporaryFolder folder;
  Grid grid = small_grid();
  const Ran first(grid, folder.path());
  EXPECT_EQ(first.reused(), 0U);
  const Ran second(grid, folder.path());
  EXPECT_EQ(second.reused(), grid.cells.size());
  EXPECT_EQ(second.epochs, 0);
  EXPECT_TRUE(second.said.empty());
  expect_same(first.results, second.results);
  EXPECT_EQ(first.results[0].seconds_train, second.results[0].seconds_train);

  grid.cells.push_back({0, 0, 3});
  const Ran more(grid, folder.path());
  EXPECT_EQ(more.reused(), grid.cells.size() - 1);
  EXPECT_EQ(more.epochs, 3);
}

TEST(Grid, AResultThatDoesNotFitIsRunAnewAndSaysWhy) {
  const TemporaryFolder folder;
  Grid grid = small_grid({"rqgnn:profile=published:hidden=8:batch-size=64"});
  grid.models[0].granted = {{"epochs", "3"}};
  static_cast<void>(Ran(grid, folder.path()));

  grid.models[0].granted = {{"epochs", "2"}};
  const Ran other_epochs(grid, folder.path());
  EXPECT_EQ(other_epochs.reused(), 0U);
  EXPECT_EQ(other_epochs.results[0].epochs_run, 2U);
  EXPECT_THAT(other_epochs.said, Contains(HasSubstr("one, rqgnn published hidden=8 batch-size=64, "
                                                    "seed 1: the result there does not fit, epochs "
                                                    "was 3, is 2; run anew")));
  grid.data[1] = molecules("two", 7);
  const Ran other_data(grid, folder.path());
  EXPECT_EQ(other_data.reused(), 2U);
  EXPECT_THAT(other_data.said, testing::SizeIs(2));
  EXPECT_THAT(other_data.said, Contains(HasSubstr("the data has changed")));
}

TEST(Grid, ADamagedResultIsRunAnew) {
  const TemporaryFolder folder;
  const Grid grid = small_grid({"size"});
  const Ran first(grid, folder.path());
  std::filesystem::path file;
  {
    const GridFolder cells(folder.path());
    file = cells.result_file(grid, grid.cells[0]);
  }
  const std::string whole = test::read_text(file);
  for (const std::string& bytes :
       {std::string(), std::string("no JSON"), whole.substr(0, whole.size() / 2), std::string("{}"),
        std::string("[1]"), std::string(100'000, '[')}) {
    test::write_text(file, bytes);
    const Ran again(grid, folder.path());
    EXPECT_EQ(again.reused(), grid.cells.size() - 1);
    EXPECT_THAT(again.said, ElementsAre(HasSubstr("it is damaged")));
    expect_same(first.results, again.results);
    EXPECT_EQ(Ran(grid, folder.path()).reused(), grid.cells.size());
  }
  auto other_version = nlohmann::ordered_json::parse(whole);
  other_version["version"] = "0.0.1";
  test::write_text(file, other_version.dump());
  EXPECT_THAT(Ran(grid, folder.path()).said, ElementsAre(HasSubstr("it is of version 0.0.1")));
}

TEST(Grid, ACellThatFailsSaysWhyAndTheOthersGoOn) {
  const TemporaryFolder folder;
  Grid grid = small_grid({"rqgnn:profile=published:features=attributes", "size"});
  const Ran run(grid, folder.path());
  for (const CellResult& result : run.results) {
    EXPECT_EQ(result.failed(), result.model == 0);
    if (result.failed()) {
      EXPECT_THAT(result.reason, HasSubstr("the graphs have no node attributes"));
    } else {
      EXPECT_GT(result.test.auc, 0);
    }
  }
  const Ran again(grid, folder.path());
  EXPECT_EQ(again.reused(), 4U) << "failed ones are tried again";
  expect_same(run.results, again.results);
}

TEST(Grid, DataThatCannotBeReadFailsItsCellsOnly) {
  const TemporaryFolder folder;
  Grid grid = small_grid({"size"});
  int tries = 0;
  grid.data[0].load = [&]() -> GraphSet {
    ++tries;
    throw DataError({"one.zip", 0}, "is torn");
  };
  const Ran run(grid, folder.path());
  EXPECT_EQ(tries, 1) << "read once, not once a cell";
  EXPECT_EQ(run.results[0].reason, "one.zip: is torn");
  EXPECT_EQ(run.results[1].reason, "one.zip: is torn");
  EXPECT_FALSE(run.results[2].failed());

  grid.data[0] = molecules("one", 1);
  grid.data[1].anomaly_class = "nonsense";
  const Ran repaired(grid, folder.path());
  EXPECT_FALSE(repaired.results[0].failed());
  EXPECT_THAT(repaired.results[2].reason, HasSubstr("nonsense"));
}

TEST(Grid, AnInterruptedCellGoesOnInTheMiddleAndEndsInTheSameFigures) {
  const TemporaryFolder whole;
  const TemporaryFolder folder;
  Grid grid = small_grid({kQuick});
  grid.cells.resize(1);
  const Ran uninterrupted(grid, whole.path());
  GridHooks hooks;
  hooks.after_epoch = [](std::size_t, const TrainingProgress& progress) {
    if (progress.epoch.epoch == 2) {
      throw std::runtime_error("stopped here");
    }
  };
  const auto stopped = run_grid(grid, GridFolder(folder.path()), {.threads = 1}, hooks);
  EXPECT_EQ(stopped[0].reason, "stopped here");
  ASSERT_EQ(checkpoints(folder).size(), 1U);

  const Ran resumed(grid, folder.path());
  EXPECT_THAT(resumed.said, ElementsAre(HasSubstr("going on after epoch")));
  EXPECT_LT(resumed.epochs, 3);
  EXPECT_TRUE(resumed.results[0].continued);
  expect_same(uninterrupted.results, resumed.results);
  EXPECT_TRUE(checkpoints(folder).empty());
}

TEST(Grid, AStopEndsItAndTheSameGridGoesOn) {
  const TemporaryFolder whole;
  const TemporaryFolder folder;
  const Grid grid = small_grid({kQuick});
  const Ran uninterrupted(grid, whole.path());
  std::stop_source source;
  GridHooks hooks;
  int epochs = 0;
  hooks.after_epoch = [&](std::size_t, const TrainingProgress&) {
    if (++epochs == 5) {
      source.request_stop();
    }
  };
  EXPECT_THROW(
      run_grid(grid, GridFolder(folder.path()), {.threads = 1, .stop = source.get_token()}, hooks),
      Cancelled);
  EXPECT_EQ(checkpoints(folder).size(), 1U) << "of the cell that ran";
  const Ran resumed(grid, folder.path());
  EXPECT_EQ(resumed.reused(), 1U);
  EXPECT_EQ(resumed.epochs, 12 - 5);
  expect_same(uninterrupted.results, resumed.results);
}

TEST(Grid, ACheckpointThatIsNoneIsReplaced) {
  const TemporaryFolder folder;
  Grid grid = small_grid({kQuick});
  grid.cells.resize(1);
  {
    const GridFolder cells(folder.path());
    test::write_text(cells.checkpoint_file(grid, grid.cells[0]), "rubbish");
  }
  const Ran run(grid, folder.path());
  EXPECT_FALSE(run.results[0].failed()) << run.results[0].reason;
  EXPECT_THAT(run.said, ElementsAre(HasSubstr("training starts anew")));
}

/// What lies in a folder, sorted.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

TEST(GridFolder, AFinishedGridLeavesOneFileThatTheNextOneReads) {
  const TemporaryFolder folder;
  Grid grid = small_grid();
  const Ran first(grid, folder.path());
  EXPECT_THAT(names_in(folder / "cells"), testing::SizeIs(grid.cells.size()));
  const std::string text =
      GridFolder(folder.path()).finish({{"command", "of a test"}}, first.results);
  EXPECT_THAT(names_in(folder.path()), ElementsAre("lock", "results.json"));
  EXPECT_EQ(test::read_text(folder / "results.json"), text);
  EXPECT_EQ(nlohmann::json::parse(text)["command"], "of a test");

  const Ran second(grid, folder.path());
  EXPECT_EQ(second.reused(), grid.cells.size());
  EXPECT_TRUE(second.said.empty());
  expect_same(first.results, second.results);
  for (std::size_t i = 0; i < first.results.size(); ++i) {
    EXPECT_EQ(first.results[i].roc.x, second.results[i].roc.x) << "counts give the same shares";
    EXPECT_EQ(first.results[i].roc.y, second.results[i].roc.y);
  }
}

TEST(GridFolder, ResultsOfOtherGridsStay) {
  const TemporaryFolder folder;
  const Grid large = small_grid({kQuick, "size"});
  const Ran first(large, folder.path());
  GridFolder(folder.path()).finish({}, first.results);

  const Grid small = small_grid({"size"});
  const Ran second(small, folder.path());
  EXPECT_EQ(second.reused(), 4U);
  const auto json = nlohmann::json::parse(GridFolder(folder.path()).finish({}, second.results));
  EXPECT_EQ(json["cells"].size(), 4U);
  EXPECT_EQ(json["earlier_cells"].size(), 4U) << "each result once";

  const Grid more = small_grid({"label-counts"});
  static_cast<void>(Ran(more, folder.path()));  // killed before it could finish
  GridFolder(folder.path()).finish({}, second.results);
  EXPECT_EQ(Ran(large, folder.path()).reused(), large.cells.size());
  EXPECT_EQ(Ran(more, folder.path()).reused(), more.cells.size());
}

TEST(GridFolder, ANewerResultReplacesTheFinishedOne) {
  const TemporaryFolder folder;
  Grid grid = small_grid({"rqgnn:profile=published:hidden=8:batch-size=64"});
  for (const char* epochs : {"3", "2"}) {
    grid.models[0].granted = {{"epochs", epochs}};
    const Ran run(grid, folder.path());
    EXPECT_EQ(run.reused(), 0U);
    const auto json = nlohmann::json::parse(GridFolder(folder.path()).finish({}, run.results));
    EXPECT_EQ(json["cells"][0]["epochs_run"], std::stoi(epochs));
    EXPECT_EQ(json["earlier_cells"].size(), 0U);
  }
}

TEST(GridFolder, AResultsFileThatIsNoneIsLeftAlone) {
  const TemporaryFolder folder;
  for (const char* bytes : {"", "no JSON", "[1]", R"({"cells": [1]})", R"({"cells": [{}]})"}) {
    test::write_text(folder / "results.json", bytes);
    test::expect_error(ErrorKind::bad_data, [&] { const GridFolder opened(folder.path()); },
                       {"results.json: holds no results", "move it away"});
    EXPECT_EQ(test::read_text(folder / "results.json"), bytes);
  }
  test::write_text(folder / "results.json", R"({"other": "file"})");
  EXPECT_FALSE(GridFolder(folder.path()).has_result(small_grid(), small_grid().cells[0]));
}

TEST(GridFolder, ADamagedResultInTheFileIsRunAnew) {
  const TemporaryFolder folder;
  const Grid grid = small_grid({"size"});
  const Ran first(grid, folder.path());
  auto json = nlohmann::ordered_json::parse(GridFolder(folder.path()).finish({}, first.results));
  json["cells"][0]["roc"]["found"] = "many";
  json["cells"][1].erase("test");
  test::write_text(folder / "results.json", json.dump());
  const Ran again(grid, folder.path());
  EXPECT_EQ(again.reused(), grid.cells.size() - 2);
  EXPECT_THAT(again.said, testing::Each(HasSubstr("it is damaged")));
  expect_same(first.results, again.results);
}

TEST(Grid, AFolderIsForOneProcessAtATime) {
  const TemporaryFolder folder;
  {
    const GridFolder first(folder.path());
    test::write_text(folder / "cells" / "x.json.tmp-abcdef", "half of a file");
    test::expect_error(ErrorKind::failed, [&] { const GridFolder second(folder.path()); },
                       {"another process is working in this folder"});
  }
  const GridFolder free_again(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / "cells" / "x.json.tmp-abcdef"));
}

TEST(GridModel, WrongEntriesAreUsageErrorsWithTheNearestName) {
  const auto expect = [](const char* entry, const std::vector<std::string>& words) {
    test::expect_usage_error([&] { static_cast<void>(parse_grid_model(entry)); }, words);
  };
  expect("chebnet", {"'chebnet' is unknown", "did you mean chebynet?"});
  expect("", {"'' is unknown"});
  expect("chebynet:hiden=3", {"'hiden' is not an option", "did you mean hidden?"});
  expect("chebynet:", {"'' is not an option"});
  expect("chebynet:hidden=x", {"hidden: 'x' is not valid"});
  expect("chebynet:loss=cb-focl", {"did you mean cb-focal?"});
  expect("chebynet:hidden", {"hidden needs a value"});
  expect("chebynet:hidden=3:hidden=4", {"hidden is given twice"});
  expect("chebynet:seed=3", {"seed is the same for all models"});
}

TEST(GridModel, EntriesBecomeOptionsAndTitles) {
  const auto model = parse_grid_model("rqgnn:profile=paper:no-rql:pool=mean");
  EXPECT_EQ(model.title, "rqgnn paper no-rql pool=mean");
  const auto options = make_options(model, 7);
  EXPECT_EQ(options.value("no-rql"), "true");
  EXPECT_EQ(options.value("pool"), "\"mean\"");
  EXPECT_EQ(options.value("seed"), "7");
  EXPECT_EQ(options.value("split-seed"), "7");
}

TEST(GridModel, TheBudgetHoldsUntilTheUserSaysOtherwise) {
  const auto after = [](const char* entry, const GridOptions& granted) {
    auto model = parse_grid_model(entry);
    const std::size_t seeds = grant(model, granted);
    const auto options = make_options(model, 1);
    return std::tuple(seeds, std::stoi(options.value("epochs")),
                      std::stoi(options.value("train-graphs")));
  };
  EXPECT_EQ(after("gmt", {}), std::tuple(1U, 15, 8000));
  EXPECT_EQ(after("gmt", {.seeds = 5, .full = true}), std::tuple(5U, 100, 0));
  EXPECT_EQ(after("gmt", {.epochs = 30}), std::tuple(1U, 30, 8000));
  EXPECT_EQ(after("gmt", {.train_graphs = 9000}), std::tuple(1U, 15, 9000));
  EXPECT_EQ(after("gmt:epochs=20", {.epochs = 30}), std::tuple(1U, 20, 8000));
  EXPECT_EQ(after("chebynet", {}), std::tuple(3U, 100, 0));
  EXPECT_EQ(after("rqgnn:profile=rayleigh", {}), std::tuple(3U, 40, 0)) << "not more than its own";
  EXPECT_EQ(after("size", {.seeds = 2, .epochs = 30}), std::tuple(2U, 1, 0));
  test::expect_usage_error([&] { static_cast<void>(after("gmt", {.epochs = 0})); },
                           {"epochs: '0' is not valid"});
}

TEST(GridClock, TellsWhatIsLeftAndWhenItDoesNotKnow) {
  Grid grid = small_grid();  // 8 cells: one model 0 0 1 1, then data two
  GridClock clock(grid, 2);
  EXPECT_FALSE(clock.left(0));
  clock.started(0, 0);
  EXPECT_FALSE(clock.left(1));
  clock.after_epoch(0, 1, 10, 2);  // 2 s an epoch, 20 s a cell of model 0
  const auto first = clock.left(2);
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->at_least) << "model 1 has not run";
  EXPECT_DOUBLE_EQ(first->seconds, (18 + 3 * 20) / 2.0);
  clock.finished(0, false, 12);  // stopped early
  clock.started(2, 12);
  clock.after_epoch(2, 1, 1, 13);
  clock.finished(2, false, 13);
  const auto second = clock.left(13);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->at_least);
  EXPECT_DOUBLE_EQ(second->seconds, (3 * 12 + 3 * 1) / 2.0);
  EXPECT_EQ(clock.done(), 2U);
  clock.started(1, 13);
  clock.finished(1, true, 13);
  EXPECT_DOUBLE_EQ(clock.left(13)->seconds, (2 * 12 + 3 * 1) / 2.0) << "kept ones cost nothing";
}

}  // namespace
}  // namespace rayleigh::compare
