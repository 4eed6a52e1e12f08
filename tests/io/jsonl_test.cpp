// What a line of JSONL may say, and what becomes of it.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

TEST(JsonlReader, ReadsEveryKey) {
  const auto set = load_jsonl_text(
      R"({"id": "a", "label": 1, "nodes": 3, "node_labels": ["C", "N", "C"],)"
      R"( "node_attributes": [[1, 2.5], [-1e3, 0], [0, 0]], "edges": [[0, 1], [2, 1]], "edge_labels": [1, "x"]})"
      "\n"
      R"({"id": 7, "node_labels": ["O"], "node_attributes": [[9, 9]], "edges": [], "label": "odd"})"
      "\n");
  EXPECT_EQ(set.name(), "x");
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.graph_name(0), "a");
  EXPECT_EQ(set.graph_name(1), "7");
  EXPECT_EQ(set.classes(), Vocabulary({"1", "odd"}));
  EXPECT_EQ(set.node_labels(), Vocabulary({"C", "N", "O"}));
  EXPECT_EQ(set.edge_labels(), Vocabulary({"1", "x"}));
  EXPECT_EQ(set.attribute_count(), 2U);
  EXPECT_EQ(set.attributes(1)[0], -1000.0F);
  EXPECT_EQ(set[0].edges(), 2U);
  EXPECT_EQ(set[1].edges(), 0U);
  EXPECT_TRUE(set.findings().empty());
}

TEST(JsonlReader, KeepsTheDirectionOfEdgesAsAMark) {
  const auto set = load_jsonl_text(
      "{\"nodes\":3,\"edges\":[[0,1],[2,1],[1,2]],\"directed\":true}\n"
      "{\"nodes\":2,\"edges\":[[0,1]],\"directed\":false}\n"
      "{\"nodes\":2,\"edges\":[[1,0]]}\n");
  EXPECT_EQ(words_of(set, 0).directions,
            (std::vector{Direction::out, Direction::in, Direction::both, Direction::both}));
  EXPECT_EQ(words_of(set, 1).directions, (std::vector{Direction::both, Direction::both}));
  EXPECT_EQ(set[0].edges(), 2U);
  EXPECT_FALSE(set.direction().empty());
  EXPECT_TRUE(set.subset(std::vector<std::uint32_t>{1, 2}).direction().empty());
}

TEST(JsonlReader, TakesDirectedGraphsWhoseEdgesAllGoBothWaysForUndirected) {
  EXPECT_EQ(load_jsonl_text(R"({"nodes":2,"edges":[[0,1],[1,0]],"directed":true})"),
            load_jsonl_text(R"({"nodes":2,"edges":[[0,1]]})"));
}

TEST(JsonlReader, ReadsEdgeAttributes) {
  const auto set = load_jsonl_text(
      "{\"nodes\":1,\"edges\":[]}\n"
      "{\"nodes\":3,\"edges\":[[2,1],[0,1]],\"edge_attributes\":[0.5,-1]}\n");
  ASSERT_EQ(set.edge_attribute_count(), 1U);
  EXPECT_EQ(words_of(set, 1).edge_attributes, (std::vector<float>{-1, -1, 0.5F, 0.5F}));
}

TEST(JsonlReader, TakesDegreesWhereLabelsAreAbsent) {
  const auto set = load_jsonl_text(R"({"nodes": 3, "edges": [[0, 1], [1, 2]]})");
  EXPECT_EQ(set.label_source(), LabelSource::degree);
  EXPECT_EQ(words_of(set, 0).labels, (std::vector<std::string>{"1", "2", "1"}));
}

TEST(JsonlReader, TakesOneNumberPerNodeAsAnAttribute) {
  const auto set = load_jsonl_text(R"({"node_attributes": [1, 2, 3], "edges": []})");
  EXPECT_EQ(set.attribute_count(), 1U);
  EXPECT_EQ(set.nodes(), 3U);
  EXPECT_EQ(set.attributes(2)[0], 3.0F);
}

TEST(JsonlReader, ReadsLabelsOfEveryKind) {
  const auto set = load_jsonl_text(
      R"({"node_labels": [1, "1", 2.0, true, [1, 0], ["a", 2], "é", 18446744073709551615], "edges": [], "label": false})");
  EXPECT_EQ(words_of(set, 0).labels,
            (std::vector<std::string>{"1", "1", "2", "1", "1,0", "a,2", "\xC3\xA9",
                                      "18446744073709551615"}));
  EXPECT_EQ(words_of(set, 0).graph_class, "0");
}

TEST(JsonlReader, KeepsGraphsWithoutLabelOrId) {
  const auto set = load_jsonl_text(
      "{\"nodes\":1,\"edges\":[],\"label\":null,\"id\":null}\n"
      "{\"nodes\":1,\"edges\":[],\"label\":5,\"id\":\"b\"}\n"
      "{\"nodes\":1,\"edges\":[]}\n");
  EXPECT_EQ(set.graph_class()[0], kNoClass);
  EXPECT_EQ(set.graph_class()[1], 0);
  EXPECT_EQ(set.graph_class()[2], kNoClass);
  EXPECT_EQ(set.graph_name(0), "");
  EXPECT_EQ(set.graph_name(1), "b");
}

