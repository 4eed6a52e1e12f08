// Every trap of real TU files that the reader must cope with.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

std::vector<std::string> classes_of(const GraphSet& set) {
  std::vector<std::string> classes;
  for (const auto& graph : words_of(set)) {
    classes.push_back(graph.graph_class);
  }
  return classes;
}

std::vector<std::string> labels_of(const GraphSet& set) {
  std::vector<std::string> labels;
  for (const auto id : set.node_label()) {
    labels.push_back(set.node_labels()[id]);
  }
  return labels;
}

TEST(TuReader, ReadsTheWholeSet) {
  const auto set = load_tu_files(small_tu());
  EXPECT_EQ(set.name(), "X");
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(set.nodes(), 6U);
  EXPECT_EQ(set.directed_edges(), 6U);
  EXPECT_EQ(set[0].nodes(), 3U);
  EXPECT_EQ(set[0].edges(), 2U);
  EXPECT_EQ(set[0].degree(1), 2U);
  EXPECT_EQ(set[1].neighbours(0)[0], 4U);
  EXPECT_EQ(set.label_source(), LabelSource::given);
  EXPECT_EQ(labels_of(set), (std::vector<std::string>{"0", "1", "0", "2", "2", "0"}));
  EXPECT_EQ(classes_of(set), (std::vector<std::string>{"1", "-1", "1"}));
  EXPECT_FALSE(set.has_names());
  EXPECT_TRUE(set.findings().empty());
}

TEST(TuReader, TakesCommasWithAndWithoutBlanksAndBlanksAlone) {
  const auto expected = load_tu_files(small_tu());
  for (const auto* edges :
       {"1,2\n2,1\n2,3\n3,2\n4,5\n5,4\n", "1 , 2\n2\t,1\n2,\t3\n3,  2\n4,5\n5,4\n",
        "1 2\n2 1\n2\t3\n3  2\n4 5\n5 4\n", " 1,2\n  2, 1\n2,3\n3,2\n4,5\n\t5,4\n"}) {
    EXPECT_EQ(load_tu_files(with(small_tu(), "X_A.txt", edges)), expected) << edges;
  }
}

TEST(TuReader, TakesCrlfTrailingBlanksAndBlankLastLines) {
  const auto expected = load_tu_files(small_tu());
  auto files = small_tu();
  for (auto& [name, text] : files) {
    std::string changed;
    for (const char c : text) {
      changed += c == '\n' ? std::string(" \t \r\n") : std::string(1, c);
    }
    text = changed + "\r\n  \n\n";
  }
  EXPECT_EQ(load_tu_files(files), expected);
  EXPECT_EQ(stream_all(*open_tu_files(files), 10).graphs, words_of(expected));
}

TEST(TuReader, TakesALastLineWithoutLineEnd) {
  auto files = small_tu();
  for (auto& [name, text] : files) {
    text.pop_back();
  }
  EXPECT_EQ(load_tu_files(files), load_tu_files(small_tu()));
}

TEST(TuReader, TakesAnyGraphLabels) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"-1\n1\n-1\n", {"-1", "1", "-1"}}, {"0\n1\n1\n", {"0", "1", "1"}},
      {"1\n2\n1\n", {"1", "2", "1"}},     {"10\n-7\n2\n", {"10", "-7", "2"}},
      {"+1\n-1\n+1\n", {"1", "-1", "1"}}, {"007\n7\n0\n", {"7", "7", "0"}},
  };
  for (const auto& [text, classes] : cases) {
    EXPECT_EQ(classes_of(load_tu_files(with(small_tu(), "X_graph_labels.txt", text))), classes);
  }
}

TEST(TuReader, OrdersClassesByValue) {
  const auto set = load_tu_files(with(small_tu(), "X_graph_labels.txt", "10\n-1\n9\n"));
  EXPECT_EQ(set.classes(), Vocabulary({"-1", "9", "10"}));
}

TEST(TuReader, WorksWithoutGraphLabels) {
  const auto set = load_tu_files(without(small_tu(), "X_graph_labels.txt"));
  EXPECT_EQ(set.classes().size(), 0U);
  EXPECT_EQ(classes_of(set), (std::vector<std::string>{"?", "?", "?"}));
}

TEST(TuReader, TakesTheDegreeWhereNodeLabelsAreAbsent) {
  const auto set = load_tu_files(without(small_tu(), "X_node_labels.txt"));
  EXPECT_EQ(set.label_source(), LabelSource::degree);
  EXPECT_EQ(labels_of(set), (std::vector<std::string>{"1", "2", "1", "1", "1", "0"}));
}

