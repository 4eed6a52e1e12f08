// A stream gives the same graphs as loading, in order, whatever the size of its chunks.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "io/io_support.h"
#include "io/limits.h"

namespace rayleigh::test {
namespace {

constexpr std::size_t kChunkSizes[] = {1, 2, 3, 7, 64, 100'000};

/// Chunks of every size, put together, are the set; the rows carry names or numbers from 1.
void expect_same_graphs(const GraphSet& whole,
                        const std::function<std::unique_ptr<io::GraphReader>()>& open) {
  const auto expected = words_of(whole);
  for (const std::size_t rows : kChunkSizes) {
    SCOPED_TRACE(rows);
    const auto reader = open();
    const auto all = stream_all(*reader, rows);
    EXPECT_TRUE(all.graphs == expected);
    ASSERT_EQ(all.rows.size(), whole.size());
    for (std::size_t g = 0; g < whole.size(); ++g) {
      EXPECT_TRUE(all.rows[g].ok);
      EXPECT_EQ(all.rows[g].id,
                whole.has_names() ? std::string(whole.graph_name(g)) : std::to_string(g + 1));
      EXPECT_GT(all.rows[g].place.line, 0U);
    }
    EXPECT_FALSE(reader->next_chunk(rows).has_value()) << "the end is the end";
  }
  expect_same_when_taken_or_skipped(open);
}

Files many_graphs(bool grouped) {
  std::string edges;
  std::string edge_labels;
  std::string indicator;
  std::string graph_labels;
  std::string node_labels;
  std::string attributes;
  std::string edge_attributes;
  const int graphs = 150;
  int node = 0;
  for (int g = 1; g <= graphs; ++g) {
    const int size = 1 + g * 7 % 5;
    for (int i = 0; i < size; ++i) {
      indicator += std::to_string(g) + "\n";
      node_labels += std::to_string(g * (i + 1) % 11) + "\n";
      attributes += std::to_string(i) + ".5, " + std::to_string(-g) + "\n";
    }
    std::string rows;
    std::string row_labels;
    std::string row_attributes;
    for (int i = 1; i < size; ++i) {
      const auto a = std::to_string(node + i);
      const auto b = std::to_string(node + i + 1);
      const auto label = std::to_string(g % 4 + i % 2);
      rows += fmt::format("{0}, {1}\n{1}, {0}\n", a, b);
      row_labels += fmt::format("{0}\n{0}\n", label);
      row_attributes += fmt::format("{0}.25, {1}\n{0}.25, {1}\n", g, i);
    }
    edges.insert(grouped ? edges.size() : 0, rows);
    edge_labels.insert(grouped ? edge_labels.size() : 0, row_labels);
    edge_attributes.insert(grouped ? edge_attributes.size() : 0, row_attributes);
    node += size;
    graph_labels += std::to_string(g % 3 - 1) + "\n";
  }
  return {{"X_A.txt", edges},
          {"X_graph_indicator.txt", indicator},
          {"X_graph_labels.txt", graph_labels},
          {"X_node_labels.txt", node_labels},
          {"X_edge_labels.txt", edge_labels},
          {"X_node_attributes.txt", attributes},
          {"X_edge_attributes.txt", edge_attributes}};
}

TEST(TuStream, GivesTheGraphsOfTheLoadedSet) {
  const auto files = many_graphs(true);
  expect_same_graphs(load_tu_files(files), [&] { return open_tu_files(files); });
}

TEST(TuStream, CopesWithEdgesThatAreNotGroupedByGraph) {
  const auto files = many_graphs(false);
  const auto whole = load_tu_files(files);
  EXPECT_EQ(words_of(whole), words_of(load_tu_files(many_graphs(true))));
  expect_same_graphs(whole, [&] { return open_tu_files(files); });
}

TEST(TuStream, WorksWithoutOptionalFiles) {
  const Files files{many_graphs(true)[0], many_graphs(true)[1]};
  expect_same_graphs(load_tu_files(files), [&] { return open_tu_files(files); });
}

TEST(TuStream, UsesGraphNamesAsIds) {
  auto files = small_tu();
  files.emplace_back("X_graph_names.txt", "a\nb\nc\n");
  expect_same_graphs(load_tu_files(files), [&] { return open_tu_files(files); });
}

TEST(TuStream, HasARowForEveryGraphIdAlsoWithoutNodes) {
  for (const auto* edges : {"1, 2\n2, 1\n4, 5\n", "4, 5\n1, 2\n"}) {
    const Files files{{"X_A.txt", edges},
                      {"X_graph_indicator.txt", "3\n3\n4\n8\n8\n"},
                      {"X_graph_labels.txt", "1\n2\n3\n4\n5\n6\n7\n8\n"}};
    const auto expected = words_of(load_tu_files(files));
    for (const std::size_t rows : kChunkSizes) {
      SCOPED_TRACE(rows);
      const auto all = stream_all(*open_tu_files(files), rows);
      EXPECT_EQ(all.graphs, expected);
      ASSERT_EQ(all.rows.size(), 8U);
      for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(all.rows[i].id, std::to_string(i + 1));
        EXPECT_EQ(all.rows[i].ok, i == 2 || i == 3 || i == 7);
        EXPECT_EQ(all.rows[i].reason, all.rows[i].ok ? "" : "the graph has no nodes");
      }
      EXPECT_EQ(all.rows[0].place.text(), "X_graph_labels.txt:1");
      EXPECT_EQ(all.rows[7].place.text(), "X_graph_indicator.txt:4");
    }
  }
}

TEST(TuStream, ReadsFilesLargerThanItsBlocks) {
  std::string edges;
  std::string indicator;
  for (int g = 0; g < 100'000; ++g) {
    indicator += std::to_string(g + 1) + "\n" + std::to_string(g + 1) + "\n";
    edges += std::to_string(2 * g + 1) + ", " + std::to_string(2 * g + 2) + "\n";
  }
  const Files files{{"X_A.txt", edges}, {"X_graph_indicator.txt", indicator}};
  const auto expected = words_of(load_tu_files(files));
  EXPECT_TRUE(stream_all(*open_tu_files(files), 1024).graphs == expected);
}

std::string many_lines() {
  std::string text;
  for (int g = 0; g < 150; ++g) {
    text += R"({"id":"n)" + std::to_string(g) + R"(","label":)" + std::to_string(g % 3) +
            ",\"node_labels\":[" + std::to_string(g % 11) + R"(,"b",5],"edges":[[0,1],[2,1])" +
            (g % 5 == 0 ? ",[0,1]],\"edge_labels\":[1,2,1]}\n" : "],\"edge_labels\":[2,\"z\"]}\n") +
            (g % 10 == 0 ? "\n" : "");
  }
  return text;
}

TEST(JsonlStream, GivesTheGraphsOfTheLoadedSet) {
  const auto text = many_lines();
  expect_same_graphs(load_jsonl_text(text),
                     [&] { return io::open_jsonl(io::open_memory("x.jsonl", text), "x", {}); });
}

TEST(JsonlStream, ReadsFilesAlsoGzipped) {
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl", many_lines());
  write_text(folder / "x.jsonl.gz", gzip_bytes(many_lines()));
  const auto whole = load_jsonl_text(many_lines());
  for (const auto* name : {"x.jsonl", "x.jsonl.gz"}) {
    expect_same_graphs(whole, [&] { return io::open((folder / name).string()); });
  }
}

TEST(JsonlStream, NumbersRowsByLineWhereGraphsHaveNoId) {
  const std::string text = "\n{\"nodes\":1,\"edges\":[]}\n\nrubbish\n{\"nodes\":2,\"edges\":[]}";
  const auto reader = io::open_jsonl(io::open_memory("x.jsonl", text), "x", {});
  const auto all = stream_all(*reader, 10);
  ASSERT_EQ(all.rows.size(), 3U);
  EXPECT_EQ(all.rows[0].id, "2");
  EXPECT_EQ(all.rows[1].id, "4");
  EXPECT_EQ(all.rows[2].id, "5");
  EXPECT_EQ(all.graphs.size(), 2U);
}

TEST(JsonlStream, LosesNoRowToABadOne) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += i % 3 == 1 ? "{\"nodes\":2,\"edges\":[[0,1],[0,9]]}\n"
                       : "{\"nodes\":" + std::to_string(i + 2) + ",\"edges\":[[0,1]]}\n";
  }
  for (const std::size_t rows : kChunkSizes) {
    const auto reader = io::open_jsonl(io::open_memory("x.jsonl", text), "x", {});
    const auto all = stream_all(*reader, rows);
    ASSERT_EQ(all.rows.size(), 300U);
    std::size_t next = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_EQ(all.rows[i].ok, i % 3 != 1);
      EXPECT_EQ(all.rows[i].place.line, i + 1);
      if (all.rows[i].ok) {
        EXPECT_EQ(all.graphs[next++].labels.size(), i + 2);
      }
    }
  }
}

