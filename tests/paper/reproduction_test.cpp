#include "paper/reproduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "paper/experiments/e10_claims.h"
#include "paper/matches.h"
#include "paper/published.h"
#include "paper/reproduction_json.h"
#include "paper/reproduction_page.h"

namespace rayleigh::paper {
namespace {

using testing::HasSubstr;

compare::CellResult cell(std::size_t data, std::size_t model, std::uint64_t seed, double auc,
                         double macro_f1) {
  compare::CellResult result;
  result.data = data;
  result.model = model;
  result.seed = seed;
  result.description = {{"graphs", 1000}};
  result.settings = {{"train-graphs", 0}, {"epochs", 100}};
  result.split = {{"train", 700}};
  result.test.auc = auc;
  result.test.macro_f1 = macro_f1;
  result.test.macro_f1_tuned = macro_f1;
  return result;
}

/// RQGNN and GLocalKD on MCF-7, where the paper has 0.8354 / 0.7394 and 0.6363.
Reproduction example() {
  compare::Grid grid;
  grid.data.push_back({.title = "MCF-7", .load = {}, .published_as = "MCF-7"});
  grid.models = {compare::parse_grid_model("rqgnn:profile=published"),
                 compare::parse_grid_model("glocalkd")};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Reproduction reproduction;
  reproduction.seeds = 2;
  reproduction.tables.push_back(
      {ExperimentId::main_table,
       report::make_comparison(
           grid, {cell(0, 0, 1, 0.82, 0.60), cell(0, 0, 2, 0.86, 0.64), cell(0, 1, 1, 0.38, kNone)},
           published())});
  return reproduction;
}

TEST(Reproduction, MatchesCompareMeansWithThePaper) {
  const auto all = matches(example());
  ASSERT_EQ(all.size(), 3U);
  const auto of = [&](std::string_view method, MatchMetric metric) {
    for (const Match& match : all) {
      if (match.method == method && match.metric == metric) {
        return match;
      }
    }
    throw std::runtime_error("no such match");
  };
  const Match auc = of("RQGNN", MatchMetric::auc);
  EXPECT_NEAR(auc.ours, 0.84, 1e-12);
  EXPECT_EQ(auc.paper, 0.8354);
  EXPECT_THAT(auc.why, HasSubstr("from 0.8200 to 0.8600, the paper's one run is among them"));
  EXPECT_THAT(auc.why, HasSubstr("1,000 graphs, the paper has 27,770"));
  EXPECT_THAT(of("RQGNN", MatchMetric::macro_f1).why, HasSubstr("is above all"));
  EXPECT_THAT(of("GLocalKD", MatchMetric::auc).why, HasSubstr("1 − AUC is 0.6200"));
}

TEST(Reproduction, TalliesCountBySide) {
  const auto all = tallies(matches(example()));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].title, "RQGNN and variants, AUC");
  EXPECT_EQ(all[0].within, 1U);
  EXPECT_EQ(all[1].below, 1U);
  EXPECT_NEAR(all[1].mean_difference, 0.62 - 0.7394, 1e-12);
  EXPECT_EQ(all[2].title, "baselines, AUC");
  EXPECT_EQ(all[2].below, 1U);
}

TEST(Reproduction, PageSaysWhatWasQuickAndWhatIsMissing) {
  Reproduction reproduction = example();
  reproduction.missing = {"PC-3"};
  EXPECT_THAT(reproduction_page(reproduction), HasSubstr("not there: PC-3"));
  EXPECT_THAT(reproduction_page(reproduction), testing::Not(HasSubstr("QUICK RUN")));
  reproduction.quick = true;
  EXPECT_THAT(reproduction_page(reproduction), HasSubstr("QUICK RUN: at most 3,000 graphs"));
}

TEST(Reproduction, ParameterCurvesTakeTheSeedsThatAllValuesHave) {
  compare::Grid grid;
  grid.data.push_back({.title = "MCF-7", .load = {}, .published_as = "MCF-7"});
  grid.models = {compare::parse_grid_model("rqgnn:profile=published"),
                 compare::parse_grid_model("rqgnn:profile=published:width=3"),
                 compare::parse_grid_model("rqgnn:profile=published:gamma=2")};
  Reproduction reproduction;
  reproduction.tables.push_back(
      {ExperimentId::parameters,
       report::make_comparison(grid,
                               {cell(0, 0, 1, 0.8, 0.70), cell(0, 0, 2, 0.8, 0.90),
                                cell(0, 1, 1, 0.8, 0.60), cell(0, 2, 1, 0.8, 0.65)},
                               published())});
  const auto width = our_curves(reproduction).parameter("MCF-7", "width");
  EXPECT_THAT(width, testing::ElementsAre(std::pair(3.0, 0.60), std::pair(4.0, 0.70)));
  EXPECT_EQ(our_curves(reproduction).parameter("MCF-7", "gamma").size(), 2U);
  EXPECT_TRUE(our_curves(reproduction).parameter("SN12C", "width").empty());
}

TEST(Reproduction, JsonHasEveryMatch) {
  const auto json = reproduction_json(example());
  ASSERT_EQ(json["summary"].size(), 3U);
  EXPECT_EQ(json["summary"][0]["metric"], "AUC");
  EXPECT_TRUE(json.contains("E1"));
}

}  // namespace
}  // namespace rayleigh::paper
