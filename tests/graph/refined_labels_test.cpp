#include "graph/refined_labels.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "graph/permuted.h"

namespace rayleigh::graph {
namespace {

constexpr std::array kLevels = {LabelLevel::plain, LabelLevel::degree, LabelLevel::edges,
                                LabelLevel::wl1, LabelLevel::wl2};

core::Vector<std::uint64_t> keys_of(const GraphSet& graphs, LabelLevel level, int threads = 1) {
  core::ThreadPool pool(threads);
  return label_keys(graphs, level, pool);
}

struct Edge {
  std::uint32_t from;
  std::uint32_t to;
  std::string label{};
};

void add_graph(GraphSetBuilder& builder, const std::vector<std::string>& nodes,
               const std::vector<Edge>& edges) {
  builder.begin_graph();
  for (const std::string& label : nodes) {
    builder.add_node(label);
  }
  for (const Edge& edge : edges) {
    builder.add_edge(edge.from, edge.to, edge.label);
  }
}

GraphSet graph_of(const std::vector<std::string>& nodes, const std::vector<Edge>& edges) {
  GraphSetBuilder builder;
  add_graph(builder, nodes, edges);
  return builder.build();
}

std::string described(const GraphSet& graphs, std::size_t node, LabelLevel level) {
  return describe_label(graphs, 0, node, level);
}

TEST(RefinedLabels, EachLevelTellsMoreThanTheOneBefore) {
  const auto graphs = generate::molecules({.seed = 3, .graphs = 300, .anomalous = 0.1});
  std::size_t classes_before = 0;
  core::Vector<std::uint64_t> before;
  for (const LabelLevel level : kLevels) {
    const auto keys = keys_of(graphs, level);
    ASSERT_EQ(keys.size(), graphs.nodes());
    EXPECT_GT(std::set(keys.begin(), keys.end()).size(), classes_before);
    classes_before = std::set(keys.begin(), keys.end()).size();
    std::map<std::uint64_t, std::uint64_t> coarser;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(coarser.try_emplace(keys[i], before[i]).first->second, before[i]) << "node " << i;
    }
    before = keys;
  }
}

TEST(RefinedLabels, NodesOfTheSameKeyHaveTheSameDescription) {
  const auto graphs = generate::molecules({.seed = 4, .graphs = 100, .anomalous = 0.1});
  for (const LabelLevel level : kLevels) {
    const auto keys = keys_of(graphs, level);
    std::map<std::uint64_t, std::string> words;
    std::map<std::string, std::uint64_t> key_of_word;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (std::size_t node = 0; node < graphs[g].nodes(); ++node) {
        const auto key = keys[graphs[g].first_node() + node];
        const auto word = describe_label(graphs, g, node, level);
        EXPECT_EQ(words.try_emplace(key, word).first->second, word);
        EXPECT_EQ(key_of_word.try_emplace(word, key).first->second, key) << word;
      }
    }
  }
}

TEST(RefinedLabels, DoNotDependOnTheOrderOfNodes) {
  const auto graphs = generate::molecules({.seed = 5, .graphs = 100, .anomalous = 0.1});
  const auto other = test::permuted(graphs, 9);
  ASSERT_FALSE(graphs == other.graphs);
  for (const LabelLevel level : kLevels) {
    const auto keys = keys_of(graphs, level);
    const auto moved = keys_of(other.graphs, level);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(keys[i], moved[other.place[i]]) << "node " << i;
    }
  }
}

TEST(RefinedLabels, DoNotDependOnTheNumbersASetGivesToWords) {
  const std::vector<std::string> nodes = {"C", "N", "O"};
  const std::vector<Edge> edges = {{0, 1, "s"}, {1, 2, "t"}};
  const GraphSet alone = graph_of(nodes, edges);
  GraphSetBuilder builder;
  // Words that sort before and between the others give every word another number.
  add_graph(builder, {"B", "Cl", "A"}, {{0, 1, "a"}, {1, 2, "sa"}});
  add_graph(builder, nodes, edges);
  const GraphSet together = builder.build();
  ASSERT_NE(alone.node_label()[1], together.node_label()[4]);
  for (const LabelLevel level : kLevels) {
    const auto own = keys_of(alone, level);
    const auto keys = keys_of(together, level);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(own[i], keys[3 + i]);
    }
  }
}

