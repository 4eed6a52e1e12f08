// The promise about false alarms: p-values, the threshold, and how often it is kept.
#include "learn/false_alarms.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "expect_error.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

std::vector<double> random_scores(std::size_t count, std::uint64_t seed) {
  core::Generator generator = core::RandomStream(seed, "scores").at(0);
  std::vector<double> scores(count);
  // Few different ones, so that there are ties.
  std::ranges::generate(scores, [&] { return generator.below(60) / 10.0; });
  return scores;
}

TEST(FalseAlarms, AreWhereThePValueIsAtMostThePromise) {
  for (const std::size_t graphs : {99U, 100U, 250U, 1000U}) {
    for (const double promised : {0.01, 0.05, 0.1, 0.3}) {
      const FalseAlarms alarms(promised, random_scores(graphs, graphs));
      for (const double score : random_scores(200, 7)) {
        EXPECT_EQ(score > alarms.threshold(), alarms.p_value(score) <= promised + 1e-9)
            << score << " of " << graphs << " at " << promised;
      }
    }
  }
}

TEST(FalseAlarms, NeedOneGraphLessThanOneOverTheRate) {
  EXPECT_EQ(least_calibration(0.01), 99U);
  EXPECT_EQ(least_calibration(0.05), 19U);
  EXPECT_EQ(least_calibration(0.3), 3U);
  EXPECT_EQ(calibration_size(40'000, 0.01), 2000U);
  EXPECT_EQ(calibration_size(400, 0.01), 100U);
}

TEST(FalseAlarms, OfAFileAreCheckedBeforeTheyAreUsed) {
  const FalseAlarms alarms(0.05, random_scores(30, 1));
  auto json = alarms.to_json();
  EXPECT_EQ(FalseAlarms::from_json(json).threshold(), alarms.threshold());
  json["promised"] = 0.001;
  EXPECT_THROW(FalseAlarms::from_json(json), std::string);
  json["promised"] = -1;
  EXPECT_THROW(FalseAlarms::from_json(json), std::string);
}

/// Mean share of alarms among test graphs over random splits, and the standard deviation that a
/// promise kept exactly would have.
struct Kept {
  double share = 0;
  double deviation = 0;
};

Kept over_random_splits(const std::string& detector, double promised) {
  constexpr int kSplits = 200;
  const GraphSet graphs = test::molecules(240, 0.1);
  Kept kept;
  for (int seed = 1; seed <= kSplits; ++seed) {
    const auto result = test::train_on(graphs,
                                       {{"normal-class", "0"},
                                        {"false-alarms", std::to_string(promised)},
                                        {"seed", std::to_string(seed)},
                                        {"split", "50/10/40"}},
                                       1, detector);
    const auto alarms = std::ranges::count_if(result.split.test, [&](std::uint32_t g) {
      return result.scores[g] > result.detector.threshold();
    });
    const auto tested = static_cast<double>(result.split.test.size());
    kept.share += static_cast<double>(alarms) / tested / kSplits;
    // Of a beta-binomial count: both the test part and the calibration part are drawn.
    const auto calibration = static_cast<double>(result.split.calibration.size());
    kept.deviation =
        std::sqrt(promised * (1 - promised) * (1 / tested + 1 / (calibration + 2)) / kSplits);
  }
  return kept;
}

TEST(FalseAlarms, ArePromisedTrulyOver200RandomSplits) {
  for (const double promised : {0.05, 0.2}) {
    const Kept novelty = over_random_splits("novelty", promised);
    EXPECT_LT(novelty.share, promised + 3 * novelty.deviation);
    EXPECT_GT(novelty.share, promised / 3) << "nothing is called anomalous";
    // Many graphs have the same size: fewer alarms, never more.
    const Kept size = over_random_splits("size", promised);
    EXPECT_LT(size.share, promised + 3 * size.deviation);
  }
}

TEST(FalseAlarms, HoldForADetectorThatLearnsFromLabels) {
  const GraphSet graphs = test::molecules(600);
  const auto result =
      test::train_on(graphs, {{"false-alarms", "0.05"}, {"rounds", "20"}}, 1, "label-counts");
  EXPECT_EQ(result.split.calibration.size(), 84U) << "a quarter of 336 normal training graphs";
  EXPECT_EQ(result.detector.promised_false_alarms(), 0.05);
  const Evaluation evaluation = result.detector.evaluate(graphs, {.part = Part::test});
  ASSERT_TRUE(evaluation.false_alarms);
  EXPECT_LE(evaluation.false_alarms->share.low, 0.05);
  EXPECT_EQ(evaluation.false_alarms->normal, 72U);
  const Score score = result.detector.score(graphs.subset(std::vector<std::uint32_t>{3}))[0];
  EXPECT_EQ(score.p_value, result.detector.p_value(score.score));
}

TEST(FalseAlarms, ArePromisedOfLabelledGraphsOnlyWhenAskedFor) {
  const GraphSet graphs = test::molecules(200);
  const auto result = test::train_on(graphs, {{"rounds", "5"}}, 1, "label-counts");
  EXPECT_TRUE(result.split.calibration.empty());
  EXPECT_FALSE(result.detector.promised_false_alarms());
  EXPECT_TRUE(std::isnan(result.detector.p_value(0.5)));
  EXPECT_EQ(result.detector.metadata().find("\"promised\""), std::string::npos);
}

TEST(FalseAlarms, AreTheSameAfterSavingAndLoading) {
  const GraphSet graphs = test::molecules(300);
  const auto detector = test::detector_of(graphs, {{"unlabelled", "true"}}, 1, "novelty");
  ASSERT_TRUE(detector.promised_false_alarms());
  const test::TemporaryFolder folder;
  detector.save(folder / "m.model");
  const Detector loaded = Detector::load(folder / "m.model");
  EXPECT_EQ(loaded.bytes(), detector.bytes());
  EXPECT_EQ(loaded.p_value(0.9), detector.p_value(0.9));
  EXPECT_EQ(loaded.threshold(), detector.threshold());
}

TEST(FalseAlarms, SayHowManyGraphsItWouldTake) {
  const GraphSet graphs = test::molecules(100);
  test::expect_usage_error(
      [&] {
        test::train_on(graphs, {{"unlabelled", "true"}, {"false-alarms", "0.01"}}, 1, "novelty");
      },
      {"false-alarms", "99 normal graphs", "566 graphs in all", "there are 100 graphs"});
  TrainingRequest request = test::request_of({{"unlabelled", "true"}}, 1, "novelty");
  std::string said;
  request.say = [&](const std::string& text) { said += text; };
  const auto result = train(graphs, request);
  EXPECT_NE(said.find("566 graphs in all"), std::string::npos) << said;
  EXPECT_DOUBLE_EQ(result.detector.promised_false_alarms().value(), 1.0 / 18);
  test::expect_usage_error(
      [&] {
        test::train_on(graphs, {{"contamination", "0.1"}, {"false-alarms", "0.1"}}, 1, "novelty");
      },
      {"contamination"});
}

}  // namespace
}  // namespace rayleigh::learn
