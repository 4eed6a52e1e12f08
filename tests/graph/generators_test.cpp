#include "rayleigh/generators.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rayleigh/graph_set_builder.h"

namespace rayleigh::generate {
namespace {

TEST(Colors3, HasAsManyGreenNodesAsItsClassSays) {
  const auto set = colors3({.seed = 3, .graphs = 2'100});
  ASSERT_EQ(set.size(), 2'100U);
  const auto green = set.node_labels().find("0,1,0,0");
  ASSERT_TRUE(green);
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    std::size_t count = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      count += graph.label(node) == *green ? 1U : 0U;
    }
    const auto& word = set.classes()[static_cast<std::size_t>(set.graph_class()[g])];
    ASSERT_EQ(std::to_string(count), word) << g;
  }
  EXPECT_EQ(set.classes().size(), 11U);
}

TEST(Colors3, FollowsTheSizesOfItsThreeParts) {
  const auto set = colors3({.seed = 1, .graphs = 10'500});
  std::map<std::size_t, int> sizes;
  std::set<std::uint32_t> labels_of_first_parts;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    const bool original = g < 5'500;
    ASSERT_GE(graph.nodes(), original ? 4U : 26U);
    ASSERT_LE(graph.nodes(), original ? 25U : 200U);
    const std::size_t n = graph.nodes();
    ASSERT_GE(graph.edges(), std::min(n, n * (n - 1) / 2));
    ASSERT_LT(graph.edges(), 2 * n);
    if (original) {
      ++sizes[n];
    }
    for (std::size_t node = 0; g < 8'000 && node < n; ++node) {
      labels_of_first_parts.insert(graph.label(node));
    }
  }
  EXPECT_EQ(sizes.size(), 22U);
  for (const auto& [size, count] : sizes) {
    EXPECT_EQ(count, 250) << size;
  }
  EXPECT_EQ(labels_of_first_parts.size(), 3U) << "red, green and blue";
  EXPECT_EQ(set.node_labels().size(), 9U) << "and bits on three other channels";
}

TEST(Generators, SameSeedSameGraphsOtherSeedOtherGraphs) {
  EXPECT_EQ(colors3({.seed = 4, .graphs = 210}), colors3({.seed = 4, .graphs = 210}));
  EXPECT_FALSE(colors3({.seed = 4, .graphs = 210}) == colors3({.seed = 5, .graphs = 210}));
  const MoleculesOptions options{.seed = 4, .graphs = 100, .anomalous = 0.1};
  EXPECT_EQ(molecules(options), molecules(options));
  const auto source = molecules(options);
  EXPECT_EQ(perturb(source, {.seed = 2}).graphs, perturb(source, {.seed = 2}).graphs);
}

TEST(Molecules, LookLikeMolecules) {
  const auto set = molecules({.seed = 1, .graphs = 1'000, .anomalous = 0.05});
  EXPECT_EQ(std::ranges::count(set.graph_class(), 1), 50);
  double nodes = 0;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    nodes += static_cast<double>(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      ASSERT_GE(graph.degree(node), 1U);
      ASSERT_LE(graph.degree(node), 4U);
    }
    ASSERT_GE(graph.edges(), graph.nodes()) << "at least one ring";
  }
  EXPECT_NEAR(nodes / 1'000, 26, 4);
  EXPECT_TRUE(set.node_labels().find("C"));
  EXPECT_TRUE(set.edge_labels().find("4"));
}

/// Mean over graphs of one class of a number taken from each graph.
template <typename Measure>
double mean_of_class(const GraphSet& set, std::int32_t graph_class, Measure measure) {
  double sum = 0;
  int count = 0;
  for (std::size_t g = 0; g < set.size(); ++g) {
    if (set.graph_class()[g] == graph_class) {
      sum += measure(set[g]);
      ++count;
    }
  }
  return sum / count;
}

TEST(Molecules, DifferInNeighbourhoodsNotInCounts) {
  const auto set = molecules({.seed = 2, .graphs = 4'000, .anomalous = 0.5});
  const auto carbon = *set.node_labels().find("C");
  const auto hetero_share = [&](const GraphView& graph) {
    double hetero = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      hetero += graph.label(node) != carbon ? 1 : 0;
    }
    return hetero / static_cast<double>(graph.nodes());
  };
  const auto hetero_pairs = [&](const GraphView& graph) {
    double pairs = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      for (const auto neighbour : graph.neighbours(node)) {
        pairs +=
            graph.label(node) != carbon && graph.label(neighbour - graph.first_node()) != carbon
                ? 0.5
                : 0;
      }
    }
    return pairs;
  };
  EXPECT_NEAR(mean_of_class(set, 0, hetero_share), mean_of_class(set, 1, hetero_share), 0.005);
  EXPECT_GT(mean_of_class(set, 1, hetero_pairs), 2 * mean_of_class(set, 0, hetero_pairs));
}

GraphSet source_set() { return molecules({.seed = 8, .graphs = 400, .anomalous = 0.1}); }

TEST(Perturb, KeepsNormalGraphsAndMakesTheWantedShareAnomalous) {
  const auto source = source_set();
  const auto out = perturb(source, {.seed = 1, .probability = 0.2, .share = 0.05});
  ASSERT_EQ(out.graphs.size(), 360U);
  EXPECT_EQ(std::ranges::count(out.graphs.graph_class(), 1), 18);
  std::set<std::uint32_t> touched;
  for (const auto& node : out.touched) {
    touched.insert(node.graph);
  }
  for (std::uint32_t g = 0; g < out.graphs.size(); ++g) {
    const auto original =
        static_cast<std::uint32_t>(std::stoul(std::string(out.graphs.graph_name(g)))) - 1;
    const std::vector<std::uint32_t> one{g};
    const std::vector<std::uint32_t> other{original};
    ASSERT_EQ(source.graph_class()[original], 0) << "anomalies of the source are left out";
    const auto a = out.graphs[g];
    const auto b = source[original];
    ASSERT_EQ(a.nodes(), b.nodes());
    ASSERT_EQ(a.edges(), b.edges()) << "rewiring keeps the number of edges";
    if (out.graphs.graph_class()[g] == 0) {
      ASSERT_FALSE(touched.contains(g));
      for (std::size_t node = 0; node < a.nodes(); ++node) {
        ASSERT_EQ(a.degree(node), b.degree(node));
      }
    }
  }
  EXPECT_GT(touched.size(), 15U);
}

TEST(Perturb, ChangesEdgesWithTheGivenProbability) {
  const auto source = source_set();
  const auto out =
      perturb(source, {.seed = 1, .probability = 0.25, .share = 1.0, .how = Perturbation::remove});
  std::size_t before = 0;
  std::size_t after = 0;
  for (std::uint32_t g = 0; g < out.graphs.size(); ++g) {
    after += out.graphs[g].edges();
    before += source[std::stoul(std::string(out.graphs.graph_name(g))) - 1].edges();
  }
  EXPECT_NEAR(static_cast<double>(after) / static_cast<double>(before), 0.75, 0.02);
}

TEST(Perturb, LeavesCompleteAndEdgelessGraphsAlone) {
  GraphSetBuilder builder;
  for (int g = 0; g < 20; ++g) {
    builder.begin_graph();
    for (int i = 0; i < (g % 2 == 0 ? 4 : 1); ++i) {
      builder.add_node("C");
    }
    for (std::uint32_t a = 0; g % 2 == 0 && a < 4; ++a) {
      for (std::uint32_t b = a + 1; b < 4; ++b) {
        builder.add_edge(a, b);
      }
    }
  }
  const auto out = perturb(builder.build(), {.seed = 1, .probability = 1, .share = 1});
  EXPECT_TRUE(out.touched.empty());
  for (std::size_t g = 0; g < 20; ++g) {
    EXPECT_EQ(out.graphs[g].edges(), g % 2 == 0 ? 6U : 0U);
  }
}

TEST(Perturb, RefusesAShareOfNoGraph) {
  EXPECT_THROW(perturb(source_set(), {.share = 0.0001}), UsageError);
}

}  // namespace
}  // namespace rayleigh::generate
