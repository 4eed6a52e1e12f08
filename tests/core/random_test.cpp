#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <vector>

namespace rayleigh::core {
namespace {

// Known answers published with Philox4x32-10 by its authors.
TEST(Philox, MatchesPublishedKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, DependsOnSeedPurposeIndexAndEpochOnly) {
  const auto draw = [](std::uint64_t seed, const char* purpose, std::uint64_t index,
                       std::uint32_t epoch) {
    return RandomStream(seed, purpose).at(index, epoch).next64();
  };
  EXPECT_EQ(draw(1, "dropout", 5, 2), draw(1, "dropout", 5, 2));
  const std::set<std::uint64_t> different{
      draw(1, "dropout", 5, 2), draw(2, "dropout", 5, 2), draw(1, "split", 5, 2),
      draw(1, "dropout", 6, 2), draw(1, "dropout", 5, 3), draw(1, "dropout", 1ULL << 40U, 2)};
  EXPECT_EQ(different.size(), 6U);
}

TEST(RandomStream, NeverChangesBetweenVersions) {
  auto random = RandomStream(2024, "a stored model depends on this").at(7, 3);
  EXPECT_EQ(random(), 1613031275U);
  EXPECT_EQ(random.below(1000), 526U);
}

TEST(Generator, FillGivesTheSameNumbersAsOneByOne) {
  const RandomStream stream(7, "fill");
  for (const std::size_t first : {0U, 1U, 4U, 6U}) {
    for (const std::size_t count : {0U, 3U, 31U, 32U, 33U, 100U}) {
      Generator one_by_one = stream.at(3, 5);
      Generator filled = stream.at(3, 5);
      for (std::size_t i = 0; i < first; ++i) {
        EXPECT_EQ(one_by_one(), filled());
      }
      std::vector<std::uint32_t> numbers(count);
      filled.fill(numbers);
      for (const std::uint32_t number : numbers) {
        EXPECT_EQ(number, one_by_one());
      }
      EXPECT_EQ(filled(), one_by_one());
    }
  }
}

TEST(Generator, UniformHasMeanOneHalfAndVarianceOneTwelfth) {
  auto random = RandomStream(1, "uniform").at(0);
  constexpr int kDraws = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 0.5, 0.003);
  EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / 12, 0.001);
}

TEST(Generator, BelowIsUniformAlsoWhereRejectionMatters) {
  auto random = RandomStream(1, "below").at(0);
  std::array<int, 3> counts{};
  constexpr std::uint32_t kBound = 3U << 30U;  // a quarter of all draws is rejected
  for (int i = 0; i < 60'000; ++i) {
    ++counts[random.below(kBound) >> 30U];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 20'000, 600);
  }
}

TEST(Generator, ShuffleReachesEveryOrderEquallyOften) {
  std::array<int, 6> counts{};
  const RandomStream stream(3, "shuffle");
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    std::array<std::size_t, 3> items{0, 1, 2};
    auto random = stream.at(i);
    random.shuffle(std::span<std::size_t>(items));
    ++counts[items[0] * 2 + (items[1] > items[2] ? 1 : 0)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 2'000, 200);
  }
}

}  // namespace
}  // namespace rayleigh::core
