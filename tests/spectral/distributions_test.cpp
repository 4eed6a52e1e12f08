#include "rayleigh/spectral/distributions.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "rayleigh/error.h"

namespace rayleigh::spectral {
namespace {

std::vector<double> range(int begin, int end) {
  std::vector<double> out;
  for (int i = begin; i < end; ++i) {
    out.push_back(i);
  }
  return out;
}

TEST(SampleDistributions, SumToOnePerClassAndKeepTheSampleSizes) {
  const auto samples = sample_distributions(range(0, 1000), range(500, 600), {});
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[0].normal_graphs, 250U);
  EXPECT_EQ(samples[0].anomalous_graphs, 25U);
  EXPECT_EQ(samples[2].normal_graphs, 1000U);
  for (const auto& sample : samples) {
    EXPECT_EQ(sample.edges.size(), 11U);
    EXPECT_NEAR(std::reduce(sample.normal.begin(), sample.normal.end()), 1, 1e-12);
    EXPECT_NEAR(std::reduce(sample.anomalous.begin(), sample.anomalous.end()), 1, 1e-12);
  }
  EXPECT_DOUBLE_EQ(samples[2].edges.front(), 0);
  EXPECT_DOUBLE_EQ(samples[2].edges.back(), 999);
  EXPECT_NEAR(samples[2].normal[4], 0.1, 0.002);
  EXPECT_NEAR(samples[2].anomalous[5], 1, 0.02);
}

TEST(SampleDistributions, TakeTheRangeOfEachSampleOrOfAll) {
  DistributionOptions options;
  const auto own = sample_distributions(range(0, 400), range(0, 400), options);
  options.edges = BinEdges::common;
  const auto common = sample_distributions(range(0, 400), range(0, 400), options);
  EXPECT_NE(own[0].edges, own[2].edges);
  EXPECT_EQ(common[0].edges, common[2].edges);
  EXPECT_EQ(common[2].edges, own[2].edges);
}

TEST(SampleDistributions, DependOnTheSeedAlone) {
  DistributionOptions options;
  const auto a = sample_distributions(range(0, 100), range(20, 80), options);
  const auto b = sample_distributions(range(0, 100), range(20, 80), options);
  EXPECT_EQ(a[0].normal, b[0].normal);
  options.seed = 2;
  EXPECT_NE(sample_distributions(range(0, 100), range(20, 80), options)[0].normal, a[0].normal);
}

TEST(SampleDistributions, WorkForOneClassAndForConstantValues) {
  const auto one = sample_distributions(range(0, 40), {}, {});
  EXPECT_TRUE(one[0].anomalous.empty());
  EXPECT_TRUE(distance_ratios(one).empty());
  const std::vector<double> same(40, 7.0);
  const auto constant = sample_distributions(same, same, {});
  EXPECT_DOUBLE_EQ(constant[0].normal[0], 1);
}

TEST(SampleDistributions, RefuseMoreBinsOrSamplesThanGraphs) {
  EXPECT_THROW(sample_distributions(range(0, 100), range(0, 9), {}), UsageError);
  DistributionOptions options;
  options.bins = 2;
  options.shares = {0.01};
  EXPECT_THROW(sample_distributions(range(0, 100), range(0, 9), options), UsageError);
}

TEST(DistanceRatios, FollowTheirDefinition) {
  SampleDistribution first;
  first.normal = {0.5, 0.5};
  first.anomalous = {0.2, 0.8};
  SampleDistribution second;
  second.normal = {0.5, 0.5};
  second.anomalous = {0.4, 0.6};
  const auto rows = distance_ratios(std::vector{first, second});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0].within_anomalous, 0.2, 1e-12);
  EXPECT_DOUBLE_EQ(rows[0].within_normal, 0);
  EXPECT_NEAR(rows[0].between, (0.3 + 0.3 + 0.1 + 0.1) / 4, 1e-12);
  EXPECT_NEAR(rows[0].to_anomalous(), 1, 1e-12);
  EXPECT_TRUE(std::isinf(rows[0].to_normal()));
}

}  // namespace
}  // namespace rayleigh::spectral