TEST(RefinedLabels, AreTheSameForAnyNumberOfThreads) {
  const auto graphs = generate::molecules({.seed = 6, .graphs = 500, .anomalous = 0.1});
  ASSERT_GT(graphs.nodes(), 2U * 4096U) << "more than one part";
  for (const LabelLevel level : kLevels) {
    EXPECT_EQ(keys_of(graphs, level, 1), keys_of(graphs, level, 3));
  }
}

TEST(RefinedLabels, AStarTellsItsLeavesFromItsCentre) {
  const GraphSet star = graph_of({"C", "C", "C", "C"}, {{0, 1}, {0, 2}, {0, 3}});
  EXPECT_EQ(keys_of(star, LabelLevel::plain)[0], keys_of(star, LabelLevel::plain)[1]);
  for (const LabelLevel level : {LabelLevel::degree, LabelLevel::edges}) {
    const auto keys = keys_of(star, level);
    EXPECT_NE(keys[0], keys[1]);
    EXPECT_EQ(keys[1], keys[2]);
    EXPECT_EQ(keys[2], keys[3]);
  }
}

TEST(RefinedLabels, EdgeLabelsCountFromLevelEdgesOn) {
  const GraphSet pair = graph_of({"C", "C", "C", "C"}, {{0, 1, "single"}, {2, 3, "double"}});
  EXPECT_EQ(keys_of(pair, LabelLevel::degree)[0], keys_of(pair, LabelLevel::degree)[2]);
  EXPECT_NE(keys_of(pair, LabelLevel::edges)[0], keys_of(pair, LabelLevel::edges)[2]);
  // Which neighbour the double bond leads to is known from wl1 on.
  const GraphSet two = graph_of({"C", "N", "O", "C", "N", "O"},
                                {{0, 1, "2"}, {0, 2, "1"}, {3, 4, "1"}, {3, 5, "2"}});
  EXPECT_EQ(keys_of(two, LabelLevel::edges)[0], keys_of(two, LabelLevel::edges)[3]);
  EXPECT_NE(keys_of(two, LabelLevel::wl1)[0], keys_of(two, LabelLevel::wl1)[3]);
}

TEST(RefinedLabels, RoundsOfRefinementSeeOneAndTwoStepsFar) {
  // Paths C-C-C-N and C-C-C-O: their first nodes differ three steps away, their second ones two.
  const GraphSet paths = graph_of({"C", "C", "C", "N", "C", "C", "C", "O"},
                                  {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}, {6, 7}});
  const auto wl1 = keys_of(paths, LabelLevel::wl1);
  const auto wl2 = keys_of(paths, LabelLevel::wl2);
  EXPECT_EQ(wl1[0], wl1[4]);
  EXPECT_EQ(wl1[1], wl1[5]);
  EXPECT_NE(wl1[2], wl1[6]);
  EXPECT_EQ(wl2[0], wl2[4]);
  EXPECT_NE(wl2[1], wl2[5]);
  EXPECT_NE(wl2[2], wl2[6]);
}

TEST(RefinedLabels, CannotTellATriangleFromAHexagon) {
  const GraphSet rings =
      graph_of(std::vector<std::string>(9, "C"),
               {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 3}});
  for (const LabelLevel level : kLevels) {
    const auto keys = keys_of(rings, level);
    EXPECT_TRUE(std::ranges::all_of(keys, [&](std::uint64_t key) { return key == keys[0]; }));
  }
}

TEST(RefinedLabels, ASingleNodeHasAKeyAtEveryLevel) {
  const GraphSet one = graph_of({"C"}, {});
  const GraphSet other = graph_of({"N"}, {});
  for (const LabelLevel level : kLevels) {
    EXPECT_NE(keys_of(one, level)[0], keys_of(other, level)[0]);
  }
  EXPECT_EQ(described(one, 0, LabelLevel::wl2), "C()");
}

