// Lanczos and the kernel polynomial method against full decompositions, and the profiles over both.
#include "rayleigh/spectral/density.h"
#include "rayleigh/spectral/energy.h"
#include "rayleigh/spectral/lanczos.h"
#include "rayleigh/spectral/profile.h"

#include "core/random.h"
#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

/// A random tree and `extra` further edges.
TestGraph random_connected(std::uint32_t nodes, std::uint32_t extra, std::uint64_t seed) {
  auto random = core::RandomStream(seed, "connected").at(0);
  TestGraph graph = unlabelled(nodes, {});
  std::set<Edge> edges;
  for (std::uint32_t i = 1; i < nodes; ++i) {
    edges.emplace(random.below(i), i);
    graph.labels[i] = random.below(4);
  }
  while (edges.size() < nodes - 1 + extra) {
    const std::uint32_t a = random.below(nodes);
    const std::uint32_t b = random.below(nodes);
    if (a != b) {
      edges.emplace(std::min(a, b), std::max(a, b));
    }
  }
  graph.edges.assign(edges.begin(), edges.end());
  return graph;
}

RC_GTEST_PROP(Lanczos, FindsBothEndsOfSmallGraphsExactly,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto values = eigenvalues(L);
  const ExtremeEigenvalues ends = extreme_eigenvalues(L);
  RC_ASSERT(near(ends.lambda_max, values.back(), 1e-8));
  RC_ASSERT(ends.lambda_2.has_value() == (graph.nodes() > 1));
  if (ends.lambda_2) {
    RC_ASSERT(near(*ends.lambda_2, values[1], 1e-8));
  }
}

TEST(Lanczos, EstimatesLargeGraphsWithinItsStatedError) {
  const GraphSet set = make_set({random_connected(600, 900, 1), random_connected(500, 20, 2)}, 4);
  for (const auto& options : all_options()) {
    for (std::size_t g = 0; g < set.size(); ++g) {
      const Laplacian L(set, g, options);
      const auto values = eigenvalues(L);
      const ExtremeEigenvalues ends = extreme_eigenvalues(L);
      EXPECT_NEAR(ends.lambda_max, values.back(), ends.lambda_max_error + 1e-9);
      EXPECT_LE(ends.lambda_max, values.back() + 1e-9);
      EXPECT_LT(ends.lambda_max_error, 1e-4);
      EXPECT_GE(ends.lambda_2.value(), values[1] - 1e-9) << "Ritz values come from above";
      EXPECT_LT(ends.lambda_2.value() - values[1], 0.01);
    }
  }
}

TEST(Lanczos, SaysExactlyZeroForTwoParts) {
  const GraphSet set = make_set(unlabelled(6, {{0, 1}, {1, 2}, {3, 4}, {4, 5}}));
  EXPECT_EQ(extreme_eigenvalues(Laplacian(set, 0)).lambda_2.value(), 0);
}

TEST(KernelPolynomial, AccumulatedDensityFollowsTheStaircaseOfALargeGraph) {
  const GraphSet set = make_set({random_connected(800, 1200, 3)}, 4);
  for (const auto& options : all_options()) {
    const Laplacian L(set, 0, options);
    const auto values = eigenvalues(L);
    const SpectralDensity density = eigenvalue_density(L, {.order = 300, .probes = 40, .seed = 1});
    const double blur = 4 * L.eigenvalue_bound() / 300;
    for (int step = 1; step < 40; ++step) {
      const double t = L.eigenvalue_bound() * step / 40;
      const auto share = [&](double x) {
        return static_cast<double>(std::ranges::upper_bound(values, x) - values.begin()) /
               static_cast<double>(values.size());
      };
      const double ours = density.accumulated(t);
      EXPECT_GE(ours, share(t - blur) - 0.02) << t;
      EXPECT_LE(ours, share(t + blur) + 0.02) << t;
      EXPECT_GE(density.density(t), -1e-9);
    }
    EXPECT_NEAR(density.accumulated(L.eigenvalue_bound()), 1, 1e-12);
    EXPECT_NEAR(density.accumulated(0), 0, 1e-12);
  }
}

RC_GTEST_PROP(KernelPolynomial, MomentsOfASignalAreExact,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto x = *signal_of(graph.nodes());
  RC_PRE(norm(x) > 0.01);
  const double lambda_n = std::max(1.0, L.eigenvalue_bound());
  const auto moments = chebyshev_moments(L, x, 11, lambda_n);
  const auto decomposition = eigen_decomposition(L);
  const SpectralEnergy energy = spectral_energy(decomposition, x);
  for (std::size_t k = 0; k < moments.size(); ++k) {
    double expected = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double t = std::clamp(2 * decomposition.values()[j] / lambda_n - 1, -1.0, 1.0);
      expected += energy.share()[j] * std::cos(static_cast<double>(k) * std::acos(t));
    }
    RC_ASSERT(near(moments[k], expected, 1e-6));
  }
}

TEST(SpectralProfiles, EstimateWhatTheyCannotDecompose) {
  const GraphSet set =
      make_set({random_connected(400, 500, 5), path_graph(3), unlabelled(1, {})}, 4);
  const std::vector<double> thresholds{0.0, 0.5, 1.0, 1.5};
  const SpectralProfiles exact = spectral_profiles(set, thresholds, {}, {.threads = 2});
  const SpectralProfiles estimated = spectral_profiles(set, thresholds, {}, {.threads = 2}, 100);
  EXPECT_TRUE(exact.graph[0].exact);
  EXPECT_FALSE(estimated.graph[0].exact);
  EXPECT_TRUE(estimated.graph[1].exact);
  EXPECT_NEAR(estimated.graph[0].lambda_max, exact.graph[0].lambda_max, 1e-6);
  EXPECT_NEAR(estimated.graph[0].lambda_2.value(), exact.graph[0].lambda_2.value(), 0.01);
  for (const std::size_t t : {1U, 3U}) {  // away from the atoms at 0 and 1
    EXPECT_NEAR(estimated.energy(0)[t], exact.energy(0)[t], 0.03);
  }
  EXPECT_FALSE(exact.graph[2].lambda_2.has_value());
  EXPECT_NEAR(exact.graph[1].lambda_2.value(), 1, 1e-12);
}

TEST(SpectralProfiles, DoNotDependOnThreads) {
  std::vector<TestGraph> graphs;
  for (std::uint32_t g = 0; g < 300; ++g) {
    graphs.push_back(random_connected(20 + g % 30, 3, g));
  }
  const GraphSet set = make_set(graphs, 4);
  const std::vector<double> thresholds{0.5, 1.0, 1.5};
  const SpectralProfiles one = spectral_profiles(set, thresholds, {}, {.threads = 1}, 40);
  const SpectralProfiles three = spectral_profiles(set, thresholds, {}, {.threads = 3}, 40);
  EXPECT_EQ(one.high_frequency, three.high_frequency);
  for (std::size_t g = 0; g < set.size(); ++g) {
    EXPECT_EQ(one.graph[g].lambda_max, three.graph[g].lambda_max);
    EXPECT_EQ(one.graph[g].lambda_2, three.graph[g].lambda_2);
  }
}

}  // namespace
}  // namespace rayleigh::spectral::test
