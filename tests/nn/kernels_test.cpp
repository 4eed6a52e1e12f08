#include "nn/kernels.h"

#include "nn/gemm.h"
#include "nn_support.h"
#include "operator_fixtures.h"

namespace rayleigh::nn::test {
namespace {

constexpr std::array<std::size_t, 12> kWidths = {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 67, 130};
constexpr std::array<std::size_t, 5> kRows = {0, 1, 2, 7, 13};

template <typename Real>
double leaky_of(double x, Real slope) {
  return x > 0 ? x : x * static_cast<double>(slope);
}

/// Runs `Body` for every instruction set, precision, width and number of rows.
class KernelsTest : public ::testing::Test {
 protected:
  template <typename Body>
  static void everywhere(Body body) {
    for (const core::Isa isa : all_isas()) {
      for (const std::size_t width : kWidths) {
        for (const std::size_t rows : kRows) {
          SCOPED_TRACE(std::string(core::isa_name(isa)) + ", " + std::to_string(rows) + " x " +
                       std::to_string(width));
          body(kernels<float>(isa), rows, width, float{});
          body(kernels<double>(isa), rows, width, double{});
        }
      }
    }
  }
};

template <typename Real>
void expect_close(const std::vector<Real>& found, const std::vector<double>& expected) {
  EXPECT_TRUE(close(std::span<const Real>(found), std::span<const double>(expected),
                    rounding<Real>(1e-5, 1e-13)));
}

template <typename Real>
std::vector<double> as_double(const std::vector<Real>& numbers) {
  return {numbers.begin(), numbers.end()};
}

constexpr std::size_t kColumns = 9;

TEST_F(KernelsTest, GatherRowsIsASparseProductWithBiasAndActivation) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto graphs = make_sparse_graphs<Real>({static_cast<std::uint32_t>(rows)}, kColumns);
    const auto table = draw_numbers<Real>(kColumns * width, 1);
    const auto bias = draw_numbers<Real>(width, 2);
    const Dense sparse = graphs->as_dense();
    for (const Real slope : {Real{1}, Real{0}, static_cast<Real>(0.25)}) {
      for (const bool biased : {false, true}) {
        std::vector<Real> out(rows * width);
        k.gather_rows(graphs->rows[0], table.data(), biased ? bias.data() : nullptr, width, slope,
                      out.data());
        std::vector<double> expected(out.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
          double sum = biased ? double{bias[i % width]} : 0;
          for (std::size_t c = 0; c < kColumns; ++c) {
            sum += sparse(i / width, c) * double{table[c * width + i % width]};
          }
          expected[i] = leaky_of(sum, slope);
        }
        expect_close(out, expected);
      }
    }
  });
}

TEST_F(KernelsTest, ScatterRowsAndColumnsAddTheTransposedSparseProduct) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto graphs = make_sparse_graphs<Real>({static_cast<std::uint32_t>(rows)}, kColumns);
    const auto in = draw_numbers<Real>(rows * width, 1);
    auto table = draw_numbers<Real>(kColumns * width, 2);
    std::vector<double> expected = as_double(table);
    const Dense sparse = graphs->as_dense();
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t at = 0; at < expected.size(); ++at) {
        expected[at] += sparse(i, at / width) * double{in[i * width + at % width]};
      }
    }
    auto same_table = table;
    k.scatter_rows(graphs->rows[0], in.data(), width, table.data());
    expect_close(table, expected);
    k.scatter_columns(graphs->by_column[0], in.data(), width, same_table.data());
    expect_close(same_table, expected);
  });
}

TEST_F(KernelsTest, AffineRowsIsALinearLayer) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    for (const std::size_t inputs : {std::size_t{0}, std::size_t{1}, std::size_t{11}}) {
      const auto x = draw_numbers<Real>(rows * inputs, 1);
      const auto weights = draw_numbers<Real>(inputs * width, 2);
      const auto bias = draw_numbers<Real>(width, 3);
      for (const bool biased : {false, true}) {
        const Real slope = static_cast<Real>(biased ? 0.25 : 1);
        std::vector<Real> y(rows * width);
        k.affine_rows(x.data(), rows, inputs, weights.data(), biased ? bias.data() : nullptr, width,
                      slope, y.data());
        std::vector<double> expected(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
          double sum = biased ? double{bias[i % width]} : 0;
          for (std::size_t c = 0; c < inputs; ++c) {
            sum += double{x[i / width * inputs + c]} * double{weights[c * width + i % width]};
          }
          expected[i] = leaky_of(sum, slope);
        }
        expect_close(y, expected);
      }
    }
  });
}

