#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "rayleigh/graph_set_builder.h"

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ExplainVerb : public testing::Test {
 protected:
#ifdef __SANITIZE_ADDRESS__
  // Drawing opens RDKit late. LeakSanitizer of GCC 12 takes the thread-local memory of such a
  // library for something else and may crash; of other verbs it finds leaks as ever.
  ExplainVerb() { setenv("ASAN_OPTIONS", "detect_leaks=0", 1); }
#endif
  CommandResult explain(const std::string& flags, const std::string& model = "m.model",
                        const std::string& data = "data.jsonl") const {
    return run_command("explain " + folder_.path(model) + " " + folder_.path(data) + " -o " +
                       folder_.path("why") + " " + flags);
  }
  /// A quick run of any detector.
  void train(const std::string& flags, const std::string& model = "m.model",
             const std::string& data = "data.jsonl") const {
    const auto result =
        run_command("train " + folder_.path(data) + " -o " + folder_.path(model) + " --quiet " +
                    (flags.find("--epochs") == std::string::npos ? "--epochs 3 " : "") + flags);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  json explained() const { return json::parse(folder_.text("why/explanations.json")); }

  TrainingFolder folder_;
};

TEST_F(ExplainVerb, SharesOfEveryProfileAddUpToTheMargin) {
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    train(std::string("--profile ") + profile);
    const auto result = explain("--top 7 --quiet");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json out = explained();
    ASSERT_EQ(out["graphs"].size(), 7U);
    double last = 1;
    for (const json& graph : out["graphs"]) {
      double sum = graph["constant"].get<double>();
      double size = 0;
      for (const char* kind : {"labels", "nodes"}) {
        for (const json& part : graph[kind]) {
          sum += part["share"].get<double>();
          size += std::abs(part["share"].get<double>());
        }
      }
      EXPECT_NEAR(sum, graph["margin"].get<double>(), 1e-5 * size) << profile;
      EXPECT_NEAR(1 / (1 + std::exp(-graph["margin"].get<double>())), graph["score"].get<double>(),
                  1e-5);
      EXPECT_LE(graph["score"].get<double>(), last);
      last = graph["score"].get<double>();
    }
  }
}

TEST_F(ExplainVerb, TheHighestScoresAreThoseOfScore) {
  train("--profile published");
  ASSERT_EQ(explain("--top 5 --quiet").exit_code, 0);
  const auto scored =
      run_command("score " + folder_.path("m.model") + " " + folder_.path("data.jsonl"));
  std::multimap<double, std::string, std::greater<>> best;
  const auto rows = lines_of(scored.out);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto cells = cells_of(rows[i]);
    best.emplace(std::stod(cells[2]), cells[1]);
  }
  auto next = best.begin();
  const json out = explained();
  for (const json& graph : out["graphs"]) {
    EXPECT_EQ(graph["score"].get<double>(), next->first);
    ++next;
  }
}

TEST_F(ExplainVerb, TakesGraphsByName) {
  train("--profile published");
  const auto result = explain("--ids 17 3 --quiet");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json out = explained();
  ASSERT_EQ(out["graphs"].size(), 2U);
  std::vector<std::string> ids{out["graphs"][0]["id"], out["graphs"][1]["id"]};
  EXPECT_THAT(ids, testing::UnorderedElementsAre("17", "3"));
  const auto missing = explain("--ids 17 nobody");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no graph 'nobody'"));
  const auto both = explain("--ids 17 --top 3");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--ids: cannot be given together with --top"));
  const auto alone = explain("--neighbours 2");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--neighbours: needs --reference"));
}

TEST_F(ExplainVerb, AnyDetectorCanLeaveNodesOut) {
  train("--model ocgin", "one.model");
  ASSERT_EQ(explain("--top 3 --quiet", "one.model").exit_code, 0);
  EXPECT_EQ(explained()["graphs"][0]["method"], "leave-one-out");
  const auto shares = explain("--method shares", "one.model");
  EXPECT_EQ(shares.exit_code, 2);
  EXPECT_THAT(shares.err, HasSubstr("ocgin cannot be taken apart"));
}

TEST_F(ExplainVerb, IsTheSameForAnyNumberOfThreads) {
  train("--profile rayleigh");
  ASSERT_EQ(explain("--quiet --threads 1 --reference " + folder_.path("data.jsonl")).exit_code, 0);
  const auto page = folder_.text("why/report.html");
  const auto table = folder_.text("why/shares.csv");
  ASSERT_EQ(explain("--quiet --threads 3 --reference " + folder_.path("data.jsonl")).exit_code, 0);
  EXPECT_EQ(folder_.text("why/report.html"), page);
  EXPECT_EQ(folder_.text("why/shares.csv"), table);
}

