#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ReproduceVerb : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"MCF-7", "SN12C"}) {
      io::save_jsonl(generate::molecules({.seed = 1, .graphs = 300, .anomalous = 0.2}),
                     folder_.path(std::string(name) + ".jsonl"));
    }
  }
  CommandResult reproduce(const std::string& words) const {
    return run_command("reproduce " + words + " --data-dir " + folder_.path("") + " -o " +
                       folder_.path("paper"));
  }
  json results() const { return json::parse(folder_.text("paper/results.json")); }

  TrainingFolder folder_;
};

TEST_F(ReproduceVerb, QuickRunOfRqgnnGivesEveryExperiment) {
  const auto result = reproduce("E0 E1 E2 E4 E5 E6 E7 E8 E9 E10 --quick --models rqgnn");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("not in"));
  EXPECT_THAT(result.out, HasSubstr("MCF-7"));
  const json out = results();
  for (const char* key : {"E0", "E1", "E2", "E4", "E6", "E7", "E8", "E9", "E10"}) {
    EXPECT_TRUE(out.contains(key)) << key;
  }
  EXPECT_EQ(out["E0"].size(), 2U);
  EXPECT_TRUE(out["quick"].get<bool>());
  const std::string page = folder_.text("paper/report.html");
  for (const char* words : {"E1: the main table", "QUICK RUN", "E7: parameters", "E9: theory",
                            "E10: what the text claims", "paper 0.8354"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  for (const char* file : {"E0.md", "E1.md", "E2.md", "E4.md", "E6.md", "E7.md", "E8.md", "E9.md",
                           "E10.md", "figures/E4_MCF-7_regular.svg", "figures/E6_auc.svg",
                           "figures/E7_hidden.svg", "figures/E8_normal.svg"}) {
    EXPECT_FALSE(folder_.text(std::string("paper/") + file).empty()) << file;
  }
  EXPECT_THAT(folder_.text("paper/E1.md"), HasSubstr("(0.8354)"));
  EXPECT_THAT(folder_.text("paper/E0.md"), HasSubstr("|  |  |  | paper | 25,476 | 2,294 |"));
  EXPECT_THAT(folder_.text("paper/E7.md"), HasSubstr("| hidden | 64, the paper's | 0."));
  EXPECT_THAT(folder_.text("paper/E9.md"), HasSubstr("\\|RQ(L+Δ) − RQ(L)\\| / ‖Δ‖ | 300 |"));
  // The same again runs nothing and says the same.
  const auto again = reproduce("E0 E1 E2 E4 E5 E6 E7 E8 E9 E10 --quick --models rqgnn");
  EXPECT_EQ(again.out, result.out);
  EXPECT_THAT(again.err, HasSubstr("kept from an earlier run"));
  EXPECT_EQ(folder_.text("paper/report.html"), page);
}

TEST_F(ReproduceVerb, TheSameAgainSaysTheSame) {
  for (const char* experiment : {"E1", "E7"}) {
    const std::string words = std::string(experiment) + " --quick --models rqgnn";
    const auto first = reproduce(words);
    ASSERT_EQ(first.exit_code, 0) << first.err;
    const std::string page = folder_.text("paper/report.html");
    const auto again = reproduce(words);
    EXPECT_EQ(again.out, first.out);
    EXPECT_EQ(folder_.text("paper/report.html"), page);
    std::filesystem::remove_all(folder_.path("paper"));
  }
}

TEST_F(ReproduceVerb, ShowsFinishedRunsOfDetectorsThatItDoesNotTrain) {
  ASSERT_EQ(reproduce("E1 --quick").exit_code, 0);
  const auto rows = [&] {
    std::size_t baselines = 0;
    const json all = results();
    for (const json& match : all["summary"]) {
      baselines += match["method"] == "BernNet" ? 1 : 0;
    }
    return baselines;
  };
  EXPECT_EQ(rows(), 2U);  // AUC and macro-F1 on MCF-7
  const auto again = reproduce("E1 --quick --models rqgnn");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(rows(), 2U);
  std::filesystem::remove_all(folder_.path("paper"));
  ASSERT_EQ(reproduce("E1 --quick --models rqgnn").exit_code, 0);
  EXPECT_EQ(rows(), 0U);
}

TEST_F(ReproduceVerb, ADamagedSetDoesNotStopTheOthers) {
  write_text(folder_.path("PC-3.zip"), "no zip");
  write_text(folder_.path("MCF-7.jsonl"), "{\n");
  const auto result = reproduce("E0 E1 E4 E8 E9 --quick --models rqgnn");
  EXPECT_EQ(result.exit_code, 4);
  const json out = results();
  EXPECT_EQ(out["E0"].size(), 1U);
  std::vector<std::string> failed;
  for (const json& one : out["failed"]) {
    failed.push_back(one["what"]);
  }
  // The theory is measured on the first set that can be read.
  EXPECT_THAT(failed, testing::ElementsAre("E0, E4, E5: MCF-7", "E0, E4, E5: PC-3", "E9: theory",
                                           "E9: theory"));
  EXPECT_EQ(out["E9"][0]["data"], "SN12C");
  EXPECT_THAT(folder_.text("paper/report.html"), HasSubstr("What could not be done"));
}

TEST_F(ReproduceVerb, WhatIsThereStaysInTheReport) {
  ASSERT_EQ(reproduce("E1 --quick --models rqgnn").exit_code, 0);
  const auto result = reproduce("E10 --quick --models rqgnn");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = results();
  EXPECT_TRUE(out.contains("E1"));
  EXPECT_FALSE(out.contains("E6"));  // its sets were never trained on
  std::vector<std::string> tested;
  for (const json& claim : out["E10"]) {
    if (claim["ours"]["verdict"] != "untested") {
      tested.push_back(claim["where"]);
    }
  }
  // Of distributions, which need no training, and of RQGNN-1 and RQGNN-2 in the tables of E1.
  EXPECT_THAT(tested, testing::ElementsAre("1", "1", "4.3", "4.3", "4.3", "4.3"));
}

TEST_F(ReproduceVerb, NeedsTheFolderAndKnowsItsExperiments) {
  EXPECT_EQ(reproduce("E11 --quick").exit_code, 2);
  EXPECT_EQ(reproduce("E1 --quick --full").exit_code, 2);
  const auto nowhere =
      run_command("reproduce E0 -o " + folder_.path("p") + " --data-dir " + folder_.path("none"));
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("there is no folder"));
}

TEST_F(ReproduceVerb, TheoryNeedsNoData) {
  const TrainingFolder empty;
  const auto result = run_command("reproduce E9 --quiet --data-dir " + empty.path("") + " -o " +
                                  empty.path("paper"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("claims hold as measured"));
}

}  // namespace
}  // namespace rayleigh::test