TEST_F(KernelsTest, AffineRowsGivesARowTheSameBitsAmongAnyNumberOfRows) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    constexpr std::size_t kInputs = 11;
    const auto x = draw_numbers<Real>(rows * kInputs, 1);
    const auto weights = draw_numbers<Real>(kInputs * width, 2);
    std::vector<Real> together(rows * width);
    k.affine_rows(x.data(), rows, kInputs, weights.data(), nullptr, width, Real{1},
                  together.data());
    std::vector<Real> alone(rows * width);
    for (std::size_t i = 0; i < rows; ++i) {
      k.affine_rows(x.data() + i * kInputs, 1, kInputs, weights.data(), nullptr, width, Real{1},
                    alone.data() + i * width);
    }
    EXPECT_EQ(together, alone);
  });
}

TEST_F(KernelsTest, AddGramAddsTheProductOfTheTransposed) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    for (const std::size_t a_width : {std::size_t{1}, std::size_t{5}, std::size_t{64}}) {
      const auto a = draw_numbers<Real>(rows * a_width, 1);
      const auto b = draw_numbers<Real>(rows * width, 2);
      auto c = draw_numbers<Real>(a_width * width, 3);
      std::vector<double> expected = as_double(c);
      for (std::size_t i = 0; i < c.size(); ++i) {
        for (std::size_t j = 0; j < rows; ++j) {
          expected[i] += double{a[j * a_width + i / width]} * double{b[j * width + i % width]};
        }
      }
      k.add_gram(a.data(), rows, a_width, b.data(), width, c.data());
      expect_close(c, expected);
    }
  });
}

TEST_F(KernelsTest, AttendWeighsRowsByTheirProductWithTheQuery) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto h = draw_numbers<Real>(rows * width, 1);
    const auto query = draw_numbers<Real>(width, 2);
    std::vector<Real> score(rows);
    std::vector<Real> pooled(width);
    k.attend(h.data(), rows, width, query.data(), score.data(), pooled.data());
    std::vector<double> expected_score(rows);
    std::vector<double> expected(width);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        expected_score[i] += double{h[i * width + c]} * double{query[c]};
      }
      for (std::size_t c = 0; c < width; ++c) {
        expected[c] += expected_score[i] * double{h[i * width + c]};
      }
    }
    expect_close(score, expected_score);
    expect_close(pooled, expected);
  });
}

TEST_F(KernelsTest, AttendBackwardIsTheGradientOfAttend) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto h = draw_numbers<Real>(rows * width, 1, Draw::away_from_zero);
    const auto query = draw_numbers<Real>(width, 2);
    const auto score = draw_numbers<Real>(rows, 3);
    const auto d_pooled = draw_numbers<Real>(width, 4);
    const auto slope = static_cast<Real>(0.25);
    std::vector<Real> d_h(rows * width);
    std::vector<Real> d_query(width, Real{9});
    k.attend_backward(h.data(), rows, width, query.data(), score.data(), d_pooled.data(), slope,
                      d_h.data(), d_query.data());
    std::vector<double> expected_h(rows * width);
    std::vector<double> expected_query(width);
    for (std::size_t i = 0; i < rows; ++i) {
      double d_score = 0;
      for (std::size_t c = 0; c < width; ++c) {
        d_score += double{h[i * width + c]} * double{d_pooled[c]};
      }
      for (std::size_t c = 0; c < width; ++c) {
        const double d = double{score[i]} * double{d_pooled[c]} + d_score * double{query[c]};
        expected_h[i * width + c] = h[i * width + c] > 0 ? d : 0.25 * d;
        expected_query[c] += d_score * double{h[i * width + c]};
      }
    }
    expect_close(d_h, expected_h);
    expect_close(d_query, expected_query);
  });
}

TEST_F(KernelsTest, BiasLeakyAddsTheBiasAndActivates) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto bias = draw_numbers<Real>(width, 2);
    for (const bool biased : {false, true}) {
      auto y = draw_numbers<Real>(rows * width, 1);
      const auto slope = static_cast<Real>(0.25);
      std::vector<double> expected = as_double(y);
      for (std::size_t i = 0; i < y.size(); ++i) {
        expected[i] = leaky_of(expected[i] + (biased ? double{bias[i % width]} : 0), slope);
      }
      k.bias_leaky(y.data(), rows, width, biased ? bias.data() : nullptr, slope);
      expect_close(y, expected);
    }
  });
}

TEST_F(KernelsTest, LeakyBackwardScalesWhereTheResultIsNotPositive) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    auto y = draw_numbers<Real>(rows * width, 1);
    if (!y.empty()) {
      y[0] = 0;
    }
    auto d = draw_numbers<Real>(rows * width, 2);
    std::vector<double> expected = as_double(d);
    for (std::size_t i = 0; i < d.size(); ++i) {
      expected[i] *= y[i] > 0 ? 1 : 0.25;
    }
    k.leaky_backward(d.data(), y.data(), d.size(), static_cast<Real>(0.25));
    expect_close(d, expected);
  });
}