TEST_F(ExplainVerb, TheNearestGraphToOneOfTheReferenceIsItself) {
  train("--profile published");
  ASSERT_EQ(
      explain("--top 4 --neighbours 2 --quiet --reference " + folder_.path("data.jsonl")).exit_code,
      0);
  const json out = explained();
  for (const json& graph : out["graphs"]) {
    ASSERT_EQ(graph["nearest"].size(), 2U);
    EXPECT_NEAR(graph["nearest"][0]["distance"].get<double>(), 0, 1e-4);
    EXPECT_LE(graph["nearest"][0]["distance"], graph["nearest"][1]["distance"]);
  }
}

/// Chains of C and N; in each fifth graph two atoms are S, and the table says which.
void write_sulphur(const TrainingFolder& folder) {
  GraphSetBuilder builder("sulphur");
  std::string touched = "graph,node\n";
  for (std::uint32_t g = 0; g < 300; ++g) {
    const bool odd = g % 5 == 0;
    const std::uint32_t nodes = 10 + g % 7;
    builder.begin_graph("g" + std::to_string(g), odd ? "1" : "0");
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const bool sulphur = odd && (i == g % nodes || i == (g + 3) % nodes);
      builder.add_node(sulphur ? "S" : (i * i + g) % 3 == 0 ? "N" : "C");
      touched += sulphur ? std::to_string(g) + "," + std::to_string(i) + "\n" : "";
    }
    for (std::uint32_t i = 1; i < nodes; ++i) {
      builder.add_edge(i - 1, i);
    }
  }
  io::save_jsonl(builder.build(), folder.path("sulphur.jsonl"));
  folder.write("touched.csv", touched);
}

TEST_F(ExplainVerb, FindsTheNodesThatMakeTheDifference) {
  write_sulphur(folder_);
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    train(std::string("--epochs 20 --profile ") + profile, "m.model", "sulphur.jsonl");
    const auto result =
        explain("--touched " + folder_.path("touched.csv"), "m.model", "sulphur.jsonl");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("are found with a mean AUC of"));
    const json touched = explained()["touched"];
    EXPECT_EQ(touched["graphs"], 60);
    EXPECT_GT(touched["leave_one_out_auc"], 0.95) << profile;
    if (std::string(profile) != "published") {
      EXPECT_GT(touched["shares_auc"], 0.9) << profile;
    }
    // The explicit branch sees the quotient of the label.
    const json out = explained();
    for (const json& graph : out["graphs"]) {
      if (graph["class"] == "1") {
        EXPECT_THAT(graph["labels"][0]["label"].get<std::string>(), HasSubstr("S")) << profile;
      }
    }
  }
}

TEST_F(ExplainVerb, TakesTheNodesThatPerturbNames) {
  const auto made = run_command("generate perturb " + folder_.path("data.jsonl") + " -o " +
                                folder_.path("p.jsonl") + " -p 0.3 --share 0.3 --seed 2 --quiet");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  train("--profile published", "m.model", "p.jsonl");
  const auto result =
      explain("--quiet --touched " + folder_.path("p.jsonl.touched.csv"), "m.model", "p.jsonl");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(explained()["touched"]["graphs"], 30);
}

TEST_F(ExplainVerb, SaysWhatIsWrongWithTheChangedNodes) {
  train("--profile published");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"node,graph\n1,2\n", "expected the header 'graph,node'"},
      {"graph,node\n1\n", "touched.csv:2: '1' is not valid"},
      {"graph,node\n1,-2\n", "touched.csv:2: '1,-2' is not valid"},
      {"graph,node\n0,90000\n", "node 90000 is not one of them"},
      {"graph,node\n90000,0\n", "names graph 90000, which the data does not have"},
      {"graph,node\n", "no nodes here"}};
  for (const auto& [text, words] : cases) {
    folder_.write("touched.csv", text);
    const auto result = explain("--touched " + folder_.path("touched.csv"));
    EXPECT_EQ(result.exit_code, 3) << text;
    EXPECT_THAT(result.err, HasSubstr(words));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path("why")));
}

TEST_F(ExplainVerb, GraphsWithoutAScoreAreNamedAndExitIsFour) {
  train("--profile published");
  folder_.write("mixed.jsonl",
                folder_.text("data.jsonl") + "{\"nodes\": 0, \"edges\": []}\n{bad\n");
  const auto result = explain("--top 2", "m.model", "mixed.jsonl");
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("mixed.jsonl:201: 201 has no score"));
  EXPECT_THAT(result.err, HasSubstr("mixed.jsonl:202: 202 has no score"));
  EXPECT_EQ(explained()["graphs"].size(), 2U);
  const auto only = explain("--ids 202", "m.model", "mixed.jsonl");
  EXPECT_EQ(only.exit_code, 2);
  EXPECT_THAT(only.err, HasSubstr("nothing to explain"));
}

TEST_F(ExplainVerb, FailsBeforeWorkWhereNothingCanBeWritten) {
  train("--profile published");
  folder_.write("file", "");
  const auto result = run_command("explain " + folder_.path("m.model") + " " +
                                  folder_.path("data.jsonl") + " -o " + folder_.path("file/why"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace rayleigh::test
