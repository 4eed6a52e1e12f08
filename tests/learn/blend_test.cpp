// Members of several kinds with weights: how the weights are found, and the detector made of them.
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stop_token>

#include "core/random.h"
#include "expect_error.h"
#include "learn/detector_parts.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

/// Margins of a member that knows the truth so well, with noise of its own.
std::vector<double> drawn_margins(std::span<const std::int8_t> labels, double knows,
                                  std::uint64_t seed) {
  core::Generator generator = core::RandomStream(seed, "margins").at(0);
  std::vector<double> margins;
  margins.reserve(labels.size());
  for (const std::int8_t label : labels) {
    double noise = -6;
    for (int i = 0; i < 12; ++i) {
      noise += generator.uniform();
    }
    margins.push_back(knows * (label == 1 ? 1 : -1) + noise);
  }
  return margins;
}

std::vector<std::int8_t> drawn_labels(std::size_t count) {
  core::Generator generator = core::RandomStream(5, "labels").at(0);
  std::vector<std::int8_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.push_back(generator.chance(0.2) ? 1 : 0);
  }
  return labels;
}

double loss_of(const Blend& blend, std::span<const std::vector<double>> margins,
               std::span<const std::int8_t> labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double margin = blend.offset;
    for (std::size_t m = 0; m < margins.size(); ++m) {
      margin += blend.weights[m] * margins[m][i];
    }
    sum += std::log1p(std::exp(labels[i] == 1 ? -margin : margin));
  }
  return sum;
}

TEST(Blend, TrustsThoseThatKnowAndNotThoseThatAreWrong) {
  const auto labels = drawn_labels(4000);
  const std::vector margins{drawn_margins(labels, 1.5, 1), drawn_margins(labels, 0.5, 2),
                            drawn_margins(labels, 0, 3), drawn_margins(labels, -1, 4)};
  const std::vector<double> usual(4, 0.25);
  const Blend blend = fit_blend(margins, labels, usual, 1e-6);
  EXPECT_NEAR(blend.weights[0], 3, 0.4);  // margins with unit noise: the weight is 2 * knows
  EXPECT_NEAR(blend.weights[1], 1, 0.3);
  EXPECT_LT(blend.weights[2], 0.2);
  EXPECT_EQ(blend.weights[3], 0);
}

TEST(Blend, IsWhereNoStepMakesTheLossLess) {
  const auto labels = drawn_labels(500);
  const std::vector margins{drawn_margins(labels, 1, 1), drawn_margins(labels, 0.7, 2)};
  const std::vector<double> usual(2, 0.5);
  const Blend blend = fit_blend(margins, labels, usual, 0);
  const double least = loss_of(blend, margins, labels);
  for (const double step : {-1e-3, 1e-3}) {
    for (std::size_t which = 0; which < 3; ++which) {
      Blend other = blend;
      (which == 2 ? other.offset : other.weights[which]) += step;
      EXPECT_GT(loss_of(other, margins, labels), least);
    }
  }
}

TEST(Blend, StaysWithTheUsualWeightsWhereLeavingThemIsDear) {
  const auto labels = drawn_labels(300);
  const std::vector margins{drawn_margins(labels, 1, 1), drawn_margins(labels, -1, 2)};
  const std::vector<double> usual{0.3, 0.6};
  const Blend blend = fit_blend(margins, labels, usual, 1e9);
  EXPECT_NEAR(blend.weights[0], 0.3, 1e-4);
  EXPECT_NEAR(blend.weights[1], 0.6, 1e-4);
}

/// Thirty graphs say little of a member whose margins are all but the same.
TEST(Blend, GivesNoHugeWeightToAMemberThatSaysNextToNothing) {
  const auto labels = drawn_labels(30);
  std::vector margins{drawn_margins(labels, 1, 1), drawn_margins(labels, 0.3, 2)};
  for (double& margin : margins[1]) {
    margin *= 0.01;
  }
  const std::vector<double> usual(2, 0.5);
  EXPECT_LT(fit_blend(margins, labels, usual, kBlendShrinkage).weights[1], 1);
}

test::Settings quick_blend() {
  return {{"epochs", "3"}, {"hidden", "8"}, {"batch-size", "64"}, {"ensemble", "2"}};
}

class BlendedDetector : public ::testing::Test {
 protected:
  TrainingRequest request(int threads) const {
    return test::request_of(quick_blend(), threads, "rayleigh");
  }

  GraphSet graphs_ = test::molecules(160, 0.3);
  test::TemporaryFolder folder_;
};

TEST_F(BlendedDetector, ScoresWhatTrainingMeasuredAndItsFileGives) {
  const TrainingResult result = train(graphs_, request(2));
  EXPECT_EQ(result.detector.members(), 4U);
  const Detector again = Inside::make(parse_model(result.detector.bytes(), "b.model"));
  EXPECT_EQ(again.bytes(), result.detector.bytes());
  const auto scores = again.score(graphs_);
  for (std::size_t g = 0; g < graphs_.size(); ++g) {
    EXPECT_EQ(scores[g].score, result.scores[g]);
  }
}

