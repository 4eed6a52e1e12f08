#include "rayleigh/curves.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "core/random.h"
#include "learn/sample.h"

namespace rayleigh::learn {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

double area(const Curve& curve) {
  double sum = 0;
  for (std::size_t i = 1; i < curve.x.size(); ++i) {
    sum += (curve.x[i] - curve.x[i - 1]) * (curve.y[i] + curve.y[i - 1]) / 2;
  }
  return sum;
}

TEST(RocCurve, HasACornerWhereTheClassChanges) {
  // Best first: 1 0 1 0 0.
  const Sample sample{{0, 1, 0, 1, 0}, {0.1, 0.9, 0.8, 0.7, 0.2}};
  const auto curve = roc_curve(sample.view());
  EXPECT_THAT(curve.x, ElementsAre(0, 0, 1.0 / 3, 1.0 / 3, 1));
  EXPECT_THAT(curve.y, ElementsAre(0, 0.5, 0.5, 1, 1));
}

TEST(RocCurve, CrossesTiesInAStraightLine) {
  const Sample all_equal{{1, 0, 0, 1}, {3, 3, 3, 3}};
  EXPECT_THAT(roc_curve(all_equal.view()).x, ElementsAre(0, 1));
  EXPECT_THAT(roc_curve(all_equal.view()).y, ElementsAre(0, 1));
  // One tie of both classes, then a normal graph.
  const Sample sample{{1, 0, 0}, {2, 2, 1}};
  EXPECT_THAT(roc_curve(sample.view()).x, ElementsAre(0, 0.5, 1));
  EXPECT_THAT(roc_curve(sample.view()).y, ElementsAre(0, 1, 1));
}

TEST(RocCurve, HasTheAreaRocAuc) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const int levels : {3, 10, 100'000}) {
      const auto sample = random_sample(seed, 80, levels);
      const auto curve = roc_curve(sample.view());
      EXPECT_NEAR(area(curve), roc_auc(sample.view()), 1e-12);
      EXPECT_TRUE(std::ranges::is_sorted(curve.x));
      EXPECT_TRUE(std::ranges::is_sorted(curve.y));
    }
  }
}

TEST(PrecisionRecallCurve, StepsDownAsRecallGrows) {
  // Best first: 1 0 1 0: precision 1 up to recall 1/2, then 2/3.
  const Sample sample{{1, 0, 1, 0}, {4, 3, 2, 1}};
  const auto curve = precision_recall_curve(sample.view());
  EXPECT_THAT(curve.x, ElementsAre(0, 0.5, 0.5, 1));
  EXPECT_THAT(curve.y, ElementsAre(1, 1, 2.0 / 3, 2.0 / 3));
}

TEST(PrecisionRecallCurve, HasTheAreaAveragePrecision) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const int levels : {1, 4, 100'000}) {
      const auto sample = random_sample(seed, 80, levels);
      EXPECT_NEAR(area(precision_recall_curve(sample.view())), average_precision(sample.view()),
                  1e-12);
    }
  }
}

TEST(Curves, AreEmptyWhenAClassIsMissing) {
  const Sample normal{{0, 0}, {1, 2}};
  const Sample anomalous{{1, 1}, {1, 2}};
  const Sample none;
  EXPECT_TRUE(roc_curve(normal.view()).x.empty());
  EXPECT_TRUE(roc_curve(anomalous.view()).x.empty());
  EXPECT_TRUE(roc_curve(none.view()).x.empty());
  EXPECT_TRUE(precision_recall_curve(normal.view()).x.empty());
  EXPECT_TRUE(precision_recall_curve(none.view()).x.empty());
  EXPECT_THAT(precision_recall_curve(anomalous.view()).y, ElementsAre(1, 1, 1, 1));
  EXPECT_TRUE(thinned({}).x.empty());
}

TEST(ThinnedCurve, KeepsEndsAndStaysWithinADot) {
  const auto sample = random_sample(5, 5000, 1'000'000);
  const auto curve = roc_curve(sample.view());
  const auto thin = thinned(curve, 50);
  EXPECT_LT(thin.x.size(), curve.x.size() / 5);
  EXPECT_EQ(thin.x.front(), 0);
  EXPECT_EQ(thin.x.back(), 1);
  EXPECT_NEAR(area(thin), area(curve), 0.02);
}

