// What the detector for data without labels says of graphs.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "rayleigh/graph_set_builder.h"

#include "expect_error.h"
#include "learn/trained.h"

namespace rayleigh::learn {
namespace {

/// A path with these labels.
void add_path(GraphSetBuilder& builder, const std::vector<std::string>& labels) {
  builder.begin_graph();
  for (const std::string& label : labels) {
    builder.add_node(label);
  }
  for (std::uint32_t i = 1; i < labels.size(); ++i) {
    builder.add_edge(i - 1, i);
  }
}

/// Paths of 3 to 12 nodes labelled a and b in turn.
GraphSet paths(std::size_t count) {
  GraphSetBuilder builder("paths");
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 3 + g % 10; ++i) {
      labels.emplace_back(i % 2 == 0 ? "a" : "b");
    }
    add_path(builder, labels);
  }
  return builder.build();
}

TEST(Novelty, FindsOtherOrdersOtherLabelsAndNewLabels) {
  const auto detector = test::detector_of(paths(200), {}, 1, "novelty");
  GraphSetBuilder builder;
  add_path(builder, {"a", "b", "a", "b", "a"});
  add_path(builder, {"a", "a", "b", "b", "a"});
  add_path(builder, {"a", "a", "a", "a", "a"});
  add_path(builder, {"a", "b", "z", "b", "a"});
  const auto scores = detector.score(builder.build());
  EXPECT_FALSE(scores[0].anomalous);
  for (std::size_t g = 1; g < scores.size(); ++g) {
    EXPECT_GT(scores[g].score, scores[0].score + 0.2);
    EXPECT_TRUE(scores[g].anomalous) << g;
  }
  EXPECT_TRUE(scores[3].unknown_label);
  EXPECT_GT(scores[3].score, scores[1].score);
}

TEST(Novelty, KeepsAsManyReferencesAsItIsToldAtMost) {
  const auto few = test::detector_of(paths(400), {{"references", "8"}}, 1, "novelty");
  const auto many = test::detector_of(paths(400), {}, 1, "novelty");
  EXPECT_LT(few.bytes().size(), many.bytes().size());
  EXPECT_TRUE(std::isfinite(few.score(paths(20))[7].score));
}

TEST(Novelty, SaysSomethingOfVeryFewGraphsAndOfGraphsThatAreAllEqual) {
  for (const std::size_t count : {6U, 40U}) {
    GraphSetBuilder builder("equal");
    for (std::size_t g = 0; g < count; ++g) {
      add_path(builder, {"a", "b", "a"});
    }
    const GraphSet equal = builder.build();
    const auto detector = test::detector_of(equal, {}, 1, "novelty");
    for (const Score& score : detector.score(equal)) {
      EXPECT_TRUE(std::isfinite(score.score));
      EXPECT_FALSE(score.anomalous);
    }
    EXPECT_TRUE(detector.score(paths(10))[9].anomalous);
  }
}

TEST(NormalClass, LearnsFromItsGraphsAlone) {
  const GraphSet graphs = test::molecules(200);
  const auto result = test::train_on(graphs, {{"normal-class", "0"}}, 1, "novelty");
  EXPECT_FALSE(result.labelled);
  for (const auto* part : {&result.split.train, &result.split.validation, &result.split.test,
                           &result.split.calibration}) {
    EXPECT_FALSE(part->empty());
    for (const std::uint32_t g : *part) {
      EXPECT_EQ(graphs.classes()[static_cast<std::size_t>(graphs.graph_class()[g])], "0");
    }
  }
  test::expect_usage_error(
      [&] {
        test::train_on(graphs, {{"normal-class", "7"}}, 1, "novelty");
      },
      {"normal-class", "no class '7'", "0, 1"});
  test::expect_usage_error(
      [&] {
        test::train_on(graphs, {{"normal-class", "0"}}, 1, "rqgnn");
      },
      {"normal-class", "learns from both classes"});
}

TEST(Unlabelled, DoesNotLookAtLabels) {
  const GraphSet graphs = test::molecules(200);
  const auto result = test::train_on(graphs, {{"unlabelled", "true"}}, 1, "novelty");
  EXPECT_FALSE(result.labelled);
  EXPECT_EQ(std::ranges::count(result.labels, std::int8_t{0}), std::ssize(result.labels));
}

}  // namespace
}  // namespace rayleigh::learn
