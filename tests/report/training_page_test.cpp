#include "report/training_page.h"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "learn/trained.h"
#include "report/training_figures.h"
#include "report/training_parts.h"
#include "xml.h"

namespace rayleigh::report {
namespace {

using test::molecules;
using test::quick;
using test::train_on;
using testing::HasSubstr;
using testing::Not;

/// Without what HTML allows and XML does not.
std::string as_xml(std::string html) {
  for (const char* tag : {"<meta charset=\"utf-8\">",
                          "<meta name=\"viewport\" content=\"width=device-width, "
                          "initial-scale=1\">"}) {
    const auto at = html.find(tag);
    EXPECT_NE(at, std::string::npos);
    html.erase(at, std::string(tag).size());
  }
  return html;
}

/// What holds for every report, whatever the run.
std::map<std::string, std::string> check(const TrainingResult& result) {
  std::map<std::string, std::string> files;
  for (const auto& [name, svg] : training_figures(result)) {
    EXPECT_EQ(test::xml_defect(svg), "") << name;
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << name;
    EXPECT_THAT(svg, Not(HasSubstr("inf"))) << name;
    files[name] = svg;
  }
  const auto page = training_page(result);
  EXPECT_EQ(test::xml_defect(as_xml(page)), "");
  for (const auto& [name, svg] : files) {
    EXPECT_NE(page.find(svg), std::string::npos) << name << " is not on the page";
  }
  for (const char* outside : {"src=", "href=", "url(", "<script", "@import", ">nan", ">inf"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  files["report.html"] = page;
  return files;
}

void keep_test_graphs_of_class(TrainingResult& result, std::int8_t label) {
  std::erase_if(result.split.test, [&](std::uint32_t g) { return result.labels[g] != label; });
  const Part part = test_part(result);
  result.test = measure(part.view(), result.detector.threshold());
}

TEST(TrainingPage, HoldsEveryFigureAndTable) {
  const auto result = train_on(molecules(), quick({{"epochs", "6"}}));
  const auto files = check(result);
  for (const char* name :
       {"loss.svg", "validation.svg", "roc.svg", "precision_recall.svg", "scores.svg",
        "score_counts.svg", "calibration.svg", "calibration_score.svg"}) {
    EXPECT_TRUE(files.contains(name)) << name;
  }
  const auto& page = files.at("report.html");
  for (const char* words :
       {"Figure 8.", "Table 6.", "Confusion matrix", "average precision", "false positive rate at",
        "BEDROC", "trained parameters", "batch-size", "graphs/s"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  EXPECT_THAT(page, Not(HasSubstr("test part"))) << "nothing is wrong with it";
  EXPECT_THAT(files.at("roc.svg"), HasSubstr(fmt::format("test, AUC {:.3f}", result.test.auc)));
  EXPECT_THAT(files.at("precision_recall.svg"),
              HasSubstr(fmt::format("test, AP {:.3f}", result.test.average_precision)));
  EXPECT_THAT(files.at("precision_recall.svg"), HasSubstr("base rate 0.2"));
  EXPECT_THAT(files.at("scores.svg"),
              HasSubstr(fmt::format("threshold {:.3f}", result.detector.threshold())));
  EXPECT_THAT(files.at("validation.svg"),
              HasSubstr(fmt::format("kept: epoch {}", result.members[0].best_epoch)));
}

TEST(TrainingPage, CountsWhatTheThresholdCalls) {
  auto result = train_on(molecules(), quick());
  // A test part of known scores: two of three anomalies found, one false alarm among five.
  result.detector = result.detector.with_threshold(0.4);
  result.split.test.clear();
  std::array<std::vector<double>, 2> scores{std::vector{0.9, 0.1, 0.2, 0.4, 0.3},
                                            std::vector{0.9, 0.1, 0.5}};
  for (std::uint32_t g = 0; g < result.labels.size(); ++g) {
    auto& left = scores[result.labels[g] == 1 ? 1 : 0];
    if (!left.empty()) {
      result.scores[g] = left.back();
      result.split.test.push_back(g);
      left.pop_back();
    }
  }
  const auto page = check(result).at("report.html");
  EXPECT_THAT(page, HasSubstr("finds 2 of 3 anomalous graphs (66.7 %) and raises 1 false alarm "
                              "among 5 normal graphs"));
  EXPECT_THAT(page, HasSubstr("<td>test</td><td>normal</td><td class=\"number\">4</td><td "
                              "class=\"number\">1</td><td class=\"number\">5</td>"));
  EXPECT_THAT(page, HasSubstr("<td>test</td><td>anomalous</td><td class=\"number\">1</td><td "
                              "class=\"number\">2</td><td class=\"number\">3</td>"));
}

TEST(TrainingPage, DrawsALineForEveryMember) {
  const auto result = train_on(molecules(), quick({{"ensemble", "3"}}));
  const auto files = check(result);
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++n;
    }
    return n;
  };
  EXPECT_EQ(count(files.at("loss.svg"), "stroke-width=\"0.9\""), 3U);
  EXPECT_EQ(count(files.at("validation.svg"), "stroke-width=\"0.9\""), 9U);
  EXPECT_THAT(files.at("report.html"), HasSubstr("mean of 3 models"));
  EXPECT_THAT(files.at("report.html"), HasSubstr("The models of the ensemble"));
}

TEST(TrainingPage, WorksForASingleEpoch) {
  const auto result = train_on(molecules(), quick({{"epochs", "1"}}));
  const auto files = check(result);
  EXPECT_THAT(files.at("report.html"), HasSubstr("epoch 1 of 1"));
  EXPECT_THAT(files.at("loss.svg"), HasSubstr("<circle")) << "a line of one point is not seen";
}

TEST(TrainingPage, SaysThatTheTestPartIsEmpty) {
  const auto result = train_on(molecules(), quick({{"split", "70/30/0"}}));
  ASSERT_TRUE(result.split.test.empty());
  const auto files = check(result);
  EXPECT_THAT(files.at("report.html"), HasSubstr("The test part is empty"));
  EXPECT_THAT(files.at("roc.svg"), Not(HasSubstr("test,")));
  EXPECT_THAT(files.at("scores.svg"), HasSubstr("Scores of the validation graphs"));
}

TEST(TrainingPage, SaysWhichClassTheTestPartLacks) {
  auto normal = train_on(molecules(), quick());
  keep_test_graphs_of_class(normal, 0);
  const auto page = check(normal).at("report.html");
  EXPECT_THAT(page, HasSubstr("The test part has no anomalous graph"));
  EXPECT_THAT(page, HasSubstr("<td>test</td><td>measuring only</td>"));
  auto anomalous = train_on(molecules(), quick());
  keep_test_graphs_of_class(anomalous, 1);
  EXPECT_THAT(check(anomalous).at("report.html"), HasSubstr("The test part has no normal graph"));
}

TEST(TrainingPage, SurvivesScoresThatAreAllEqual) {
  auto result = train_on(molecules(), quick());
  std::ranges::fill(result.scores, 0.25);
  result.detector = result.detector.with_threshold(0.25);
  check(result);
}

TEST(TrainingPage, LeavesOutTheRawScoreWhereItIsNoProbability) {
  const auto result = train_on(molecules(), {{"epochs", "2"}}, 1, "ocgin");
  const auto files = check(result);
  EXPECT_FALSE(files.contains("calibration_score.svg"));
  EXPECT_THAT(files.at("report.html"), Not(HasSubstr("raw score")));
}

TEST(TrainingPage, EscapesNames) {
  GraphSetData data = molecules().data();
  data.name = "a<b> & \"c\"";
  const auto result = train_on(GraphSet(std::move(data)), quick());
  EXPECT_THAT(check(result).at("report.html"), HasSubstr("<h1>a&lt;b&gt; &amp; &quot;c&quot;:"));
}

}  // namespace
}  // namespace rayleigh::report
