#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

CommandResult evaluate(const TrainingFolder& folder, const std::string& flags,
                       const std::string& data = "data.jsonl") {
  return run_command("evaluate " + folder.path("m.model") + " " + folder.path(data) + " --quiet " +
                     flags);
}

json evaluate_json(const TrainingFolder& folder, const std::string& flags,
                   const std::string& data = "data.jsonl") {
  const auto result = evaluate(folder, "--format json " + flags, data);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Evaluate, SplitTestGivesTheTestFiguresOfTrainingAgain) {
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    const TrainingFolder folder;
    const auto trained =
        run_command("train " + folder.path("data.jsonl") + " -o " + folder.path("m.model") +
                    " --format json --quiet --epochs 3 --hidden 8 --split-seed 5 --ensemble 2 " +
                    "--split-group duplicates --profile " + profile);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const json out = json::parse(trained.out);
    EXPECT_EQ(evaluate_json(folder, "--split test")["test"], out["test"]) << profile;
    EXPECT_EQ(evaluate_json(folder, "--split validation --threads 3")["test"], out["validation"]);
    EXPECT_EQ(evaluate_json(folder, "--split train")["graphs"], out["split"]["train"]);
  }
}

TEST(Evaluate, PrintsCountsAndIntervalsThatHoldTheFigures) {
  const TrainingFolder folder;
  folder.train();
  const json out = evaluate_json(folder, "");
  EXPECT_EQ(out["split"], "all");
  EXPECT_EQ(out["graphs"], 200);
  EXPECT_EQ(out["anomalous"], 40);
  EXPECT_EQ(out["unknown_label_graphs"], 0);
  for (const char* metric : {"auc", "average_precision", "macro_f1", "macro_f1_tuned"}) {
    const auto& interval = out["intervals_95"][metric];
    ASSERT_EQ(interval.size(), 2U) << metric;
    EXPECT_LE(interval[0], out["test"][metric]) << metric;
    EXPECT_GE(interval[1], out["test"][metric]) << metric;
    EXPECT_LT(interval[0], interval[1]) << metric;
  }
  EXPECT_EQ(out, evaluate_json(folder, "--threads 3")) << "any number of threads";
  EXPECT_NE(out["intervals_95"], evaluate_json(folder, "--seed 2")["intervals_95"]);
}

TEST(Evaluate, ShowsAReadablePage) {
  const TrainingFolder folder;
  folder.train();
  const auto result = evaluate(folder, "--split test");
  for (const char* part : {"data (test): 30 graphs, 6 anomalous", "AUC", "95 % interval",
                           "average precision", "tuned on validation", "BEDROC"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST(Evaluate, PartsOfOtherDataAreRefused) {
  const TrainingFolder folder;
  folder.train();
  const auto expect_refused = [&] {
    const auto result = evaluate(folder, "--split test", "other.jsonl");
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("not the data the model was trained on"));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(evaluate(folder, "", "other.jsonl").exit_code, 0) << "as a whole it is fine";
  };
  io::save_jsonl(generate::molecules({.seed = 2, .graphs = 200, .anomalous = 0.2}),
                 folder.path("other.jsonl"));
  expect_refused();
  // The same graphs, but for one node label.
  std::string text = folder.text("data.jsonl");
  text.replace(text.find("\"C\""), 3, "\"N\"");
  folder.write("other.jsonl", text);
  expect_refused();
  // The same graphs without the last one.
  text = folder.text("data.jsonl");
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  folder.write("other.jsonl", text);
  expect_refused();
  // The same data under another name is the same data.
  folder.write("other.jsonl", folder.text("data.jsonl"));
  EXPECT_EQ(evaluate(folder, "--split test", "other.jsonl").exit_code, 0);
}

TEST(Evaluate, SplitFilesMustBeGivenAgain) {
  const TrainingFolder folder;
  std::string files = " --split-files";
  for (const auto& [name, first, last] :
       {std::tuple("a", 0, 120), std::tuple("b", 120, 160), std::tuple("c", 160, 200)}) {
    std::string text;
    for (int g = first; g < last; ++g) {
      text += std::to_string(g) + "\n";
    }
    folder.write(name, text);
    files += " " + folder.path(name);
  }
  const json out = folder.train(files);
  EXPECT_EQ(evaluate_json(folder, "--split test" + files)["test"], out["test"]);
  const auto whole = evaluate(folder, files);
  EXPECT_EQ(whole.exit_code, 2);
  EXPECT_THAT(whole.err, HasSubstr("--split-files: needs --split"));
  const auto without = evaluate(folder, "--split test");
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.err, HasSubstr("--split-files"));
}

TEST(Evaluate, NeedsLabelsItCanMeasureAgainst) {
  const TrainingFolder folder;
  folder.train();
  folder.write("none.jsonl", "{\"node_labels\":[\"C\"],\"edges\":[]}\n");
  const auto none = evaluate(folder, "", "none.jsonl");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no graph labels"));
  folder.write("names.jsonl",
               "{\"node_labels\":[\"C\"],\"edges\":[],\"label\":\"odd\"}\n"
               "{\"node_labels\":[\"C\"],\"edges\":[],\"label\":\"even\"}\n");
  const auto names = evaluate(folder, "", "names.jsonl");
  EXPECT_EQ(names.exit_code, 2);
  EXPECT_THAT(names.err, HasSubstr("expected one of even, odd"));
  EXPECT_EQ(evaluate(folder, "--anomaly-class odd", "names.jsonl").exit_code, 0);
}

TEST(Evaluate, MetricsThatDoNotExistAreNull) {
  const TrainingFolder folder;
  folder.train();
  folder.write("one.jsonl",
               "{\"node_labels\":[\"C\",\"Xx\"],\"edges\":[],\"label\":1}\n"
               "{\"node_labels\":[\"C\"],\"edges\":[],\"label\":1}\n");
  const json out = evaluate_json(folder, "", "one.jsonl");
  EXPECT_TRUE(out["test"]["auc"].is_null());
  EXPECT_EQ(out["unknown_label_graphs"], 1);
  EXPECT_THAT(evaluate(folder, "", "one.jsonl").out,
              HasSubstr("1 graph with node labels the model never saw"));
  EXPECT_THAT(evaluate(folder, "", "one.jsonl").out, testing::Not(HasSubstr("nan")));
}

TEST(Evaluate, AModelThatIsNoneIsBadData) {
  const TrainingFolder folder;
  folder.write("m.model", "nothing of the kind");
  const auto result = evaluate(folder, "");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr(folder.path("m.model") + ": "));
}

}  // namespace
}  // namespace rayleigh::test
