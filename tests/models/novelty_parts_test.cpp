// What novelty is made of: shared counts of rows, and positions among quantiles.
#include <gtest/gtest.h>
#include <vector>

#include "core/random.h"
#include "models/overlap_index.h"
#include "models/quantile_scale.h"

namespace rayleigh::models {
namespace {

constexpr std::uint32_t kColumns = 30;

std::vector<CountEntry> random_row(std::uint64_t number) {
  core::Generator generator = core::RandomStream(5, "rows").at(number);
  std::vector<CountEntry> row;
  for (std::uint32_t column = 0; column < kColumns; ++column) {
    if (generator.chance(0.3)) {
      row.push_back({column, static_cast<float>(1 + generator.below(9))});
    }
  }
  return row;
}

float shared_directly(const std::vector<CountEntry>& a, const std::vector<CountEntry>& b) {
  float sum = 0;
  for (const CountEntry& one : a) {
    for (const CountEntry& other : b) {
      sum += one.column == other.column ? std::min(one.value, other.value) : 0;
    }
  }
  return sum;
}

TEST(OverlapIndex, SumsTheSmallerCountOfEveryColumn) {
  std::vector<CountEntry> entries;
  std::vector<std::uint32_t> lengths;
  constexpr std::size_t kRows = 40;
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto made = row == 7 ? std::vector<CountEntry>() : random_row(row);
    entries.insert(entries.end(), made.begin(), made.end());
    lengths.push_back(static_cast<std::uint32_t>(made.size()));
  }
  const OverlapIndex index(entries, lengths, kColumns);
  const auto asked = random_row(100);
  std::vector<float> sums(kRows, 0.0F);
  index.add_shared(asked, sums);
  EXPECT_EQ(sums[7], 0);
  for (std::size_t row = 0; row < kRows; ++row) {
    if (row != 7) {
      EXPECT_EQ(sums[row], shared_directly(asked, random_row(row))) << row;
    }
  }
}

TEST(QuantileScale, GoesFromZeroAtTheLeastToOneAtTheGreatestAndNeverFalls) {
  std::vector<float> quantiles(5);
  fill_quantiles({9, 1, 4, 2, 2}, quantiles);
  const std::span<const float> scale(quantiles);
  EXPECT_EQ(position_among(scale, 1), 0);
  EXPECT_EQ(position_among(scale, 9), 1);
  EXPECT_EQ(position_among(scale, 2), 0.375) << "the middle of two equals";
  double before = position_among(scale, 0);
  EXPECT_LT(before, 0);
  for (double number = 0.1; number < 40; number += 0.1) {
    const double now = position_among(scale, number);
    EXPECT_GE(now, before) << number;
    before = now;
  }
  EXPECT_GT(before, 1);
}

TEST(QuantileScale, IsFiniteWhereAllAreEqual) {
  const std::vector<float> quantiles(5, 0.0F);
  const std::span<const float> scale(quantiles);
  EXPECT_EQ(position_among(scale, 0), 0.5);
  EXPECT_LT(position_among(scale, 1e30), 100);
}

}  // namespace
}  // namespace rayleigh::models
