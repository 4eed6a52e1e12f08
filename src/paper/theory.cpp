#include "paper/theory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

#include "rayleigh/spectral/chebyshev.h"
#include "rayleigh/spectral/energy.h"
#include "rayleigh/spectral/laplacian.h"
#include "rayleigh/spectral/rayleigh_quotient.h"
#include "rayleigh/spectral/spectrum.h"
#include "rayleigh/spectral/wavelets.h"

#include "core/random.h"

namespace rayleigh::paper {
namespace {

using spectral::chebyshev_coefficients;
using spectral::eigen_decomposition;
using spectral::EigenDecomposition;
using spectral::eigenvalues;
using spectral::Kernel;
using spectral::KernelFamily;
using spectral::Laplacian;
using spectral::rayleigh_quotient;
using spectral::spectral_energy;
using spectral::symmetric_eigenvalues;
using spectral::wavelet_bank;

using Vector = std::vector<double>;

constexpr std::size_t kLeastNodes = 3;
constexpr std::size_t kMostNodes = 60;

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += x[i] * y[i];
  }
  return sum;
}

Vector plus(Vector x, double factor, const Vector& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += factor * y[i];
  }
  return x;
}

Vector scaled(Vector x, double factor) {
  for (double& value : x) {
    value *= factor;
  }
  return x;
}

Vector times(const Laplacian& L, const Vector& x) {
  Vector y(x.size());
  L.apply(x, y);
  return y;
}

double quotient(const Laplacian& L, const Vector& x) {
  return rayleigh_quotient(L, std::span<const double>(x)).value_or(0);
}

/// A graph with what all claims need of it, and random numbers of its own.
class Case {
 public:
  Case(const GraphSet& graphs, std::size_t graph, std::uint64_t seed)
      : L(graphs, graph),
        n(L.nodes()),
        random(core::RandomStream(seed, "theory").at(graph)),
        x(unit()) {}

  /// Uniform on the sphere, by normal deviates.
  Vector unit() {
    Vector out(n);
    for (double& value : out) {
      value = std::sqrt(-2 * std::log(1 - random.uniform())) *
              std::cos(2 * std::numbers::pi * random.uniform());
    }
    return scaled(out, 1 / std::sqrt(dot(out, out)));
  }

  Vector symmetric() {
    Vector matrix(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        matrix[i * n + j] = matrix[j * n + i] = 2 * random.uniform() - 1;
      }
    }
    return matrix;
  }

  Laplacian L;
  std::size_t n;
  core::Generator random;
  Vector x;  ///< a random signal of length 1
};

void take(TheoryMargin& margin, double value) {
  // What is not a number stays.
  if (margin.cases == 0 || !(value <= margin.worst || std::isnan(margin.worst))) {
    margin.worst = value;
  }
  ++margin.cases;
}

/// Changes of the quotient and of every eigenvalue against ‖Δ‖.
void theorem_1(Case& c, TheoryMargin& of_quotient, TheoryMargin& of_eigenvalues) {
  const Vector delta = c.symmetric();
  const Vector of_delta = symmetric_eigenvalues(delta, c.n);
  const double norm = std::max(std::abs(of_delta.front()), std::abs(of_delta.back()));
  const Vector changed = plus(c.L.dense(), 1, delta);
  double form = 0;  // x'(L + Δ)x, and x has length 1
  for (std::size_t i = 0; i < c.n; ++i) {
    for (std::size_t j = 0; j < c.n; ++j) {
      form += c.x[i] * changed[i * c.n + j] * c.x[j];
    }
  }
  take(of_quotient, std::abs(form - quotient(c.L, c.x)) / norm);
  const Vector before = eigenvalues(c.L);
  const Vector after = symmetric_eigenvalues(changed, c.n);
  double most = 0;
  for (std::size_t k = 0; k < c.n; ++k) {
    most = std::max(most, std::abs(after[k] - before[k]));
  }
  take(of_eigenvalues, most / norm);
}

/// Extreme quotients of a random subspace: eigenvalues of Q'LQ.
std::pair<double, double> extreme_quotients(Case& c, std::size_t dimension) {
  std::vector<Vector> basis;
  while (basis.size() < dimension) {
    Vector q = c.unit();
    for (int round = 0; round < 2; ++round) {
      for (const Vector& other : basis) {
        const double part = dot(q, other);
        q = plus(std::move(q), -part, other);
      }
    }
    const double length = std::sqrt(dot(q, q));
    if (length > 1e-6) {
      basis.push_back(scaled(std::move(q), 1 / length));
    }
  }
  Vector projected(dimension * dimension);
  for (std::size_t a = 0; a < dimension; ++a) {
    const Vector Lq = times(c.L, basis[a]);
    for (std::size_t b = 0; b <= a; ++b) {
      projected[a * dimension + b] = projected[b * dimension + a] = dot(basis[b], Lq);
    }
  }
  const Vector values = symmetric_eigenvalues(projected, dimension);
  return {values.front(), values.back()};
}

