// What the nn tests share: the instruction sets of this machine, golden files, comparisons.
// Include from any test of this folder.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "core/isa.h"
#include "io/safetensors.h"
#include "operator_case.h"
#include "support.h"

namespace rayleigh::nn::test {

/// Those this machine can run.
inline std::vector<core::Isa> all_isas() {
  std::vector<core::Isa> all;
  for (const core::Isa isa : {core::Isa::baseline, core::Isa::avx2, core::Isa::avx512}) {
    if (isa <= core::best_isa()) {
      all.push_back(isa);
    }
  }
  return all;
}

inline io::Safetensors read_golden(const std::string& name) {
  return io::Safetensors::read(rayleigh::test::shared_folder() / "golden" /
                               (name + ".safetensors"));
}

template <typename Real>
constexpr double rounding(double single, double twice) {
  return sizeof(Real) == sizeof(float) ? single : twice;
}

template <typename Real>
double largest(std::span<const Real> numbers) {
  double most = 0;
  for (const Real x : numbers) {
    most = std::max(most, std::abs(static_cast<double>(x)));
  }
  return most;
}

/// Norm-wise: max |a - b| against tolerance * max |b|, which counts as `least` where it is smaller.
/// Numbers that are not finite never agree.
template <typename A, typename B>
::testing::AssertionResult close(std::span<const A> a, std::span<const B> b, double tolerance,
                                 double least = 1e-3) {
  if (a.size() != b.size()) {
    return ::testing::AssertionFailure() << a.size() << " numbers instead of " << b.size();
  }
  const double allowed = tolerance * std::max(largest(b), least);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= allowed)) {
      return ::testing::AssertionFailure()
             << "at " << i << ": " << a[i] << " instead of " << b[i] << ", allowed " << allowed;
    }
  }
  return ::testing::AssertionSuccess();
}

/// Cases of a table's operator that tests run.
template <typename Real, typename Work>
void for_test_cases(const Operator<Real>& entry, Work work) {
  for (const Case<Real>& operation : entry.cases()) {
    if (operation.purpose == Purpose::test) {
      SCOPED_TRACE(entry.name + " " + operation.shape);
      work(operation);
    }
  }
}

/// Weights of the functional whose gradients are tested.
template <typename Real>
std::vector<Real> functional(std::size_t count) {
  return draw_numbers<Real>(count, 1000, Draw::away_from_zero);
}

}  // namespace rayleigh::nn::test