TEST(GraphReader, TreatsAChunkOfNoRowsAsOne) {
  const auto tu = open_tu_files(small_tu());
  EXPECT_EQ(tu->next_chunk(0)->rows.size(), 1U);
  const auto jsonl = io::open_jsonl(io::open_memory("x", R"({"nodes":1,"edges":[]})"), "x", {});
  EXPECT_EQ(jsonl->next_chunk(0)->rows.size(), 1U);
  EXPECT_FALSE(jsonl->next_chunk(0).has_value());
}

TEST(TuStream, GivesTheSameChunksForAnyNumberOfThreads) {
  const auto files = many_graphs(true);
  const auto one = stream_all(*open_tu_files(files, {.run = {.threads = 1}}), 16);
  for (const int threads : {2, 4}) {
    EXPECT_TRUE(stream_all(*open_tu_files(files, {.run = {.threads = threads}}), 16).graphs ==
                one.graphs);
  }
}

/// No chunk has many nodes, unless it has a single graph.
void expect_bounded_chunks(const std::function<std::unique_ptr<io::GraphReader>()>& open) {
  const auto bounded = [](const io::Chunk& chunk) {
    return chunk.graphs.nodes() <= io::kNodesAtOnce || chunk.graphs.size() == 1;
  };
  const auto reader = open();
  while (const auto chunk = reader->next_chunk(1024)) {
    ASSERT_TRUE(bounded(*chunk)) << chunk->graphs.nodes() << " nodes";
  }
  const auto again = open();
  while (auto pending = again->next_pending(1024)) {
    for (std::size_t rows = 0; rows < pending->rows;) {
      const auto chunk = pending->parse();
      ASSERT_TRUE(bounded(chunk)) << chunk.graphs.nodes() << " nodes";
      ASSERT_FALSE(chunk.rows.empty());
      rows += chunk.rows.size();
    }
  }
}

