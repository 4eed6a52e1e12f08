#include "rayleigh/graph_set_builder.h"

#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "rayleigh/graph_set.h"

namespace rayleigh {
namespace {

void expect_refused(const std::function<void(GraphSetBuilder&)>& use, const std::string& words) {
  GraphSetBuilder builder;
  builder.begin_graph("first");
  builder.add_node();
  builder.add_node();
  try {
    use(builder);
    builder.build();
    ADD_FAILURE() << "accepted, expected: " << words;
  } catch (const DataError& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_data);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(GraphSetBuilder, BuildsWhatItWasTold) {
  GraphSetBuilder builder("mine");
  builder.begin_graph("a", "odd");
  const float row[] = {1.0F, -2.0F};
  EXPECT_EQ(builder.add_node("C", row), 0U);
  EXPECT_EQ(builder.add_node("N", row), 1U);
  builder.add_edge(0, 1, "single");
  builder.begin_graph("", "even");
  EXPECT_EQ(builder.add_node("C", row), 0U);
  const auto set = builder.build();
  EXPECT_EQ(set.name(), "mine");
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.graph_name(0), "a");
  EXPECT_EQ(set.graph_name(1), "");
  EXPECT_EQ(set.classes(), Vocabulary({"even", "odd"}));
  EXPECT_EQ(set.graph_class()[0], 1);
  EXPECT_EQ(set.attributes(2)[1], -2.0F);
  EXPECT_EQ(set.edge_labels(), Vocabulary({"single"}));
  EXPECT_EQ(set[0].degree(0), 1U);
  EXPECT_TRUE(set.findings().empty());
}

TEST(GraphSetBuilder, IsEmptyAfterwards) {
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("x");
  EXPECT_EQ(builder.build().size(), 1U);
  EXPECT_EQ(builder.build().size(), 0U);
  builder.begin_graph();
  builder.add_node();
  EXPECT_EQ(builder.build().label_source(), LabelSource::degree);
}

TEST(GraphSetBuilder, TakesAnEmptyClassAsNone) {
  GraphSetBuilder builder;
  builder.begin_graph("", "");
  builder.add_node();
  const auto set = builder.build();
  EXPECT_EQ(set.graph_class()[0], kNoClass);
  EXPECT_EQ(set.classes().size(), 0U);
}

TEST(GraphSetBuilder, CountsRepeatsAndSelfLoops) {
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node();
  builder.add_node();
  builder.add_edge(0, 1);
  builder.add_edge(1, 0);
  builder.add_edge(0, 1);
  builder.add_edge(1, 1);
  const auto set = builder.build();
  EXPECT_EQ(set[0].edges(), 1U);
  EXPECT_EQ(set.multiplicity()[0], 2U);
  ASSERT_EQ(set.findings().size(), 2U);
  EXPECT_EQ(set.findings()[0].kind, "self_loops");
  EXPECT_EQ(set.findings()[1].kind, "duplicate_edges");
  EXPECT_EQ(set.findings()[1].count, 1U);
  EXPECT_EQ(set.findings()[1].first.text(), "");
}

TEST(GraphSetBuilder, RefusesWrongUse) {
  expect_refused([](auto& b) { b.add_edge(0, 2); }, "graph 1: edge 0-2");
  expect_refused([](auto& b) { b.begin_graph("empty"); }, "graph 2: has no nodes");
  expect_refused(
      [](auto& b) {
        b.begin_graph();
        b.begin_graph();
      },
      "graph 2: has no nodes");
  expect_refused([](auto& b) { b.add_node("label"); }, "some nodes have a label");
  const float one[] = {1.0F};
  expect_refused([&](auto& b) { b.add_node("", one); }, "1 attributes, expected 0");
  expect_refused(
      [](auto& b) {
        b.add_edge(0, 1);
        b.add_edge(0, 1, "x");
      },
      "some edges have a label");
  expect_refused([](auto& b) { b.begin_graph("\xFF"); }, "graph 2: '\\xff' is not valid UTF-8");
  expect_refused([](auto& b) { b.add_edge(0, 1, "\xC3"); }, "graph 1: '\\xc3' is not valid UTF-8");
}

TEST(GraphSetBuilder, RefusesNodesOutsideGraphsAndNumbersThatAreNotFinite) {
  GraphSetBuilder builder;
  EXPECT_THROW(builder.add_node(), DataError);
  EXPECT_THROW(builder.add_edge(0, 0), DataError);
  builder.begin_graph();
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THROW(builder.add_node("", std::span(&value, 1)), DataError);
  }
}

TEST(GraphSetBuilder, UsesTheMemoryThatTheHeaderStates) {
  for (const bool rich : {false, true}) {
    GraphSetBuilder builder;
    std::size_t names = 0;
    const float row[] = {1.0F, 2.0F, 3.0F};
    for (std::uint32_t g = 0; g < 20'000; ++g) {
      const std::string name = rich ? std::to_string(g) : "";
      names += rich ? name.size() + 4 : 0;
      builder.begin_graph(name, g % 2 == 0 ? "a" : "b");
      for (std::uint32_t i = 0; i < 10; ++i) {
        builder.add_node(i % 3 == 0 ? "x" : "y",
                         rich ? std::span<const float>(row) : std::span<const float>());
        if (i > 0) {
          builder.add_edge(i - 1, i, rich ? "z" : "");
          if (rich) {
            builder.add_edge(i - 1, i, "z");
          }
        }
      }
    }
    const auto set = builder.build({.threads = 2});
    const std::size_t stated = 8 * set.size() + names +
                               (8 + 4 * set.attribute_count()) * set.nodes() +
                               (rich ? 12 : 4) * set.directed_edges();
    EXPECT_NEAR(static_cast<double>(set.memory_bytes()), static_cast<double>(stated),
                0.01 * static_cast<double>(stated));
  }
}

TEST(GraphSetBuilder, GivesTheSameSetForAnyNumberOfThreads) {
  const auto build = [](int threads) {
    GraphSetBuilder builder;
    for (std::uint32_t g = 0; g < 500; ++g) {
      builder.begin_graph("", std::to_string(g % 5));
      for (std::uint32_t i = 0; i < 1 + g % 17; ++i) {
        builder.add_node(std::to_string(g * i % 23));
        builder.add_edge(i, i * 7 % (i + 1));
        builder.add_edge(i / 2, i);
      }
    }
    return builder.build({.threads = threads});
  };
  const auto one = build(1);
  EXPECT_EQ(one, build(2));
  EXPECT_EQ(one, build(4));
}

}  // namespace
}  // namespace rayleigh
