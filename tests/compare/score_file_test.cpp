#include "compare/score_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/graph_id.h"
#include "compare/outside_scores.h"
#include "expect_error.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::compare {
namespace {

using test::expect_data_error;

/// A dataset with its parts for two seeds, and files about it.
class ScoreFiles : public ::testing::Test {
 protected:
  ScoreFiles() {
    grid_.data.push_back({.title = "set", .load = {}});
    grid_.models.push_back(parse_grid_model("size"));
    for (const std::uint64_t seed : {1U, 2U}) {
      splits_.push_back(stratified_split(labels_, kUsualShares, seed));
    }
  }

  std::string write(const std::string& text, const std::string& name = "forest.csv") const {
    test::write_text(folder_ / name, text);
    return (folder_ / name).string();
  }

  /// A row per graph of the part of every seed.
  std::string rows(const std::vector<std::uint32_t> Split::*part, const char* part_name) const {
    std::string text;
    for (std::size_t seed = 1; seed <= splits_.size(); ++seed) {
      for (const std::uint32_t g : splits_[seed - 1].*part) {
        text += fmt::format("{},{},{},{}\n", seed, g, part_name, score(g));
      }
    }
    return text;
  }
  double score(std::uint32_t g) const { return labels_[g] == 1 ? 0.5 + 0.001 * g : 0.002 * g; }

  std::vector<CellResult> measure_file(const std::string& text) {
    const OutsideScores scores({write(text)});
    scores.check_data(grid_);
    grid_.models.resize(1);
    std::ranges::copy(scores.models(), std::back_inserter(grid_.models));
    return scores.cells(grid_, 1, 0, graphs_, splits_);
  }

  void expect_defect(const std::string& text, const std::vector<std::string>& words) {
    expect_data_error([&] { measure_file(text); }, words);
  }

  test::TemporaryFolder folder_;
  GraphSet graphs_ = test::molecules(120);
  std::vector<std::int8_t> labels_ = anomaly_labels(graphs_);
  Grid grid_;
  std::vector<Split> splits_;
};

TEST_F(ScoreFiles, AreMeasuredOnTheTestPartOfEverySeed) {
  const auto cells =
      measure_file("seed,index,part,score\n" + rows(&Split::validation, "validation") +
                   rows(&Split::test, "test"));
  ASSERT_EQ(cells.size(), 2U);
  for (std::size_t seed = 1; seed <= 2; ++seed) {
    const CellResult& cell = cells[seed - 1];
    EXPECT_EQ(cell.seed, seed);
    EXPECT_EQ(cell.model, 1U);
    EXPECT_EQ(cell.model_title, "forest");
    EXPECT_EQ(cell.split["hash"], split_hash(splits_[seed - 1]));
    std::vector<std::int8_t> labels;
    std::vector<double> scores;
    for (const std::uint32_t g : splits_[seed - 1].test) {
      labels.push_back(labels_[g]);
      scores.push_back(score(g));
    }
    EXPECT_EQ(cell.test.auc, roc_auc({labels, scores}));
    EXPECT_EQ(cell.test.average_precision, average_precision({labels, scores}));
    EXPECT_EQ(cell.test.macro_f1, macro_f1({labels, scores})) << "all scores are from 0 to 1";
    EXPECT_EQ(cell.test.macro_f1_tuned, macro_f1({labels, scores}, cell.test.threshold));
    EXPECT_TRUE(std::isfinite(cell.test.threshold));
    // What results.json holds can be read again.
    const CellResult again = parse_cell_result(to_json(cell));
    EXPECT_EQ(to_json(again).dump(), to_json(cell).dump());
  }
}

TEST_F(ScoreFiles, WithoutValidationScoresHaveNoTunedThreshold) {
  std::string text = "score,seed,index,part,label,anything\n";
  for (std::size_t seed = 1; seed <= 2; ++seed) {
    for (const std::uint32_t g : splits_[seed - 1].test) {
      text += fmt::format("{},{},{},,1,x\n", 100 * score(g), seed, g);
    }
  }
  const auto cells = measure_file(text);
  EXPECT_TRUE(std::isfinite(cells[0].test.auc));
  EXPECT_TRUE(std::isnan(cells[0].test.macro_f1_tuned));
  EXPECT_TRUE(std::isnan(cells[0].test.macro_f1)) << "not probabilities";
  expect_defect("seed,index,part,score\n" + rows(&Split::test, "test") +
                    fmt::format("1,{},validation,0.5\n", splits_[0].validation[3]),
                {"seed 1: there is no score of graph", "1 others have one"});
}

TEST_F(ScoreFiles, TakeIdsQuotesAndSeveralMethods) {
  splits_.resize(1);
  std::string text = "\xef\xbb\xbfid,model,score\r\n";
  for (const std::uint32_t g : splits_[0].test) {
    text += fmt::format("\"{}\",\"a, \"\"b\"\"\",{}\r\n\r\n{},other,-1e3\r\n", graph_id(graphs_, g),
                        score(g), graph_id(graphs_, g));
  }
  const auto cells = measure_file(text);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].model_title, "a, \"b\"");
  EXPECT_EQ(cells[1].model_title, "other");
  EXPECT_EQ(cells[1].test.auc, 0.5);
}

