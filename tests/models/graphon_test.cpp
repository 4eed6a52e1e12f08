#include "models/graphon.h"

#include <gtest/gtest.h>
#include <set>

#include "rayleigh/generators.h"

#include "core/random.h"
#include "golden.h"
#include "models/recipe.h"

namespace rayleigh::models {
namespace {

using test::GoldenCase;

std::vector<std::uint32_t> graphs_of_class(const GoldenCase& golden, std::int64_t cls) {
  std::vector<std::uint32_t> chosen;
  const auto labels = golden.file().values<std::int64_t>("graph/graph_label");
  for (std::size_t g = 0; g < labels.size(); ++g) {
    if (labels[g] == cls) {
      chosen.push_back(static_cast<std::uint32_t>(g));
    }
  }
  return chosen;
}

class GoldenGraphon : public ::testing::Test {
 protected:
  void SetUp() override { RAYLEIGH_NEEDS_SHARED("golden"); }

  static SquareMatrix square(const std::vector<double>& value) {
    const auto size = static_cast<std::size_t>(std::lround(std::sqrt(value.size())));
    return {size, value};
  }
};

TEST_F(GoldenGraphon, EstimatesAgree) {
  const GoldenCase golden("gmixup_graphon");
  const GraphSet graphs = test::golden_graphs(golden.file());
  const auto size = static_cast<std::size_t>(golden.file().value<std::int64_t>("resolution"));
  for (const std::int64_t cls : {0, 1}) {
    const std::string group = "class" + std::to_string(cls) + "/";
    const auto chosen = graphs_of_class(golden, cls);
    const auto mean = mean_adjacency(graphs, chosen, size);
    golden.expect(group + "mean", mean.value, 1e-5);
    // Graph by graph, too.
    const auto aligned = golden.tensor(group + "aligned");
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const auto one = mean_adjacency(graphs, std::array{chosen[k]}, size);
      for (std::size_t i = 0; i < one.value.size(); ++i) {
        EXPECT_EQ(one.value[i], aligned[k * size * size + i]) << group << k << " entry " << i;
      }
    }
    golden.expect(group + "graphon",
                  threshold_singular_values(mean, golden.setting("threshold").get<double>()).value,
                  1e-5);
  }
}

TEST_F(GoldenGraphon, MixturesAndDrawnGraphsAgree) {
  const GoldenCase golden("gmixup_graphon");
  const std::array graphon = {square(golden.tensor("class0/graphon")),
                              square(golden.tensor("class1/graphon"))};
  for (const std::string group : {"mix0/", "mix1/", "mix2/"}) {
    const auto how = golden.tensor(group + "lambda_first");
    const std::size_t first = how[1] == 1 ? 1 : 0;
    const SquareMatrix mixed = mix(graphon[first], graphon[1 - first], how[0]);
    golden.expect(group + "graphon", mixed.value, 1e-5);

    const auto uniforms = golden.tensor(group + "uniforms");
    const auto nodes = golden.file().values<std::int64_t>(group + "num_nodes");
    const auto edges = golden.file().values<std::int64_t>(group + "edges");
    const SquareMatrix theirs = square(golden.tensor(group + "graphon"));
    std::size_t at = 0;
    for (std::size_t sample = 0; sample < nodes.size(); ++sample) {
      const DrawnGraph drawn = draw_graph(theirs, [&] { return uniforms[at++]; });
      EXPECT_EQ(static_cast<std::int64_t>(drawn.position.size()), nodes[sample]);
      std::set<std::pair<std::int64_t, std::int64_t>> ours;
      for (const auto& [i, j] : drawn.edges) {
        ours.emplace(i, j);
        ours.emplace(j, i);
      }
      std::set<std::pair<std::int64_t, std::int64_t>> expected;
      for (std::size_t e = 0; e + 2 < edges.size(); e += 3) {
        if (edges[e] == static_cast<std::int64_t>(sample)) {
          expected.emplace(edges[e + 1], edges[e + 2]);
          expected.emplace(edges[e + 2], edges[e + 1]);
        }
      }
      EXPECT_EQ(ours, expected) << group << sample;
    }
  }
}

TEST(Graphon, ThresholdKeepsStrongDirectionsOnly) {
  // One direction of weight 4 (all ones over 4 nodes), one of weight 0.1.
  SquareMatrix mean{4, std::vector<double>(16, 1.0)};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      mean(i, j) += (i % 2 == j % 2 ? 0.1 : -0.1) / 4;
    }
  }
  const SquareMatrix graphon = threshold_singular_values(mean, 0.2);
  for (const double entry : graphon.value) {
    EXPECT_NEAR(entry, 1, 1e-12);
  }
  // Nothing is left of a matrix below the threshold.
  for (const double entry : threshold_singular_values(mean, 3).value) {
    EXPECT_EQ(entry, 0);
  }
}

