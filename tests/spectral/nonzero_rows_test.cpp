#include "spectral/nonzero_rows.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "core/isa.h"

namespace rayleigh::spectral {
namespace {

struct Table {
  std::vector<float> values;
  std::vector<float> scale;
  std::vector<std::uint32_t> columns;
  FullRows<float> rows;
};

/// Two blocks of `nodes` rows; about half of the numbers are zero, of either sign.
Table random_table(std::size_t nodes, std::size_t width, std::uint32_t seed) {
  std::mt19937 random(seed);
  Table table;
  for (std::size_t at = 0; at < 2 * nodes * width; ++at) {
    const auto draw = random() % 4;
    table.values.push_back(draw == 0   ? 0.0F
                           : draw == 1 ? -0.0F
                                       : static_cast<float>(random() % 1000) / 8 - 60.06F);
  }
  table.scale.assign(nodes, 0.5F);
  for (std::uint32_t c = 0; c < 2 * width; ++c) {
    table.columns.push_back(100 + c);
  }
  table.rows = {.values = table.values.data(),
                .block = nodes * width,
                .width = width,
                .row_scale = table.scale,
                .columns = table.columns,
                .first_block = 0,
                .blocks = 2};
  return table;
}

TEST(NonzeroRows, KeepsEveryNumberButTheZerosInOrder) {
  const Table table = random_table(5, 8, 1);
  std::vector<BasisEntry<float>> out(2 * 8 + 4);
  for (std::size_t node = 0; node < 5; ++node) {
    const auto* end = append_row(table.rows, node, out.data());
    std::size_t at = 0;
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t l = 0; l < 8; ++l) {
        const float value = table.values[(b * 5 + node) * 8 + l];
        if (value != 0) {
          EXPECT_EQ(out[at].column, 100 + b * 8 + l);
          EXPECT_EQ(out[at].value, value * 0.5F);
          ++at;
        }
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(end - out.data()), at);
  }
}

#ifdef RAYLEIGH_HAS_AVX_ROWS
TEST(NonzeroRows, InstructionSetsGiveTheSameBits) {
  if (!core::has_avx()) {
    GTEST_SKIP() << "this machine has no AVX";
  }
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::size_t width = 4 + 4 * (seed % 3);
    const Table table = random_table(3, width, seed);
    for (std::size_t node = 0; node < 3; ++node) {
      std::vector<BasisEntry<float>> a(2 * width + 4);
      std::vector<BasisEntry<float>> b(2 * width + 4);
      const auto* end_a = append_row(table.rows, node, a.data());
      const auto* end_b = append_row_avx(table.rows, node, b.data());
      ASSERT_EQ(end_a - a.data(), end_b - b.data());
      ASSERT_EQ(std::memcmp(a.data(), b.data(),
                            static_cast<std::size_t>(end_a - a.data()) * sizeof(a[0])),
                0);
    }
  }
}
#endif

}  // namespace
}  // namespace rayleigh::spectral
