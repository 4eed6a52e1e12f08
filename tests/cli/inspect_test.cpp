#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_command.h"
#include "scarce_memory.h"

namespace rayleigh::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

nlohmann::json inspect(const std::string& data, const std::string& flags = {}) {
  const auto result = run_command("inspect --format json " + data + " " + flags);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return nlohmann::json::parse(result.out);
}

constexpr const char* kLines =
    "{\"id\":\"a\",\"label\":0,\"node_labels\":[\"C\",\"C\",\"O\"],\"edges\":[[0,1],[1,2],[1,2]]}\n"
    "{\"id\":\"b\",\"label\":0,\"node_labels\":[\"O\",\"C\",\"C\"],\"edges\":[[0,1],[1,2],[2,2]]}\n"
    "{\"id\":\"c\",\"label\":1,\"node_labels\":[\"N\",\"C\"],\"edges\":[]}\n";

TEST(Inspect, TellsTheRowOfThePapersTable) {
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl", kLines);
  const auto json = inspect((folder / "x.jsonl").string());
  EXPECT_EQ(json["normal"], 2);
  EXPECT_EQ(json["anomalous"], 1);
  EXPECT_DOUBLE_EQ(json["ratio"], 1.0 / 3);
  EXPECT_DOUBLE_EQ(json["mean_nodes"], 8.0 / 3);
  EXPECT_DOUBLE_EQ(json["mean_edges"], 4.0 / 3);
  EXPECT_EQ(json["labels"], 3);
  EXPECT_EQ(json["duplicates"]["groups"], 1);
  EXPECT_EQ(json["duplicates"]["largest_group"], nlohmann::json({0, 1}));
  ASSERT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["findings"][0]["kind"], "self_loops");
  EXPECT_THAT(json["findings"][0]["first"].get<std::string>(), testing::EndsWith("x.jsonl:2"));
  EXPECT_EQ(json["findings"][1]["kind"], "duplicate_edges");
  EXPECT_THAT(json["findings"][1]["first"].get<std::string>(), testing::EndsWith("x.jsonl:1"));
}

TEST(Inspect, ShowsWhatEdgesSay) {
  const TemporaryFolder folder;
  const auto file = folder / "x.jsonl";
  write_text(file,
             "{\"nodes\":2,\"edges\":[[0,1]],\"edge_attributes\":[[1,2]],\"directed\":true}\n"
             "{\"nodes\":2,\"edges\":[[0,1],[1,0]],\"edge_attributes\":[[1,2],[1,3]]}\n");
  const auto json = inspect(file.string());
  EXPECT_EQ(json["edge_attributes"], 2);
  EXPECT_EQ(json["directed_graphs"], 1);
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["kind"], "disagreeing_edge_attributes");
  EXPECT_THAT(json["findings"][0]["first"].get<std::string>(), testing::EndsWith("x.jsonl:2"));
  const auto page = run_command("inspect " + file.string()).out;
  EXPECT_THAT(page, HasSubstr("2 real attributes an edge"));
  EXPECT_THAT(page, HasSubstr("1 graph directed"));
}

TEST(Inspect, ReadsStdin) {
  const auto result = run_command("inspect - --format json", kLines);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["graphs"], 3);
}

TEST(Inspect, BadDataIsOneLineWithItsPlaceAndNothingOnStdout) {
  const auto result = run_command("inspect -", "{\"nodes\":1,\"edges\":[]}\n{\"nodes\":0}\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("stdin:2: the graph has no nodes"));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}

TEST(Inspect, ShowsAReadablePage) {
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl", kLines);
  const auto page = run_command("inspect " + (folder / "x.jsonl").string()).out;
  for (const char* part : {"x: 3 graphs, 8 nodes, 4 edges", "normal  anomalous   ratio",
                           "size of a graph", "2 isolated nodes in 1 graph", "node labels (3)",
                           "1 self-loops dropped, first at", "2 graphs (66.7 %) in 1 group"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(Inspect, KeepsGoingWhereTheAnomalousClassIsOpen) {
  const auto result = run_command(
      "inspect -",
      "{\"nodes\":1,\"edges\":[],\"label\":0}\n{\"nodes\":1,\"edges\":[],\"label\":1}\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("say which one is anomalous with --anomaly-class"));
  const auto wrong =
      run_command("inspect - --anomaly-class 5", "{\"nodes\":1,\"edges\":[],\"label\":0}\n");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("expected one of 0"));
}

TEST(Inspect, EndsWhereTheSystemGivesFewerThreads) {
  if (!kMemoryCanBeLimited) {
    GTEST_SKIP() << "skipped: sanitizers need all memory";
  }
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl", "{\"nodes\":2,\"edges\":[[0,1]]}\n");
  const std::string line = "ulimit -v 1000000; timeout 300 " + std::string(RAYLEIGH_COMMAND) +
                           " inspect --threads 128 " + (folder / "x.jsonl").string() +
                           " >/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c '" + line + "'").c_str())), 0);
}

TEST(Inspect, AgreesWithTheKnownFiguresOfRealSets) {
  RAYLEIGH_NEEDS_SHARED("data/NCI-H23.zip");
  const auto json = inspect((shared_folder() / "data" / "NCI-H23.zip").string());
  EXPECT_EQ(json["graphs"], 37'348);
  EXPECT_EQ(json["anomalous"], 1'792);
  EXPECT_EQ(json["total_nodes"], 979'084);
  EXPECT_LE(json["memory_bytes"].get<std::size_t>(), 40'000'000U);
}

}  // namespace
}  // namespace rayleigh::test
