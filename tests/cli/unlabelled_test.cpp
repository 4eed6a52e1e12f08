// Graphs without labels as a user meets them: the default detector, its promise, its rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// 500 graphs without labels in data.jsonl, with labels in labelled.jsonl.
struct UnlabelledGraphs : testing::Test {
  UnlabelledGraphs() : folder(500) {
    folder.write("labelled.jsonl", folder.text("data.jsonl"));
    std::string unlabelled;
    for (const std::string& line : lines_of(folder.text("data.jsonl"))) {
      json graph = json::parse(line);
      graph.erase("label");
      unlabelled += graph.dump() + "\n";
    }
    folder.write("data.jsonl", unlabelled);
  }
  CommandResult train(const std::string& flags, const std::string& data = "data.jsonl") const {
    return run_command("train " + folder.path(data) + " -o " + folder.path("m") + " " + flags);
  }
  TrainingFolder folder;
};

TEST_F(UnlabelledGraphs, NoveltyIsTheDefaultAndSaysSo) {
  const auto trained = train("");
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("without labels the detector is novelty"));
  EXPECT_THAT(trained.out, HasSubstr("that training never saw"));
  EXPECT_THAT(train("--unlabelled", "labelled.jsonl").err, HasSubstr("the detector is novelty"));
  EXPECT_THAT(train("--normal-class 0", "labelled.jsonl").err, HasSubstr("detector is novelty"));
  const auto named = train("--model size");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_THAT(named.err, Not(HasSubstr("novelty")));
}

TEST_F(UnlabelledGraphs, FlagsOfAnotherDetectorAreAnErrorThatNamesTheDefault) {
  const auto refused = train("--trees-weight 1");
  EXPECT_EQ(refused.exit_code, 2);
  const auto network = train("--hidden 8");
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_THAT(network.err, HasSubstr("--hidden"));
  EXPECT_THAT(network.err, HasSubstr("novelty"));
}

TEST_F(UnlabelledGraphs, RowsHaveAPValueAndNoProbability) {
  EXPECT_EQ(train("--quiet --false-alarms 0.05").exit_code, 0);
  const std::string score = "score " + folder.path("m") + " " + folder.path("data.jsonl");
  const auto rows = lines_of(run_command(score).out);
  ASSERT_EQ(rows.size(), 501U);
  EXPECT_EQ(rows[0], "index,id,score,probability,anomalous,status,reason,p_value");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto cells = cells_of(rows[i]);
    ASSERT_EQ(cells.size(), 8U);
    EXPECT_EQ(cells[3], "");
    EXPECT_EQ(cells[4] == "1", std::stod(cells[7]) <= 0.05) << rows[i];
  }
  const json row = json::parse(lines_of(run_command(score + " --format json").out)[0]);
  EXPECT_TRUE(row["probability"].is_null());
  EXPECT_GT(row["p_value"].get<double>(), 0);
}

TEST_F(UnlabelledGraphs, EvaluateShowsWhatHappenedBesideThePromise) {
  EXPECT_EQ(train("--quiet --normal-class 0 --false-alarms 0.05", "labelled.jsonl").exit_code, 0);
  const std::string evaluate = "evaluate " + folder.path("m") + " " + folder.path("labelled.jsonl");
  EXPECT_THAT(run_command(evaluate).out, HasSubstr("false alarms, at most 0.05 promised"));
  const json seen = json::parse(run_command(evaluate + " --format json").out)["false_alarms"];
  EXPECT_EQ(seen["promised"], 0.05);
  EXPECT_EQ(seen["normal"], 400);
}

TEST_F(UnlabelledGraphs, ExplainAndInspectPrintNoNan) {
  EXPECT_EQ(train("--quiet").exit_code, 0);
  const auto explained = run_command("explain " + folder.path("m") + " " +
                                     folder.path("data.jsonl") + " -o " + folder.path("e"));
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, Not(HasSubstr("nan")));
  EXPECT_THAT(folder.text("e/report.html"), Not(HasSubstr("probability nan")));
  const auto inspected = run_command("inspect " + folder.path("m"));
  EXPECT_THAT(inspected.out, HasSubstr("of normal graphs are called anomalous"));
}

TEST_F(UnlabelledGraphs, FalseAlarmsAndContaminationExcludeEachOther) {
  const auto both = train("--false-alarms 0.1 --contamination 0.1");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("cannot be given together"));
  const auto known = train("--contamination 0.1 --quiet");
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_EQ(
      lines_of(run_command("score " + folder.path("m") + " " + folder.path("data.jsonl")).out)[0],
      "index,id,score,probability,anomalous,status,reason");
}

}  // namespace
}  // namespace rayleigh::test