TEST(JsonlReader, MergesRepeatsAndDropsSelfLoopsWithTheirPlace) {
  const auto set = load_jsonl_text(
      "{\"nodes\":2,\"edges\":[[0,1],[1,0]]}\n"
      "\n"
      "{\"nodes\":2,\"edges\":[[0,1],[0,1],[1,1]]}\n"
      "{\"nodes\":2,\"edges\":[[0,0],[1,0],[1,0],[1,0]]}\n");
  expect_finding(set, "duplicate_edges", 3, "x.jsonl", 3);
  expect_finding(set, "self_loops", 2, "x.jsonl", 3);
  EXPECT_EQ(find_finding(set, "one_directional_edges"), nullptr);
  EXPECT_EQ(std::get<2>(words_of(set, 0).edges[0]), 1U);  // both directions are one edge
  EXPECT_EQ(std::get<2>(words_of(set, 1).edges[0]), 2U);
  EXPECT_EQ(std::get<2>(words_of(set, 2).edges[0]), 3U);
}

TEST(JsonlReader, TakesCrlfBlankLinesAndAByteOrderMark) {
  const auto set = load_jsonl_text(
      "\xEF\xBB\xBF{\"nodes\":1,\"edges\":[]}\r\n\r\n  \n{\"nodes\":2,\"edges\":[]}\r\n");
  EXPECT_EQ(set.size(), 2U);
}

TEST(JsonlReader, ReportsUnknownKeysOnce) {
  const auto set = load_jsonl_text(
      "{\"nodes\":1,\"edges\":[]}\n"
      "{\"nodes\":1,\"edges\":[],\"smiles\":\"C\"}\n"
      "{\"nodes\":1,\"edges\":[],\"smiles\":\"N\"}\n");
  expect_finding(set, "unknown_key", 2, "x.jsonl", 2);
}

TEST(JsonlReader, KeepsFewFindingsForManyUnknownKeys) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += R"({"nodes":1,"edges":[],"unheard of )" + std::to_string(i) + "\":0}\n";
  }
  const auto set = load_jsonl_text(text);
  std::uint64_t count = 0;
  for (const auto& finding : set.findings()) {
    count += finding.count;
  }
  EXPECT_EQ(count, 5000U);
  EXPECT_LT(set.findings().size(), 30U);
}

TEST(JsonlReader, UnpacksGzip) {
  const std::string text = "{\"nodes\":2,\"edges\":[[0,1]]}\n{\"nodes\":1,\"edges\":[]}\n";
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl.gz", gzip_bytes(text));
  write_text(folder / "x.jsonl", text);
  write_text(folder / "two.jsonl.gz", gzip_bytes(text) + gzip_bytes(text));
  write_text(folder / "misnamed.jsonl", gzip_bytes(text));
  const auto expected = load_jsonl_text(text);
  EXPECT_EQ(io::load((folder / "x.jsonl.gz").string()), expected);
  EXPECT_EQ(io::load((folder / "x.jsonl.gz").string()).name(), "x");
  EXPECT_EQ(io::load((folder / "x.jsonl").string()), expected);
  EXPECT_EQ(io::load((folder / "misnamed.jsonl").string()), expected);
  EXPECT_EQ(io::load((folder / "two.jsonl.gz").string()).size(), 4U);
}

TEST(JsonlReader, GivesTheSameSetForAnyNumberOfThreadsAndAcrossBlocks) {
  std::string text;  // more than one block of 8 MB
  for (int i = 0; text.size() < (std::size_t{20} << 20U); ++i) {
    text += R"({"id":"g)" + std::to_string(i) + R"(","label":)" + std::to_string(i % 3) +
            ",\"node_labels\":[" + std::to_string(i % 101) +
            R"(,"b","c"],"edges":[[0,1],[1,2],[1,2]],"note":")" + std::string(500, 'x') + "\"}\n";
  }
  const auto one = load_jsonl_text(text, {.run = {.threads = 1}});
  EXPECT_GT(one.size(), 30'000U);
  for (const int threads : {2, 4}) {
    const auto many = load_jsonl_text(text, {.run = {.threads = threads}});
    EXPECT_EQ(one, many);
    expect_finding(many, "duplicate_edges", one.size(), "x.jsonl", 1);
    expect_finding(many, "unknown_key", one.size(), "x.jsonl", 1);
  }
}

TEST(JsonlReader, AllowsAMillionNodesWhenAsked) {
  const auto set =
      load_jsonl_text(R"({"nodes": 1000000, "edges": [[0, 999999]]})", {.max_nodes = 1'000'000});
  EXPECT_EQ(set.nodes(), 1'000'000U);
  EXPECT_EQ(set[0].degree(999'999), 1U);
}

TEST(JsonlReader, BlankLinesCostNothingButTheirCount) {
  const std::string blank(std::size_t{256} << 20U, '\n');
  const std::string text = blank + "{\"nodes\":1,\"edges\":[]}\n\n\nnonsense\n";
  const auto begin = std::chrono::steady_clock::now();
  const auto reader = io::open_jsonl(io::open_memory("x.jsonl", text), "x", {});
  std::vector<io::Row> rows;
  while (auto chunk = reader->next_chunk(10)) {
    std::ranges::move(chunk->rows, std::back_inserter(rows));
  }
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].ok);
  EXPECT_EQ(rows[0].place.line, blank.size() + 1);
  EXPECT_EQ(rows[1].place.line, blank.size() + 4);
  // Nine seconds before; sanitizers are slow.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(6));
}

}  // namespace
}  // namespace rayleigh::test
