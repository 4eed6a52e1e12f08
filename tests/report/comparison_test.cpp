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
  Comparison comparison() const { return make_comparison(grid_, cells_, book()); }

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