TEST_F(KernelsTest, AddColumnSumsAddsUpRows) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const auto m = draw_numbers<Real>(rows * width, 1);
    auto sums = draw_numbers<Real>(width, 2);
    std::vector<double> expected = as_double(sums);
    for (std::size_t i = 0; i < m.size(); ++i) {
      expected[i % width] += double{m[i]};
    }
    k.add_column_sums(m.data(), rows, width, sums.data());
    expect_close(sums, expected);
  });
}

TEST_F(KernelsTest, AxpyAndDotWorkOnAnyCount) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const std::size_t count = rows * width;
    const auto x = draw_numbers<Real>(count, 1);
    auto y = draw_numbers<Real>(count, 2);
    double product = 0;
    std::vector<double> expected = as_double(y);
    for (std::size_t i = 0; i < count; ++i) {
      product += double{x[i]} * double{y[i]};
      expected[i] += 0.75 * double{x[i]};
    }
    EXPECT_NEAR(static_cast<double>(k.dot(x.data(), y.data(), count)), product,
                rounding<Real>(1e-4, 1e-12));
    k.axpy(static_cast<Real>(0.75), x.data(), count, y.data());
    expect_close(y, expected);
  });
}

TEST_F(KernelsTest, DotsAndWeightedRowsStepOverTheRestOfWiderRows) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    const std::size_t stride = width + 3;
    const auto m = draw_numbers<Real>(rows * stride, 1);
    const auto a = draw_numbers<Real>(width, 2);
    const auto weights = draw_numbers<Real>(2 * rows, 3);
    auto sums = draw_numbers<Real>(width, 4);
    std::vector<double> expected = as_double(sums);
    std::vector<double> products(rows);
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t c = 0; c < width; ++c) {
        products[j] += double{a[c]} * double{m[j * stride + c]};
        expected[c] += double{weights[2 * j]} * double{m[j * stride + c]};
      }
    }
    std::vector<Real> found(rows);
    k.dots(a.data(), m.data(), rows, stride, width, found.data());
    expect_close(found, products);
    k.add_weighted_rows(weights.data(), 2, m.data(), rows, stride, width, sums.data());
    expect_close(sums, expected);
  });
}

/// m transposed, in rows as the kernels want them.
template <typename Real>
std::vector<Real> turned(const std::vector<Real>& m, std::size_t rows, std::size_t width,
                         std::size_t stride) {
  std::vector<Real> result(width * stride);
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t c = 0; c < width; ++c) {
      result[c * stride + j] = m[j * width + c];
    }
  }
  return result;
}

TEST_F(KernelsTest, DistancesAndDotsOfDifferencesAreOfEveryRow) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    for (const std::size_t count : {rows, 7 * rows}) {
      const std::size_t stride = (count / kTurnedStep + 1) * kTurnedStep;
      const auto a = draw_numbers<Real>(count * width, 1);
      const auto b = draw_numbers<Real>(count * width, 2);
      const auto point_a = draw_numbers<Real>(width, 3);
      const auto point_b = draw_numbers<Real>(width, 4);
      std::vector<double> distance(count);
      std::vector<double> dot(count);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double of_a = double{a[i]} - double{point_a[i % width]};
        distance[i / width] += std::abs(of_a);
        dot[i / width] += of_a * (double{b[i]} - double{point_b[i % width]});
      }
      const auto turned_a = turned(a, count, width, stride);
      std::vector<Real> found(stride);
      k.l1_distances(point_a.data(), turned_a.data(), width, stride, count, found.data());
      expect_close(std::vector(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)),
                   distance);
      k.difference_dots(point_a.data(), turned_a.data(), point_b.data(),
                        turned(b, count, width, stride).data(), width, stride, count, found.data());
      expect_close(std::vector(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count)),
                   dot);
      for (std::size_t j = 0; j < count; ++j) {
        EXPECT_NEAR(static_cast<double>(k.l1_distance(point_a.data(), &a[j * width], width)),
                    distance[j], rounding<Real>(1e-5, 1e-13) * static_cast<double>(width));
      }
    }
  });
}

