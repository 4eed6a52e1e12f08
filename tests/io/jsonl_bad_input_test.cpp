// Every defect of a JSONL file: loading names the line, streaming fails that row and no other.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

constexpr const char* kGood = R"({"nodes":2,"edges":[[0,1]]})";

/// The line stands third among good ones.
void expect_bad_line(const std::string& line, const std::vector<std::string>& words,
                     const std::string& good = kGood) {
  SCOPED_TRACE(line.substr(0, 200));
  const std::string text = good + "\n\n" + line + "\n" + good + "\n";
  expect_defect([&] { load_jsonl_text(text); }, "x.jsonl", 3, words);
  for (const std::size_t rows : {1U, 2U, 100U}) {
    const auto reader = io::open_jsonl(io::open_memory("x.jsonl", text), "x", {});
    const auto all = stream_all(*reader, rows);
    ASSERT_EQ(all.rows.size(), 3U);
    EXPECT_TRUE(all.rows[0].ok);
    EXPECT_FALSE(all.rows[1].ok);
    EXPECT_TRUE(all.rows[2].ok) << all.rows[2].reason;
    EXPECT_EQ(all.rows[1].place.text(), "x.jsonl:3");
    EXPECT_EQ(all.graphs.size(), 2U);
    EXPECT_EQ(all.rows[1].reason.find('\n'), std::string::npos);
    for (const auto& word : words) {
      EXPECT_NE(all.rows[1].reason.find(word), std::string::npos) << all.rows[1].reason;
    }
  }
}

TEST(JsonlBadInput, RefusesWhatIsNotAnObject) {
  expect_bad_line("nonsense", {"not valid JSON"});
  expect_bad_line(R"({"nodes":2,"edges":[[0,1]])", {"not valid JSON"});
  expect_bad_line("[1, 2]", {"not a JSON object", "expected one graph a line"});
  expect_bad_line("17", {"not a JSON object"});
  expect_bad_line(std::string(kGood) + kGood, {"not valid JSON"});
  expect_bad_line(std::string(2000, '['), {"not valid JSON"});
}

TEST(JsonlBadInput, RefusesNulBytesAndInvalidUtf8) {
  expect_bad_line(std::string("{\"nodes\":2,\0\"edges\":[]}", 23), {"not valid JSON"});
  expect_bad_line("{\"nodes\":2,\"edges\":[],\"id\":\"\xC3(\"}", {"UTF-8"});
}

TEST(JsonlBadInput, RefusesAGraphOfNoNodes) {
  expect_bad_line(R"({"nodes":0,"edges":[]})", {"no nodes", "at least one"});
  expect_bad_line("{\"edges\":[]}", {"no 'nodes'"});
  expect_bad_line(R"({"node_labels":[],"edges":[]})", {"no nodes"},
                  R"({"node_labels":[1],"edges":[]})");
}

TEST(JsonlBadInput, RefusesAMillionNodes) {
  expect_bad_line(R"({"nodes":1000000,"edges":[]})",
                  {"1,000,000 nodes", "at most 100,000", "`max-nodes`"});
  expect_bad_line(R"({"nodes":18446744073709551615,"edges":[]})", {"at most 100,000"});
  expect_bad_line(R"({"nodes":99999999999999999999999,"edges":[]})", {"not"});
}

TEST(JsonlBadInput, RefusesWrongNodeCounts) {
  for (const auto* count : {"-1", "1.5", "\"2\"", "[]", "null"}) {
    expect_bad_line("{\"nodes\":" + std::string(count) + ",\"edges\":[]}",
                    {"'nodes' is not a whole number"});
  }
  expect_bad_line(R"({"nodes":3,"node_labels":[1,2],"edges":[]})",
                  {"'node_labels' says 2 nodes but 'nodes' says 3"},
                  R"({"node_labels":[1],"edges":[]})");
}

TEST(JsonlBadInput, RefusesWrongEdges) {
  for (const auto* edges : {"[[0,2]]", "[[-1,0]]", "[[0,2147483648]]", "[[0,4294967296]]"}) {
    expect_bad_line(R"({"nodes":2,"edges":)" + std::string(edges) + "}",
                    {"an edge names node", "expected 0 … 1"});
  }
  expect_bad_line(R"({"nodes":2,"edges":[[0,9223372036854775808]]})", {"not a node number"});
  expect_bad_line(R"({"nodes":2,"edges":[[0,1,1]]})", {"not a pair"});
  expect_bad_line(R"({"nodes":2,"edges":[[0]]})", {"not a pair"});
  expect_bad_line(R"({"nodes":2,"edges":[0,1]})", {"not a pair"});
  expect_bad_line(R"({"nodes":2,"edges":[[0,0.5]]})", {"not a node number"});
  expect_bad_line(R"({"nodes":2,"edges":{}})", {"'edges' is not a list"});
  expect_bad_line("{\"nodes\":2}", {"no 'edges'"});
}

