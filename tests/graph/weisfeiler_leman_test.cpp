#include "graph/weisfeiler_leman.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"

namespace rayleigh::graph {
namespace {

/// Every graph of the set with its nodes in another order.
GraphSet relabelled(const GraphSet& set, std::uint64_t seed) {
  GraphSetBuilder builder;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    std::vector<std::uint32_t> new_to_old(graph.nodes());
    std::iota(new_to_old.begin(), new_to_old.end(), 0U);
    auto random = core::RandomStream(seed, "relabel").at(g);
    random.shuffle(std::span(new_to_old));
    std::vector<std::uint32_t> old_to_new(graph.nodes());
    builder.begin_graph({}, "0");
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      old_to_new[new_to_old[node]] = node;
      builder.add_node(set.node_labels()[graph.label(new_to_old[node])]);
    }
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      for (std::size_t k = 0; k < graph.degree(node); ++k) {
        const std::uint32_t other = graph.neighbours(node)[k] - graph.first_node();
        if (node < other) {
          builder.add_edge(old_to_new[node], old_to_new[other],
                           set.edge_labels()[set.edge_label()[graph.first_entry(node) + k]]);
        }
      }
    }
  }
  return builder.build();
}

TEST(WlHash, DoesNotDependOnTheOrderOfNodes) {
  const auto set = generate::molecules({.seed = 5, .graphs = 300, .anomalous = 0.1});
  core::ThreadPool pool(2);
  EXPECT_EQ(wl_hashes(set, pool), wl_hashes(relabelled(set, 9), pool));
}

TEST(WlHash, TellsDifferentMoleculesApart) {
  const auto set = generate::molecules({.seed = 5, .graphs = 2000, .anomalous = 0.1});
  core::ThreadPool pool(2);
  const auto groups = duplicate_groups(set, wl_hashes(set, pool));
  EXPECT_LT(groups.size(), 5U);
}

using Edge = std::tuple<std::uint32_t, std::uint32_t, std::string>;

GraphSet pair_of(const std::vector<std::string>& labels_a, const std::vector<Edge>& edges_a,
                 const std::vector<std::string>& labels_b, const std::vector<Edge>& edges_b) {
  GraphSetBuilder builder;
  for (const auto& [labels, edges] : {std::pair(labels_a, edges_a), std::pair(labels_b, edges_b)}) {
    builder.begin_graph();
    for (const auto& label : labels) {
      builder.add_node(label);
    }
    for (const auto& [from, to, label] : edges) {
      builder.add_edge(from, to, label);
    }
  }
  return builder.build();
}

TEST(WlHash, SeesNodeLabelsEdgeLabelsAndEdges) {
  const std::vector<std::string> cco{"C", "C", "O"};
  const std::vector<Edge> chain{{0, 1, "1"}, {1, 2, "1"}};
  const auto same = pair_of(cco, chain, {"O", "C", "C"}, {{0, 1, "1"}, {2, 1, "1"}});
  EXPECT_EQ(wl_hash(same, 0), wl_hash(same, 1));
  const auto moved = pair_of(cco, chain, {"C", "O", "C"}, chain);
  EXPECT_NE(wl_hash(moved, 0), wl_hash(moved, 1));
  const auto doubled = pair_of(cco, chain, cco, {{0, 1, "1"}, {1, 2, "2"}});
  EXPECT_NE(wl_hash(doubled, 0), wl_hash(doubled, 1));
  const auto closed = pair_of(cco, chain, cco, {{0, 1, "1"}, {1, 2, "1"}, {2, 0, "1"}});
  EXPECT_NE(wl_hash(closed, 0), wl_hash(closed, 1));
}

TEST(DuplicateGroups, FindCopiesAndContradictingClasses) {
  GraphSetBuilder builder;
  for (const auto& [kind, label] : {std::pair(0, "0"), {1, "0"}, {0, "1"}, {2, "0"}, {1, "0"}}) {
    builder.begin_graph({}, label);
    for (int i = 0; i <= kind; ++i) {
      builder.add_node("C");
    }
  }
  const auto set = builder.build();
  core::ThreadPool pool(1);
  const auto groups = duplicate_groups(set, wl_hashes(set, pool));
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].graphs, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_TRUE(groups[0].classes_differ);
  EXPECT_EQ(groups[1].graphs, (std::vector<std::uint32_t>{1, 4}));
  EXPECT_FALSE(groups[1].classes_differ);
}

}  // namespace
}  // namespace rayleigh::graph
