// Every detector of the registry goes through the same command line.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/training_folder.h"
#include "models/recipe.h"

namespace rayleigh {
namespace {

using nlohmann::json;
using test::run_command;
using test::TrainingFolder;

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& recipe : models::all_recipes()) {
    names.push_back(recipe->name());
  }
  return names;
}

/// 120 chains and rings, for a detector that needs molecules.
std::string chains_and_rings() {
  std::string text = "name,smiles,label\n";
  for (int i = 0; i < 120; ++i) {
    const std::string chain(static_cast<std::size_t>(1 + i % 9), 'C');
    const bool ring = i % 4 == 3;
    text += "m" + std::to_string(i) + ",";
    text += ring ? "c1ccc" + std::string(i % 8 == 3 ? "n" : "c") + "c1" + chain
                 : chain + "O" + std::string(static_cast<std::size_t>(i % 5), 'C');
    text += ring ? ",1\n" : ",0\n";
  }
  return text;
}

bool needs_molecules(const std::string& model) {
  return models::make_recipe(model)->needs_fingerprints();
}

/// What every detector of this file is trained on.
std::string data_of(const std::string& model) {
  return needs_molecules(model) ? "data.csv" : "data.jsonl";
}

std::string train(const TrainingFolder& folder, const std::string& model,
                  const std::string& flags) {
  const auto result = run_command("train " + folder.path(data_of(model)) + " --model " + model +
                                  " --epochs 2 --format json --quiet " + flags);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

class EveryModel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!needs_molecules(GetParam())) {
      return;
    }
    folder.write("data.csv", chains_and_rings());
    if (const auto probe = run_command("inspect - --input smi --quiet", "CC\n");
        probe.exit_code == 1) {
      GTEST_SKIP() << "skipped, built without RDKit: " << probe.err;
    }
  }

  const TrainingFolder folder{120};
};

TEST_P(EveryModel, TrainsToTheSameBytesWithAnyThreadsAndScoresAsItPredicted) {
  const json out = json::parse(
      train(folder, GetParam(),
            "--threads 1 -o " + folder.path("one") + " --predictions " + folder.path("p.csv")));
  EXPECT_TRUE(out["test"]["auc"].is_number());
  train(folder, GetParam(), "--threads 3 -o " + folder.path("three"));
  EXPECT_EQ(folder.text("one"), folder.text("three"));

  const auto scores = run_command("score " + folder.path("one") + " " +
                                  folder.path(data_of(GetParam())) + " --quiet");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  std::istringstream predicted(folder.text("p.csv"));
  std::istringstream scored(scores.out);
  std::string a;
  std::string b;
  std::size_t rows = 0;
  while (std::getline(predicted, a) && std::getline(scored, b)) {
    // index,id,part,label,score,… against index,id,score,…
    const auto cell = [](const std::string& line, int number) {
      std::istringstream cells(line);
      std::string text;
      for (int i = 0; i <= number; ++i) {
        std::getline(cells, text, ',');
      }
      return text;
    };
    EXPECT_EQ(cell(a, 4), cell(b, 2)) << a;
    ++rows;
  }
  EXPECT_EQ(rows, 121U);
}

TEST_P(EveryModel, ScoresGraphsWithoutEdgesAndWithUnknownLabels) {
  train(folder, GetParam(), "-o " + folder.path("m"));
  folder.write("odd.jsonl",
               "{\"node_labels\":[\"C\"],\"edges\":[]}\n"
               "{\"node_labels\":[\"C\",\"O\",\"N\"],\"edges\":[]}\n"
               "{\"node_labels\":[\"C\",\"Xx\"],\"edges\":[[0,1]]}\n");
  folder.write("odd.smi", "C\nC.O.N\nC[Hg]\n");
  const auto scores =
      run_command("score " + folder.path("m") + " " +
                  folder.path(needs_molecules(GetParam()) ? "odd.smi" : "odd.jsonl") +
                  " --format json --quiet");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  std::istringstream lines(scores.out);
  std::string line;
  std::size_t rows = 0;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(json::parse(line)["score"].is_number()) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 3U);
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel, ::testing::ValuesIn(model_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(WithoutLabels, OneClassDetectorsLearnAndOthersSayWhy) {
  const TrainingFolder folder(120);
  std::istringstream lines(folder.text("data.jsonl"));
  std::string line;
  std::string unlabelled;
  while (std::getline(lines, line)) {
    json graph = json::parse(line);
    graph.erase("label");
    unlabelled += graph.dump() + "\n";
  }
  folder.write("data.jsonl", unlabelled);
  const json out =
      json::parse(train(folder, "ocgin", "--contamination 0.1 -o " + folder.path("m")));
  EXPECT_TRUE(out["validation"]["auc"].is_null());
  const auto scores = run_command("score " + folder.path("m") + " " + folder.path("data.jsonl") +
                                  " --format json --quiet");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  std::istringstream rows(scores.out);
  int anomalous = 0;
  while (std::getline(rows, line)) {
    const json row = json::parse(line);
    EXPECT_TRUE(row["probability"].is_null());
    anomalous += row["anomalous"].get<bool>() ? 1 : 0;
  }
  EXPECT_GT(anomalous, 2);
  EXPECT_LT(anomalous, 40);
  EXPECT_EQ(run_command("inspect " + folder.path("m")).exit_code, 0);

  const auto refused = run_command("train " + folder.path("data.jsonl") + " -o " +
                                   folder.path("x") + " --quiet --model rqgnn");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("no graph labels"), std::string::npos) << refused.err;
}