TEST(TuReader, TakesDegreesAfterMergingRepeats) {
  const auto set = load_tu_files(
      with(without(small_tu(), "X_node_labels.txt"), "X_A.txt", "1, 2\n1, 2\n2, 1\n2, 1\n3, 3\n"));
  EXPECT_EQ(labels_of(set), (std::vector<std::string>{"1", "1", "0", "0", "0", "0"}));
}

TEST(TuReader, JoinsSeveralLabelColumnsIntoOneLabel) {
  const auto set =
      load_tu_files(with(small_tu(), "X_node_labels.txt", "0, 1\n1,1\n0 1\n+2, 0\n2, 0\n-1, 10\n"));
  EXPECT_EQ(labels_of(set), (std::vector<std::string>{"0,1", "1,1", "0,1", "2,0", "2,0", "-1,10"}));
  EXPECT_EQ(set.node_labels().size(), 4U);
}

TEST(TuReader, ClosesGapsInNodeLabels) {
  const auto set =
      load_tu_files(with(small_tu(), "X_node_labels.txt", "7\n100000\n7\n-5\n3\n100000\n"));
  EXPECT_EQ(set.node_labels(), Vocabulary({"-5", "3", "7", "100000"}));
  EXPECT_EQ(set.node_label()[1], 3U);
}

TEST(TuReader, KeepsIsolatedNodes) {
  // The number of nodes comes from the indicator, never from the edges.
  const auto set = load_tu_files(with(small_tu(), "X_A.txt", "1, 2\n2, 1\n"));
  EXPECT_EQ(set.nodes(), 6U);
  EXPECT_EQ(set[1].nodes(), 2U);
  EXPECT_EQ(set[1].edges(), 0U);
  EXPECT_EQ(set[2].nodes(), 1U);
}

TEST(TuReader, TakesASetWithoutEdges) {
  for (const auto* edges : {"\n", "\r\n", " \n\n"}) {
    const auto set = load_tu_files(with(small_tu(), "X_A.txt", edges));
    EXPECT_EQ(set.size(), 3U);
    EXPECT_EQ(set.directed_edges(), 0U);
  }
}

TEST(TuReader, CompletesEdgesOfOneDirection) {
  const auto set = load_tu_files(with(small_tu(), "X_A.txt", "1, 2\n2, 1\n3, 2\n4, 5\n"));
  EXPECT_EQ(words_of(set), words_of(load_tu_files(small_tu())));
  expect_finding(set, "one_directional_edges", 2, "X_A.txt", 3);
}

TEST(TuReader, MergesRepeatedEdgesAndCountsThem) {
  const auto set = load_tu_files(
      with(small_tu(), "X_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n2, 3\n3, 2\n2, 3\n4, 5\n5, 4\n"));
  EXPECT_EQ(set[0].edges(), 2U);
  EXPECT_EQ(set[0].degree(1), 2U);
  expect_finding(set, "duplicate_edges", 3, "X_A.txt", 5);
  EXPECT_EQ(find_finding(set, "one_directional_edges"), nullptr);
  ASSERT_EQ(set.multiplicity().size(), set.directed_edges());
  const auto words = words_of(set, 0);
  EXPECT_EQ(words.edges[0], std::make_tuple(0U, 1U, 1U, ""));
  EXPECT_EQ(words.edges[2], std::make_tuple(1U, 2U, 3U, ""));
}

TEST(TuReader, KeepsNoMultiplicityWhereNothingRepeats) {
  EXPECT_TRUE(load_tu_files(small_tu()).multiplicity().empty());
}

TEST(TuReader, DropsSelfLoopsAndCountsThem) {
  const auto set = load_tu_files(
      with(small_tu(), "X_A.txt", "1, 2\n2, 1\n2, 2\n2, 3\n3, 2\n4, 5\n5, 4\n6, 6\n"));
  EXPECT_EQ(set, load_tu_files(small_tu()));
  expect_finding(set, "self_loops", 2, "X_A.txt", 3);
}

TEST(TuReader, LeavesOutGraphIdsWithoutNodesAndSaysSo) {
  const Files files{{"X_A.txt", "1, 2\n2, 1\n"},
                    {"X_graph_indicator.txt", "2\n2\n5\n6\n"},
                    {"X_graph_labels.txt", "1\n2\n3\n4\n5\n6\n"}};
  const auto set = load_tu_files(files);
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(classes_of(set), (std::vector<std::string>{"2", "5", "6"}));
  EXPECT_EQ(set.classes().size(), 3U);
  ASSERT_TRUE(set.has_names());
  EXPECT_EQ(set.graph_name(0), "2");
  EXPECT_EQ(set.graph_name(1), "5");
  EXPECT_EQ(set.graph_name(2), "6");
  expect_finding(set, "graphs_without_nodes", 3, "X_graph_indicator.txt", 1);
  EXPECT_NE(find_finding(set, "graphs_without_nodes")->description.find("graph 1"),
            std::string::npos);
}

