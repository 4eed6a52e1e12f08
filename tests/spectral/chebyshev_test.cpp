#include "rayleigh/spectral/chebyshev.h"

#include <numbers>

#include "rayleigh/error.h"
#include "rayleigh/spectral/spectrum.h"
#include "rayleigh/spectral/wavelets.h"

#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

constexpr LaplacianOptions kFilter{LaplacianKind::normalised, IsolatedNode::one, EdgeWeight::one};

std::vector<KernelFamily> families() {
  return {KernelFamily::mexican_hat, KernelFamily::heat, KernelFamily::beta, KernelFamily::meyer};
}

/// U g(Λ) U'x.
std::vector<double> exact_filter(const Laplacian& L, const Kernel& kernel,
                                 const std::vector<double>& x) {
  const auto decomposition = eigen_decomposition(L);
  const auto transformed = decomposition.transform(x);
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double factor = kernel.g(std::max(0.0, decomposition.values()[k])) * transformed[k];
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] += factor * decomposition.vector(k)[i];
    }
  }
  return y;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

/// The largest distance between a kernel and its truncated series on [0, 2].
double uniform_error(const Kernel& kernel, std::size_t order) {
  const auto c = chebyshev_coefficients(kernel, order);
  double worst = 0;
  for (int step = 0; step <= 1000; ++step) {
    const double lambda = step / 500.0;
    worst = std::max(worst, std::abs(evaluate_series(c, lambda) - kernel.g(lambda)));
  }
  return worst;
}

TEST(ChebyshevLemma, SmoothKernelsConvergeGeometrically) {
  for (const KernelFamily family : {KernelFamily::mexican_hat, KernelFamily::heat}) {
    for (const Kernel& kernel : wavelet_bank({family, 4, {}})) {
      EXPECT_LT(uniform_error(kernel, 12), 1e-5) << kernel.name;
      EXPECT_LT(uniform_error(kernel, 24), 1e-12) << kernel.name;
    }
  }
}

TEST(ChebyshevLemma, BetaKernelsAreExactFromTheirDegreeOn) {
  for (const std::size_t q : {1U, 2U, 4U, 7U}) {
    for (const Kernel& kernel : wavelet_bank({KernelFamily::beta, q, {}})) {
      EXPECT_LT(uniform_error(kernel, q - 1), 1e-12) << kernel.name << " of " << q;
    }
  }
}

/// Three derivatives are continuous at the knots and the fourth jumps: at least the fourth power.
TEST(ChebyshevLemma, MeyerKernelsConvergeWithTheFourthPower) {
  for (const Kernel& kernel : wavelet_bank({KernelFamily::meyer, 4, {}})) {
    const double coarse = uniform_error(kernel, 100);
    const double fine = uniform_error(kernel, 200);
    EXPECT_LT(fine, std::max(coarse / 12, 1e-12)) << kernel.name;
    EXPECT_LT(fine, 1e-5) << kernel.name;
  }
}

RC_GTEST_PROP(ChebyshevLemma, TruncatedSeriesComesAsNearAsTheKernelsUniformError,
              (const TestGraph& graph)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, kFilter);
  const auto x = *signal_of(graph.nodes());
  const auto family = *rc::gen::elementOf(families());
  const auto order = *rc::gen::elementOf(std::vector<std::size_t>{6, 12, 24, 48});
  for (const Kernel& kernel : wavelet_bank({family, 3, {}})) {
    const auto c = chebyshev_coefficients(kernel, order);
    const auto y = apply_series(L, c, std::span<const double>(x));
    double worst = 0;
    for (const double lambda : eigenvalues(L)) {
      worst =
          std::max(worst, std::abs(evaluate_series(c, lambda) - kernel.g(std::max(0.0, lambda))));
    }
    RC_ASSERT(distance(y, exact_filter(L, kernel, x)) <= (worst + 1e-11) * (norm(x) + 1e-3));
  }
}

RC_GTEST_PROP(ChebyshevBasis, OnAnyIntervalEqualsCosineOfTheAngle,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto x = *signal_of(graph.nodes());
  const double lambda_n = std::max(1.0, L.eigenvalue_bound());
  const auto basis = chebyshev_basis(L, std::span<const double>(x), 9, lambda_n);
  for (std::size_t k = 0; k <= 9; ++k) {
    const Kernel cosine{"T_k", [=](double lambda) {
                          const double t = std::clamp(2 * lambda / lambda_n - 1, -1.0, 1.0);
                          return std::cos(static_cast<double>(k) * std::acos(t));
                        }};
    const auto begin = basis.begin() + static_cast<std::ptrdiff_t>(k * x.size());
    const std::vector<double> ours(begin, begin + static_cast<std::ptrdiff_t>(x.size()));
    RC_ASSERT(distance(ours, exact_filter(L, cosine, x)) <= 1e-7 * (1 + norm(x)));
  }
}