TEST_F(ScoreFiles, OfFoldsNeedNoColumn) {
  grid_.folds = 3;
  splits_.clear();
  std::string text = "index,score\n";
  for (std::size_t fold = 0; fold < 3; ++fold) {
    splits_.push_back(make_split(fold_of(StratifiedSplit{}, 3, fold), graphs_, labels_));
  }
  for (std::uint32_t g = 0; g < graphs_.size(); ++g) {
    text += fmt::format("{},{}\n", g, score(g));
  }
  const auto cells = measure_file(text);
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells[2].test.graphs, splits_[2].test.size());
  EXPECT_TRUE(std::isnan(cells[2].test.macro_f1_tuned))
      << "scores of validation graphs are of other folds";
  expect_defect("index,score,seed\n0,1,1\n", {":1: has a column seed", "has folds"});
}

TEST_F(ScoreFiles, DefectsAreToldWithTheirPlace) {
  const std::string header = "seed,index,part,score\n";
  const std::string test = rows(&Split::test, "test");
  const auto first = splits_[0].test[0];
  expect_defect("", {"forest.csv:1: is empty"});
  expect_defect("index,score\n", {"has no row below the header"});
  expect_defect("index,scor\n0,1\n", {":1: there is no column score, did you mean scor?"});
  expect_defect("graph,score\n0,1\n", {":1: there is no column index or id", "graph, score"});
  expect_defect("index,score,index\n0,1,0\n", {":1: the column index is there twice"});
  expect_defect("index,score,seed,fold\n0,1,1,1\n", {":1: has the columns seed and fold"});
  expect_defect("index,score\n0,nan\n", {":2: score 'nan' is not a finite number"});
  expect_defect("index,score\n0,1\n1,\n", {":3: score '' is not a finite number"});
  expect_defect("index,score\n0,1e999\n", {":2: score '1e999' is not a finite"});
  expect_defect("index,score\n-1,1\n", {":2: index '-1' is not a number"});
  expect_defect("index,score\n1.0,1\n", {":2: index '1.0' is not a number"});
  expect_defect("index,score\n0,1,2\n", {":2: has 3 cells, the header has 2"});
  expect_defect("index,score\n0,\"1\n", {":2: a quote is never closed"});
  expect_defect("index,score,part\n0,1,tset\n", {":2: part 'tset' is unknown"});
  expect_defect("index,score\n0,1\n", {":1: there is no column seed, but the test part moves"});
  expect_defect("fold,index,score\n1,0,1\n", {":1: has a column fold"});
  expect_defect("seed,index,score\n1,120,1\n", {":2: index 120 is not a graph of set"});
  expect_defect("seed,id,score\n1,none such,1\n", {":2: 'none such' is not the id of a graph"});
  expect_defect("seed,index,id,score\n1,0,7,1\n", {":2: graph 0 of set has the id", "not 7"});
  expect_defect(fmt::format("{}1,{},train,1\n", header, first),
                {":2: the file has graph", "it is in part test"});
  expect_defect(header + test + fmt::format("1,{},test,1\n", first),
                {"has a score in line 2 already"});
  expect_defect(
      header + test.substr(test.find('\n') + 1),
      {"forest on set, seed 1: there is no score of graph", fmt::format("(index {})", first)});
  expect_defect("seed,index,model,score\n1,0,,1\n", {":2: the model has no name"});
  expect_defect("data,seed,index,score\nste,1,0,1\n",
                {":2: 'ste' is not a dataset", "did you mean set?"});
  expect_data_error([&] { OutsideScores({(folder_ / "absent.csv").string()}); },
                    {"absent.csv: cannot open"});
}

TEST_F(ScoreFiles, OfSeveralSetsSayWhich) {
  grid_.data.push_back({.title = "more", .load = {}});
  expect_defect("seed,index,score\n1,0,1\n", {":1: there is no column data"});
  splits_.resize(1);
  std::string text = "data,index,score\n";
  for (const std::uint32_t g : splits_[0].test) {
    text += fmt::format("set,{},{}\n", g, score(g));
  }
  EXPECT_EQ(measure_file(text).size(), 1U);
  const OutsideScores scores({(folder_ / "forest.csv").string()});
  EXPECT_TRUE(scores.cells(grid_, 1, 1, graphs_, splits_).empty()) << "nothing about the other set";
}

TEST_F(ScoreFiles, PartsThatAreWrittenAreAFileButForTheScores) {
  const std::string parts = parts_header(grid_) + parts_rows(grid_, 0, graphs_, labels_, splits_);
  std::string scored;
  std::istringstream lines(parts);
  for (std::string line; std::getline(lines, line);) {
    scored += line + (scored.empty() ? ",score\n" : ",0.5\n");
  }
  EXPECT_TRUE(parts.starts_with("data,seed,index,id,part,label\nset,1,0,"));
  const auto cells = measure_file(scored);
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].test.auc, 0.5);
}

}  // namespace
}  // namespace rayleigh::compare
