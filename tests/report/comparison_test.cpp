#include "report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/comparison_files.h"
#include "report/comparison_page.h"
#include "xml.h"

namespace rayleigh::report {
namespace {

using compare::CellResult;
using compare::parse_grid_model;
using testing::HasSubstr;
using testing::Not;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Of a book that has three of our detectors in another order than ours.
Published book() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"chebynet", "ChebyNet"}, {"ocgin", "OCGIN"}, {"rqgnn", "RQGNN"}};
  const auto place = [](std::string_view detector) {
    return std::ranges::find(names, detector, &std::pair<std::string, std::string>::first);
  };
  return {
      .name = "book",
      .note = "The book gives no seeds.",
      .method =
          [=](const compare::GridModel& model) {
            const auto at = place(model.model);
            return at == names.end() ? "" : at->second;
          },
      .order =
          [=](std::string_view detector) {
            return static_cast<std::size_t>(place(detector) - names.begin());
          },
      .value = [](std::string_view data, std::string_view method) -> std::optional<PublishedValue> {
        if (data != "MCF-7" || method == "ChebyNet") {
          return std::nullopt;
        }
        const bool one_class = method == "OCGIN";
        return PublishedValue{std::string(data), std::string(method), one_class ? 0.5348 : 0.8354,
                              one_class ? kNone : 0.7394};
      }};
}

/// Made-up results: no training.
class Results {
 public:
  explicit Results(std::vector<std::string> data, const std::vector<std::string>& models) {
    for (const auto& title : data) {
      grid_.data.push_back({.title = title, .load = {}});
    }
    for (const auto& model : models) {
      grid_.models.push_back(parse_grid_model(model));
    }
  }

  Results& add(std::size_t data, std::size_t model, std::uint64_t seed, double auc,
               double macro_f1 = kNone) {
    CellResult cell = named(data, model, seed);
    cell.description = {{"name", grid_.data[data].title},
                        {"graphs", 1000},
                        {"anomalous", 100},
                        {"nodes", 20000},
                        {"hash", "0"}};
    cell.settings =
        nlohmann::ordered_json::parse(compare::make_options(grid_.models[model], seed).json());
    cell.split = {{"train", 700}, {"validation", 150}, {"test", 150}};
    cell.epochs_run = 10;
    cell.test = {.graphs = 150,
                 .anomalous = 15,
                 .auc = auc,
                 .average_precision = auc / 2,
                 .macro_f1 = macro_f1,
                 .macro_f1_tuned = 0.6};
    cell.seconds_train = 1.5 * static_cast<double>(model + 1);
    cell.roc = {{0, 0.3, 1}, {0, 0.7, 1}};
    cell.machine = {{"processor", "a processor"}, {"cores", 2}};
    cells_.push_back(cell);
    return *this;
  }
  Results& fail(std::size_t data, std::size_t model, std::uint64_t seed, const std::string& why) {
    CellResult cell = named(data, model, seed);
    cell.reason = why;
    cells_.push_back(cell);
    return *this;
  }
  /// Scores of a file, the same on all seeds of the first set.
  Results& add_scores(const std::string& title, std::size_t seeds, double auc) {
    grid_.models.push_back({.title = title, .model = "", .settings = {}, .scores = "x.csv"});
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      CellResult cell = named(0, grid_.models.size() - 1, seed);
      cell.description = cells_.front().description;
      cell.settings = {{"scores", "x.csv"}};
      cell.split = {{"train", 700}, {"validation", 150}, {"test", 150}};
      cell.test = cells_.front().test;
      cell.test.auc = auc;
      cell.test.macro_f1_tuned = kNone;
      cell.seconds_train = kNone;
      cell.roc = {{0, 1}, {0, 1}};
      cell.machine = nlohmann::ordered_json::object();
      cells_.push_back(cell);
    }
    return *this;
  }
  Results& set(const char* key, const nlohmann::ordered_json& value) {
    for (CellResult& cell : cells_) {
      cell.settings[key] = value;
    }
    return *this;
  }
  /// Of the last result.
  Results& rank(compare::TestRanks ranks) {
    cells_.back().ranks = std::move(ranks);
    return *this;
  }
  Comparison comparison(std::size_t reference = 0, const RunOptions& run = {.threads = 1}) const {
    return make_comparison(grid_, cells_, book(), reference, run);
  }

 private:
  CellResult named(std::size_t data, std::size_t model, std::uint64_t seed) const {
    CellResult cell;
    cell.data = data;
    cell.model = model;
    cell.seed = seed;
    cell.data_title = grid_.data[data].title;
    cell.model_title = grid_.models[model].title;
    cell.detector = grid_.models[model].model;
    cell.version = "0";
    return cell;
  }

  compare::Grid grid_;
  std::vector<CellResult> cells_;
};