TEST(JsonlBadInput, RefusesAttributesThatAreNotFiniteNumbers) {
  const std::string good = R"({"node_attributes":[[1,2]],"edges":[]})";
  const auto line = [](const std::string& row) {
    return "{\"node_attributes\":[" + row + "],\"edges\":[]}";
  };
  expect_bad_line(line("[1,NaN]"), {"not valid JSON"}, good);
  expect_bad_line(line("[1,Infinity]"), {"not valid JSON"}, good);
  expect_bad_line(line("[1,1e400]"), {"not valid JSON"}, good);
  expect_bad_line(line("[1,1e39]"), {"out of range"}, good);
  expect_bad_line(line("[1,\"nan\"]"), {"not a number"}, good);
  expect_bad_line(line("[1,null]"), {"not a number"}, good);
  expect_bad_line(line("[1]"), {"1 attribute", "expected 2 as in line 1"}, good);
  expect_bad_line(line("[]"), {"0 attributes"}, good);
  expect_bad_line(line("[1,2],[1,2,3]"), {"3 attributes"}, good);
}

TEST(JsonlBadInput, RefusesWrongEdgeAttributes) {
  const std::string good = R"({"nodes":2,"edges":[[0,1]],"edge_attributes":[[1,2]]})";
  const auto line = [](const std::string& rows) {
    return R"({"nodes":2,"edges":[[0,1]],"edge_attributes":)" + rows + "}";
  };
  expect_bad_line(line("[[1,1e39]]"), {"'edge_attributes' holds 1e+39", "out of range"}, good);
  expect_bad_line(line("[[1,null]]"), {"'edge_attributes'", "not a number"}, good);
  expect_bad_line(line("[1]"), {"an edge has 1 attribute", "expected 2 as in line 1"}, good);
  expect_bad_line(line("[[]]"), {"0 attributes"}, good);
  expect_bad_line(line("[]"), {"'edge_attributes' has 0 rows", "one per edge (1)"}, good);
  expect_bad_line(line("[[1,2],[1,2]]"), {"2 rows"}, good);
  expect_bad_line(line("7"), {"'edge_attributes' is not a list"}, good);
  expect_bad_line(kGood, {"no 'edge_attributes' unlike line 1"}, good);
  expect_bad_line(good, {"has 'edge_attributes' unlike line 1"});
}

TEST(JsonlBadInput, RefusesADirectionThatIsNeitherTrueNorFalse) {
  for (const auto* value : {"1", "\"yes\"", "null", "[]"}) {
    expect_bad_line(R"({"nodes":2,"edges":[[0,1]],"directed":)" + std::string(value) + "}",
                    {"'directed' is neither true nor false"});
  }
}

TEST(JsonlBadInput, RefusesWrongLabels) {
  const std::string good = R"({"node_labels":[1,2],"edges":[[0,1]],"edge_labels":[1]})";
  for (const auto* label : {"null", "{}", "1.5", "\"\"", "[]", "[[1]]"}) {
    expect_bad_line(
        "{\"node_labels\":[1," + std::string(label) + R"(],"edges":[[0,1]],"edge_labels":[1]})",
        {"node label"}, good);
    expect_bad_line(
        R"({"node_labels":[1,1],"edges":[[0,1]],"edge_labels":[)" + std::string(label) + "]}",
        {"edge label"}, good);
  }
  expect_bad_line(R"({"nodes":1,"edges":[],"label":[1]})", {"'label' is neither"});
  expect_bad_line(R"({"nodes":1,"edges":[],"label":""})", {"'label' is an empty"});
  expect_bad_line(R"({"nodes":1,"edges":[],"id":{}})", {"'id' is neither"});
  expect_bad_line(R"({"node_labels":[1,1],"edges":[[0,1]],"edge_labels":[1,2]})",
                  {"'edge_labels' has 2 labels", "(1)"}, good);
}

TEST(JsonlBadInput, RefusesLinesUnlikeTheFirst) {
  const std::string labelled = R"({"node_labels":[1,2],"edges":[[0,1]],"edge_labels":[1]})";
  expect_bad_line(R"({"nodes":1,"edges":[]})", {"no 'node_labels' unlike line 1"}, labelled);
  expect_bad_line(R"({"node_labels":[1],"edges":[]})", {"has 'node_labels' unlike line 1"});
  expect_bad_line(R"({"node_attributes":[1],"edges":[]})", {"has 'node_attributes' unlike line 1"});
  expect_bad_line(R"({"node_labels":[1,2],"edges":[[0,1]]})", {"no 'edge_labels' unlike line 1"},
                  labelled);
  expect_bad_line(R"({"nodes":2,"edges":[[0,1]],"edge_labels":[1]})",
                  {"has 'edge_labels' unlike line 1"});
}

