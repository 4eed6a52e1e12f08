#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "nn/ops_dense.h"

namespace rayleigh::nn {
namespace {

template <typename Real>
void expect_turned(std::size_t rows, std::size_t cols) {
  std::vector<Real> numbers(rows * cols);
  std::iota(numbers.begin(), numbers.end(), Real{1});
  core::ThreadPool pool(2);
  Tape<Real> tape(pool);
  const Matrix<const Real> a{numbers.data(), rows, cols};
  const Matrix<const Real> turned = transposed<Real>(tape, a);
  ASSERT_EQ(turned.rows, cols);
  ASSERT_EQ(turned.cols, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      ASSERT_EQ(turned(j, i), a(i, j)) << rows << " x " << cols << ": " << i << ", " << j;
    }
  }
}

TEST(Transpose, PutsEveryNumberInItsPlaceWhateverTheSize) {
  for (const std::size_t rows : {1U, 3U, 4U, 7U, 64U, 67U}) {
    for (const std::size_t cols : {1U, 4U, 15U, 16U, 17U, 64U, 3001U}) {
      expect_turned<float>(rows, cols);
      expect_turned<double>(rows, cols);
    }
  }
}

}  // namespace
}  // namespace rayleigh::nn