/// Rows in the order of the comparison: chebynet, ocgin, rqgnn published, size.
Results four_models() {
  Results results({"MCF-7", "other"}, {"size", "rqgnn:profile=published", "ocgin", "chebynet"});
  for (const std::uint64_t seed : {1U, 2U}) {
    const double shift = seed == 1 ? 0.01 : -0.01;
    results.add(0, 0, seed, 0.65 + shift).add(0, 1, seed, 0.83 + shift, 0.72);
    results.add(0, 2, seed, 0.53 + shift).add(0, 3, seed, 0.66 + shift, 0.48);
    results.add(1, 0, seed, 0.5).add(1, 1, seed, 0.9, 0.8);
    results.add(1, 2, seed, 0.5);
  }
  return results.fail(1, 3, 1, "loss <is> no number").fail(1, 3, 2, "loss <is> no number");
}

TEST(Comparison, OrdersRowsAndMarksThem) {
  const auto c = four_models().comparison();
  std::vector<std::string> titles;
  for (const auto& row : c.rows) {
    titles.push_back(row.title);
  }
  EXPECT_THAT(titles, testing::ElementsAre("chebynet", "ocgin", "rqgnn published", "size"));
  EXPECT_TRUE(c.rows[1].one_class);
  EXPECT_TRUE(c.rows[3].yardstick);
  EXPECT_EQ(c.rows[2].published_as, "RQGNN");
  EXPECT_TRUE(c.is_best(2, 0, kAuc));
  EXPECT_FALSE(c.is_best(0, 0, kAuc));
  EXPECT_FALSE(c.is_best(1, 0, kMacroF1)) << "has none";
  EXPECT_TRUE(c.entries[1][0].below_size);
  EXPECT_FALSE(c.entries[0][0].below_size);
  EXPECT_FALSE(c.entries[1][1].below_size) << "equal is not below";
  EXPECT_EQ(c.failures(), 2U);
}

TEST(Comparison, MeansDeviationsAndPublishedValues) {
  const auto c = four_models().comparison();
  const auto& entry = c.entries[2][0];
  EXPECT_DOUBLE_EQ(entry.auc.mean, 0.83);
  EXPECT_NEAR(entry.auc.deviation, 0.01 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(published_value(entry, kAuc), 0.8354);
  EXPECT_EQ(published_value(entry, kMacroF1), 0.7394);
  EXPECT_EQ(published_value(c.entries[1][0], kAuc), 0.5348);
  EXPECT_FALSE(published_value(c.entries[1][0], kMacroF1)) << "none is published";
  EXPECT_FALSE(published_value(c.entries[2][1], kAuc)) << "not a published dataset";
  EXPECT_EQ(summarise({kNone}).count, 0U);
  EXPECT_TRUE(std::isnan(summarise({0.5}).deviation));
}

TEST(Comparison, CountsWinsAndRanks) {
  const auto c = four_models().comparison();
  const auto text = [&](std::size_t a, std::size_t b) {
    const Duel& d = c.duels[a][b];
    return std::to_string(d.wins) + "-" + std::to_string(d.ties) + "-" + std::to_string(d.losses);
  };
  EXPECT_EQ(text(2, 3), "4-0-0");
  EXPECT_EQ(text(3, 2), "0-0-4");
  EXPECT_EQ(text(1, 3), "0-2-2") << "tied on the second set";
  EXPECT_EQ(text(0, 3), "2-0-0") << "failed on the second set";
  EXPECT_DOUBLE_EQ(c.ranks[2].mean, 1);
  EXPECT_DOUBLE_EQ(c.ranks[0].mean, 2);
  EXPECT_DOUBLE_EQ(c.ranks[1].mean, (4 + 2.5) / 2);
  EXPECT_DOUBLE_EQ(c.ranks[3].mean, (3 + 2.5) / 2);
}

/// Two detectors on four seeds: differences 0.01, 0.03, 0.02, 0.04 in AUC.
Results two_models() {
  Results results({"one"}, {"size", "rqgnn"});
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    const double shift = seed == 1 ? 0.01 : seed == 2 ? 0.03 : seed == 3 ? 0.02 : 0.04;
    results.add(0, 0, seed, 0.6 + 0.05 * static_cast<double>(seed));
    results.add(0, 1, seed, 0.6 + 0.05 * static_cast<double>(seed) + shift);
  }
  return results;
}