TEST(ChebyshevCoefficients, OfAChebyshevPolynomialAreOne) {
  const Kernel third{"T_3", [](double lambda) {
                       const double t = lambda / 2.5 - 1;
                       return 4 * t * t * t - 3 * t;
                     }};
  const auto c = chebyshev_coefficients(third, 8, 5);
  for (std::size_t k = 0; k < c.size(); ++k) {
    EXPECT_NEAR(c[k], k == 3 ? 1 : 0, 1e-13);
  }
}

/// |λ - 1| on [0, 2] is |cos θ|: c_2k = (4/π) (-1)^(k+1) / (4k² - 1).
TEST(ChebyshevCoefficients, OfAKernelWithAKnotAreExactWhenTheKnotIsNamed) {
  const Kernel corner{"|λ - 1|", [](double lambda) { return std::abs(lambda - 1); }, {1.0}};
  const auto c = chebyshev_coefficients(corner, 40);
  for (std::size_t k = 0; k <= 20; ++k) {
    const auto m = static_cast<double>(k);
    const double expected = 4 / std::numbers::pi * (k % 2 == 0 ? -1 : 1) / (4 * m * m - 1);
    EXPECT_NEAR(c[2 * k], expected, 1e-12);
    if (2 * k + 1 < c.size()) {
      EXPECT_NEAR(c[2 * k + 1], 0, 1e-12);
    }
  }
}

TEST(ChebyshevCoefficients, OfHighOrderAndSharpKernelsStayAccurate) {
  // exp(-s(1 + cos θ)) has c_k = 2 (-1)^k e^-s I_k(s).
  for (const double s : {1.0, 30.0, 400.0}) {
    const Kernel sharp{"exp", [s](double lambda) { return std::exp(-s * lambda); }};
    const auto c = chebyshev_coefficients(sharp, 300);
    for (const std::size_t k : {0U, 1U, 5U, 40U}) {
      const double sign = k % 2 == 0 ? 1 : -1;
      const double expected =
          2 * sign * std::exp(-s) * std::cyl_bessel_i(static_cast<double>(k), s);
      EXPECT_NEAR(c[k], expected, 1e-11) << s << " order " << k;
    }
    EXPECT_NEAR(c[300], 0, 1e-12);
  }
}

TEST(ChebyshevCoefficients, OfAKernelThatIsNotSmoothOrNotFiniteAreRefused) {
  const Kernel hidden{"hidden step", [](double lambda) { return lambda < 0.777 ? 0.0 : 1.0; }};
  EXPECT_THROW(chebyshev_coefficients(hidden, 5), Error);
  const Kernel pole{"pole", [](double lambda) { return lambda > 1 ? NAN : 1.0; }};
  EXPECT_THROW(chebyshev_coefficients(pole, 5), Error);
}

TEST(WaveletBank, MeyerIsATightFrame) {
  for (const std::size_t q : {1U, 2U, 3U, 4U, 6U}) {
    const auto bank = wavelet_bank({KernelFamily::meyer, q, {}});
    for (int step = 0; step <= 400; ++step) {
      double sum = 0;
      for (const Kernel& kernel : bank) {
        sum += kernel.g(step / 200.0) * kernel.g(step / 200.0);
      }
      EXPECT_NEAR(sum, 1, 1e-12) << q << " wavelets at " << step / 200.0;
    }
  }
}

TEST(WaveletBank, MexicanHatPeaksAtTwoOneAndOneHalf) {
  const auto bank = wavelet_bank({});
  ASSERT_EQ(bank.size(), 4U);
  EXPECT_DOUBLE_EQ(bank[0].g(1), std::exp(-1));
  EXPECT_DOUBLE_EQ(bank[1].g(2), 1);
  EXPECT_DOUBLE_EQ(bank[2].g(1), 1);
  EXPECT_DOUBLE_EQ(bank[3].g(0.5), 1);
}

TEST(WaveletBank, BetaKernelsIntegrateToOne) {
  for (const Kernel& kernel : wavelet_bank({KernelFamily::beta, 5, {}})) {
    double sum = 0;
    for (int step = 0; step < 20000; ++step) {
      sum += kernel.g((step + 0.5) / 10000) / 10000;
    }
    EXPECT_NEAR(sum, 1, 1e-7) << kernel.name;
  }
}

TEST(WaveletBank, WrongOptionsAreUsageErrors) {
  EXPECT_THROW(wavelet_bank({KernelFamily::heat, 0, {}}), UsageError);
  EXPECT_THROW(wavelet_bank({KernelFamily::heat, 3, {1, 2}}), UsageError);
  EXPECT_THROW(wavelet_bank({KernelFamily::mexican_hat, 3, {1, -2}}), UsageError);
  EXPECT_THROW(wavelet_bank({KernelFamily::mexican_hat, 3, {1, INFINITY}}), UsageError);
  EXPECT_THROW(wavelet_bank({KernelFamily::beta, 3, {1}}), UsageError);
  EXPECT_EQ(wavelet_bank({KernelFamily::meyer, 3, {1, 2}}).size(), 3U) << "one of them low-pass";
}

}  // namespace
}  // namespace rayleigh::spectral::test
