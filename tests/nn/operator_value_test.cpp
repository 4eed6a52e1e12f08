#include <cstring>

#include "nn_support.h"
#include "operator_table.h"

namespace rayleigh::nn::test {
namespace {

/// Results and gradients of one run.
template <typename Real>
std::vector<std::vector<Real>> run_once(const Case<Real>& operation, int threads, core::Isa isa) {
  core::ThreadPool pool(threads);
  CaseRun<Real> run(operation, pool, isa);
  const Matrix<const Real> out = run.forward();
  std::vector<std::vector<Real>> all;
  all.reserve(run.inputs() + 1);
  all.emplace_back(out.data, out.data + out.size());
  run.backward(functional<Real>(out.size()));
  for (std::size_t k = 0; k < run.inputs(); ++k) {
    const Matrix<Real> gradient = run.gradient(k);
    all.emplace_back(gradient.data, gradient.data + gradient.size());
  }
  return all;
}

template <typename Real>
void expect_values(const Operator<Real>& entry) {
  for_test_cases(entry, [&](const Case<Real>& operation) {
    core::ThreadPool pool(1);
    Dense expected;
    for (const core::Isa isa : all_isas()) {
      SCOPED_TRACE(core::isa_name(isa));
      CaseRun<Real> run(operation, pool, isa);
      if (expected.data.empty()) {
        expected = operation.reference(run.dense_inputs());
      }
      const Matrix<const Real> out = run.forward();
      EXPECT_EQ(out.rows, expected.rows);
      EXPECT_EQ(out.cols, expected.cols);
      EXPECT_TRUE(close<Real>(std::span<const Real>(out.flat()),
                              std::span<const double>(expected.data), rounding<Real>(1e-5, 1e-13)));
    }
  });
}

template <typename Real>
void expect_same_bits(const Operator<Real>& entry) {
  for_test_cases(entry, [&](const Case<Real>& operation) {
    const auto alone = run_once(operation, 1, core::best_isa());
    for (const int threads : {2, 4}) {
      const auto shared = run_once(operation, threads, core::best_isa());
      for (std::size_t k = 0; k < alone.size(); ++k) {
        ASSERT_EQ(alone[k].size(), shared[k].size());
        EXPECT_TRUE(alone[k].empty() || std::memcmp(alone[k].data(), shared[k].data(),
                                                    alone[k].size() * sizeof(Real)) == 0)
            << threads << " threads, " << (k == 0 ? "result" : "gradient of an input");
      }
    }
  });
}

/// Scoring passes may take another way but not to another result.
template <typename Real>
void expect_same_bits_in_scoring(const Operator<Real>& entry) {
  core::ThreadPool pool(1);
  for_test_cases(entry, [&](const Case<Real>& operation) {
    CaseRun<Real> run(operation, pool);
    const auto trained = run.forward().flat();
    const std::vector<Real> expected(trained.begin(), trained.end());
    EXPECT_TRUE(std::ranges::equal(run.forward(Mode::scoring).flat(), expected));
  });
}

class OperatorValue : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Operator<float>& in_single() const { return operator_table<float>()[GetParam()]; }
  const Operator<double>& in_double() const { return operator_table<double>()[GetParam()]; }
};

TEST_P(OperatorValue, EqualsTheReferenceInSinglePrecisionForEveryIsa) {
  expect_values(in_single());
}

TEST_P(OperatorValue, EqualsTheReferenceInDoublePrecisionForEveryIsa) {
  expect_values(in_double());
}

TEST_P(OperatorValue, AndGradientsHaveTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits(in_single());
  expect_same_bits(in_double());
}

TEST_P(OperatorValue, HasTheSameBitsInScoringPasses) {
  if (in_single().name == "batch_norm" || in_single().name == "dropout") {
    GTEST_SKIP() << "skipped: is meant to depend on the mode";
  }
  expect_same_bits_in_scoring(in_single());
  expect_same_bits_in_scoring(in_double());
}

TEST_P(OperatorValue, HasGradientsInSinglePrecisionThatEqualThoseInDoubleForEveryIsa) {
  const Cases<float> cases = in_single().cases();
  const Cases<double> cases_in_double = in_double().cases();
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Case<float>& operation = cases[c];
    if (operation.purpose != Purpose::test) {
      continue;
    }
    SCOPED_TRACE(in_single().name + " " + operation.shape);
    const auto expected = run_once(cases_in_double[c], 1, core::Isa::baseline);
    for (const core::Isa isa : all_isas()) {
      SCOPED_TRACE(core::isa_name(isa));
      const auto found = run_once(operation, 1, isa);
      const auto in_double_too = run_once(cases_in_double[c], 1, isa);
      for (std::size_t k = 1; k < found.size(); ++k) {
        const std::span<const double> wanted = expected[k];
        // The weights of the functional are about 0.5; gradients far below are all cancellation.
        EXPECT_TRUE(close(std::span<const float>(found[k]), wanted, 1e-4, 0.1))
            << "input " << k - 1;
        EXPECT_TRUE(close(std::span<const double>(in_double_too[k]), wanted, 1e-12))
            << "input " << k - 1;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorValue,
                         ::testing::Range(std::size_t{0}, operator_table<float>().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& entry) {
                           return operator_table<float>()[entry.param].name;
                         });

TEST(OperatorTable, HasAReferenceAndATestForEveryEntry) {
  for (const Operator<float>& entry : operator_table<float>()) {
    std::size_t tests = 0;
    for (const Case<float>& operation : entry.cases()) {
      EXPECT_TRUE(operation.reference) << entry.name;
      tests += operation.purpose == Purpose::test ? 1 : 0;
    }
    EXPECT_GE(tests, 2U) << entry.name;
  }
}

}  // namespace
}  // namespace rayleigh::nn::test