TEST(Graphon, SortsByDegreeAndTiesByLaterNodes) {
  GraphSetData data;
  data.graph_ptr = {0, 4};
  data.row_ptr = {0, 1, 3, 4, 4};  // a path of three and a lone node
  data.col = {1, 0, 2, 1};
  data.node_label = {0, 0, 0, 0};
  data.graph_class = {kNoClass};
  data.node_labels = Vocabulary({"C"});
  const GraphSet graphs(std::move(data));
  EXPECT_EQ(by_degree(graphs[0]), (std::vector<std::uint32_t>{1, 2, 0, 3}));
}

class Mixup : public ::testing::Test {
 protected:
  Mixup() {
    for (std::uint32_t g = 0; g < graphs_.size(); ++g) {
      train_.push_back(g);
      labels_.push_back(graphs_.classes()[static_cast<std::size_t>(graphs_.graph_class()[g])] ==
                        "1");
    }
  }

  Augmented augment(std::uint64_t seed) const {
    return *make_recipe("gmixup")->augment(graphs_, train_, labels_, seed);
  }

  GraphSet graphs_ = generate::molecules({.seed = 2, .graphs = 400, .anomalous = 0.1});
  std::vector<std::uint32_t> train_;
  std::vector<std::int8_t> labels_;
};

TEST_F(Mixup, PutsGraphsOfBothClassesBehindTheData) {
  const Augmented all = augment(1);
  ASSERT_EQ(all.graphs.size(), graphs_.size() + all.targets.size());
  EXPECT_EQ(all.targets.size(), 60U);  // 15 of 100
  EXPECT_TRUE(all.graphs.subset(train_) == graphs_);
  std::size_t anomalous = 0;
  for (const float target : all.targets) {
    const float other = std::min(target, 1 - target);
    EXPECT_GE(other, 0.0049F);
    EXPECT_LE(other, 0.0101F);
    anomalous += target > 0.5F ? 1 : 0;
  }
  EXPECT_GT(anomalous, 0U);
  EXPECT_LT(anomalous, all.targets.size());
  for (std::size_t g = graphs_.size(); g < all.graphs.size(); ++g) {
    EXPECT_GT(all.graphs[g].nodes(), 0U);
    for (std::size_t i = 0; i < all.graphs[g].nodes(); ++i) {
      EXPECT_LT(all.graphs[g].label(i), graphs_.node_labels().size());
    }
  }
}

TEST_F(Mixup, DependsOnTheSeedAndOnNothingElse) {
  EXPECT_TRUE(augment(1).graphs == augment(1).graphs);
  EXPECT_FALSE(augment(1).graphs == augment(2).graphs);
}

TEST_F(Mixup, MadeUpGraphsHaveTheDensityOfTheirClass) {
  // The rank-one graphon keeps the mean degree of sorted nodes roughly; far more or fewer edges
  // would mean a wrong scale.
  const Augmented all = augment(3);
  double edges = 0;
  for (std::size_t g = graphs_.size(); g < all.graphs.size(); ++g) {
    edges += static_cast<double>(all.graphs[g].edges());
  }
  edges /= static_cast<double>(all.targets.size());
  double real = 0;
  for (std::size_t g = 0; g < graphs_.size(); ++g) {
    real += static_cast<double>(graphs_[g].edges());
  }
  real /= static_cast<double>(graphs_.size());
  EXPECT_GT(edges, 0.3 * real);
  EXPECT_LT(edges, 1.5 * real);
}

}  // namespace
}  // namespace rayleigh::models
