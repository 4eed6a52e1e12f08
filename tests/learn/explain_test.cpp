#include <cmath>
#include <gtest/gtest.h>

#include "rayleigh/error.h"

#include "learn/trained.h"

namespace rayleigh::learn {
namespace {

TrainingResult trained(const GraphSet& graphs, std::map<std::string, std::string> settings,
                       const std::string& model = "rqgnn") {
  settings.emplace("epochs", "3");
  return test::train_on(graphs, settings, 1, model);
}

class ExplainProfile : public ::testing::TestWithParam<std::string> {};

TEST_P(ExplainProfile, SharesOfATrainedEnsembleAddUpInSinglePrecision) {
  const GraphSet graphs = test::molecules(120);
  const auto result = trained(graphs, {{"profile", GetParam()}, {"ensemble", "2"}});
  for (const Explanation& e : result.detector.explain(graphs, ExplainMethod::automatic)) {
    EXPECT_EQ(e.method, ExplainMethod::shares);
    double sum = e.constant;
    double size = 0;
    for (const double share : e.nodes) {
      sum += share;
      size += std::abs(share);
    }
    for (const LabelShare& label : e.labels) {
      sum += label.share;
      size += std::abs(label.share);
    }
    EXPECT_NEAR(sum, e.margin, 1e-5 * size);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExplainProfile, ::testing::Values("rayleigh", "published", "paper"));

TEST(Explain, OneMemberHasTheMarginOfItsScore) {
  const GraphSet graphs = test::molecules(120);
  const auto result = trained(graphs, {});
  const auto explanations = result.detector.explain(graphs, ExplainMethod::shares);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_NEAR(1 / (1 + std::exp(-explanations[g].margin)), result.scores[g], 1e-6);
  }
}

TEST(Explain, DetectorsThatCannotBeTakenApartSaySo) {
  const GraphSet graphs = test::molecules(120);
  const auto result = trained(graphs, {}, "chebynet");
  EXPECT_THROW(result.detector.explain(graphs, ExplainMethod::shares), UsageError);
  const auto explanations = result.detector.explain(graphs, ExplainMethod::automatic);
  EXPECT_EQ(explanations.front().method, ExplainMethod::leave_one_out);
}

TEST(LeaveOneOut, OfTheNodeCountEveryNodeCountsTheSame) {
  const GraphSet graphs = test::molecules(120);
  const auto result = trained(graphs, {}, "size");
  const auto all = result.detector.explain(graphs, ExplainMethod::leave_one_out);
  for (const std::size_t g : {0U, 5U, 17U}) {
    const auto& effects = all[g].nodes;
    ASSERT_EQ(effects.size(), graphs[g].nodes());
    for (const double effect : effects) {
      EXPECT_NEAR(effect, effects.front(), 1e-12);
      EXPECT_GT(effect, 0);
    }
  }
}

TEST(LeaveOneOut, IsTheDifferenceOfLogits) {
  const GraphSet graphs = test::molecules(120);
  const auto result = trained(graphs, {{"profile", "published"}});
  const auto effects =
      result.detector
          .explain(graphs.subset(std::vector<std::uint32_t>{3}), ExplainMethod::leave_one_out)
          .front()
          .nodes;
  // The same by hand for the last node: every other node keeps its number.
  GraphSetData data = graphs.subset(std::vector<std::uint32_t>{3}).data();
  const auto last = static_cast<std::uint32_t>(data.node_label.size() - 1);
  GraphSetData less = data;
  less.col.clear();
  less.edge_label.clear();
  less.row_ptr = {0};
  for (std::uint32_t i = 0; i < last; ++i) {
    for (std::uint32_t e = data.row_ptr[i]; e < data.row_ptr[i + 1]; ++e) {
      if (data.col[e] != last) {
        less.col.push_back(data.col[e]);
        if (!data.edge_label.empty()) {
          less.edge_label.push_back(data.edge_label[e]);
        }
      }
    }
    less.row_ptr.push_back(static_cast<std::uint32_t>(less.col.size()));
  }
  less.node_label.pop_back();
  less.graph_ptr = {0, last};
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  const double with = result.detector.score(GraphSet(data))[0].score;
  const double without = result.detector.score(GraphSet(less))[0].score;
  EXPECT_NEAR(effects.back(), logit(with) - logit(without), 1e-9);
}

}  // namespace
}  // namespace rayleigh::learn