TEST(ReliabilityBins, CompareWhatIsPredictedWithWhatIs) {
  const Sample sample{{0, 1, 0, 0, 1, 1, 1}, {0.1, 0.25, 0, 0.4, 0.5, 0.7, 0.45}};
  const auto bins = reliability_bins(sample.view(), 2);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].graphs, 5U);
  EXPECT_EQ(bins[0].anomalous, 2U);
  EXPECT_EQ(bins[1].graphs, 2U) << "a border belongs to the bin above";
  EXPECT_EQ(bins[1].low, 0.5);
  EXPECT_EQ(bins[1].high, 1);
  EXPECT_NEAR(bins[0].predicted, 1.2 / 5, 1e-12);
  EXPECT_NEAR(bins[0].observed(), 0.4, 1e-12);
  EXPECT_NEAR(bins[1].predicted, 0.6, 1e-12);
  EXPECT_EQ(bins[1].observed(), 1);
  EXPECT_NEAR(calibration_error(bins), (5 * (0.4 - 0.24) + 2 * 0.4) / 7, 1e-12);
}

TEST(ReliabilityBins, LeaveOutWhatIsEmpty) {
  const Sample sample{{0, 1, 1}, {0, 1, 0.95}};
  const auto bins = reliability_bins(sample.view(), 10);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_EQ(bins[0].low, 0);
  EXPECT_EQ(bins[1].graphs, 2U) << "the last bin holds 1";
  EXPECT_TRUE(reliability_bins(Sample{}.view(), 10).empty());
  EXPECT_TRUE(std::isnan(calibration_error({})));
}

TEST(ReliabilityBins, ShowNoErrorWhereSharesAreAsPredicted) {
  Sample sample;
  for (int i = 0; i < 100; ++i) {
    sample.scores.push_back(i < 50 ? 0.1 : 0.7);
    sample.labels.push_back(i % 50 < (i < 50 ? 5 : 35) ? 1 : 0);
  }
  EXPECT_NEAR(calibration_error(reliability_bins(sample.view(), 10)), 0, 1e-12);
}

TEST(BrierScore, IsTheMeanSquaredError) {
  EXPECT_DOUBLE_EQ(brier_score(Sample{{1, 0}, {1, 0}}.view()), 0);
  EXPECT_DOUBLE_EQ(brier_score(Sample{{1, 0}, {0.5, 0.25}}.view()), (0.25 + 0.0625) / 2);
  EXPECT_TRUE(std::isnan(brier_score(Sample{}.view())));
}

TEST(ShareInterval, IsWilsons) {
  EXPECT_THAT(share_interval(5, 10).low, DoubleNear(0.236593, 1e-6));
  EXPECT_THAT(share_interval(5, 10).high, DoubleNear(0.763407, 1e-6));
  EXPECT_EQ(share_interval(0, 10).low, 0);
  EXPECT_THAT(share_interval(0, 10).high, DoubleNear(0.277533, 1e-6));
  EXPECT_EQ(share_interval(4, 4).high, 1);
}

TEST(BinCounts, IncludeBothEnds) {
  const std::vector<double> values{0, 0.1, 0.25, 0.5, 0.99, 1, -3, 7};
  EXPECT_THAT(bin_counts(values, 0, 1, 4), ElementsAre(3, 1, 1, 3));
  EXPECT_THAT(bin_counts({}, 0, 1, 2), ElementsAre(0, 0));
}

TEST(Confusion, CallsOnlyScoresAboveTheThreshold) {
  const Sample sample{{1, 1, 0, 0, 0, 1}, {0.9, 0.5, 0.6, 0.5, 0.1, 0.8}};
  const auto c = confusion(sample.view(), 0.5);
  EXPECT_EQ(c.true_positives, 2U);
  EXPECT_EQ(c.false_positives, 1U);
  EXPECT_EQ(c.false_negatives, 1U);
  EXPECT_EQ(c.true_negatives, 2U);
  EXPECT_DOUBLE_EQ(c.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(c.false_positive_rate(), 1.0 / 3);
  EXPECT_TRUE(std::isnan(confusion(sample.view(), 1).precision()));
  EXPECT_TRUE(std::isnan(confusion(Sample{}.view(), 1).recall()));
}

}  // namespace
}  // namespace rayleigh::learn
