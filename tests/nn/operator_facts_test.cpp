// What the operator table cannot say: kinks, ties, guards and identities of the models.
#include "models/gmt_attention.h"
#include "models/tvgnn_variation.h"
#include "nn/ops_clusters.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_layer_norm.h"
#include "nn/ops_norm.h"
#include "nn/ops_padded.h"
#include "nn/ops_reduce.h"
#include "nn/ops_rows.h"
#include "nn/ops_segment.h"
#include "nn/ops_shape.h"
#include "nn_support.h"
#include "operator_fixtures.h"

namespace rayleigh::nn::test {
namespace {

using Numbers = std::vector<double>;

/// Applies an operator to one matrix and takes gradients of the sum of its results.
class Applied {
 public:
  template <typename Apply>
  Applied(Numbers numbers, std::size_t rows, Apply apply, Mode mode = Mode::training) {
    const WeightId id = weights_.add("x", rows, numbers.size() / rows);
    weights_.allocate();
    std::ranges::copy(numbers, weights_.value(id).data);
    Gradients<double> gradients(weights_);
    if (mode == Mode::training) {
      tape_.start_training(weights_, gradients);
    } else {
      tape_.start_scoring();
    }
    const Value out = apply(tape_, tape_.weight(weights_, id));
    value_.assign(tape_.value(out).flat().begin(), tape_.value(out).flat().end());
    tape_.backward(sum_all(tape_, out));
    const auto gradient = gradients.of(weights_.info(id)).flat();
    gradient_.assign(gradient.begin(), gradient.end());
  }
  const Numbers& value() const { return value_; }
  const Numbers& gradient() const { return gradient_; }