std::string path_of(std::size_t nodes) {
  json labels = json::array();
  json edges = json::array();
  for (std::size_t i = 0; i < nodes; ++i) {
    labels.push_back("C");
    if (i > 0) {
      edges.push_back({i - 1, i});
    }
  }
  return json{{"node_labels", labels}, {"edges", edges}}.dump() + "\n";
}

class ModelOfOneSize : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelOfOneSize, KeepsTheRowOfAGraphThatIsTooLarge) {
  const TrainingFolder folder(120);
  train(folder, GetParam(), "-o " + folder.path("m"));
  folder.write("sizes.jsonl", path_of(5) + path_of(500) + path_of(6));
  const auto scores = run_command("score " + folder.path("m") + " " + folder.path("sizes.jsonl") +
                                  " --format json --quiet");
  EXPECT_EQ(scores.exit_code, 4) << scores.err;
  std::istringstream lines(scores.out);
  std::vector<json> rows;
  for (std::string line; std::getline(lines, line);) {
    rows.push_back(json::parse(line));
  }
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["status"], "ok");
  EXPECT_EQ(rows[1]["status"], "too-large");
  EXPECT_TRUE(rows[1]["score"].is_null());
  EXPECT_NE(rows[1]["reason"].get<std::string>().find("500 nodes"), std::string::npos);
  EXPECT_EQ(rows[2]["status"], "ok");
  EXPECT_TRUE(rows[2]["score"].is_number());
}

TEST_P(ModelOfOneSize, ScoresAnotherWayWithEachRepair) {
  const TrainingFolder folder(120);
  const std::string small =
      " --hidden 16 --out 8 -o " + folder.path("m") + " --predictions " + folder.path("p.csv");
  train(folder, GetParam(), small);
  const std::string faithful = folder.text("p.csv");
  for (const char* repair : {"--norm node", "--empty-rows ignore"}) {
    train(folder, GetParam(), small + " " + repair);
    EXPECT_NE(folder.text("p.csv"), faithful) << repair;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModelOfOneSize, ::testing::Values("glocalkd", "himnet"),
                         [](const auto& test) { return test.param; });

TEST(WithoutEmptyRows, GlocalkdScoresGraphsOfAnySize) {
  const TrainingFolder folder(120);
  train(folder, "glocalkd", "--empty-rows ignore --hidden 16 --out 8 -o " + folder.path("m"));
  folder.write("large.jsonl", path_of(500));
  const auto scores =
      run_command("score " + folder.path("m") + " " + folder.path("large.jsonl") + " --quiet");
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
}

TEST(WithoutNormalGraphs, OneClassDetectorsSayWhatIsMissing) {
  const TrainingFolder folder(40);
  std::istringstream lines(folder.text("data.jsonl"));
  std::string anomalous;
  for (std::string line; std::getline(lines, line);) {
    json graph = json::parse(line);
    graph["label"] = "1";
    anomalous += graph.dump() + "\n";
  }
  folder.write("data.jsonl", anomalous);
  const auto refused =
      run_command("train " + folder.path("data.jsonl") +
                  " --model glocalkd --anomaly-class 1 --quiet -o " + folder.path("m"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("0 normal graphs"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace rayleigh
