#include "compare/test_ranks.h"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "learn/sample.h"

namespace rayleigh::compare {
namespace {

TEST(TestRanks, GiveTheMetricsOfTheirScores) {
  for (const int levels : {5, 1000}) {
    const auto sample = learn::random_sample(3, 200, levels);
    const double threshold = best_threshold(sample.view()).value;
    const TestRanks ranks = ranks_of(sample.view(), threshold);
    const std::vector<std::uint32_t> once(200, 1);
    const auto metrics = resampled_metrics(ranks, once);
    EXPECT_NEAR(metrics[0], roc_auc(sample.view()), 1e-12);
    EXPECT_NEAR(metrics[1], average_precision(sample.view()), 1e-12);
    EXPECT_NEAR(metrics[2], macro_f1(sample.view(), threshold), 1e-12);
  }
}

TEST(TestRanks, GiveTheMetricsOfAResample) {
  const auto sample = learn::random_sample(5, 100, 20);
  learn::Sample drawn;
  std::vector<std::uint32_t> times;
  for (std::size_t g = 0; g < 100; ++g) {
    times.push_back(static_cast<std::uint32_t>(g * 7 % 4));
    for (std::uint32_t i = 0; i < times.back(); ++i) {
      drawn.labels.push_back(sample.labels[g]);
      drawn.scores.push_back(sample.scores[g]);
    }
  }
  const auto metrics = resampled_metrics(ranks_of(sample.view(), 0.5), times);
  EXPECT_NEAR(metrics[0], roc_auc(drawn.view()), 1e-12);
  EXPECT_NEAR(metrics[1], average_precision(drawn.view()), 1e-12);
  EXPECT_NEAR(metrics[2], macro_f1(drawn.view(), 0.5), 1e-12);
}

TEST(TestRanks, WithoutAThresholdHaveNoMacroF1) {
  const auto sample = learn::random_sample(1, 50, 50);
  const auto ranks = ranks_of(sample.view(), std::nan(""));
  EXPECT_FALSE(ranks.called);
  EXPECT_TRUE(std::isnan(resampled_metrics(ranks, std::vector<std::uint32_t>(50, 1))[2]));
  EXPECT_TRUE(std::isnan(resampled_metrics(ranks, std::vector<std::uint32_t>(50, 0))[0]));
}

TEST(TestRanks, AreReadAsTheyWereWrittenAndDamageIsRefused) {
  const auto ranks = ranks_of(learn::random_sample(2, 30, 10).view(), 0.4);
  auto json = to_json(ranks);
  EXPECT_EQ(parse_test_ranks(json), ranks);
  json["rank"][0] = 30;
  EXPECT_THROW(parse_test_ranks(json), std::string);
  json["rank"][0] = 0;
  json["anomalous"].push_back(4'000'000'000U);
  EXPECT_THROW(parse_test_ranks(json), std::string);
}

}  // namespace
}  // namespace rayleigh::compare