TEST(TuReader, KeepsTheOrderOfFilesSortedByClass) {
  std::string indicator;
  std::string labels;
  for (int g = 1; g <= 100; ++g) {
    indicator += std::to_string(g) + "\n";
    labels += g <= 50 ? "0\n" : "1\n";
  }
  const auto set = load_tu_files(
      {{"X_A.txt", "\n"}, {"X_graph_indicator.txt", indicator}, {"X_graph_labels.txt", labels}});
  for (std::size_t g = 0; g < 100; ++g) {
    EXPECT_EQ(set.graph_class()[g], g < 50 ? 0 : 1);
  }
}

TEST(TuReader, ReportsEdgeLabelsThatDisagreeAndKeepsTheFirst) {
  auto files = with(small_tu(), "X_edge_labels.txt", "7\n7\n1\n2\n3\n3\n");
  const auto set = load_tu_files(files);
  expect_finding(set, "disagreeing_edge_labels", 1, "X_A.txt", 4);
  EXPECT_EQ(set.edge_labels(), Vocabulary({"1", "3", "7"}));
  const auto edges = words_of(set, 0).edges;
  EXPECT_EQ(std::get<3>(edges[2]), "1");
  EXPECT_EQ(std::get<3>(edges[3]), "1");
}

TEST(TuReader, GroupsEdgesThatAreNotGroupedByGraph) {
  const auto files = with(with(small_tu(), "X_A.txt", "5, 4\n2, 3\n4, 5\n1, 2\n3, 2\n2, 1\n"),
                          "X_edge_labels.txt", "9\n1\n9\n2\n1\n2\n");
  const auto set = load_tu_files(files);
  const auto grouped = load_tu_files(with(small_tu(), "X_edge_labels.txt", "2\n2\n1\n1\n9\n9\n"));
  EXPECT_EQ(set, grouped);
}

TEST(TuReader, NamesTheFirstLineEvenWhereEdgesAreNotGrouped) {
  // Graph 2 stands before graph 1 in the file, so its self-loop is the first one.
  const auto set = load_tu_files(with(small_tu(), "X_A.txt", "5, 5\n1, 1\n4, 5\n1, 2\n"));
  expect_finding(set, "self_loops", 2, "X_A.txt", 1);
  expect_finding(set, "one_directional_edges", 2, "X_A.txt", 3);
}

TEST(TuReader, ReadsAttributes) {
  const auto set =
      load_tu_files(with(small_tu(), "X_node_attributes.txt",
                         "1.5, -2\n+0.25,3e2\n0 0\n1e-60, "
                         "1\n-1e-300,4.0e+0\n340282346638528859811704183484516925440, 7\n"));
  EXPECT_EQ(set.attribute_count(), 2U);
  EXPECT_EQ(set.attributes(0)[0], 1.5F);
  EXPECT_EQ(set.attributes(1)[0], 0.25F);
  EXPECT_EQ(set.attributes(1)[1], 300.0F);
  EXPECT_EQ(set.attributes(3)[0], 0.0F);
  EXPECT_EQ(set.attributes(4)[0], 0.0F);
  EXPECT_EQ(set.attributes(5)[1], 7.0F);
}

TEST(TuReader, SaysWhichFilesItDoesNotUse) {
  const auto set = load_tu_files(with(small_tu(), "X_graph_attributes.txt", "?"));
  expect_finding(set, "graph_attributes_unused", 1, "X_graph_attributes.txt", 0);
}

TEST(TuReader, ReadsEdgeAttributesWithTheirEdges) {
  const auto set =
      load_tu_files(with(with(small_tu(), "X_A.txt", "4, 5\n5, 4\n1, 2\n2, 1\n2, 3\n3, 2\n"),
                         "X_edge_attributes.txt", "1.5, 0\n1.5, 0\n2, 1\n2, 1\n3, 2\n3, 2\n"));
  ASSERT_EQ(set.edge_attribute_count(), 2U);
  EXPECT_EQ(words_of(set, 0).edge_attributes, (std::vector<float>{2, 1, 2, 1, 3, 2, 3, 2}));
  EXPECT_EQ(words_of(set, 1).edge_attributes, (std::vector<float>{1.5F, 0, 1.5F, 0}));
  EXPECT_EQ(find_finding(set, "disagreeing_edge_attributes"), nullptr);
}

