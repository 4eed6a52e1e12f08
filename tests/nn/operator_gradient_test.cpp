#include "nn_support.h"
#include "operator_table.h"

namespace rayleigh::nn::test {
namespace {

constexpr std::size_t kMostEntries = 60;  ///< of an input that are tried

double weighted_sum(Matrix<const double> out, const std::vector<double>& weight) {
  double sum = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    sum += weight[i] * out.data[i];
  }
  return sum;
}

/// All entries of a small input, else some at random.
std::vector<std::size_t> entries_to_try(std::size_t size) {
  std::vector<std::size_t> entries(std::min(size, kMostEntries));
  core::Generator generator = core::RandomStream(11, "finite differences").at(size);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = size <= kMostEntries ? i : generator.below(static_cast<std::uint32_t>(size));
  }
  return entries;
}

double central_difference(CaseRun<double>& run, const std::vector<double>& weight,
                          std::size_t input, std::size_t entry, double step) {
  double& x = run.value(input).data[entry];
  const double kept = x;
  x = kept + step;
  const double above = weighted_sum(run.forward(), weight);
  x = kept - step;
  const double below = weighted_sum(run.forward(), weight);
  x = kept;
  return (above - below) / (2 * step);
}

/// Of thousands of activations a few lie closer to their kink than the usual step; then a step that
/// is a hundred times smaller must do.
double nearest_difference(CaseRun<double>& run, const std::vector<double>& weight,
                          std::size_t input, std::size_t entry, double gradient, double allowed) {
  const double difference = central_difference(run, weight, input, entry, 1e-5);
  return std::abs(difference - gradient) <= allowed
             ? difference
             : central_difference(run, weight, input, entry, 1e-7);
}

class OperatorGradient : public ::testing::TestWithParam<std::size_t> {};

TEST_P(OperatorGradient, EqualsCentralDifferences) {
  core::ThreadPool pool(1);
  for_test_cases(operator_table<double>()[GetParam()], [&](const Case<double>& operation) {
    CaseRun<double> run(operation, pool);
    const auto weight = functional<double>(run.forward().size());
    run.backward(weight);
    std::vector<std::vector<double>> gradients;
    gradients.reserve(run.inputs());
    for (std::size_t k = 0; k < run.inputs(); ++k) {
      const auto flat = run.gradient(k).flat();
      gradients.emplace_back(flat.begin(), flat.end());
    }
    for (std::size_t k = 0; k < run.inputs(); ++k) {
      if (!run.trained(k)) {
        continue;
      }
      const std::span<const double> gradient = gradients[k];
      const double allowed = 1e-6 * std::max(1e-2, largest(gradient));
      for (const std::size_t i : entries_to_try(gradient.size())) {
        EXPECT_NEAR(gradient[i], nearest_difference(run, weight, k, i, gradient[i], allowed),
                    allowed)
            << "input " << k << " entry " << i;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorGradient,
                         ::testing::Range(std::size_t{0}, operator_table<double>().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& entry) {
                           return operator_table<double>()[entry.param].name;
                         });

}  // namespace
}  // namespace rayleigh::nn::test
