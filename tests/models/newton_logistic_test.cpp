#include "models/newton_logistic.h"

#include <cmath>
#include <gtest/gtest.h>

#include "core/random.h"

namespace rayleigh::models {
namespace {

LogisticRows drawn_rows(std::size_t rows, std::size_t columns) {
  LogisticRows out;
  out.columns = columns;
  for (std::size_t i = 0; i < rows; ++i) {
    core::Generator generator = core::RandomStream(1, "rows").at(i);
    double margin = -0.5;
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (generator.chance(0.5)) {
        const auto value = static_cast<float>(2 * generator.uniform());
        out.column.push_back(column);
        out.value.push_back(value);
        margin += static_cast<double>(value) * (column % 2 == 0 ? 1.0 : -1.0);
      }
    }
    out.row_ptr.push_back(out.column.size());
    out.target.push_back(generator.chance(1 / (1 + std::exp(-margin))) ? 1.0F : 0.0F);
  }
  return out;
}

LogisticWeights solved(const LogisticRows& rows, double c, int threads) {
  core::ThreadPool pool(threads);
  NewtonLogistic solver(rows, c, pool);
  LogisticWeights weights{.of_column = std::vector<double>(rows.columns, 0.0)};
  for (int step = 0; step < 30 && solver.remaining(weights) > 1e-9; ++step) {
    solver.step(weights);
  }
  EXPECT_LE(solver.remaining(weights), 1e-9);
  return weights;
}

/// At the minimum w = C Σ (y - p) x, and Σ (y - p) = 0 because the offset is free.
TEST(NewtonLogistic, EndsWhereTheGradientVanishes) {
  const LogisticRows rows = drawn_rows(500, 7);
  const double c = 0.3;
  const LogisticWeights weights = solved(rows, c, 1);
  std::vector<double> sums(rows.columns, 0.0);
  double of_offset = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double margin = weights.offset;
    for (std::size_t e = rows.row_ptr[i]; e < rows.row_ptr[i + 1]; ++e) {
      margin += weights.of_column[rows.column[e]] * static_cast<double>(rows.value[e]);
    }
    const double missing = static_cast<double>(rows.target[i]) - 1 / (1 + std::exp(-margin));
    of_offset += missing;
    for (std::size_t e = rows.row_ptr[i]; e < rows.row_ptr[i + 1]; ++e) {
      sums[rows.column[e]] += missing * static_cast<double>(rows.value[e]);
    }
  }
  EXPECT_NEAR(of_offset, 0, 1e-6);
  for (std::size_t column = 0; column < rows.columns; ++column) {
    EXPECT_NEAR(weights.of_column[column], c * sums[column], 1e-6);
    EXPECT_GT(weights.of_column[column] * (column % 2 == 0 ? 1 : -1), 0);
  }
}

TEST(NewtonLogistic, GivesTheSameBitsOnSeveralThreads) {
  const LogisticRows rows = drawn_rows(5000, 30);
  EXPECT_EQ(solved(rows, 1, 1).of_column, solved(rows, 1, 3).of_column);
}

/// Separable rows: without a penalty there would be no minimum.
TEST(NewtonLogistic, StaysFiniteWhereClassesAreApart) {
  LogisticRows rows;
  rows.columns = 1;
  for (int i = 0; i < 40; ++i) {
    if (i % 2 == 0) {
      rows.column.push_back(0);
      rows.value.push_back(1);
    }
    rows.row_ptr.push_back(rows.column.size());
    rows.target.push_back(i % 2 == 0 ? 1.0F : 0.0F);
  }
  const LogisticWeights weights = solved(rows, 100, 1);
  EXPECT_TRUE(std::isfinite(weights.of_column[0]));
  EXPECT_GT(weights.of_column[0], 2);
}

}  // namespace
}  // namespace rayleigh::models