TEST_F(KernelsTest, DifferencesAndSignsAreWeightedAndEqualNumbersHaveNoSign) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    auto m = draw_numbers<Real>(rows * width, 1);
    const auto point = draw_numbers<Real>(width, 2);
    const auto weights = draw_numbers<Real>(rows, 3);
    if (rows > 1) {
      std::ranges::copy(point, m.begin() + static_cast<std::ptrdiff_t>(width));
    }
    auto differences = draw_numbers<Real>(width, 4);
    auto signs = differences;
    std::vector<double> expected_differences = as_double(differences);
    std::vector<double> expected_signs = expected_differences;
    for (std::size_t i = 0; i < m.size(); ++i) {
      const double difference = double{m[i]} - double{point[i % width]};
      const auto weight = double{weights[i / width]};
      expected_differences[i % width] += weight * difference;
      expected_signs[i % width] += difference > 0 ? weight : difference < 0 ? -weight : 0;
    }
    k.add_differences(weights.data(), m.data(), rows, width, point.data(), differences.data());
    expect_close(differences, expected_differences);
    k.add_signs(weights.data(), m.data(), rows, width, point.data(), signs.data());
    expect_close(signs, expected_signs);
  });
}

TEST_F(KernelsTest, AddSparseProductAddsRowsOfTheOtherMatrix) {
  everywhere([]<typename Real>(const Kernels<Real>& k, std::size_t rows, std::size_t width, Real) {
    for (const Values values : {Values::ones, Values::random}) {
      const auto matrix = make_sparse_matrix<Real>(rows, kColumns, values);
      const auto x = draw_numbers<Real>(kColumns * width, 1);
      auto out = draw_numbers<Real>(rows * width, 2);
      std::vector<double> expected = as_double(out);
      const Dense sparse = matrix->as_dense();
      for (std::size_t i = 0; i < out.size(); ++i) {
        for (std::size_t c = 0; c < kColumns; ++c) {
          expected[i] += sparse(i / width, c) * double{x[c * width + i % width]};
        }
      }
      k.add_sparse_product({.row_ptr = matrix->row_ptr.data(),
                            .col = matrix->col.data(),
                            .value = matrix->value.empty() ? nullptr : matrix->value.data(),
                            .rows = rows},
                           x.data(), width, out.data());
      expect_close(out, expected);
    }
  });
}

template <typename Real>
void expect_gemm(std::size_t rows, std::size_t inner, std::size_t cols) {
  for (const Transpose ta : {Transpose::no, Transpose::yes}) {
    for (const Transpose tb : {Transpose::no, Transpose::yes}) {
      for (const Real beta : {Real{0}, Real{1}, static_cast<Real>(0.5)}) {
        const auto a = draw_numbers<Real>(rows * inner, 1);
        const auto b = draw_numbers<Real>(inner * cols, 2);
        auto c = draw_numbers<Real>(rows * cols, 3);
        std::vector<double> expected = as_double(c);
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t j = 0; j < cols; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < inner; ++k) {
              sum += double{a[ta == Transpose::yes ? k * rows + i : i * inner + k]} *
                     double{b[tb == Transpose::yes ? j * inner + k : k * cols + j]};
            }
            double& to = expected[i * cols + j];
            to = 0.75 * sum + double{beta} * to;
          }
        }
        const auto shape = [](const std::vector<Real>& m, std::size_t m_rows, std::size_t m_cols,
                              Transpose t) {
          return t == Transpose::yes ? Matrix<const Real>{m.data(), m_cols, m_rows}
                                     : Matrix<const Real>{m.data(), m_rows, m_cols};
        };
        gemm<Real>(ta, tb, static_cast<Real>(0.75), shape(a, rows, inner, ta),
                   shape(b, inner, cols, tb), beta, {c.data(), rows, cols});
        expect_close(c, expected);
      }
    }
  }
}

TEST(Gemm, EqualsPlainLoopsForAllTranspositionsAndFactors) {
  using Counts = std::array<std::size_t, 4>;
  for (const std::size_t rows : Counts{0, 1, 5, 33}) {
    for (const std::size_t inner : Counts{0, 1, 7, 40}) {
      for (const std::size_t cols : Counts{0, 1, 6, 35}) {
        SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(inner) + " x " +
                     std::to_string(cols));
        expect_gemm<float>(rows, inner, cols);
        expect_gemm<double>(rows, inner, cols);
      }
    }
  }
}

TEST(Gemm, WithFactorZeroOverwritesWhateverWasThere) {
  const std::vector<double> one = {1};
  std::vector<double> c = {std::nan("")};
  gemm<double>(Transpose::no, Transpose::no, 1, {one.data(), 1, 1}, {one.data(), 1, 1}, 0,
               {c.data(), 1, 1});
  EXPECT_EQ(c[0], 1);
  std::vector<float> d = {std::nanf("")};
  gemm<float>(Transpose::no, Transpose::no, 1, {nullptr, 1, 0}, {nullptr, 0, 1}, 0,
              {d.data(), 1, 1});
  EXPECT_EQ(d[0], 0);
}

TEST(IsaNames, AreUnderstoodBack) {
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    EXPECT_EQ(core::isa_by_name(isa_name(isa)), isa);
  }
  EXPECT_FALSE(core::isa_by_name("mmx"));
}

}  // namespace
}  // namespace rayleigh::nn::test