TEST_F(BlendedDetector, SharesAddUpToItsMargin) {
  const TrainingResult result = train(graphs_, request(1));
  const auto explanations = result.detector.explain(graphs_, ExplainMethod::shares);
  for (std::size_t g = 0; g < graphs_.size(); ++g) {
    const Explanation& e = explanations[g];
    double sum = e.constant;
    double size = std::abs(e.constant);
    for (const double share : e.nodes) {
      sum += share;
      size += std::abs(share);
    }
    for (const LabelShare& label : e.labels) {
      sum += label.share;
      size += std::abs(label.share);
    }
    EXPECT_NEAR(sum, e.margin, 1e-5 * size);
    EXPECT_NEAR(1 / (1 + std::exp(-e.margin)), result.scores[g], 1e-5);
  }
}

TEST_F(BlendedDetector, EndsInTheSameBytesAfterAStopInEachOfItsMembers) {
  const std::string whole = train(graphs_, request(1)).detector.bytes();
  for (int member = 0; member < 4; ++member) {
    SCOPED_TRACE(member);
    std::stop_source source;
    TrainingRequest stopped = request(2);
    stopped.checkpoint = folder_ / "checkpoint";
    stopped.run.stop = source.get_token();
    stopped.progress = [&](const TrainingProgress& progress) {
      if (progress.member == member && progress.epoch.epoch == 2) {
        source.request_stop();
      }
    };
    EXPECT_THROW(train(graphs_, stopped), Cancelled);
    TrainingRequest resumed = request(1);
    resumed.checkpoint = stopped.checkpoint;
    resumed.resume = Resume::yes;
    EXPECT_EQ(train(graphs_, resumed).detector.bytes(), whole);
  }
}

TEST_F(BlendedDetector, KeepsTheOptionsOfEveryPartInItsFile) {
  TrainingRequest other = request(1);
  other.options.set("trees-rounds", "7");
  other.options.set("trees-chains", "2");
  other.options.set("quotient-refinements", "1");
  other.options.set("linear-c", "0.5");
  const Detector detector = train(graphs_, other).detector;
  const auto recorded = nlohmann::json::parse(detector.metadata())["parameters"];
  EXPECT_EQ(recorded["trees-rounds"], 7);
  EXPECT_EQ(recorded["tree-depth"], 12);
  EXPECT_EQ(recorded["quotient-refinements"], 1);
  EXPECT_EQ(recorded["linear-c"], 0.5);
  const Detector again = Inside::make(parse_model(detector.bytes(), "b.model"));
  EXPECT_EQ(again.bytes(), detector.bytes());
  EXPECT_EQ(again.score(graphs_)[0].score, detector.score(graphs_)[0].score);
  // Two chains of at most seven rounds.
  EXPECT_LE(Inside::parts(detector).members[2]->weights().free_rows()[0], 14U);
}

// --- a time budget ----------------------------------------------------------------------------

TEST_F(BlendedDetector, WithoutTimeHasAnEpochOfEveryMemberAndGoesOnWhenItHasSome) {
  const std::string whole = train(graphs_, request(1)).detector.bytes();
  TrainingRequest hurried = request(1);
  hurried.time_budget = std::chrono::duration<double>(1e-9);
  hurried.checkpoint = folder_ / "checkpoint";
  std::vector<std::string> said;
  hurried.say = [&](const std::string& text) { said.push_back(text); };
  const TrainingResult first = train(graphs_, hurried);
  for (const TrainedMember& member : first.members) {
    EXPECT_EQ(member.history.size(), 1U);
    EXPECT_TRUE(member.cut_short);
  }
  EXPECT_EQ(said.size(), 4U);
  EXPECT_NE(said.at(0).find("rqgnn stops after epoch 1 of 3"), std::string::npos) << said.at(0);
  EXPECT_EQ(nlohmann::json::parse(first.detector.metadata())["record"]["members"][0]["cut_short"],
            true);
  TrainingRequest resumed = request(2);
  resumed.checkpoint = hurried.checkpoint;
  resumed.resume = Resume::yes;
  EXPECT_EQ(train(graphs_, resumed).detector.bytes(), whole);
}

TEST_F(BlendedDetector, WithTimeEnoughIsTheOneWithoutABudget) {
  TrainingRequest calm = request(1);
  calm.time_budget = std::chrono::hours(1);
  EXPECT_EQ(train(graphs_, calm).detector.bytes(), train(graphs_, request(1)).detector.bytes());
}

TEST_F(BlendedDetector, WithWeightsThatAreNoneIsRefused) {
  const DetectorParts sound = Inside::parts(train(graphs_, request(1)).detector);
  const auto refused = [&](const std::function<void(Blend&)>& change) {
    DetectorParts parts = sound;
    change(*parts.blend);
    test::expect_data_error([&] { parse_model(model_bytes(parts), "b.model"); },
                            {"b.model", "metadata"});
  };
  refused([](Blend& blend) { blend.weights[1] = -0.1; });
  refused([](Blend& blend) { blend.weights[0] = std::nan(""); });
  refused([](Blend& blend) { blend.weights.pop_back(); });
  refused([](Blend& blend) { blend.weights.push_back(1); });
  refused([](Blend& blend) { blend.offset = std::nan(""); });
  DetectorParts without = sound;
  without.blend.reset();
  test::expect_data_error([&] { parse_model(model_bytes(without), "b.model"); }, {"blend"});
  DetectorParts few = sound;
  few.members.resize(2);
  few.blend->weights.resize(2);
  test::expect_data_error([&] { parse_model(model_bytes(few), "b.model"); },
                          {"2 members, expected at least 3"});
}

}  // namespace
}  // namespace rayleigh::learn
