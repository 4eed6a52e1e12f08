// Detectors that see real attributes cut into bins: rayleigh, trees and linear.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"
#include "expect_error.h"
#include "learn/detector_parts.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

constexpr const char* kName = "t.model";

/// Cycles of ten nodes that differ in nothing but their second attribute, which is a little larger
/// for some nodes of anomalous graphs. `order` is the first node of each.
GraphSet rings(int graphs, std::size_t attributes = 2, std::size_t order = 0) {
  GraphSetBuilder builder("rings");
  constexpr std::size_t kNodes = 10;
  for (int g = 0; g < graphs; ++g) {
    const bool anomalous = g % 4 == 0;
    auto random = core::RandomStream(7, "rings").at(static_cast<std::uint64_t>(g));
    std::vector<std::array<float, 3>> values(kNodes);
    for (std::size_t i = 0; i < kNodes; ++i) {
      values[i] = {static_cast<float>(random.uniform()), static_cast<float>(random.uniform()), 0};
      if (anomalous && i < 4) {
        values[i][1] += 0.8F;
      }
    }
    builder.begin_graph("", anomalous ? "1" : "0");
    for (std::size_t i = 0; i < kNodes; ++i) {
      builder.add_node("", std::span(values[(i + order) % kNodes]).first(attributes));
    }
    for (std::size_t i = 0; i < kNodes; ++i) {
      builder.add_edge(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>((i + 1) % kNodes));
    }
  }
  return builder.build();
}

class AttributeDetector : public ::testing::TestWithParam<std::string> {
 protected:
  TrainingResult trained(const GraphSet& graphs, int threads = 1) const {
    return test::train_on(graphs, {{"epochs", "25"}}, threads, GetParam());
  }
};

TEST_P(AttributeDetector, LearnsFromAttributesAlone) {
  EXPECT_GT(trained(rings(240)).test.auc, 0.9);
}

TEST_P(AttributeDetector, HasTheSameBytesForAnyNumberOfThreads) {
  const GraphSet graphs = rings(120);
  EXPECT_EQ(trained(graphs, 1).detector.bytes(), trained(graphs, 3).detector.bytes());
}

TEST_P(AttributeDetector, DoesNotDependOnTheOrderOfNodes) {
  const Detector detector = trained(rings(120)).detector;
  const auto expected = detector.score(rings(40));
  const auto found = detector.score(rings(40, 2, 3));
  for (std::size_t g = 0; g < expected.size(); ++g) {
    EXPECT_NEAR(found[g].score, expected[g].score, 1e-5);
  }
}

TEST_P(AttributeDetector, ComesBackFromItsFileWithTheSameScores) {
  const Detector detector = trained(rings(120)).detector;
  const Detector again = Inside::make(parse_model(detector.bytes(), kName));
  EXPECT_EQ(again.bytes(), detector.bytes());
  const auto expected = detector.score(rings(40));
  const auto found = again.score(rings(40));
  for (std::size_t g = 0; g < expected.size(); ++g) {
    EXPECT_EQ(found[g].score, expected[g].score);
  }
}

TEST_P(AttributeDetector, SharesOfNodesWithTheAttributeAddUp) {
  const GraphSet graphs = rings(120);
  const Detector detector = trained(graphs).detector;
  double odd = 0;
  double others = 0;
  for (const auto& e :
       detector.explain(graphs.subset(std::array{0U, 4U, 8U, 12U}), ExplainMethod::shares)) {
    double sum = e.constant + std::reduce(e.nodes.begin(), e.nodes.end());
    for (const LabelShare& label : e.labels) {
      sum += label.share;
    }
    EXPECT_NEAR(sum, e.margin, 1e-4 * (1 + std::abs(e.margin)));
    odd += std::reduce(e.nodes.begin(), e.nodes.begin() + 4) / 4;
    others += std::reduce(e.nodes.begin() + 4, e.nodes.end()) / 6;
  }
  EXPECT_GT(odd, others);
}

TEST_P(AttributeDetector, NamesAttributesInItsWords) {
  const GraphSet graphs = rings(120);
  bool named = false;
  for (const auto& e : trained(graphs).detector.explain(graphs, ExplainMethod::shares)) {
    for (const LabelShare& label : e.labels) {
      named = named || label.label.starts_with("attribute 2 above ");
    }
  }
  EXPECT_EQ(named, GetParam() != "linear");  // which has no share in what a graph lacks
}

TEST_P(AttributeDetector, RefusesGraphsWithOtherAttributes) {
  const Detector detector = trained(rings(120)).detector;
  test::expect_data_error([&] { detector.score(rings(4, 3)); },
                          {"rings", "have 3 node attributes, the model was trained with 2"});
  test::expect_data_error([&] { detector.score(test::molecules(4)); }, {"have 0 node attributes"});
}

TEST_P(AttributeDetector, RefusesAFileWithBinsThatAreNone) {
  const Detector detector = trained(rings(120)).detector;
  DetectorParts parts = Inside::parts(detector);
  parts.bins = graph::AttributeBins({parts.bins.limits()[0]});
  test::expect_data_error([&] { parse_model(model_bytes(parts), kName); },
                          {kName, "bins of 1 attributes"});
  std::string bytes = detector.bytes();
  const std::string start = "attribute_bins\\\":[[";
  const std::size_t at = bytes.find(start);
  ASSERT_NE(at, std::string::npos);
  bytes[at + start.size()] = '9';  // 0.06 becomes 9.06
  test::expect_data_error([&] { parse_model(bytes, kName); }, {kName, "not ascending"});
}

