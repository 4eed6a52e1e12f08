#include "rayleigh/statistics.h"

#include <gtest/gtest.h>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/graph_set_builder.h"

namespace rayleigh {
namespace {

/// A triangle C-C-O with a lone N, a single C, and a path of two O.
GraphSet example() {
  GraphSetBuilder builder("example");
  builder.begin_graph("a", "0");
  for (const char* label : {"C", "C", "O", "N"}) {
    builder.add_node(label);
  }
  builder.add_edge(0, 1, "1");
  builder.add_edge(1, 2, "2");
  builder.add_edge(2, 0, "1");
  builder.begin_graph("b", "0");
  builder.add_node("C");
  builder.begin_graph("a", "1");
  builder.add_node("O");
  builder.add_node("O");
  builder.add_edge(0, 1, "2");
  return builder.build();
}

TEST(Statistics, CountWhatIsThere) {
  const auto stats = statistics(example());
  EXPECT_EQ(stats.total_nodes, 7U);
  EXPECT_EQ(stats.total_edges, 4U);
  EXPECT_DOUBLE_EQ(stats.nodes.mean, 7.0 / 3);
  EXPECT_EQ(stats.nodes.min, 1U);
  EXPECT_EQ(stats.nodes.median, 2U);
  EXPECT_EQ(stats.nodes.max, 4U);
  EXPECT_EQ(stats.connected_graphs, 2U);
  EXPECT_EQ(stats.isolated_nodes, 2U);
  EXPECT_EQ(stats.graphs_with_isolated_nodes, 2U);
  EXPECT_EQ(stats.edgeless_graphs, 1U);
  EXPECT_EQ(stats.repeated_names, 1U);
  EXPECT_EQ(stats.unlabelled_graphs, 0U);
  ASSERT_EQ(stats.node_labels.size(), 3U);
  EXPECT_EQ(stats.node_labels[0].word, "C");
  EXPECT_EQ(stats.node_labels[0].count, 3U);
  EXPECT_EQ(stats.node_labels[0].graphs, 2U);
  ASSERT_EQ(stats.edge_labels.size(), 2U);
  EXPECT_EQ(stats.edge_labels[0].count + stats.edge_labels[1].count, 4U);
  ASSERT_EQ(stats.degrees.size(), 3U);
  EXPECT_EQ(stats.degrees[2].word, "2");
  EXPECT_EQ(stats.degrees[2].count, 3U);
  EXPECT_EQ(stats.duplicates.groups, 0U);
}

TEST(Statistics, PercentilesAreValuesThatOccur) {
  GraphSetBuilder builder;
  for (int n = 1; n <= 100; ++n) {
    builder.begin_graph();
    for (int i = 0; i < n; ++i) {
      builder.add_node("C");
    }
  }
  const auto nodes = statistics(builder.build()).nodes;
  EXPECT_EQ(nodes.p05, 5U);
  EXPECT_EQ(nodes.p25, 25U);
  EXPECT_EQ(nodes.median, 50U);
  EXPECT_EQ(nodes.p99, 99U);
}

GraphSet with_classes(std::initializer_list<const char*> classes) {
  GraphSetBuilder builder("set");
  for (const char* graph_class : classes) {
    builder.begin_graph({}, graph_class == nullptr ? std::optional<std::string_view>{}
                                                   : std::optional<std::string_view>{graph_class});
    builder.add_node("C");
  }
  return builder.build();
}

TEST(AnomalyClass, IsTheRarerOfTwo) {
  const auto set = with_classes({"-1", "1", "-1"});
  EXPECT_EQ(set.classes()[*anomaly_class(set)], "1");
  EXPECT_EQ(set.classes()[*anomaly_class(set, "-1")], "-1");
  EXPECT_EQ(set.classes()[*anomaly_class(set, "+1")], "1");
}

TEST(AnomalyClass, MustBeSaidWhereItIsNotObvious) {
  EXPECT_THROW(anomaly_class(with_classes({"0", "1"})), UsageError);
  EXPECT_THROW(anomaly_class(with_classes({"0", "1", "2", "0"})), UsageError);
  EXPECT_THROW(anomaly_class(with_classes({"0", "0"})), UsageError);
  EXPECT_THROW(anomaly_class(with_classes({"0", "1", "1"}), "7"), UsageError);
  EXPECT_EQ(anomaly_class(with_classes({nullptr, nullptr})), std::nullopt);
}

}  // namespace
}  // namespace rayleigh
