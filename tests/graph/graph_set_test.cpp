#include "rayleigh/graph_set.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "rayleigh/graph_set_builder.h"

#include "io/words.h"

namespace rayleigh {
namespace {

GraphSet three_graphs() {
  GraphSetBuilder builder("three");
  const float row[] = {0.5F};
  builder.begin_graph("path", "0");
  for (const auto* label : {"C", "N", "C"}) {
    builder.add_node(label, row);
  }
  builder.add_edge(0, 1, "s");
  builder.add_edge(2, 1, "d");
  builder.begin_graph("twice", "1");
  builder.add_node("O", row);
  builder.add_node("O", row);
  builder.add_edge(0, 1, "s");
  builder.add_edge(0, 1, "s");
  builder.begin_graph("single", "0");
  builder.add_node("C", row);
  return builder.build();
}

TEST(Vocabulary, OrdersNumbersByValueAndBeforeWords) {
  EXPECT_TRUE(label_before("9", "10"));
  EXPECT_TRUE(label_before("-1", "0"));
  EXPECT_TRUE(label_before("10", "1a"));
  EXPECT_TRUE(label_before("10", "007"));
  EXPECT_TRUE(label_before("A", "a"));
  EXPECT_FALSE(label_before("a", "a"));
  EXPECT_FALSE(label_before("5", "5"));
}

TEST(Vocabulary, FindsItsWordsAndNoOthers) {
  const Vocabulary vocabulary({"-1", "9", "10", "007", "x"});
  for (std::uint32_t i = 0; i < vocabulary.size(); ++i) {
    EXPECT_EQ(vocabulary.find(vocabulary[i]), i);
  }
  for (const auto* absent : {"", "0", "7", "y", "xx", "+9"}) {
    EXPECT_FALSE(vocabulary.find(absent).has_value()) << absent;
  }
}

TEST(GraphSet, ShowsGraphsWithLocalNodes) {
  const auto set = three_graphs();
  const auto second = set[1];
  EXPECT_EQ(second.first_node(), 3U);
  EXPECT_EQ(second.nodes(), 2U);
  EXPECT_EQ(second.edges(), 1U);
  EXPECT_EQ(second.degree(0), 1U);
  EXPECT_EQ(second.neighbours(0)[0] - second.first_node(), 1U);
  EXPECT_EQ(set.multiplicity()[second.first_entry(0)], 2U);
  EXPECT_EQ(set[2].edges(), 0U);
}

TEST(GraphSet, SubsetKeepsOrderNamesAndVocabularies) {
  const auto set = three_graphs();
  const std::vector<std::uint32_t> chosen{2, 1, 1};
  const auto subset = set.subset(chosen);
  ASSERT_EQ(subset.size(), 3U);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(test::words_of(subset, i), test::words_of(set, chosen[i]));
    EXPECT_EQ(subset.graph_name(i), set.graph_name(chosen[i]));
  }
  EXPECT_EQ(subset.node_labels(), set.node_labels());
  EXPECT_EQ(subset.classes(), set.classes());
  EXPECT_EQ(set.subset(std::vector<std::uint32_t>{0, 1, 2}), set);
}

TEST(GraphSet, SubsetHasMultiplicityOnlyWhereEdgesRepeat) {
  const auto set = three_graphs();
  EXPECT_TRUE(set.subset(std::vector<std::uint32_t>{0, 2}).multiplicity().empty());
  EXPECT_EQ(set.subset(std::vector<std::uint32_t>{1}).multiplicity().size(), 2U);
}

TEST(GraphSet, SubsetOfNothingIsEmpty) {
  const auto none = three_graphs().subset({});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.nodes(), 0U);
}

TEST(GraphSet, EqualityDependsOnContentAlone) {
  EXPECT_EQ(three_graphs(), three_graphs());
  GraphSetBuilder other("another name");
  other.begin_graph();
  other.add_node("C");
  EXPECT_FALSE(three_graphs() == other.build());
}

TEST(GraphSet, IsEmptyByDefault) {
  const GraphSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.nodes(), 0U);
  EXPECT_EQ(set.directed_edges(), 0U);
}

}  // namespace
}  // namespace rayleigh
