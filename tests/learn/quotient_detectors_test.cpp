// The detectors on quotients of labels, trees and linear, from training to a model file and back.
#include <cmath>
#include <gtest/gtest.h>

#include "rayleigh/error.h"
#include "rayleigh/graph_set_builder.h"

#include "expect_error.h"
#include "learn/detector_parts.h"
#include "learn/trained.h"

namespace rayleigh::learn {
namespace {

constexpr const char* kFile = "t.model";

class QuotientDetector : public ::testing::TestWithParam<std::string> {
 protected:
  Detector detector(const GraphSet& graphs) const {
    return test::detector_of(graphs, {{"epochs", "20"}}, 1, GetParam());
  }
};

TEST_P(QuotientDetector, LearnsMoleculesFromALittle) {
  const auto result = test::train_on(test::molecules(400, 0.3), {{"epochs", "60"}}, 2, GetParam());
  EXPECT_GT(result.test.auc, 0.8);
}

TEST_P(QuotientDetector, SharesAddUpToTheLogitOfTheScore) {
  const GraphSet graphs = test::molecules(120);
  const auto result = test::train_on(graphs, {{"epochs", "8"}, {"ensemble", "2"}}, 1, GetParam());
  for (const Explanation& e : result.detector.explain(graphs, ExplainMethod::shares)) {
    double sum = e.constant;
    for (const double share : e.nodes) {
      sum += share;
    }
    for (const LabelShare& label : e.labels) {
      sum += label.share;
      EXPECT_FALSE(label.label.empty());
    }
    EXPECT_NEAR(sum, e.margin, 1e-9 * (1 + std::abs(e.margin)));
  }
  const auto one = test::train_on(graphs, {{"epochs", "8"}}, 1, GetParam());
  const auto explanations = one.detector.explain(graphs, ExplainMethod::automatic);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_NEAR(1 / (1 + std::exp(-explanations[g].margin)), one.scores[g], 1e-6);
  }
}

TEST_P(QuotientDetector, ComesBackFromItsFileWithTheSameScores) {
  const GraphSet graphs = test::molecules(120);
  const Detector whole = detector(graphs);
  const Detector again = Inside::make(parse_model(whole.bytes(), kFile));
  EXPECT_EQ(again.bytes(), whole.bytes());
  const GraphSet others = test::molecules(50, 0.2, 9);
  const auto expected = whole.score(others);
  const auto found = again.score(others);
  for (std::size_t g = 0; g < others.size(); ++g) {
    EXPECT_EQ(found[g].score, expected[g].score);
  }
}

TEST_P(QuotientDetector, TakesGraphsWithoutEdgesAndUnknownLabels) {
  const Detector whole = detector(test::molecules(120));
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("never seen");
  builder.begin_graph();
  builder.add_node("C");
  builder.add_node("never seen");
  builder.add_edge(0, 1);
  const auto scores = whole.score(builder.build());
  for (const Score& score : scores) {
    EXPECT_TRUE(score.score > 0 && score.score < 1);
    EXPECT_TRUE(score.unknown_label);
  }
}

INSTANTIATE_TEST_SUITE_P(All, QuotientDetector, ::testing::Values("trees", "linear"));

/// The file of a detector of which one number is another, with the hash that fits.
std::string with_number(const Detector& detector, const char* tensor, std::size_t at, float value) {
  DetectorParts parts = Inside::parts(detector);
  std::shared_ptr<models::Model<float>> member =
      parts.plan().recipe().make({.labels = parts.labels, .class_counts = parts.class_counts});
  const auto& own = parts.first().weights();
  member->weights().set_free_rows(own.free_rows());
  member->weights().allocate();
  std::ranges::copy(own.values(), member->weights().values().begin());
  member->weights().value(*member->weights().find(tensor)).flat()[at] = value;
  parts.members = {std::move(member)};
  return model_bytes(parts);
}

TEST(TreesFile, WithTreesThatAreNoneIsRefused) {
  const Detector sound = test::detector_of(test::molecules(120), {{"epochs", "3"}}, 1, "trees");
  EXPECT_NO_THROW(parse_model(sound.bytes(), kFile));
  struct Case {
    const char* tensor;
    std::size_t at;
    float value;
  };
  for (const Case& c :
       {Case{"trees.nodes", 0, 1e7F}, Case{"trees.nodes", 0, -1}, Case{"trees.nodes", 2, 2},
        Case{"trees.nodes", 2, 1e30F}, Case{"trees.nodes", 6, 1}, Case{"trees.sizes", 0, 0},
        Case{"trees.sizes", 0, 1e9F}, Case{"trees.sizes", 8, 2.5F}}) {
    SCOPED_TRACE(std::string(c.tensor) + " " + std::to_string(c.at));
    test::expect_data_error(
        [&] { parse_model(with_number(sound, c.tensor, c.at, c.value), kFile); },
        {kFile, "tensor 'member.0/trees.", "expected"});
  }
}

TEST(TreesFile, HasOnlyTheTreesUpToTheBestRound) {
  const auto result =
      test::train_on(test::molecules(160), {{"epochs", "25"}, {"shrinkage", "0.5"}}, 1, "trees");
  const auto& weights = Inside::parts(result.detector).first().weights();
  EXPECT_EQ(weights.value(*weights.find("trees.sizes")).rows,
            3 * static_cast<std::size_t>(result.members.front().best_epoch));
}

/// Items of level `edge` are not nodes: as many numbers would be read as there are edges.
TEST(ModelFile, WithAVocabularyOfAnotherLevelThanTheModelsIsRefused) {
  DetectorParts parts =
      Inside::parts(test::detector_of(test::molecules(120), {{"epochs", "1"}}, 1, "trees"));
  std::swap(parts.labels[1], parts.labels[2]);
  test::expect_data_error([&] { parse_model(model_bytes(parts), kFile); },
                          {kFile, "vocabulary 1 is of level degree"});
}

}  // namespace
}  // namespace rayleigh::learn
