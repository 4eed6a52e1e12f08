#include "learn/calibration.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "core/random.h"
#include "learn/sample.h"

namespace rayleigh::learn {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double p) { return std::log(p / (1 - p)); }

/// Labels drawn with P(anomalous) = sigmoid(slope x + offset); the score is x itself or sigmoid(x).
Sample logistic_sample(double slope, double offset, bool on_logit, std::size_t size = 20'000) {
  auto random = core::RandomStream(1, "calibration test").at(0);
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) {
    const double x = 6 * random.uniform() - 3;
    sample.scores.push_back(on_logit ? sigmoid(x) : x);
    sample.labels.push_back(random.chance(sigmoid(slope * x + offset)) ? 1 : 0);
  }
  return sample;
}

void expect_finite_and_monotone(const Calibration& calibration) {
  EXPECT_TRUE(std::isfinite(calibration.slope));
  EXPECT_TRUE(std::isfinite(calibration.offset));
  EXPECT_GE(calibration.slope, 0);
  double before = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double p = calibration.probability(0.001 * i);
    EXPECT_TRUE(p >= before && p <= 1) << i << ": " << p << " after " << before;
    before = p;
  }
}

TEST(Calibration, RecoversAKnownLogisticRelation) {
  for (const bool on_logit : {true, false}) {
    const auto fit = fit_calibration(logistic_sample(1.7, -0.8, on_logit).view(), on_logit);
    EXPECT_EQ(fit.on_logit, on_logit);
    EXPECT_NEAR(fit.slope, 1.7, 0.1);
    EXPECT_NEAR(fit.offset, -0.8, 0.1);
    expect_finite_and_monotone(fit);
  }
}

TEST(Calibration, MeanProbabilityIsTheShareOfAnomalies) {
  const Sample sample = logistic_sample(0.9, -1.5, true);
  const auto fit = fit_calibration(sample.view(), true);
  double mean = 0;
  double share = 0;
  for (std::size_t i = 0; i < sample.scores.size(); ++i) {
    mean += fit.probability(sample.scores[i]);
    share += sample.labels[i];
  }
  // The likelihood equations say so, up to Platt's smoothing of the targets.
  EXPECT_NEAR(mean / share, 1, 1e-3);
}

TEST(Calibration, LeavesCalibratedProbabilitiesAlone) {
  const auto fit = fit_calibration(logistic_sample(1, 0, true).view(), true);
  for (const double p : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(fit.probability(p), p, 0.02);
  }
}

TEST(Calibration, OneClassGivesItsSmoothedShareWhateverTheScore) {
  const Sample normal{{0, 0, 0}, {0.1, 0.5, 0.9}};
  const auto none = fit_calibration(normal.view(), true);
  EXPECT_EQ(none.slope, 0);
  EXPECT_DOUBLE_EQ(none.probability(0.99), 1.0 / 5);
  const Sample anomalous{{1, 1, 1}, {0.1, 0.5, 0.9}};
  const auto all = fit_calibration(anomalous.view(), true);
  EXPECT_EQ(all.slope, 0);
  EXPECT_DOUBLE_EQ(all.probability(0.01), 4.0 / 5);
  const auto empty = fit_calibration({}, true);
  EXPECT_DOUBLE_EQ(empty.probability(0.3), 0.5);
}

TEST(Calibration, SeparatedScoresStayFiniteAndAboveAndBelowOneHalf) {
  Sample sample;
  for (int i = 0; i < 50; ++i) {
    sample.labels.push_back(i < 40 ? 0 : 1);
    sample.scores.push_back(i < 40 ? 0.001 * i : 0.9 + 0.001 * i);
  }
  for (const bool on_logit : {true, false}) {
    const auto fit = fit_calibration(sample.view(), on_logit);
    expect_finite_and_monotone(fit);
    EXPECT_LT(fit.probability(0.01), 0.2);
    EXPECT_GT(fit.probability(0.95), 0.7);
  }
}

TEST(Calibration, ScoresAtTheEndsOfTheRangeStayFinite) {
  const Sample sample{{0, 0, 1, 1, 0, 1}, {0, 0, 1, 1, 1, 0}};
  const auto fit = fit_calibration(sample.view(), true);
  expect_finite_and_monotone(fit);
  EXPECT_GT(fit.slope, 0);
}

TEST(Calibration, EqualScoresGiveTheShare) {
  const Sample sample{{1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, std::vector<double>(10, 0.3)};
  const auto fit = fit_calibration(sample.view(), true);
  expect_finite_and_monotone(fit);
  EXPECT_NEAR(fit.probability(0.3), 0.1, 0.1);
}

TEST(Calibration, ScoresThatPointTheWrongWaySayNothing) {
  const Sample sample = logistic_sample(-2, 0.5, true);
  const auto fit = fit_calibration(sample.view(), true);
  EXPECT_EQ(fit.slope, 0);
  double share = 0;
  for (const std::int8_t label : sample.labels) {
    share += label;
  }
  share /= static_cast<double>(sample.labels.size());
  EXPECT_NEAR(fit.offset, logit(share), 1e-3);
}

TEST(Calibration, HugeScoresOfAOneClassModelStayFinite) {
  Sample sample;
  auto random = core::RandomStream(2, "calibration test").at(0);
  for (int i = 0; i < 400; ++i) {
    sample.labels.push_back(random.chance(0.2) ? 1 : 0);
    sample.scores.push_back(1e6 * (random.uniform() + (sample.labels.back() == 1 ? 0.5 : 0)));
  }
  const auto fit = fit_calibration(sample.view(), false);
  EXPECT_TRUE(std::isfinite(fit.slope) && std::isfinite(fit.offset));
  EXPECT_GT(fit.slope, 0);
  EXPECT_GT(fit.probability(1.4e6), 0.8);
  EXPECT_LT(fit.probability(0), 0.1);
  EXPECT_EQ(fit.probability(std::numeric_limits<double>::max()), 1);
  EXPECT_EQ(fit.probability(std::numeric_limits<double>::lowest()), 0);
}

}  // namespace
}  // namespace rayleigh::learn
