#include "nn/weights.h"

#include <gtest/gtest.h>

namespace rayleigh::nn {
namespace {

TEST(WeightsWithFreeRows, KeepTheirNumbersAndThoseOfOthersWhileTheyGrowAndShrink) {
  Weights<float> weights;
  const WeightId before = weights.add("before", 2, 3);
  const WeightId free = weights.add_free("free", 2);
  const WeightId after = weights.add("after", 1, 2);
  weights.allocate();
  weights.value(before)(1, 2) = 5;
  weights.value(after)(0, 1) = 7;
  EXPECT_EQ(weights.value(free).rows, 0U);
  weights.set_rows(free, 40);
  weights.value(free)(3, 1) = 9;
  weights.set_rows(free, 100);
  weights.set_rows(free, 4);
  EXPECT_EQ(weights.value(free)(3, 1), 9);
  EXPECT_EQ(weights.value(free)(2, 0), 0);
  EXPECT_EQ(weights.value(before)(1, 2), 5);
  EXPECT_EQ(weights.value(after)(0, 1), 7);
  EXPECT_EQ(weights.free_rows(), std::vector<std::size_t>{4});
  EXPECT_EQ(weights.size_with(weights.free_rows()), weights.values().size());
  EXPECT_EQ(weights.trained(), 8U);
}

TEST(WeightsWithFreeRows, MayHaveTheirRowsBeforeThereIsAnyNumber) {
  Weights<double> weights;
  const WeightId free = weights.add_free("free", 4);
  weights.set_free_rows(std::vector<std::size_t>{3});
  weights.allocate();
  EXPECT_EQ(weights.value(free).rows, 3U);
  EXPECT_EQ(weights.info(free).role, Role::frozen);
}

}  // namespace
}  // namespace rayleigh::nn