 private:
  core::ThreadPool pool_{1};
  Weights<double> weights_;
  Tape<double> tape_{pool_};
  Numbers value_;
  Numbers gradient_;
};

using T = Tape<double>;

TEST(TableOf, GivesFewAndManyRowsWhatTheTransposeGives) {
  constexpr std::size_t kColumns = 200;
  Numbers weights(3 * kColumns);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>(i % 17) - 8;
  }
  for (const Sizes& sizes : {Sizes{2, 3}, Sizes{90, 80}}) {
    const auto graphs = make_sparse_graphs<double>(sizes, kColumns);
    const auto layer = [&](auto table, Mode mode) {
      return Applied(
          weights, 3,
          [&](T& t, Value w) {
            return sparse_linear<double>(t, graphs->batch(), table(t, w), {}, Activation::none);
          },
          mode);
    };
    const auto own = [&](T& t, Value w) { return table_of(t, graphs->batch(), w); };
    const auto turned = [](T& t, Value w) { return transpose(t, w); };
    for (const Mode mode : {Mode::scoring, Mode::training}) {
      EXPECT_EQ(layer(own, mode).value(), layer(turned, mode).value());
      EXPECT_EQ(layer(own, mode).gradient(), layer(turned, mode).gradient());
    }
  }
}

TEST(Sqrt, HasNoSlopeAtZero) {
  const Applied root({0, 4}, 1, [](T& t, Value x) { return sqrt(t, x); });
  EXPECT_EQ(root.value(), (Numbers{0, 2}));
  EXPECT_EQ(root.gradient(), (Numbers{0, 0.25}));
}

TEST(Abs, HasNoSlopeAtZero) {
  const Applied size({0, -3}, 1, [](T& t, Value x) { return abs(t, x); });
  EXPECT_EQ(size.gradient(), (Numbers{0, -1}));
}

TEST(Log, WithAGuardIsFiniteAtZero) {
  const Applied guarded({0}, 1, [](T& t, Value x) { return log(t, x, 1e-12); });
  EXPECT_DOUBLE_EQ(guarded.value()[0], std::log(1e-12));
  EXPECT_DOUBLE_EQ(guarded.gradient()[0], 1e12);
}

TEST(Sigmoid, DoesNotOverflow) {
  const Applied limits({-1000, 1000}, 1, [](T& t, Value x) { return sigmoid(t, x); });
  EXPECT_EQ(limits.value(), (Numbers{0, 1}));
  EXPECT_EQ(limits.gradient(), (Numbers{0, 0}));
}

TEST(WithGradientOfSquare, IsTheIdentityWithTheSlopeOfHalfTheSquare) {
  const Applied loss({3, -2}, 1, [](T& t, Value x) { return with_gradient_of_square(t, x); });
  EXPECT_EQ(loss.value(), (Numbers{3, -2}));
  EXPECT_EQ(loss.gradient(), (Numbers{3, -2}));
}

TEST(UnitReluNorm, OfARowOfZerosIsZeroWithoutAGradient) {
  const Applied empty({0, 0, 0}, 1, [](T& t, Value x) { return unit_relu_norm(t, x, {}); });
  EXPECT_EQ(empty.value(), (Numbers{0, 0, 0}));
  EXPECT_EQ(empty.gradient(), (Numbers{0, 0, 0}));
}

TEST(HardShrink, IsZeroUpToTheThresholdAndTheIdentityAboveIt) {
  const Applied shrunk({-1, 0.1, 0.25, 0.5, 1}, 1,
                       [](T& t, Value x) { return hard_shrink(t, x, 0.25); });
  EXPECT_EQ(std::vector(shrunk.value().begin(), shrunk.value().begin() + 3), (Numbers{0, 0, 0}));
  EXPECT_EQ(std::vector(shrunk.gradient().begin(), shrunk.gradient().begin() + 3),
            (Numbers{0, 0, 0}));
  EXPECT_NEAR(shrunk.value()[3], 0.5, 1e-11);
  EXPECT_NEAR(shrunk.gradient()[4], 1, 1e-11);
}

TEST(RowL2Normalise, LeavesARowOfZerosAlone) {
  const Applied unit({0, 0, 3, 4}, 2, [](T& t, Value x) { return row_l2_normalise(t, x); });
  EXPECT_EQ(unit.value(), (Numbers{0, 0, 0.6, 0.8}));
  EXPECT_EQ(unit.gradient()[0], 1e12);
}

TEST(RowSoftmax, TakesLogitsOfAThousand) {
  const Applied soft({1000, -1000, 1000, 1000}, 2, [](T& t, Value x) { return row_softmax(t, x); });
  EXPECT_EQ(soft.value(), (Numbers{1, 0, 0.5, 0.5}));
  const Applied logs({1000, -1000}, 1, [](T& t, Value x) { return row_log_softmax(t, x); });
  EXPECT_EQ(logs.value(), (Numbers{0, -2000}));
}

TEST(MeanAll, OfNothingIsZero) {
  core::ThreadPool pool(1);
  Tape<double> tape(pool);
  tape.start_scoring();
  const Value none = tape.constant({nullptr, 0, 3});
  EXPECT_EQ(tape.value(mean_all(tape, none))(0, 0), 0);
  EXPECT_EQ(tape.value(column_means(tape, none))(0, 2), 0);
}

TEST(SegmentMax, GivesTheGradientToTheFirstOfEqualMaxima) {
  const std::vector<std::uint32_t> first_row = {0, 3, 3};
  const Applied most({2, 5, 5}, 3,
                     [&](T& t, Value x) { return segment_reduce(t, x, first_row, Reduce::max); });
  EXPECT_EQ(most.value(), (Numbers{5, 0}));
  EXPECT_EQ(most.gradient(), (Numbers{0, 1, 0}));
}

TEST(SegmentMax, OfNegativeNumbersIsNegative) {
  const std::vector<std::uint32_t> first_row = {0, 2};
  const Applied most({-2, -1}, 2,
                     [&](T& t, Value x) { return segment_reduce(t, x, first_row, Reduce::max); });
  EXPECT_EQ(most.value(), (Numbers{-1}));
}

TEST(SegmentSoftmax, SumsToOneInEachSegment) {
  const std::vector<std::uint32_t> first_row = {0, 2, 2, 5};
  const Applied sums({1000, -1000, 1, 2, 3}, 5, [&](T& t, Value x) {
    return segment_reduce(t, segment_softmax(t, x, first_row), first_row, Reduce::sum);
  });
  EXPECT_DOUBLE_EQ(sums.value()[0], 1);
  EXPECT_EQ(sums.value()[1], 0);
  EXPECT_DOUBLE_EQ(sums.value()[2], 1);
}

TEST(GatherRows, AddsUpGradientsOfRowsTakenTwice) {
  const std::vector<std::uint32_t> index = {2, 0, 2};
  const Applied taken({1, 2, 3}, 3, [&](T& t, Value x) { return gather_rows(t, x, index); });
  EXPECT_EQ(taken.value(), (Numbers{3, 1, 3}));
  EXPECT_EQ(taken.gradient(), (Numbers{1, 0, 2}));
}

TEST(Reshape, SharesTheNumbers) {
  core::ThreadPool pool(1);
  Tape<double> tape(pool);
  tape.start_scoring();
  const Numbers six(6);
  const Value x = tape.constant({six.data(), 2, 3});
  EXPECT_EQ(tape.value(reshape(tape, x, 3, 2)).data, tape.value(x).data);
  EXPECT_EQ(tape.value(slice_rows(tape, x, 1, 1)).data, tape.value(x).data + 3);
}

/// Attention of constant queries to constant keys; x are the values.
Numbers attend(const Numbers& queries, std::size_t width, const Numbers& keys, Numbers values,
               std::vector<std::uint32_t> first_key, models::AttentionOptions options) {
  return Applied(std::move(values), keys.size() / width,
                 [&](T& t, Value x) {
                   const Value q = t.constant({queries.data(), queries.size() / width, width});
                   const Value k = t.constant({keys.data(), keys.size() / width, width});
                   return models::attention(t, q, models::Queries::shared, k, x, first_key,
                                            options);
                 })
      .value();
}

TEST(Attention, OverQueriesWithOneSeedIsASumOfValues) {
  const auto pooled = attend({0.3, -2}, 2, {1, 5, -3, 2, 0, 1}, {1, 2, 3, 4, 5, 6}, {0, 2, 3},
                             {.heads = 1, .over = models::SoftmaxOver::queries});
  EXPECT_EQ(pooled, (Numbers{4, 6, 5, 6}));
}

TEST(Attention, OverEqualKeysIsAMeanOfValues) {
  const auto pooled = attend({0.3, -2}, 2, {1, 5, 1, 5}, {1, 2, 3, 4}, {0, 0, 2}, {.heads = 2});
  EXPECT_EQ(pooled, (Numbers{0, 0, 2, 3}));
}

TEST(Attention, DividesLogitsByTheRootOfTheFullWidth) {
  // Width 4 in two heads: the first head sees logits 2 * 3 / sqrt(4) = 3 and 0.
  const auto pooled = attend({2, 0, 0, 0}, 4, {3, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0},
                             {0, 2}, {.heads = 2});
  EXPECT_NEAR(pooled[0], 1 / (1 + std::exp(-3)), 1e-15);
}

TEST(TotalVariation, OfAGraphWithoutEdgesIsZeroAndHasNoSlope) {
  const std::vector<std::uint32_t> first_row = {0, 3};
  const std::vector<std::uint32_t> row_ptr = {0, 0, 0, 0};
  const auto sparse = [&](T& t, Value s) {
    return models::total_variation<double>(t, {row_ptr, {}, {}}, s, first_row);
  };
  const Numbers none(9, 0.0);
  const auto dense = [&](T& t, Value s) {
    return models::dense_total_variation(t, t.constant({none.data(), 3, 3}), s);
  };
  const auto expect_nothing = [](const Applied& variation) {
    EXPECT_EQ(variation.value(), (Numbers{0}));
    EXPECT_EQ(variation.gradient(), (Numbers{0, 0, 0}));
  };
  expect_nothing(Applied({1, 0, 5}, 3, sparse));
  expect_nothing(Applied({1, 0, 5}, 3, dense));
}

TEST(VariationStep, LeavesEqualNeighboursWhereTheyAre) {
  const Numbers edges = {0, 1, 1, 0};
  const Applied step({3, -2, 3, -2}, 2, [&](T& t, Value x) {
    return models::dense_variation_step(t, t.constant({edges.data(), 2, 2}), x, Value{},
                                        {.activation = Activation::none});
  });
  EXPECT_EQ(step.value(), (Numbers{3, -2, 3, -2}));
  EXPECT_EQ(step.gradient(), (Numbers{1, 1, 1, 1}));
}

TEST(ClusterBalance, IsZeroForEqualClustersAndOneForUniformShares) {
  const std::vector<std::uint32_t> first_row = {0, 4};
  const auto balance = [&](T& t, Value s) { return cluster_balance(t, s, first_row); };
  EXPECT_EQ(Applied({1, 0, 1, 0, 0, 1, 0, 1}, 4, balance).value(), (Numbers{0}));
  EXPECT_EQ(Applied(Numbers(8, 0.5), 4, balance).value(), (Numbers{1}));
}

TEST(ClusterBalance, OfOneClusterIsZeroAndHasNoSlope) {
  const std::vector<std::uint32_t> first_row = {0, 2};
  const Applied one({1, 1}, 2, [&](T& t, Value s) { return cluster_balance(t, s, first_row, 5); });
  EXPECT_EQ(one.value(), (Numbers{0}));
  EXPECT_EQ(one.gradient(), (Numbers{0, 0}));
}

TEST(GraphNorm, OfASingleNodeWithFullMeanRemovedIsTheShift) {
  const Numbers ones = {1, 1};
  const std::vector<std::uint32_t> first_row = {0, 1};
  const Applied norm({7, -3}, 1, [&](T& t, Value x) {
    const Value one = t.constant({ones.data(), 1, 2});
    return graph_norm(t, x, first_row, one, one, Value{});
  });
  EXPECT_EQ(norm.value(), (Numbers{0, 0}));
  EXPECT_EQ(norm.gradient(), (Numbers{0, 0}));
}

TEST(Dropout, IsTheIdentityInScoringPassesAndForProbabilityZero) {
  const auto half = [](T& t, Value x) {
    return dropout(t, x, 0.5, {core::RandomStream(1, "d"), 0});
  };
  EXPECT_EQ(Applied({1, 2, 3}, 1, half, Mode::scoring).value(), (Numbers{1, 2, 3}));
  const auto none = [](T& t, Value x) { return dropout(t, x, 0, {core::RandomStream(1, "d"), 0}); };
  EXPECT_EQ(Applied({1, 2, 3}, 1, none).value(), (Numbers{1, 2, 3}));
}

TEST(Dropout, DropsTheWantedShareAndDrawsAnewEachStep) {
  const Numbers ones(40000, 1);
  const auto drop = [&](std::uint32_t step) {
    return Applied(ones, 200,
                   [step](T& t, Value x) {
                     return dropout(t, x, 0.4, {core::RandomStream(1, "d"), step});
                   })
        .value();
  };
  const Numbers first = drop(0);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(first, 0.0)) / 40000, 0.4, 0.01);
  EXPECT_NEAR(*std::ranges::max_element(first), 1 / 0.6, 1e-4);
  EXPECT_EQ(first, drop(0));
  EXPECT_NE(first, drop(1));
}

