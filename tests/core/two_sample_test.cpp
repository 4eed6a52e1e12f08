#include "core/two_sample.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "core/random.h"

namespace rayleigh::core {
namespace {

TEST(Auc, CountsWinsAndHalfOfTies) {
  const std::vector<double> low{1, 2, 3};
  const std::vector<double> high{4, 5};
  EXPECT_DOUBLE_EQ(auc(low, high), 1);
  EXPECT_DOUBLE_EQ(auc(high, low), 0);
  EXPECT_DOUBLE_EQ(auc(low, low), 0.5);
  EXPECT_DOUBLE_EQ(auc(std::vector<double>{1, 2}, std::vector<double>{2, 3}), 3.5 / 4);
}

TEST(Auc, EqualsTheShareOfWonPairs) {
  auto random = RandomStream(1, "auc").at(0);
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 60; ++i) {
    a.push_back(random.below(20));
    b.push_back(random.below(25));
  }
  double wins = 0;
  for (const double x : a) {
    for (const double y : b) {
      wins += y > x ? 1 : y == x ? 0.5 : 0;
    }
  }
  EXPECT_NEAR(auc(a, b), wins / 3600, 1e-12);
}

// Values of the limiting Kolmogorov distribution from standard tables: Q(1.3581) = 0.05,
// Q(1.6276) = 0.01. With equal large samples the correction is negligible.
TEST(KolmogorovSmirnov, HasTheTabulatedPValues) {
  constexpr int kSize = 2'000'000;
  for (const auto& [quantile, p] : {std::pair(1.3581, 0.05), {1.6276, 0.01}, {0.8276, 0.5}}) {
    const int shift = static_cast<int>(quantile / std::sqrt(kSize / 2.0) * kSize);
    std::vector<double> a;
    std::vector<double> b;
    for (int i = 0; i < kSize; ++i) {
      a.push_back(i);
      b.push_back(i + shift - 0.5);
    }
    const auto test = kolmogorov_smirnov(a, b);
    EXPECT_NEAR(test.statistic, static_cast<double>(shift) / kSize, 1e-6);
    EXPECT_NEAR(test.p_value, p, 0.001);
  }
}

TEST(KolmogorovSmirnov, RejectsAsOftenAsItSaysWhenNothingDiffers) {
  const RandomStream stream(2, "ks");
  int rejected = 0;
  constexpr int kTrials = 2'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    auto random = stream.at(static_cast<std::uint64_t>(trial));
    std::vector<double> a(80);
    std::vector<double> b(120);
    for (auto* sample : {&a, &b}) {
      for (double& value : *sample) {
        value = random.uniform();
      }
    }
    rejected += kolmogorov_smirnov(a, b).p_value < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(rejected) / kTrials, 0.05, 0.02);
}

TEST(KolmogorovSmirnov, OfTheSameOrEmptySamplesSaysNothing) {
  const std::vector<double> a{1, 2, 3};
  EXPECT_EQ(kolmogorov_smirnov(a, a).statistic, 0);
  EXPECT_EQ(kolmogorov_smirnov(a, a).p_value, 1);
  EXPECT_EQ(kolmogorov_smirnov(a, {}).p_value, 1);
}

TEST(Wasserstein, IsTheShiftOfAShiftedSample) {
  const std::vector<double> a{0, 1, 5};
  const std::vector<double> b{3, 4, 8};
  EXPECT_DOUBLE_EQ(wasserstein(a, b), 3);
  EXPECT_DOUBLE_EQ(wasserstein(a, a), 0);
  EXPECT_DOUBLE_EQ(wasserstein(std::vector<double>{0}, std::vector<double>{0, 1}), 0.5);
}

}  // namespace
}  // namespace rayleigh::core