INSTANTIATE_TEST_SUITE_P(All, AttributeDetector, ::testing::Values("rayleigh", "trees", "linear"));

/// Cycles of eight nodes that differ in the weight of some edges, or in the direction of one.
enum class Odd { weight, direction };
GraphSet wheels(int graphs, Odd odd) {
  GraphSetBuilder builder("wheels");
  constexpr std::uint32_t kNodes = 8;
  for (int g = 0; g < graphs; ++g) {
    const bool anomalous = g % 4 == 0;
    auto random = core::RandomStream(8, "wheels").at(static_cast<std::uint64_t>(g));
    builder.begin_graph("", anomalous ? "1" : "0");
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      builder.add_node("C");
    }
    if (odd == Odd::direction) {
      builder.set_directed();
    }
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      const bool turned = odd == Odd::direction && anomalous && i == 3;
      const auto next = (i + 1) % kNodes;
      const float weight = static_cast<float>(random.uniform()) +
                           (odd == Odd::weight && anomalous && i < 3 ? 0.8F : 0.0F);
      const std::array weights{weight};
      builder.add_edge(turned ? next : i, turned ? i : next, "",
                       std::span(weights).first(odd == Odd::weight ? 1 : 0));
    }
  }
  return builder.build();
}

class EdgeDetector : public ::testing::TestWithParam<std::string> {
 protected:
  TrainingResult trained(Odd odd, int threads = 1) const {
    return test::train_on(wheels(160, odd), {{"epochs", "25"}}, threads, GetParam());
  }
};

TEST_P(EdgeDetector, LearnsFromEdgeAttributesAlone) {
  const auto result = trained(Odd::weight);
  EXPECT_GT(result.test.auc, 0.85);
  EXPECT_EQ(result.detector.bytes(), trained(Odd::weight, 3).detector.bytes());
}

TEST_P(EdgeDetector, LearnsFromTheDirectionOfEdgesAlone) {
  EXPECT_GT(trained(Odd::direction).test.auc, 0.99);
}

TEST_P(EdgeDetector, ComesBackFromItsFileWithItsBins) {
  const Detector detector = trained(Odd::weight).detector;
  const Detector again = Inside::make(parse_model(detector.bytes(), kName));
  EXPECT_EQ(again.bytes(), detector.bytes());
  const GraphSet graphs = wheels(20, Odd::weight);
  const auto expected = detector.score(graphs);
  const auto found = again.score(graphs);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_EQ(found[g].score, expected[g].score);
  }
  test::expect_data_error([&] { again.score(wheels(4, Odd::direction)); },
                          {"wheels", "0 edge attributes, the model was trained with 1"});
}

INSTANTIATE_TEST_SUITE_P(All, EdgeDetector, ::testing::Values("rayleigh", "trees", "linear"));

TEST(Training, SaysThatADetectorDoesNotLookAtEdgeAttributes) {
  const GraphSet graphs = wheels(60, Odd::weight);
  auto request = test::request_of({{"epochs", "1"}}, 1, "size");
  std::string said;
  request.say = [&](const std::string& text) { said += text; };
  static_cast<void>(train(graphs, request));
  EXPECT_NE(said.find("size does not look at the 1 edge attribute"), std::string::npos) << said;
}

TEST(DataHash, CoversEdgeAttributesAndDirections) {
  const std::vector<std::int8_t> labels(8, 0);
  const auto hash = [&](const GraphSetData& data) {
    return describe_data(GraphSet(data), labels).hash;
  };
  GraphSetData weights = wheels(8, Odd::weight).data();
  const std::string before = hash(weights);
  weights.edge_attributes[3] += 1;
  EXPECT_NE(hash(weights), before);
  GraphSetData ways = wheels(8, Odd::direction).data();
  const std::string directed = hash(ways);
  std::swap(ways.direction[0], ways.direction[1]);
  EXPECT_NE(hash(ways), directed);
}

TEST(ModelFile, WithBinsForADetectorThatTakesNoneIsRefused) {
  auto parts = std::make_shared<DetectorParts>(
      Inside::parts(test::detector_of(rings(60), {{"epochs", "1"}}, 1, "size")));
  EXPECT_TRUE(parts->bins.empty());
  parts->bins = graph::AttributeBins({{0.5F}, {0.5F}});
  test::expect_data_error([&] { parse_model(model_bytes(*parts), kName); },
                          {kName, "bins of 2 attributes"});
}

TEST(DataHash, CoversAttributes) {
  const GraphSet graphs = rings(8);
  GraphSetData data = graphs.data();
  data.attributes[3] += 1;
  const std::vector<std::int8_t> labels(8, 0);
  EXPECT_NE(describe_data(graphs, labels).hash, describe_data(GraphSet(data), labels).hash);
}

/// Without attributes the AUC is 0.82.
TEST(Rayleigh, SeesTheAttributesOfEnzymes) {
  RAYLEIGH_NEEDS_SHARED("data/ENZYMES.zip");
  const GraphSet graphs = io::load((test::shared_folder() / "data/ENZYMES.zip").string());
  double sum = 0;
  for (const char* seed : {"11", "12"}) {
    for (const char* anomalous : {"1", "2", "3", "4", "5", "6"}) {
      auto request =
          test::request_of({{"seed", seed}, {"anomaly-class", anomalous}}, 2, "rayleigh");
      sum += train(graphs, request).test.auc;
    }
  }
  EXPECT_GT(sum / 12, 0.88);
}

}  // namespace
}  // namespace rayleigh::learn
