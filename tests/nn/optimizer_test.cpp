#include "nn/optimizer.h"

#include <fmt/format.h>

#include "nn_support.h"

namespace rayleigh::nn::test {
namespace {

/// [lr, L2, clip, period, factor] of a group of the golden case.
struct GoldenSettings {
  AdamOptions options;
  std::uint64_t period;
  double factor;
};

GoldenSettings settings_of(const io::Safetensors& golden, const std::string& group) {
  const auto s = golden.values<double>(group + "/settings");
  return {.options = {.rate = s[0], .l2 = s[1], .clip_norm = s[2]},
          .period = static_cast<std::uint64_t>(s[3]),
          .factor = s[4]};
}

template <typename Real>
void expect_golden_steps(const io::Safetensors& golden, const std::string& group) {
  SCOPED_TRACE(group);
  constexpr std::size_t kSteps = 6;
  Weights<Real> weights;
  const std::array<WeightId, 2> ids = {weights.add("0", 4, 3), weights.add("1", 1, 5)};
  weights.allocate();
  Gradients<Real> gradients(weights);
  std::array<std::vector<float>, 2> given;
  std::array<std::vector<float>, 2> expected;
  for (std::size_t p = 0; p < 2; ++p) {
    const std::string name = "param." + std::to_string(p);
    std::ranges::copy(golden.values<float>(name), weights.value(ids[p]).data);
    given[p] = golden.values<float>("gradient." + std::to_string(p));
    expected[p] = golden.values<float>(fmt::format("{}/{}", group, name));
  }
  const GoldenSettings settings = settings_of(golden, group);
  const bool clips = golden.contains(group + "/grad_norm");
  const auto norms = clips ? golden.values<double>(group + "/grad_norm") : std::vector<double>{};
  Adam<Real> adam(weights, settings.options);
  for (std::size_t s = 0; s < kSteps; ++s) {
    for (std::size_t p = 0; p < 2; ++p) {
      const Matrix<Real> to = gradients.of(weights.info(ids[p]));
      std::copy_n(given[p].data() + s * to.size(), to.size(), to.data);
    }
    const double norm =
        adam.step(weights, gradients, step_schedule(s, settings.period, settings.factor));
    if (clips) {
      EXPECT_NEAR(norm, norms[s], 1e-6 * std::max(1.0, norms[s]));
    }
    for (std::size_t p = 0; p < 2; ++p) {
      const Matrix<Real> now = weights.value(ids[p]);
      for (std::size_t i = 0; i < now.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(now.data[i]),
                    static_cast<double>(expected[p][s * now.size() + i]), 1e-6)
            << "step " << s << " weight " << p << " entry " << i;
      }
    }
  }
}

TEST(GoldenOptimizer, StepsAgree) {
  RAYLEIGH_NEEDS_SHARED("golden/optimizer.safetensors");
  const io::Safetensors golden = read_golden("optimizer");
  for (const std::string group : {"plain", "l2", "l2_clip", "clip_small", "steplr"}) {
    expect_golden_steps<float>(golden, group);
    expect_golden_steps<double>(golden, group);
  }
}

class AdamOnTwo : public ::testing::Test {
 protected:
  void SetUp() override {
    a_ = weights_.add("a", 1, 1);
    b_ = weights_.add("b", 1, 1);
    weights_.allocate();
    gradients_ = Gradients<double>(weights_);
    for (const WeightId id : {a_, b_}) {
      weights_.value(id)(0, 0) = 1;
      gradients_.of(weights_.info(id))(0, 0) = 0.5;
    }
  }
  double moved(WeightId id) { return 1 - weights_.value(id)(0, 0); }

  Weights<double> weights_;
  Gradients<double> gradients_;
  WeightId a_, b_;
};

TEST_F(AdamOnTwo, MovesByTheRateInItsFirstStep) {
  Adam<double> adam(weights_, {.rate = 0.01});
  EXPECT_NEAR(adam.step(weights_, gradients_), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(moved(a_), 0.01, 1e-9);
}

TEST_F(AdamOnTwo, HasARateForEachWeight) {
  weights_.info(b_).rate = 3;
  Adam<double> adam(weights_, {.rate = 0.01});
  adam.step(weights_, gradients_, 0.5);
  EXPECT_NEAR(moved(a_), 0.005, 1e-9);
  EXPECT_NEAR(moved(b_), 0.015, 1e-9);
}

TEST_F(AdamOnTwo, HasADecayForEachWeight) {
  weights_.info(b_).decay = 0;
  gradients_.zero();
  Adam<double> adam(weights_, {.rate = 0.01, .l2 = 0.1});
  adam.step(weights_, gradients_);
  EXPECT_NEAR(moved(a_), 0.01, 1e-6);
  EXPECT_EQ(moved(b_), 0);
}

TEST_F(AdamOnTwo, LeavesFrozenWeightsAndBuffersAloneAndOutOfTheNorm) {
  weights_.info(b_).role = Role::frozen;
  Adam<double> adam(weights_, {.rate = 0.01, .l2 = 0.1});
  EXPECT_DOUBLE_EQ(adam.step(weights_, gradients_), 0.5);
  EXPECT_EQ(moved(b_), 0);
}

TEST_F(AdamOnTwo, ContinuesFromARestoredState) {
  Adam<double> adam(weights_, {.rate = 0.01});
  adam.step(weights_, gradients_);
  Weights<double> copy = weights_;
  Adam<double> resumed(copy, {.rate = 0.01});
  resumed.restore(adam.state());
  for (int s = 0; s < 3; ++s) {
    adam.step(weights_, gradients_);
    resumed.step(copy, gradients_);
  }
  EXPECT_TRUE(std::ranges::equal(weights_.values(), copy.values()));
}

TEST(Schedules, StepFallsByTheFactorEveryPeriod) {
  EXPECT_EQ(step_schedule(0, 100, 0.5), 1);
  EXPECT_EQ(step_schedule(99, 100, 0.5), 1);
  EXPECT_EQ(step_schedule(100, 100, 0.5), 0.5);
  EXPECT_EQ(step_schedule(399, 100, 0.5), 0.125);
  EXPECT_EQ(step_schedule(1000, 0, 0.5), 1);
}

TEST(Schedules, CosineRisesDuringWarmUpAndFallsToZero) {
  EXPECT_EQ(cosine_schedule(0, 50, 500), 0);
  EXPECT_DOUBLE_EQ(cosine_schedule(25, 50, 500), 0.5);
  EXPECT_DOUBLE_EQ(cosine_schedule(50, 50, 500), 1);
  EXPECT_NEAR(cosine_schedule(275, 50, 500), 0.5, 1e-15);
  EXPECT_LT(cosine_schedule(499, 50, 500), 1e-4);
  EXPECT_EQ(cosine_schedule(500, 50, 500), 0);
  EXPECT_EQ(cosine_schedule(1000, 50, 500), 0);
  EXPECT_EQ(cosine_schedule(0, 0, 10), 1);
  EXPECT_EQ(cosine_schedule(5, 5, 5), 0);
}

}  // namespace
}  // namespace rayleigh::nn::test