void courant_fischer(Case& c, TheoryMargin& margin) {
  const Vector values = eigenvalues(c.L);
  const std::size_t k = 1 + c.random.below(static_cast<std::uint32_t>(c.n));
  take(margin, extreme_quotients(c, c.n - k + 1).first - values[k - 1]);
  take(margin, values[k - 1] - extreme_quotients(c, k).second);
}

/// [2x'(L - ρ)δ + δ'(L - ρ)δ] / |x + δ|².
double exact_change(const Case& c, const Vector& delta) {
  const double rho = quotient(c.L, c.x);
  const Vector residual = plus(times(c.L, c.x), -rho, c.x);
  const Vector moved = plus(c.x, 1, delta);
  return (2 * dot(residual, delta) + dot(delta, times(c.L, delta)) - rho * dot(delta, delta)) /
         dot(moved, moved);
}

struct SecondTheorem {
  TheoryMargin identity{.claim = "Theorem 2, exactly",
                        .measure = "|change − [2x'(L−ρ)δ + δ'(L−ρ)δ]/|x+δ|²|, |δ| = 0.25",
                        .bound = 1e-12};
  TheoryMargin halved{.claim = "Theorem 2, first order, δ ⟂ x",
                      .measure = "|error(δ/2) / error(δ) − 1/4|, |δ| = 0.001",
                      .bound = 0.03,
                      .note = "the error of 2x'Lδ is of second order: halve δ and it quarters"};
  std::size_t general = 0;
  std::size_t failures = 0;

  void take_case(Case& c) {
    const Vector delta = scaled(c.unit(), 0.25);
    const double change = quotient(c.L, plus(c.x, 1, delta)) - quotient(c.L, c.x);
    take(identity, std::abs(change - exact_change(c, delta)));
    first_order(c);
    const Vector small = scaled(c.unit(), 1e-3);
    ++general;
    if (std::abs(exact_change(c, small)) > std::abs(2 * dot(times(c.L, c.x), small))) {
      ++failures;
    }
  }

  void first_order(Case& c) {
    Vector direction = c.unit();
    const double part = dot(direction, c.x);
    direction = plus(std::move(direction), -part, c.x);
    const double length = std::sqrt(dot(direction, direction));
    if (length < 0.01) {
      return;
    }
    direction = scaled(std::move(direction), 1 / length);
    const Vector Lx = times(c.L, c.x);
    const auto error = [&](double size) {
      const Vector delta = scaled(direction, size);
      return std::abs(exact_change(c, delta) - 2 * dot(Lx, delta));
    };
    const double curvature = std::abs(dot(direction, times(c.L, direction)) - quotient(c.L, c.x));
    if (curvature > 0.1) {  // otherwise there is no second order to see
      take(halved, std::abs(error(5e-4) / error(1e-3) - 0.25));
    }
  }

  TheoryMargin of_general() const {
    return {.claim = "Theorem 2, first order, any δ",
            .measure = "share of cases with |change| > 2|x'Lδ|, |δ| = 0.001",
            .cases = general,
            .worst = static_cast<double>(failures) /
                     static_cast<double>(std::max<std::size_t>(general, 1)),
            .bound = 0,
            .note = "the paper's form needs δ ⟂ x: it fails where x'Lδ is small and x'δ is not"};
  }
};

void proposition_1(const Case& c, TheoryMargin& margin) {
  const auto decomposition = eigen_decomposition(c.L);
  const double integral = spectral_energy(decomposition, c.x).high_frequency_integral();
  take(margin, std::abs(integral - quotient(c.L, c.x)));
}

/// η(n) = 1 + β η(n − 1), and the mean number of distinct ones among n draws of N.
void proposition_2(std::uint64_t seed, std::vector<TheoryMargin>& margins) {
  TheoryMargin recursion{.claim = "Proposition 2, recursion",
                         .measure = "relative error of (1−βⁿ)/(1−β)",
                         .bound = 1e-12};
  for (const double beta : {0.9, 0.99, 0.999, 0.9999}) {
    double eta = 0;
    for (int n = 1; n <= 5000; ++n) {
      eta = 1 + beta * eta;
      take(recursion, std::abs(eta - (1 - std::pow(beta, n)) / (1 - beta)) / eta);
    }
  }
  margins.push_back(recursion);
  TheoryMargin drawn{.claim = "Proposition 2, by draws",
                     .measure = "|mean distinct of n draws of N − η(n)| in standard errors",
                     .bound = 4,
                     .note = "β = (N − 1)/N; 2,000 trials each"};
  std::uint64_t index = 0;
  for (const std::uint32_t total : {10U, 100U, 1000U}) {
    for (const std::uint32_t n : {5U, 50U, 500U}) {
      constexpr int kTrials = 2000;
      auto random = core::RandomStream(seed, "effective number").at(index++);
      double sum = 0;
      double squares = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::set<std::uint32_t> seen;
        for (std::uint32_t i = 0; i < n; ++i) {
          seen.insert(random.below(total));
        }
        const auto count = static_cast<double>(seen.size());
        sum += count;
        squares += count * count;
      }
      const double mean = sum / kTrials;
      const double beta = (total - 1.0) / total;
      const double eta = (1 - std::pow(beta, n)) / (1 - beta);
      const double variance = std::max(squares / kTrials - mean * mean, 0.0);
      // All are drawn in nearly every trial: the formula is short of that by less than can be seen.
      const double error = std::max(std::sqrt(variance / kTrials), 1e-3);
      take(drawn, std::abs(mean - eta) / error);
    }
  }
  margins.push_back(drawn);
}