TEST(JsonlStream, BoundsTheNodesOfAChunkAndNotItsRows) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{{\"id\":\"g{}\",\"nodes\":{},\"edges\":[[0,{}]],\"label\":{}}}\n", i,
                        1000 + 30'000 * (i % 4), i + 1, i % 3);
    text += i % 7 == 0 ? "nonsense\n" : "";
  }
  const auto open = [&] {
    return io::open_jsonl(io::open_memory("x.jsonl", text), "x", {.run = {.threads = 2}});
  };
  expect_bounded_chunks(open);
  expect_same_when_taken_or_skipped(open);
  const auto all = stream_all(*open(), 1024);
  ASSERT_EQ(all.rows.size(), 69U);
  ASSERT_EQ(all.graphs.size(), 60U);
  std::size_t g = 0;
  for (const auto& row : all.rows) {
    if (row.ok) {
      EXPECT_EQ(all.graphs[g].labels.size(), 1000U + 30'000U * (g % 4));
      EXPECT_EQ(row.id, fmt::format("g{}", g++));
    }
  }
}

TEST(JsonlStream, LabelsAndAttributesStayWithTheirGraphsWhereAChunkIsCut) {
  std::string text;
  std::string small;
  for (int g = 0; g < 12; ++g) {
    const int nodes = 20'000;
    std::string labels;
    std::string attributes;
    for (int i = 0; i < nodes; ++i) {
      labels += fmt::format("{}\"w{}\"", i > 0 ? "," : "", (g + i) % 50);
      attributes += fmt::format("{}[{}]", i > 0 ? "," : "", g * 100 + i % 7);
    }
    text += fmt::format(
        "{{\"node_labels\":[{}],\"node_attributes\":[{}],\"edges\":[[0,1],[5,{}]],"
        "\"edge_labels\":[\"e{}\",\"f\"]}}\n",
        labels, attributes, nodes - 1, g % 5);
  }
  const auto whole = load_jsonl_text(text);
  expect_same_graphs(whole,
                     [&] { return io::open_jsonl(io::open_memory("x.jsonl", text), "x", {}); });
}

TEST(TuStream, BoundsTheNodesOfAChunkAndNotItsRows) {
  std::string indicator;
  std::string edges;
  int node = 0;
  for (int g = 1; g <= 9; ++g) {
    for (int i = 0; i < 25'000; ++i) {
      indicator += std::to_string(g) + "\n";
    }
    edges += fmt::format("{0}, {1}\n{1}, {0}\n", node + 1, node + g + 1);
    node += 25'000;
  }
  const Files files{{"X_A.txt", edges}, {"X_graph_indicator.txt", indicator}};
  const auto open = [&] { return open_tu_files(files); };
  expect_bounded_chunks(open);
  expect_same_graphs(load_tu_files(files), open);
}

}  // namespace
}  // namespace rayleigh::test