TEST(TuReader, TakesTheFirstRowWhereEdgeAttributesDisagree) {
  const auto set = load_tu_files(with(small_tu(), "X_edge_attributes.txt", "1\n1\n2\n7\n3\n3\n"));
  EXPECT_EQ(words_of(set, 0).edge_attributes, (std::vector<float>{1, 1, 2, 2}));
  expect_finding(set, "disagreeing_edge_attributes", 1, "X_A.txt", 4);
}

TEST(TuReader, UnpacksGzippedMembers) {
  Files packed;
  for (const auto& [name, text] : small_tu()) {
    packed.emplace_back(name + ".gz", gzip_bytes(text));
  }
  EXPECT_EQ(load_tu_files(packed), load_tu_files(small_tu()));
}

TEST(TuReader, ReadsADirectoryAndIgnoresWhatDoesNotBelong) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : small_tu()) {
    write_text(folder / name, text);
  }
  write_text(folder / "README.txt", "not a graph");
  write_text(folder / "._X_A.txt", "\x01\x02");
  write_text(folder / "Y_A.txt~", "1, 1\n");
  write_text(folder.path() / "Z_A.txt" / "inside", "a folder, not a file");
  EXPECT_EQ(io::load(folder.path().string()), load_tu_files(small_tu()));
}

TEST(TuReader, PrefersTheDatasetThatTheFolderIsCalledAfter) {
  const TemporaryFolder folder;
  for (const auto& [name, text] : small_tu()) {
    write_text(folder.path() / "X" / name, text);
  }
  write_text(folder.path() / "X" / "Y_A.txt", "1, 1\n");
  EXPECT_EQ(io::load((folder / "X").string()), load_tu_files(small_tu()));
}

TEST(TuReader, UsesNamesWhereTheFilesHaveThem) {
  auto files = with(small_tu(), "X_graph_names.txt", "first\n\nd\xC3\xA9j\xC3\xA0\r\n");
  files = with(files, "X_node_label_names.txt", "carbon\nnitrogen\noxygen, maybe\n");
  const auto set = load_tu_files(files);
  EXPECT_EQ(set.graph_name(0), "first");
  EXPECT_EQ(set.graph_name(1), "");
  EXPECT_EQ(set.graph_name(2), "d\xC3\xA9j\xC3\xA0");
  EXPECT_EQ(labels_of(set), (std::vector<std::string>{"carbon", "nitrogen", "carbon",
                                                      "oxygen, maybe", "oxygen, maybe", "carbon"}));
}

TEST(TuReader, GivesTheSameSetForAnyNumberOfThreads) {
  std::string edges;
  std::string indicator;
  std::string labels;
  std::string attributes;
  constexpr int kGraphs = 60'000;  // several pieces of text for every file
  for (int g = 0; g < kGraphs; ++g) {
    const int first = 3 * g + 1;
    edges += std::to_string(first) + ", " + std::to_string(first + 1 + g % 2) + "\n";
    edges += std::to_string(first + 1) + ", " + std::to_string(first + (g % 7 == 0 ? 1 : 2)) + "\n";
    for (int n = 0; n < 3; ++n) {
      indicator += std::to_string(g + 1) + "\n";
      labels += std::to_string((g * 31 + n * 17) % 1000) + "\n";
      attributes += std::to_string(g % 97) + ".25, " + std::to_string(n) + "\n";
    }
  }
  const Files files{{"X_A.txt", edges},
                    {"X_graph_indicator.txt", indicator},
                    {"X_node_labels.txt", labels},
                    {"X_node_attributes.txt", attributes}};
  const auto one = load_tu_files(files, {.run = {.threads = 1}});
  EXPECT_EQ(one.size(), static_cast<std::size_t>(kGraphs));
  EXPECT_EQ(one.attributes(3 * 96 + 2)[0], 96.25F);
  for (const int threads : {2, 4}) {
    const auto many = load_tu_files(files, {.run = {.threads = threads}});
    EXPECT_EQ(one, many);
    ASSERT_EQ(one.findings().size(), many.findings().size());
    for (std::size_t i = 0; i < one.findings().size(); ++i) {
      EXPECT_EQ(one.findings()[i].count, many.findings()[i].count);
      EXPECT_EQ(one.findings()[i].first.line, many.findings()[i].first.line);
    }
  }
  expect_finding(one, "self_loops", (kGraphs + 6) / 7, "X_A.txt", 2);
}

}  // namespace
}  // namespace rayleigh::test