TEST(RefinedLabels, AreDescribedForPeople) {
  const GraphSet graphs = graph_of({"6", "7", "8", "6"}, {{0, 1, "1"}, {0, 2, "2"}, {0, 3, "1"}});
  EXPECT_EQ(described(graphs, 0, LabelLevel::plain), "6");
  EXPECT_EQ(described(graphs, 0, LabelLevel::degree), "6 d3");
  EXPECT_EQ(described(graphs, 0, LabelLevel::edges), "6(1,1,2)");
  EXPECT_EQ(described(graphs, 0, LabelLevel::wl1), "6(1:6,1:7,2:8)");
  EXPECT_EQ(described(graphs, 1, LabelLevel::wl2), "7(1:6(1:6,1:7,2:8))");
  EXPECT_EQ(described(graph_of({"a", "b"}, {{0, 1}}), 0, LabelLevel::wl1), "a(-:b)");
}

/// a -> b with an attribute, in both orders of its nodes.
GraphSet arrow(float weight, bool directed, bool turned) {
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("C");
  builder.add_node("C");
  if (directed) {
    builder.set_directed();
  }
  builder.add_edge(turned ? 1 : 0, turned ? 0 : 1, "", std::array{weight});
  return builder.build();
}

TEST(RefinedLabels, TellTheTailOfAnEdgeFromItsHead) {
  const GraphSet straight = arrow(0, true, false);
  const GraphSet turned = arrow(0, true, true);
  for (const LabelLevel level : {LabelLevel::edges, LabelLevel::wl1, LabelLevel::degree_wl2}) {
    const auto keys = keys_of(straight, level);
    EXPECT_NE(keys[0], keys[1]);
    EXPECT_EQ(keys[0], keys_of(turned, level)[1]);
    EXPECT_EQ(keys[1], keys_of(turned, level)[0]);
    EXPECT_NE(keys[0], keys_of(arrow(0, false, false), level)[0]);
  }
  EXPECT_EQ(keys_of(straight, LabelLevel::degree)[0], keys_of(straight, LabelLevel::degree)[1]);
  const auto edges = keys_of(straight, LabelLevel::edge);
  EXPECT_EQ(edges[0], edges[1]);
  EXPECT_NE(edges[0], keys_of(arrow(0, false, false), LabelLevel::edge)[0]);
  EXPECT_EQ(described(straight, 0, LabelLevel::wl1), "C(>-:C)");
  EXPECT_EQ(described(straight, 1, LabelLevel::wl1), "C(<-:C)");
}

TEST(RefinedLabels, TellEdgesApartByBinsOfTheirAttributes) {
  core::ThreadPool pool(1);
  const AttributeBins bins(std::vector(1, std::vector{0.5F}));
  const auto key = [&](float weight, const AttributeBins* used) {
    return label_keys(arrow(weight, false, false), LabelLevel::wl1, pool, used)[0];
  };
  EXPECT_EQ(key(0.1F, &bins), key(0.4F, &bins));
  EXPECT_NE(key(0.1F, &bins), key(0.9F, &bins));
  EXPECT_EQ(key(0.1F, nullptr), key(0.9F, nullptr));
  EXPECT_EQ(describe_label(arrow(0.9F, false, false), 0, 0, LabelLevel::wl1, &bins),
            "C(- [attribute 1 above 0.5]:C)");
}

TEST(RefinedLabels, FallBackLevelByLevelToPlain) {
  using enum LabelLevel;
  EXPECT_EQ(fallback_chain(plain), (std::vector{plain}));
  EXPECT_EQ(fallback_chain(degree), (std::vector{degree, plain}));
  EXPECT_EQ(fallback_chain(edges), (std::vector{edges, plain}));
  EXPECT_EQ(fallback_chain(wl1), (std::vector{wl1, edges, plain}));
  EXPECT_EQ(fallback_chain(wl2), (std::vector{wl2, wl1, edges, plain}));
}

}  // namespace
}  // namespace rayleigh::graph