/// |series(L) x − U g(Λ) U'x| over graphs, and how it falls when the order doubles.
class ChebyshevLemma {
 public:
  ChebyshevLemma() {
    for (const auto& [name, family] : std::initializer_list<std::pair<const char*, KernelFamily>>{
             {"Mexican hat", KernelFamily::mexican_hat},
             {"heat", KernelFamily::heat},
             {"beta", KernelFamily::beta},
             {"Meyer", KernelFamily::meyer}}) {
      Family& one = families_.emplace_back();
      one.name = name;
      for (const Kernel& kernel : wavelet_bank({.family = family, .wavelets = 4, .scales = {}})) {
        Wavelet& wavelet = one.wavelets.emplace_back();
        wavelet.kernel = kernel;
        for (const std::size_t order : kOrders) {
          wavelet.coefficients.push_back(chebyshev_coefficients(kernel, order));
        }
      }
    }
  }

  void take_case(const Case& c) {
    const auto decomposition = eigen_decomposition(c.L);
    for (Family& family : families_) {
      for (const Wavelet& wavelet : family.wavelets) {
        ++family.cases;
        const Vector exact = filtered(decomposition, wavelet.kernel, c.x);
        for (std::size_t i = 0; i < kOrders.size(); ++i) {
          const Vector difference =
              plus(apply_series<double>(c.L, wavelet.coefficients[i], c.x), -1, exact);
          family.errors[i] = std::max(family.errors[i], std::sqrt(dot(difference, difference)));
        }
      }
    }
  }

  void add_to(std::vector<TheoryMargin>& margins) const {
    for (const Family& family : families_) {
      TheoryMargin margin{.claim = fmt::format("Chebyshev lemma, {}", family.name),
                          .measure = "largest |series(L)x − Ug(Λ)U'x|, order 48 over order 6",
                          .cases = family.cases,
                          .bound = 1e-2};
      for (std::size_t i = 0; i < kOrders.size(); ++i) {
        margin.note +=
            fmt::format("{}{}: {:.1e}", i == 0 ? "order " : ", ", kOrders[i], family.errors[i]);
      }
      // A polynomial of low degree is exact from the start.
      margin.worst =
          family.errors.front() > 1e-13 ? family.errors.back() / family.errors.front() : 0;
      margins.push_back(std::move(margin));
    }
  }

 private:
  static constexpr std::array<std::size_t, 4> kOrders{6, 12, 24, 48};
  struct Wavelet {
    Kernel kernel;
    std::vector<Vector> coefficients;  ///< an order
  };
  struct Family {
    std::string name;
    std::vector<Wavelet> wavelets;
    std::size_t cases = 0;
    std::array<double, kOrders.size()> errors{};
  };

  static Vector filtered(const EigenDecomposition& decomposition, const Kernel& kernel,
                         const Vector& x) {
    Vector out(x.size(), 0.0);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const auto eigenvector = decomposition.vector(k);
      const Vector u(eigenvector.begin(), eigenvector.end());
      out = plus(std::move(out), kernel.g(decomposition.values()[k]) * dot(u, x), u);
    }
    return out;
  }

  std::vector<Family> families_;
};

}  // namespace

std::vector<TheoryMargin> measure_theory(const GraphSet& graphs, const TheoryOptions& options) {
  TheoryMargin of_quotient{
      .claim = "Theorem 1, quotient", .measure = "|RQ(L+Δ) − RQ(L)| / ‖Δ‖", .bound = 1};
  TheoryMargin of_eigenvalues{
      .claim = "Theorem 1, Weyl", .measure = "max |λ(L+Δ) − λ(L)| / ‖Δ‖", .bound = 1 + 1e-12};
  TheoryMargin subspaces{.claim = "Courant-Fischer",
                         .measure = "by how much a random subspace beats λ_k",
                         .bound = 1e-12};
  TheoryMargin integral{
      .claim = "Proposition 1", .measure = "|∫E(t)dt − x'Lx/x'x|", .bound = 1e-12};
  SecondTheorem second;
  ChebyshevLemma lemma;
  std::size_t used = 0;
  for (std::size_t g = 0; g < graphs.size() && used < options.most_graphs; ++g) {
    const std::size_t nodes = graphs[g].nodes();
    if (nodes < kLeastNodes || nodes > kMostNodes) {
      continue;
    }
    ++used;
    Case c(graphs, g, options.seed);
    theorem_1(c, of_quotient, of_eigenvalues);
    courant_fischer(c, subspaces);
    second.take_case(c);
    proposition_1(c, integral);
    lemma.take_case(c);
  }
  std::vector<TheoryMargin> margins{of_quotient,   of_eigenvalues,      subspaces, second.identity,
                                    second.halved, second.of_general(), integral};
  proposition_2(options.seed, margins);
  lemma.add_to(margins);
  return margins;
}

}  // namespace rayleigh::paper
