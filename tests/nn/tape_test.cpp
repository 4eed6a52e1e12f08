#include "nn/tape.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "models/gmt_attention.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_layer_norm.h"
#include "nn/ops_loss.h"
#include "nn/ops_norm.h"
#include "nn/ops_reduce.h"
#include "nn/ops_segment.h"
#include "nn/ops_shape.h"
#include "nn_support.h"
#include "operator_fixtures.h"

namespace {

/// By new: the products of backward passes take memory of their own in other ways.
std::atomic<std::size_t> allocations = 0;

}  // namespace

// Sanitizers bring their own operators new, which know more than a count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RAYLEIGH_NEEDS_COUNTS() GTEST_SKIP() << "skipped: a sanitizer's build counts nothing"
#else
#define RAYLEIGH_NEEDS_COUNTS()

namespace {

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment;
  void* memory = std::aligned_alloc(alignment, whole * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

// The array forms of the standard library call these. Where the compiler sees into one of a pair
// only, it takes them for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted(bytes, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#endif

namespace rayleigh::nn::test {
namespace {

/// A model that uses operators of every file, on a batch of a few hundred graphs.
template <typename Real>
class Everything {
 public:
  explicit Everything(core::ThreadPool& pool)
      : graphs_(make_sparse_graphs<Real>(many_sizes(300), kLabels)),
        rings_(make_rings<Real>(many_sizes(300))),
        targets_(300, 0),
        tape_(pool) {
    for (std::size_t i = 0; i < targets_.size(); i += 3) {
      targets_[i] = 1;
    }
    table_ = weights_.add("table", kLabels, kWidth);
    bias_ = weights_.add("bias", 1, kWidth);
    w_ = weights_.add("w", kWidth, kWidth);
    seeds_ = weights_.add("seeds", 3, kWidth);
    head_ = weights_.add("head", 2, 3 * kWidth);
    norm_ = add_batch_norm(weights_, "norm", 3 * kWidth);
    weights_.allocate();
    for (const WeightId id : {table_, bias_, w_, seeds_, head_}) {
      const Matrix<Real> to = weights_.value(id);
      std::ranges::copy(draw_numbers<Real>(to.size(), id.index), to.data);
    }
    reset_batch_norm(weights_, norm_);
    gradients_ = Gradients<Real>(weights_);
  }

  double step() {
    tape_.start_training(weights_, gradients_);
    gradients_.zero();
    const auto value = [this](WeightId id) { return tape_.weight(weights_, id); };
    Value x =
        sparse_linear(tape_, graphs_->batch(), value(table_), value(bias_), Activation::leaky_relu);
    x = spmm_symmetric(tape_, rings_->csr(), x);
    x = linear(tape_, x, value(w_), value(bias_), Activation::relu);
    x = graph_norm(tape_, x, graphs_->first_row, value(bias_), value(bias_), Value{});
    x = layer_norm(tape_, x, value(bias_), value(bias_));
    x = multiply(tape_, x, segment_softmax(tape_, x, graphs_->first_row));
    x = models::attention(tape_, value(seeds_), models::Queries::shared, x, x, graphs_->first_row,
                          {.heads = 4});
    x = reshape(tape_, x, targets_.size(), 3 * kWidth);
    x = batch_norm(tape_, weights_, norm_, x);
    x = dropout(tape_, x, 0.25, {core::RandomStream(1, "test"), 0});
    const std::array<Value, 2> halves = {slice_columns(tape_, x, 0, kWidth),
                                         slice_columns(tape_, x, kWidth, 2 * kWidth)};
    x = concat<Real>(tape_, halves);
    x = linear(tape_, x, value(head_), Value{});
    const Value loss = focal_softmax(tape_, x, targets_, {.weight = {1, 1}, .gamma = 1.5});
    tape_.backward(loss);
    return static_cast<double>(tape_.value(loss)(0, 0));
  }

  std::span<const Real> gradients() const { return gradients_.values(); }

 private:
  static constexpr std::size_t kLabels = 11;
  static constexpr std::size_t kWidth = 20;

  std::shared_ptr<const SparseGraphs<Real>> graphs_;
  std::shared_ptr<const SparseMatrix<Real>> rings_;
  std::vector<float> targets_;
  Weights<Real> weights_;
  Gradients<Real> gradients_;
  Tape<Real> tape_;
  WeightId table_, bias_, w_, seeds_, head_;
  BatchNorm norm_;
};

template <typename Real>
void expect_no_allocations(int threads) {
  core::ThreadPool pool(threads);
  Everything<Real> model(pool);
  model.step();  // memory grows piece by piece,
  model.step();  // and is made one piece by the reset of the second step
  const std::size_t before = allocations;
  const double loss = model.step();
  EXPECT_EQ(allocations - before, 0U) << threads << " threads";
  EXPECT_TRUE(std::isfinite(loss));
}

TEST(Tape, AllocatesNothingInAStepLikeThoseBefore) {
  RAYLEIGH_NEEDS_COUNTS();
  const std::size_t before = allocations;
  const auto counts_at_all = std::make_unique<int>(1);
  ASSERT_EQ(allocations - before, 1U);
  for (const int threads : {1, 2}) {
    expect_no_allocations<float>(threads);
    expect_no_allocations<double>(threads);
  }
}

TEST(Tape, RepeatsAStepBitByBit) {
  core::ThreadPool pool(2);
  Everything<float> model(pool);
  const double loss = model.step();
  const std::vector<float> first(model.gradients().begin(), model.gradients().end());
  EXPECT_EQ(model.step(), loss);
  EXPECT_TRUE(std::ranges::equal(model.gradients(), first));
}

class TapeOfTwo : public ::testing::Test {
 protected:
  void SetUp() override {
    x_ = weights_.add("x", 1, 2);
    frozen_ = weights_.add("frozen", 1, 2, Role::frozen);
    weights_.allocate();
    std::ranges::fill(weights_.value(x_).flat(), 3.0);
    std::ranges::fill(weights_.value(frozen_).flat(), 5.0);
    gradients_ = Gradients<double>(weights_);
    tape_.start_training(weights_, gradients_);
  }
  Value trained() { return tape_.weight(weights_, x_); }
  Value frozen() { return tape_.weight(weights_, frozen_); }
  double gradient() { return gradients_.of(weights_.info(x_))(0, 0); }

  core::ThreadPool pool_{1};
  Tape<double> tape_{pool_};
  Weights<double> weights_;
  Gradients<double> gradients_;
  WeightId x_, frozen_;
};

TEST_F(TapeOfTwo, AddsUpGradientsOfAValueUsedSeveralTimes) {
  const Value x = trained();
  const Value twice = scale(tape_, x, 2);
  const Value sum = add(tape_, add(tape_, twice, twice), multiply(tape_, twice, x));
  tape_.backward(sum_all(tape_, sum));
  EXPECT_DOUBLE_EQ(gradient(), 4 + 4 * 3);  // of 4 x + 2 x^2
}

TEST_F(TapeOfTwo, TreatsAWeightPutOnItTwiceAsOne) {
  tape_.backward(sum_all(tape_, multiply(tape_, trained(), trained())));
  EXPECT_DOUBLE_EQ(gradient(), 6);
}

TEST_F(TapeOfTwo, AddsToGradientsThatAreThere) {
  gradients_.of(weights_.info(x_))(0, 0) = 10;
  tape_.backward(sum_all(tape_, trained()));
  EXPECT_DOUBLE_EQ(gradient(), 11);
}

TEST_F(TapeOfTwo, GivesFrozenWeightsAndConstantsNoGradient) {
  const std::vector<double> two = {2, 2};
  const Value fixed = tape_.constant({two.data(), 1, 2});
  const Value x = trained();
  const Value still = multiply(tape_, frozen(), fixed);
  EXPECT_FALSE(tape_.wants_gradient(frozen()));
  EXPECT_FALSE(tape_.wants_gradient(fixed));
  EXPECT_FALSE(tape_.wants_gradient(still));
  tape_.backward(sum_all(tape_, multiply(tape_, x, still)));
  EXPECT_DOUBLE_EQ(gradient(), 10);
  EXPECT_DOUBLE_EQ(gradients_.of(weights_.info(frozen_))(0, 0), 0);
}

TEST_F(TapeOfTwo, LeavesValuesThatTheLossDoesNotDependOnWithoutGradient) {
  const Value unused = scale(tape_, trained(), 7);
  tape_.backward(sum_all(tape_, frozen()));
  tape_.backward(sum_all(tape_, trained()));
  EXPECT_FALSE(tape_.has_gradient(unused));
  EXPECT_DOUBLE_EQ(gradient(), 1);
}

TEST_F(TapeOfTwo, RecordsNothingInScoringPasses) {
  tape_.start_scoring();
  const Value sum = sum_all(tape_, trained());
  EXPECT_FALSE(tape_.wants_gradient(sum));
  tape_.backward(sum);
  EXPECT_DOUBLE_EQ(gradient(), 0);
  EXPECT_DOUBLE_EQ(tape_.value(sum)(0, 0), 6);
}

TEST_F(TapeOfTwo, TakesWeightsOfAnotherModelAsConstants) {
  const Weights<double> other = weights_;
  const Value x = tape_.weight(other, x_);
  EXPECT_FALSE(tape_.wants_gradient(x));
  tape_.backward(sum_all(tape_, multiply(tape_, x, trained())));
  EXPECT_DOUBLE_EQ(gradient(), 3);
}

#ifndef NDEBUG
TEST_F(TapeOfTwo, RefusesToMoveARunningStatisticInAScoringPass) {
  const WeightId mean = weights_.add("mean", 1, 2, Role::buffer);
  weights_.allocate();
  tape_.start_scoring();
  EXPECT_DEATH(tape_.running(weights_, mean), "weights_ == &weights");
}
#endif

}  // namespace
}  // namespace rayleigh::nn::test