TEST(Comparison, PairsEverySeedWithThatOfTheReference) {
  const auto c = two_models().comparison(1);
  EXPECT_EQ(c.rows[c.paired.reference].title, "rqgnn");
  const auto& [auc, precision, f1] = c.paired.entries[1 - c.paired.reference][0];
  EXPECT_NEAR(auc.mean, -0.025, 1e-12);
  EXPECT_NEAR(precision.mean, -0.0125, 1e-12);
  EXPECT_EQ(auc.count, 4U);
  EXPECT_EQ(f1.mean, 0);
  EXPECT_EQ(f1.p_value, 1);
  // 150 test graphs and 850 others; the quantile of t with three degrees is 3.1824.
  EXPECT_NEAR(auc.high - auc.mean, 3.182446 * 0.0129099 * std::sqrt(1.0 / 4 + 150.0 / 850), 1e-6);
  EXPECT_EQ(c.paired.entries[c.paired.reference][0][0].mean, 0);
  const auto json = comparison_json(c)["paired"];
  EXPECT_EQ(json["reference"], "rqgnn");
  EXPECT_EQ(json["over"], "seeds");
  ASSERT_EQ(json["differences"].size(), 1U);
  EXPECT_EQ(json["differences"][0]["model"], "size");
  EXPECT_EQ(json["differences"][0]["auc"]["pairs"], 4);
  EXPECT_NEAR(json["differences"][0]["auc"]["low"].get<double>(), auc.low, 1e-12);
  EXPECT_EQ(json["over_data"].size(), 0U) << "one dataset";
  EXPECT_THAT(comparison_page(c), HasSubstr("Differences to rqgnn"));
  EXPECT_THAT(comparison_page(c), HasSubstr("−0.0250"));
}

TEST(Comparison, SeedsThatShareTheirPartsAreTestedWithoutTheCorrection) {
  const auto moved = two_models().comparison();
  for (const auto& c : {two_models().set("split", "scaffold").comparison(),
                        two_models().set("parts", "0").comparison()}) {
    const auto& auc = c.paired.entries[1 - c.paired.reference][0][0];
    EXPECT_NEAR(auc.high - auc.mean, 3.182446 * 0.0129099 / 2, 1e-6);
    EXPECT_THAT(comparison_page(c), HasSubstr("The parts are the same for all seeds"));
  }
  EXPECT_FALSE(moved.paired.fixed_parts);
}

TEST(Comparison, RunsOnTheSameTestGraphsAreComparedByDrawingThemAgain) {
  // A hundred normal graphs and twenty anomalous ones; the better method sees fifteen of them.
  std::vector<std::int8_t> labels(120, 0);
  std::vector<double> worse;
  std::vector<double> better;
  for (std::size_t g = 0; g < 120; ++g) {
    labels[g] = g % 6 == 0 ? 1 : 0;
    worse.push_back(static_cast<double>(g * 37 % 120));
    better.push_back(worse.back() + (labels[g] == 1 && g % 24 != 0 ? 200 : 0));
  }
  Results results({"one"}, {"size", "rqgnn"});
  for (const std::uint64_t seed : {1U, 2U}) {
    results.add(0, 0, seed, roc_auc({labels, worse})).rank(compare::ranks_of({labels, worse}, 60));
    results.add(0, 1, seed, roc_auc({labels, better}))
        .rank(compare::ranks_of({labels, better}, 150));
  }
  const auto c = results.comparison(0);
  EXPECT_TRUE(c.paired.drawn);
  const auto& [auc, precision, f1] = c.paired.entries[1 - c.paired.reference][0];
  EXPECT_NEAR(auc.mean, roc_auc({labels, better}) - roc_auc({labels, worse}), 1e-12);
  EXPECT_EQ(auc.count, 2U);
  EXPECT_LT(auc.low, auc.mean);
  EXPECT_GT(auc.high, auc.mean);
  EXPECT_GT(auc.low, 0.2);
  EXPECT_LT(auc.p_value, 0.01);
  EXPECT_GT(precision.low, 0);
  EXPECT_GT(f1.low, 0);
  EXPECT_EQ(c.paired.entries[c.paired.reference][0][0].p_value, 1);
  EXPECT_EQ(comparison_json(c)["paired"].dump(),
            comparison_json(results.comparison(0, {.threads = 3}))["paired"].dump());
  EXPECT_FALSE(two_models().comparison().paired.drawn);
}