TEST(JsonlBadInput, RefusesMisspeltAndRepeatedKeys) {
  expect_bad_line(R"({"nodes":1,"edgse":[]})", {"unknown key 'edgse'", "'edges'"});
  expect_bad_line(R"({"nodes":1,"nodes":1,"edges":[]})", {"'nodes' is there twice"});
}

TEST(JsonlBadInput, IsNotMisledByABadFirstLine) {
  // The first line is no graph, so it says nothing about what the others must have.
  const std::string text =
      "{\"id\":\"broken\",\"nodes\":1}\n"
      "{\"nodes\":2,\"edges\":[[0,7]]}\n"
      "{\"node_labels\":[1,2],\"edges\":[]}\n"
      "{\"node_labels\":[1,2],\"edges\":[[0,9]],\"edge_labels\":[1]}\n"
      "{\"node_labels\":[1,2],\"edges\":[[0,1]]}\n";
  for (const std::size_t rows : {1U, 2U, 100U}) {
    const auto reader = io::open_jsonl(io::open_memory("x.jsonl", text), "x", {});
    const auto all = stream_all(*reader, rows);
    ASSERT_EQ(all.rows.size(), 5U);
    EXPECT_EQ(all.rows[0].id, "broken");
    EXPECT_NE(all.rows[0].reason.find("no 'edges'"), std::string::npos) << all.rows[0].reason;
    EXPECT_NE(all.rows[1].reason.find("names node 7"), std::string::npos) << all.rows[1].reason;
    EXPECT_TRUE(all.rows[2].ok) << all.rows[2].reason;
    EXPECT_NE(all.rows[3].reason.find("names node 9"), std::string::npos) << all.rows[3].reason;
    EXPECT_TRUE(all.rows[4].ok) << all.rows[4].reason;
  }
  expect_defect([&] { load_jsonl_text(text); }, "x.jsonl", 1, {"no 'edges'"});
}

TEST(JsonlBadInput, JudgesALoneBadLineByItself) {
  expect_defect([] { load_jsonl_text(R"({"node_labels":[1],"edges":[[0,5]]})"); }, "x.jsonl", 1,
                {"an edge names node 5"});
  expect_defect([] { load_jsonl_text(R"({"node_attributes":[[1],[1,2]],"edges":[]})"); }, "x.jsonl",
                1, {"2 attributes, expected 1"});
}

TEST(JsonlBadInput, RefusesAnEmptyFile) {
  for (const auto* text : {"", "\n", " \r\n\n"}) {
    expect_defect([&] { load_jsonl_text(text); }, "x.jsonl", 0,
                  {"no graphs here", "one JSON object per line"});
  }
}

TEST(JsonlBadInput, RefusesDamagedGzip) {
  const TemporaryFolder folder;
  const auto path = (folder / "x.jsonl.gz").string();
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "{\"nodes\":" + std::to_string(1 + i * 7919 % 1000) + ",\"edges\":[]}\n";
  }
  const auto whole = gzip_bytes(text);
  for (const std::size_t size :
       {std::size_t{2}, std::size_t{11}, whole.size() / 2, whole.size() - 1}) {
    write_text(path, whole.substr(0, size));
    expect_defect([&] { io::load(path); }, path, 0, {"truncated"});
  }
  auto damaged = whole;
  damaged[damaged.size() - 7] ^= 1;
  write_text(path, damaged);
  expect_defect([&] { io::load(path); }, path, 0, {"corrupt"});
  write_text(path, whole + "rubbish");
  expect_defect([&] { io::load(path); }, path, 0, {"corrupt"});
}

TEST(JsonlBadInput, RefusesADirectory) {
  const TemporaryFolder folder;
  write_text(folder.path() / "x.jsonl" / "inside", "");
  expect_defect([&] { io::load((folder / "x.jsonl").string()); }, (folder / "x.jsonl").string(), 0,
                {"expected NAME_A.txt"});
}

TEST(JsonlBadInput, RefusesMoreNodesThanASetMayClaim) {
  const std::string text = "{\"nodes\":60,\"edges\":[]}\n{\"nodes\":60,\"edges\":[]}\n";
  expect_defect(
      [&] { io::load_jsonl(io::open_memory("x.jsonl", text), "x", {.max_total_nodes = 100}); },
      "x.jsonl", 2, {"more than 100 nodes"});
}

}  // namespace
}  // namespace rayleigh::test
