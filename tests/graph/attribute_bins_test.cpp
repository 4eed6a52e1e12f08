#include "graph/attribute_bins.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "rayleigh/graph_set_builder.h"

namespace rayleigh::graph {
namespace {

/// One graph per row of values; every node has two attributes, the value and its parity.
GraphSet numbered(const std::vector<std::vector<int>>& values) {
  GraphSetBuilder builder;
  for (const auto& row : values) {
    builder.begin_graph();
    for (const int value : row) {
      const std::array attributes{static_cast<float>(value), static_cast<float>(value % 2)};
      builder.add_node("", attributes);
    }
  }
  return builder.build();
}

GraphSet first_numbers(int count) {
  std::vector<int> row(static_cast<std::size_t>(count));
  std::iota(row.begin(), row.end(), 0);
  return numbered({row, {1'000'000}});
}

TEST(AttributeBins, HoldAboutAsManyTrainingValuesEach) {
  core::ThreadPool pool(2);
  const GraphSet graphs = first_numbers(1600);
  const auto bins = AttributeBins::of_nodes(graphs, std::array{0U}, pool);
  ASSERT_EQ(bins.attributes(), 2U);
  EXPECT_EQ(bins.limits()[0].size(), 15U);
  std::vector<int> count(bins.bins(), 0);
  for (std::size_t i = 0; i < 1600; ++i) {
    ++count[bins.bin(0, graphs.attributes(i)[0])];
  }
  for (std::uint32_t bin = 0; bin < 16; ++bin) {
    EXPECT_NEAR(count[bin], 100, 1) << bin;
  }
}

TEST(AttributeBins, AreOnePerValueWhereThereAreFew) {
  core::ThreadPool pool(1);
  const auto bins = AttributeBins::of_nodes(first_numbers(100), std::array{0U}, pool);
  EXPECT_EQ(bins.limits()[1], std::vector<float>{0.0F});
  EXPECT_EQ(bins.bins(), 16U + 2U);
  EXPECT_EQ(bins.bin(1, 0.0F), 16U);
  EXPECT_EQ(bins.bin(1, 1.0F), 17U);
}

TEST(AttributeBins, KnowOnlyTheChosenGraphs) {
  core::ThreadPool pool(1);
  const auto bins = AttributeBins::of_nodes(numbered({{1, 3}, {5, 7}}), std::array{1U}, pool);
  EXPECT_EQ(bins.limits()[0], std::vector<float>{5.0F});
  EXPECT_TRUE(bins.limits()[1].empty());
}

TEST(AttributeBins, OfEdgesAreFewSoThatTheirCombinationsAreFew) {
  core::ThreadPool pool(1);
  for (const std::size_t attributes : {1U, 2U, 3U, 9U}) {
    GraphSetBuilder builder;
    builder.begin_graph();
    for (std::uint32_t i = 0; i < 100; ++i) {
      builder.add_node();
    }
    for (std::uint32_t i = 1; i < 100; ++i) {
      builder.add_edge(0, i, "", std::vector<float>(attributes, static_cast<float>(i)));
    }
    const auto bins = AttributeBins::of_edges(builder.build(), std::array{0U}, pool);
    EXPECT_EQ(bins.attributes(), attributes);
    EXPECT_EQ(bins.bins(), attributes * (attributes <= 2 ? 4 : 2)) << attributes;
  }
}

TEST(AttributeBins, AreNoneWithoutAttributes) {
  core::ThreadPool pool(1);
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("C");
  const auto bins = AttributeBins::of_nodes(builder.build(), std::array{0U}, pool);
  EXPECT_TRUE(bins.empty());
  EXPECT_EQ(bins.bins(), 0U);
}

TEST(AttributeBins, AreCalledAfterTheirAttributeAndLimits) {
  const AttributeBins bins({{0.5F}, {}, {-1, 2.25F}});
  EXPECT_EQ(bins.word(0), "attribute 1 up to 0.5");
  EXPECT_EQ(bins.word(1), "attribute 1 above 0.5");
  EXPECT_EQ(bins.word(2), "attribute 2");
  EXPECT_EQ(bins.word(3), "attribute 3 up to -1");
  EXPECT_EQ(bins.word(4), "attribute 3 from -1 to 2.25");
  EXPECT_EQ(bins.word(5), "attribute 3 above 2.25");
}

TEST(AttributeBins, RefuseLimitsThatAreNotFiniteOrNotAscending) {
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> wrong{
      {1, 1}, {2, 1}, {std::nanf("")}, {0, infinite}, {-infinite, 0}};
  for (const auto& limits : wrong) {
    EXPECT_THROW(AttributeBins({{0.0F}, limits}), std::string);
  }
}

}  // namespace
}  // namespace rayleigh::graph