TEST(Comparison, OverDatasetsTheirMeansArePaired) {
  const auto c = four_models().comparison(1);
  const auto size = static_cast<std::size_t>(
      std::ranges::find(c.rows, "size", &ComparisonRow::title) - c.rows.begin());
  EXPECT_NEAR(c.paired.over_data[size][0].mean, (-0.18 - 0.4) / 2, 1e-12);
  EXPECT_EQ(c.paired.over_data[size][0].count, 2U);
  EXPECT_EQ(comparison_json(c)["paired"]["over_data"].size(), 3U);
}

TEST(Comparison, ScoresOfAFileAreARowWithoutBudgetAndTime) {
  auto results = four_models();
  results.add_scores("forest", 2, 0.9);
  const auto c = results.comparison(1);
  std::vector<std::string> titles;
  for (const auto& row : c.rows) {
    titles.push_back(row.title);
  }
  EXPECT_THAT(titles,
              testing::ElementsAre("chebynet", "ocgin", "rqgnn published", "forest", "size"));
  EXPECT_TRUE(c.is_best(3, 0, kAuc));
  EXPECT_EQ(c.entries[3][0].macro_f1_tuned.count, 0U);
  EXPECT_EQ(granted(c, 3).epochs, "-");
  EXPECT_EQ(granted(c, 3).seeds, "1, 2");
  EXPECT_NEAR(c.paired.entries[3][0][0].mean, 0.07, 1e-12);
  EXPECT_EQ(c.paired.entries[3][1][0].count, 0U) << "not on the other set";
  EXPECT_EQ(comparison_json(c)["models"][3]["scores"], "x.csv");
  auto page = comparison_page(c);
  EXPECT_THAT(page, HasSubstr("scores from a file"));
  EXPECT_THAT(page, Not(HasSubstr("nan<")));
}

TEST(Comparison, ThePageHoldsEverythingAndNeedsNothingElse) {
  const auto c = four_models().comparison();
  auto page = comparison_page(c);
  for (const char* words :
       {"rqgnn published", "0.8300 ± 0.0141", "book 0.8354 (−0.0054)", "0.5300 ± 0.0141 ↓",
        "yardstick", "one-class", "loss &lt;is&gt; no number", "4–0", "0–2–2", "Machine",
        "a processor", "The number of nodes alone reaches 0.650, more than ocgin.", "ROC",
        "accuracy against time", "70/15/15", "in the book", "The book gives no seeds."}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  for (const char* outside :
       {"src=", "href=", "url(", "<script", "@import", ">nan", "nan<", ">inf"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  for (const char* tag : {"<meta charset=\"utf-8\">",
                          "<meta name=\"viewport\" content=\"width=device-width, "
                          "initial-scale=1\">"}) {
    page.erase(page.find(tag), std::string(tag).size());
  }
  EXPECT_EQ(test::xml_defect(page), "");
}

TEST(Comparison, WithoutPublishedValuesSpeaksOfNone) {
  compare::Grid grid;
  grid.data.push_back({.title = "one", .load = {}});
  grid.models = {parse_grid_model("rqgnn"), parse_grid_model("chebynet")};
  const auto c = make_comparison(grid, {});
  EXPECT_EQ(c.rows[0].title, grid.models[0].title) << "the order of the grid";
  EXPECT_FALSE(c.entries[0][0].published);
  EXPECT_THAT(comparison_page(c), Not(HasSubstr("in the")));
  EXPECT_EQ(comparison_json(c)["models"][0].size(), 5U);
}

TEST(Comparison, APageWithoutAnyResultIsWhole) {
  Results results({"one"}, {"size"});
  results.fail(0, 0, 1, "no such file");
  const auto page = comparison_page(results.comparison());
  EXPECT_THAT(page, HasSubstr("no such file"));
  EXPECT_THAT(page, Not(HasSubstr("<svg")));
}

TEST(Comparison, FilesHaveARowPerCellAndTheMeans) {
  const auto c = four_models().comparison();
  const auto csv = comparison_csv(c);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 16);
  EXPECT_EQ(std::ranges::count(csv, ','), 17 * 22) << "all rows have as many columns";
  EXPECT_THAT(csv, HasSubstr("other,chebynet,chebynet,2,failed,,,,,,,,,,,,,,,,,,loss <is> no"));
  const auto json = comparison_json(c);
  const auto& entry = json["aggregates"][4];  // rqgnn published on MCF-7
  EXPECT_EQ(entry["auc"]["book"], 0.8354);
  EXPECT_NEAR(entry["auc"]["difference"].get<double>(), 0.83 - 0.8354, 1e-12);
  EXPECT_EQ(entry["auc"]["best"], true);
  EXPECT_EQ(json["models"][2]["against"]["size"]["wins"], 4);
}

}  // namespace
}  // namespace rayleigh::report
