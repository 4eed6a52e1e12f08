#include <limits>

#include "nn/ops_loss.h"
#include "nn_support.h"

namespace rayleigh::nn::test {
namespace {

enum class Form { sigmoid, softmax };

template <typename Real>
struct LossResult {
  double loss;
  std::vector<Real> gradient;
};

template <typename Real>
LossResult<Real> run_loss(Form form, const std::vector<Real>& logits,
                          const std::vector<float>& labels, FocalOptions options) {
  core::ThreadPool pool(1);
  Tape<Real> tape(pool);
  Weights<Real> weights;
  const WeightId id = weights.add("logits", labels.size(), 2);
  weights.allocate();
  std::ranges::copy(logits, weights.value(id).data);
  Gradients<Real> gradients(weights);
  tape.start_training(weights, gradients);
  const Value z = tape.weight(weights, id);
  const Value loss = form == Form::sigmoid ? focal_sigmoid(tape, z, labels, options)
                                           : focal_softmax(tape, z, labels, options);
  tape.backward(loss);
  const auto gradient = gradients.of(weights.info(id)).flat();
  return {static_cast<double>(tape.value(loss)(0, 0)), {gradient.begin(), gradient.end()}};
}

double number(const io::Safetensors& golden, const std::string& name) {
  return golden.info(name).dtype == io::DType::f32 ? static_cast<double>(golden.value<float>(name))
                                                   : golden.value<double>(name);
}

TEST(GoldenClassBalancedLoss, LossAndGradientAgree) {
  RAYLEIGH_NEEDS_SHARED("golden/cbloss.safetensors");
  const io::Safetensors golden = read_golden("cbloss");
  const auto logits = golden.values<float>("logits");
  const std::vector<double> logits_in_double(logits.begin(), logits.end());
  std::vector<float> labels;
  for (const std::int64_t label : golden.values<std::int64_t>("label")) {
    labels.push_back(static_cast<float>(label));
  }
  for (const std::string set : {"set0", "set1", "set2", "set3", "set4"}) {
    SCOPED_TRACE(set);
    const auto s = golden.values<double>(set + "/settings");
    const FocalOptions options{
        .weight = class_balanced_weights(
            {static_cast<std::size_t>(s[0]), static_cast<std::size_t>(s[1])}, s[2]),
        .gamma = s[3]};
    const auto single = run_loss<float>(Form::sigmoid, logits, labels, options);
    const double loss = number(golden, set + "/loss");
    EXPECT_NEAR(single.loss, loss, 1e-5 * loss);
    const auto gradient = golden.values<float>(set + "/grad");
    EXPECT_TRUE(
        close(std::span<const float>(single.gradient), std::span<const float>(gradient), 1e-5));
    // Weights pass through single precision in the original.
    const auto twice = run_loss<double>(Form::sigmoid, logits_in_double, labels, options);
    const double loss_in_double = number(golden, "f64_" + set + "/loss");
    EXPECT_NEAR(twice.loss, loss_in_double, 1e-6 * loss_in_double);
    const auto gradient_in_double = golden.values<double>("f64_" + set + "/grad");
    EXPECT_TRUE(close(std::span<const double>(twice.gradient),
                      std::span<const double>(gradient_in_double), 1e-6));
  }
}

TEST(ClassBalancedWeights, SumToTwoAndFavourTheRareClass) {
  const auto [normal, anomaly] = class_balanced_weights({17833, 1605}, 0.999);
  EXPECT_NEAR(normal + anomaly, 2, 1e-15);
  EXPECT_NEAR(normal, 0.888, 5e-4);
  EXPECT_NEAR(anomaly, 1.112, 5e-4);
}

TEST(ClassBalancedWeights, GoWithOneOverTheExpectedNumber) {
  constexpr double kBeta = 0.99;
  const auto expected_number = [](std::size_t n) {
    double eta = 0;
    for (std::size_t i = 0; i < n; ++i) {
      eta = 1 + kBeta * eta;  // Proposition 2
    }
    return eta;
  };
  for (const std::size_t anomalous : {1U, 7U, 90U, 2000U}) {
    const auto weights = class_balanced_weights({5000, anomalous}, kBeta);
    EXPECT_NEAR(weights[1] / weights[0], expected_number(5000) / expected_number(anomalous), 1e-9);
  }
}

TEST(ClassBalancedWeights, AreEqualForEqualCounts) {
  EXPECT_EQ(class_balanced_weights({50, 50}, 0.9), (std::array<double, 2>{1, 1}));
}

TEST(ClassBalancedWeights, GiveAClassWithoutMembersNone) {
  EXPECT_EQ(class_balanced_weights({50, 0}, 0.999), (std::array<double, 2>{2, 0}));
  EXPECT_EQ(class_balanced_weights({0, 1}, 0.999), (std::array<double, 2>{0, 2}));
}

TEST(ClassBalancedWeights, TendToInverseCountsAsBetaTendsToOne) {
  const auto [normal, anomaly] = class_balanced_weights({900, 100}, 1 - 1e-12);
  EXPECT_NEAR(anomaly / normal, 9, 1e-6);
}

template <typename Real>
void expect_finite(Form form, double gamma) {
  for (const Real first : {Real{-1000}, Real{0}, Real{1000}}) {
    for (const Real second : {Real{-1000}, Real{0}, Real{1000}}) {
      const auto [loss, gradient] = run_loss<Real>(form, {first, second, first, second}, {0, 1},
                                                   {.weight = {1, 1}, .gamma = gamma});
      EXPECT_TRUE(std::isfinite(loss)) << first << " " << second;
      for (const Real g : gradient) {
        EXPECT_TRUE(std::isfinite(g)) << first << " " << second;
        EXPECT_LE(std::abs(g), Real{2});
      }
    }
  }
}

TEST(FocalLoss, IsFiniteForLogitsOfAThousand) {
  for (const double gamma : {0.0, 1.5}) {
    for (const Form form : {Form::sigmoid, Form::softmax}) {
      expect_finite<float>(form, gamma);
      expect_finite<double>(form, gamma);
    }
  }
}

TEST(FocalLoss, GrowsLinearlyWhereItIsWrongAndVanishesWhereItIsRight) {
  const FocalOptions options{.weight = {1, 1}, .gamma = 2};
  EXPECT_DOUBLE_EQ(run_loss<double>(Form::sigmoid, {-1000, 1000}, {0}, options).loss, 2000);
  EXPECT_DOUBLE_EQ(run_loss<double>(Form::softmax, {-1000, 1000}, {0}, options).loss, 2000);
  EXPECT_DOUBLE_EQ(run_loss<double>(Form::sigmoid, {1000, -1000}, {0}, options).loss, 0);
  EXPECT_DOUBLE_EQ(run_loss<double>(Form::softmax, {1000, -1000}, {0}, options).loss, 0);
}

TEST(FocalSoftmax, WithGammaZeroIsCrossEntropy) {
  const std::vector<double> z = {0.3, -1.2, 2.5, 0.75};
  const auto [loss, gradient] = run_loss<double>(Form::softmax, z, {0, 1}, {});
  double expected = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    const double sum = std::exp(z[2 * g]) + std::exp(z[2 * g + 1]);
    expected -= std::log(std::exp(z[2 * g + g]) / sum) / 2;
    for (std::size_t c = 0; c < 2; ++c) {
      const double p = std::exp(z[2 * g + c]) / sum;
      EXPECT_NEAR(gradient[2 * g + c], (p - (c == g ? 1 : 0)) / 2, 1e-15);
    }
  }
  EXPECT_NEAR(loss, expected, 1e-15);
}

TEST(FocalLoss, IgnoresGraphsOfAClassWithoutWeight) {
  const FocalOptions options{.weight = class_balanced_weights({50, 0}, 0.999), .gamma = 1.5};
  for (const Form form : {Form::sigmoid, Form::softmax}) {
    const auto [loss, gradient] = run_loss<double>(form, {0.5, -0.5, 3, 1}, {1, 1}, options);
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(largest(std::span<const double>(gradient)), 0);
  }
}

TEST(AnomalyProbability, IsTheSoftmaxOfTheSecondLogit) {
  const std::vector<float> z = {0, 0, 1, 3, 1000, -1000, -1000, 1000};
  std::vector<double> p(4);
  anomaly_probability(Matrix<const float>{z.data(), 4, 2}, std::span<double>(p));
  EXPECT_EQ(p[0], 0.5);
  EXPECT_NEAR(p[1], std::exp(3) / (std::exp(1) + std::exp(3)), 1e-15);
  EXPECT_EQ(p[2], 0);
  EXPECT_EQ(p[3], 1);
}

}  // namespace
}  // namespace rayleigh::nn::test