class BatchNormTest : public ::testing::Test {
 protected:
  BatchNormTest() : norm_(add_batch_norm(weights_, "bn", 1)) {
    weights_.allocate();
    reset_batch_norm(weights_, norm_);
    gradients_ = Gradients<double>(weights_);
  }

  Numbers apply(const Numbers& column, Mode mode) {
    if (mode == Mode::training) {
      tape_.start_training(weights_, gradients_);
    } else {
      tape_.start_scoring();
    }
    const Value x = tape_.constant({column.data(), column.size(), 1});
    const auto out = tape_.value(batch_norm(tape_, weights_, norm_, x)).flat();
    return {out.begin(), out.end()};
  }

  core::ThreadPool pool_{1};
  Tape<double> tape_{pool_};
  Weights<double> weights_;
  Gradients<double> gradients_;
  BatchNorm norm_;
};

TEST_F(BatchNormTest, MovesRunningStatisticsWithTheUnbiasedVariance) {
  apply({1, 3, 5}, Mode::training);
  EXPECT_DOUBLE_EQ(weights_.value(norm_.running_mean)(0, 0), 0.1 * 3);
  EXPECT_DOUBLE_EQ(weights_.value(norm_.running_var)(0, 0), 0.9 + 0.1 * 4);
}

TEST_F(BatchNormTest, ScoresWithRunningStatisticsAndLeavesThemAlone) {
  weights_.value(norm_.running_mean)(0, 0) = 2;
  weights_.value(norm_.running_var)(0, 0) = 4;
  const Numbers out = apply({2, 6}, Mode::scoring);
  EXPECT_DOUBLE_EQ(out[0], 0);
  EXPECT_DOUBLE_EQ(out[1], 4 / std::sqrt(4 + 1e-5));
  EXPECT_EQ(weights_.value(norm_.running_mean)(0, 0), 2);
}

TEST_F(BatchNormTest, WithAFrozenShiftTrainsItsScale) {
  weights_.info(norm_.shift).role = Role::frozen;
  tape_.start_training(weights_, gradients_);
  const Numbers column = {1, 3, 8};
  const Value x = tape_.constant({column.data(), 3, 1});
  const Value out = batch_norm(tape_, weights_, norm_, x);
  tape_.backward(sum_all(tape_, square(tape_, out)));
  EXPECT_NEAR(gradients_.of(weights_.info(norm_.scale))(0, 0), 6, 1e-4);
  EXPECT_EQ(gradients_.of(weights_.info(norm_.shift))(0, 0), 0);
}

}  // namespace
}  // namespace rayleigh::nn::test
