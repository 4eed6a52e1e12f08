#include "rayleigh/spectral/spectrum.h"

#include <numbers>
#include <numeric>

#include "core/random.h"
#include "spectral/symmetric_eigenvalues.h"
#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

constexpr LaplacianOptions kRegular{LaplacianKind::regular, IsolatedNode::zero, EdgeWeight::one};
constexpr LaplacianOptions kNormalised{};
constexpr LaplacianOptions kFilter{LaplacianKind::normalised, IsolatedNode::one, EdgeWeight::one};

void expect_spectrum(const TestGraph& graph, LaplacianOptions options,
                     std::vector<double> expected) {
  std::ranges::sort(expected);
  const GraphSet set = make_set(graph);
  const auto fast = eigenvalues(Laplacian(set, 0, options));
  const auto decomposition = eigen_decomposition(Laplacian(set, 0, options));
  const Spectra all = spectra(set, options, {.threads = 2});
  ASSERT_EQ(fast.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(fast[k], expected[k], 1e-12 * static_cast<double>(expected.size()));
    EXPECT_NEAR(decomposition.values()[k], expected[k],
                1e-12 * static_cast<double>(expected.size()));
    EXPECT_EQ(all[0][k], fast[k]);
  }
}

std::vector<double> repeated(double value, std::size_t times_over) {
  std::vector<double> values(times_over, value);
  return values;
}

TEST(Spectrum, OfOneNodeIsItsDiagonal) {
  expect_spectrum(unlabelled(1, {}), kRegular, {0});
  expect_spectrum(unlabelled(1, {}), kNormalised, {0});
  expect_spectrum(unlabelled(1, {}), kFilter, {1});
}

TEST(Spectrum, OfAnEdgelessGraphIsConstant) {
  expect_spectrum(unlabelled(7, {}), kRegular, repeated(0, 7));
  expect_spectrum(unlabelled(7, {}), kNormalised, repeated(0, 7));
  expect_spectrum(unlabelled(7, {}), kFilter, repeated(1, 7));
}

TEST(Spectrum, OfAnEdgeIsZeroAndTwo) {
  expect_spectrum(path_graph(2), kRegular, {0, 2});
  expect_spectrum(path_graph(2), kNormalised, {0, 2});
}

TEST(Spectrum, OfADisconnectedGraphIsThatOfItsParts) {
  // A triangle and a path of two, and one isolated node.
  const TestGraph graph = unlabelled(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}});
  expect_spectrum(graph, kRegular, {0, 3, 3, 0, 2, 0});
  expect_spectrum(graph, kNormalised, {0, 1.5, 1.5, 0, 2, 0});
  expect_spectrum(graph, kFilter, {0, 1.5, 1.5, 0, 2, 1});
}

TEST(Spectrum, OfAStarIsKnown) {
  for (const std::uint32_t n : {3U, 4U, 5U, 8U, 33U, 100U}) {
    std::vector<double> regular = repeated(1, n - 2);
    regular.insert(regular.end(), {0, static_cast<double>(n)});
    expect_spectrum(star_graph(n), kRegular, regular);
    std::vector<double> normalised = repeated(1, n - 2);
    normalised.insert(normalised.end(), {0, 2});
    expect_spectrum(star_graph(n), kNormalised, normalised);
  }
}

TEST(Spectrum, OfACompleteGraphIsKnown) {
  for (const std::uint32_t n : {3U, 4U, 5U, 16U, 61U}) {
    std::vector<double> regular = repeated(n, n - 1);
    regular.push_back(0);
    expect_spectrum(complete_graph(n), kRegular, regular);
    std::vector<double> normalised = repeated(n / (n - 1.0), n - 1);
    normalised.push_back(0);
    expect_spectrum(complete_graph(n), kNormalised, normalised);
  }
}

TEST(Spectrum, OfAPathIsKnown) {
  for (const std::uint32_t n : {3U, 4U, 7U, 26U, 120U}) {
    std::vector<double> regular;
    std::vector<double> normalised;
    for (std::uint32_t k = 0; k < n; ++k) {
      regular.push_back(2 - 2 * std::cos(std::numbers::pi * k / n));
      normalised.push_back(1 - std::cos(std::numbers::pi * k / (n - 1)));
    }
    expect_spectrum(path_graph(n), kRegular, regular);
    expect_spectrum(path_graph(n), kNormalised, normalised);
  }
}

RC_GTEST_PROP(Spectrum, OfTheFastSolverEqualsThatOfEigen,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto fast = eigenvalues(L);
  const auto decomposition = eigen_decomposition(L);
  for (std::size_t k = 0; k < fast.size(); ++k) {
    RC_ASSERT(near(fast[k], decomposition.values()[k], 1e-12));
    const auto u = decomposition.vector(k);
    const std::vector<double> vector(u.begin(), u.end());
    const auto Lu = times(L, vector);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      RC_ASSERT(near(Lu[i], decomposition.values()[k] * vector[i], 1e-11));
    }
  }
}

