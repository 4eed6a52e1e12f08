#include "rayleigh/spectral/analysis.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"
#include "rayleigh/spectral/rayleigh_quotient.h"

namespace rayleigh::spectral {
namespace {

const Column& column(const Analysis& analysis, std::string_view name) {
  return *std::ranges::find(analysis.columns, name, &Column::name);
}

GraphSet example() { return generate::molecules({.seed = 3, .graphs = 600, .anomalous = 0.2}); }

TEST(Analysis, FindsTheSignalThatMoleculesHide) {
  const auto analysis = analyse(example(), {});
  EXPECT_EQ(analysis.normal_graphs, 480U);
  EXPECT_EQ(analysis.anomalous_graphs, 120U);
  // Anomalous molecules have the same atoms side by side: a clearly lower quotient.
  EXPECT_LT(column(analysis, "rq_normalised").separation->auc, 0.2);
  EXPECT_LT(column(analysis, "rq_normalised").separation->p_value, 1e-6);
  EXPECT_NEAR(column(analysis, "nodes").separation->auc, 0.5, 0.07);
  ASSERT_FALSE(analysis.labels.empty());
  EXPECT_TRUE(analysis.labels[0].significant());
}

TEST(Analysis, FindsNothingWhereNothingIs) {
  auto set = generate::molecules({.seed = 3, .graphs = 500, .anomalous = 0});
  // The same kind of graph under two names.
  GraphSetBuilder builder;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const auto graph = set[g];
    builder.begin_graph({}, g % 3 == 0 ? "1" : "0");
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      builder.add_node(set.node_labels()[graph.label(node)]);
    }
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      for (const auto neighbour : graph.neighbours(node)) {
        builder.add_edge(node, neighbour - graph.first_node());
      }
    }
  }
  const auto analysis = analyse(builder.build(), {});
  for (const auto& number : analysis.columns) {
    EXPECT_GT(number.separation->p_value, 1e-3) << number.name;
  }
  for (const auto& label : analysis.labels) {
    EXPECT_FALSE(label.significant());
  }
}

TEST(Analysis, EnergyCurveIntegratesToTheQuotient) {
  const auto set = example();
  const auto analysis = analyse(set, {.thresholds = 2001});
  // Proposition 1 for the mean graph: bands of a graph sum to one, and the curve of one graph alone
  // has its quotient below it.
  const std::vector<std::uint32_t> one{5};
  const auto alone = analyse(
      set.subset(one),
      {.anomaly_class = {}, .distribution = {.shares = {1.0}, .bins = 1}, .thresholds = 20'001});
  double area = 0;
  for (const double e : alone.anomalous_energy.graphs > 0 ? alone.anomalous_energy.median
                                                          : alone.normal_energy.median) {
    area += e * 2.0 / 20'000;
  }
  EXPECT_NEAR(area, *column(alone, "rq_normalised").values[0], 1e-3);
  for (std::size_t g = 0; g < set.size(); ++g) {
    EXPECT_NEAR(*column(analysis, "energy_low").values[g] +
                    *column(analysis, "energy_mid").values[g] +
                    *column(analysis, "energy_high").values[g],
                1, 1e-12);
  }
}

TEST(Analysis, IsTheSameForAnyNumberOfThreads) {
  const auto set = example();
  const auto a = analyse(set, {.run = {.threads = 1}});
  const auto b = analyse(set, {.run = {.threads = 4}});
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].values, b.columns[c].values) << a.columns[c].name;
  }
  EXPECT_EQ(a.normal_energy.median, b.normal_energy.median);
}

TEST(Analysis, WorksWithoutLabelsAndWithOddGraphs) {
  GraphSetBuilder builder;
  for (int g = 0; g < 30; ++g) {
    builder.begin_graph();
    for (int i = 0; i <= g % 4; ++i) {
      builder.add_node();
    }
    if (g % 4 == 3) {
      builder.add_edge(0, 1);
    }
  }
  const auto analysis = analyse(builder.build(), {});
  EXPECT_EQ(analysis.normal_graphs, 30U);
  EXPECT_EQ(analysis.anomalous_graphs, 0U);
  EXPECT_FALSE(column(analysis, "rq_normalised").separation);
  EXPECT_FALSE(column(analysis, "lambda_2").values[0]) << "a graph of one node has no λ_2";
  EXPECT_FALSE(column(analysis, "rq_degree").values[0]) << "no edges, no degree signal";
  EXPECT_TRUE(analysis.labels.empty());
}

TEST(Analysis, EstimatesGraphsAboveTheDenseLimitAndSaysSo) {
  const auto set = example();
  const auto exact = analyse(set, {});
  const auto estimated = analyse(set, {.dense_limit = 10});
  EXPECT_EQ(exact.estimated_graphs, 0U);
  EXPECT_GT(estimated.estimated_graphs, 500U);
  for (std::size_t g = 0; g < set.size(); ++g) {
    EXPECT_NEAR(*column(exact, "lambda_max").values[g], *column(estimated, "lambda_max").values[g],
                1e-6);
    EXPECT_NEAR(*column(exact, "energy_low").values[g], *column(estimated, "energy_low").values[g],
                0.12);
  }
}

}  // namespace
}  // namespace rayleigh::spectral