RC_GTEST_PROP(Spectrum, DoesNotDependOnTheOrderOfNodes,
              (const TestGraph& graph, LaplacianOptions options)) {
  std::vector<std::uint32_t> place(graph.nodes());
  std::iota(place.begin(), place.end(), 0U);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  auto random = core::RandomStream(seed, "relabel").at(0);
  random.shuffle(std::span(place));
  TestGraph moved = graph;
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    moved.labels[place[i]] = graph.labels[i];
  }
  for (auto& [a, b] : moved.edges) {
    a = place[a];
    b = place[b];
  }
  const GraphSet before = make_set(graph);
  const GraphSet after = make_set(moved);
  const auto x = eigenvalues(Laplacian(before, 0, options));
  const auto y = eigenvalues(Laplacian(after, 0, options));
  for (std::size_t k = 0; k < x.size(); ++k) {
    RC_ASSERT(near(x[k], y[k], 1e-12));
  }
}

std::vector<TestGraph> some_graphs() {
  std::vector<TestGraph> graphs;
  for (std::uint32_t g = 0; g < 700; ++g) {
    graphs.push_back(g % 3 == 0   ? path_graph(1 + g % 37)
                     : g % 3 == 1 ? star_graph(1 + g % 23)
                                  : complete_graph(1 + g % 11));
  }
  return graphs;
}

TEST(Spectrum, DoesNotDependOnThreadsOrBatch) {
  const GraphSet set = make_set(some_graphs(), 1);
  const Spectra one = spectra(set, {}, {.threads = 1});
  const Spectra three = spectra(set, {}, {.threads = 3});
  EXPECT_EQ(one.values, three.values);
  for (const std::uint32_t g : {0U, 1U, 350U, 699U}) {
    const Spectra alone = spectra(set.subset(std::vector<std::uint32_t>{g}), {}, {.threads = 1});
    ASSERT_EQ(alone[0].size(), one[g].size());
    EXPECT_TRUE(std::ranges::equal(alone[0], one[g])) << g;
  }
}

TEST(Spectrum, AboveTheLimitIsLeftOut) {
  const GraphSet set = make_set({path_graph(5), path_graph(9), path_graph(4)}, 1);
  const Spectra limited = spectra(set, {}, {.threads = 2}, 5);
  EXPECT_EQ(limited[0].size(), 5U);
  EXPECT_TRUE(limited[1].empty());
  EXPECT_EQ(limited[2].size(), 4U);
}

TEST(SymmetricEigenvalues, OfDiagonalZeroAndScaledMatricesAreExact) {
  SymmetricEigenvalues solver;
  for (const double scale : {1e-100, 1.0, 1e100}) {
    const auto matrix = solver.matrix(5);
    for (std::size_t i = 0; i < 5; ++i) {
      matrix[i * solver.stride() + i] = scale * static_cast<double>(5 - i);
    }
    const auto values = solver.compute();
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_DOUBLE_EQ(values[k], scale * static_cast<double>(k + 1));
    }
  }
  solver.matrix(4);
  EXPECT_EQ(solver.compute()[3], 0);
}

/// Order matters to a QL method: in some orders a rotation vanishes to the last bit, and a quotient
/// of two tiny numbers must not become infinite.
TEST(SymmetricEigenvalues, StayFiniteInEveryOrderOfIsolatedNodes) {
  const std::vector<double> expected{1 - 1 / std::sqrt(3.0), 1, 1 + 1 / std::sqrt(3.0), 2};
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::vector<std::uint32_t> place(19);
    std::iota(place.begin(), place.end(), 0U);
    core::RandomStream(seed, "relabel").at(0).shuffle(std::span(place));
    const GraphSet set = make_set(unlabelled(
        19,
        {{place[0], place[1]}, {place[0], place[7]}, {place[4], place[7]}, {place[5], place[7]}}));
    const auto values = eigenvalues(Laplacian(set, 0));
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_NEAR(values[15 + k], expected[k], 1e-13) << seed;
    }
  }
}

RC_GTEST_PROP(SymmetricEigenvalues, KeepTraceAndSquareSum, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  const auto entries = *signal_of(n * n);
  SymmetricEigenvalues solver;
  const auto matrix = solver.matrix(n);
  double trace = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double value = (entries[i * n + j] + entries[j * n + i]) / 2;
      matrix[i * solver.stride() + j] = value;
      trace += i == j ? value : 0;
      squares += value * value;
    }
  }
  for (const double value : solver.compute()) {
    trace -= value;
    squares -= value * value;
  }
  RC_ASSERT(near(trace, 0, 1e-10));
  RC_ASSERT(near(squares, 0, 1e-8));
}

}  // namespace
}  // namespace rayleigh::spectral::test
