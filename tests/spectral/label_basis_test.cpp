#include "rayleigh/spectral/label_basis.h"

#include <numeric>

#include "rayleigh/spectral/chebyshev.h"
#include "rayleigh/spectral/wavelets.h"

#include "core/random.h"
#include "spectral/label_basis_builder.h"
#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

constexpr LaplacianOptions kFilter{LaplacianKind::normalised, IsolatedNode::one, EdgeWeight::one};

/// The row of a node as a full vector, after a look at its form.
template <typename Real>
std::vector<double> full_row(const LabelBasis<Real>& basis, std::size_t graph, std::size_t node) {
  std::vector<double> row(basis.columns(), 0.0);
  std::int64_t last = -1;
  for (const auto& [column, value] : basis.row(graph, node)) {
    EXPECT_GT(static_cast<std::int64_t>(column), last) << "columns must ascend";
    EXPECT_NE(value, 0);
    last = column;
    row[column] = static_cast<double>(value);
  }
  return row;
}

std::vector<double> one_hot(const GraphSet& set, std::size_t graph, std::size_t label) {
  std::vector<double> x;
  for (std::size_t i = 0; i < set[graph].nodes(); ++i) {
    x.push_back(set[graph].label(i) == label ? 1 : 0);
  }
  return x;
}

/// Every entry against T_k(L - I) applied to the one-hot column.
template <typename Real>
bool agrees_with_chebyshev(const GraphSet& set, const LabelBasis<Real>& basis, std::size_t order,
                           double tolerance) {
  const std::size_t labels = set.node_labels().size();
  for (std::size_t g = 0; g < set.size(); ++g) {
    const Laplacian L(set, g, kFilter);
    for (std::size_t label = 0; label < labels; ++label) {
      const auto x = one_hot(set, g, label);
      const auto columns = chebyshev_basis(L, std::span<const double>(x), order);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto row = full_row(basis, g, i);
        for (std::size_t k = 0; k <= order; ++k) {
          if (!near(row[k * labels + label], columns[k * x.size() + i], tolerance)) {
            return false;
          }
        }
      }
    }
  }
  return true;
}

RC_GTEST_PROP(LabelBasis, EqualsChebyshevPolynomialsOfOneHotColumns, (const TestGraph& graph)) {
  const GraphSet set = make_set({graph}, 6);
  const auto order = *rc::gen::inRange<std::size_t>(0, 9);
  RC_ASSERT(agrees_with_chebyshev(set, chebyshev_label_basis<double>(set, order, {.threads = 1}),
                                  order, 1e-12));
  RC_ASSERT(agrees_with_chebyshev(set, chebyshev_label_basis<float>(set, order, {.threads = 1}),
                                  order, 1e-5));
}

RC_GTEST_PROP(LabelBasis, EqualsWaveletsOfOneHotColumns, (const TestGraph& graph)) {
  const GraphSet set = make_set({graph}, 5);
  const auto family = *rc::gen::elementOf(std::vector<KernelFamily>{
      KernelFamily::mexican_hat, KernelFamily::heat, KernelFamily::beta, KernelFamily::meyer});
  const auto series = bank_coefficients(wavelet_bank({family, 3, {}}), 4);
  const auto psi = series_label_basis<double>(set, series, {.threads = 1});
  const auto psi_float = series_label_basis<float>(set, series, {.threads = 1});
  RC_ASSERT(psi.blocks() == 3U);
  const Laplacian L(set, 0, kFilter);
  for (std::size_t label = 0; label < 5; ++label) {
    const auto x = one_hot(set, 0, label);
    for (std::size_t b = 0; b < 3; ++b) {
      const auto y = apply_series(L, series[b], std::span<const double>(x));
      for (std::size_t i = 0; i < x.size(); ++i) {
        RC_ASSERT(near(full_row(psi, 0, i)[b * 5 + label], y[i], 1e-12));
        RC_ASSERT(near(full_row(psi_float, 0, i)[b * 5 + label], y[i], 1e-5));
      }
    }
  }
}

template <typename Real>
bool same_entries(const LabelBasis<Real>& a, std::size_t g, const LabelBasis<Real>& b,
                  std::size_t h) {
  return std::ranges::equal(a.row_ptr(g), b.row_ptr(h)) &&
         std::ranges::equal(a.entries(g), b.entries(h), [](const auto& x, const auto& y) {
           return x.column == y.column && x.value == y.value;
         });
}

RC_GTEST_PROP(LabelBasis, SparseWayGivesTheSameBitsAsTheDenseWay, (const TestGraph& graph)) {
  const GraphSet set = make_set({graph}, 5);
  const PolynomialPlan plan{7, {}};
  core::ThreadPool pool(1);
  RC_ASSERT(same_entries(LabelBasisBuilder<float>::build(set, set, plan, pool), 0,
                         LabelBasisBuilder<float>::build(set, set, plan, pool, 0), 0));
  const auto series = bank_coefficients(wavelet_bank({KernelFamily::heat, 2, {}}), 3);
  const PolynomialPlan wavelets{6, series};
  const auto dense = LabelBasisBuilder<double>::build(set, set, wavelets, pool);
  const auto sparse = LabelBasisBuilder<double>::build(set, set, wavelets, pool, 0);
  for (std::size_t i = 0; i < graph.nodes(); ++i) {
    const auto a = full_row(dense, 0, i);
    const auto b = full_row(sparse, 0, i);
    for (std::size_t c = 0; c < a.size(); ++c) {
      RC_ASSERT(near(a[c], b[c], 1e-14));
    }
  }
}

/// A graph of 40 labels and high degrees, beyond what the fast loops unroll.
TEST(LabelBasis, OfAGraphWithManyLabelsAndNeighboursAgrees) {
  TestGraph graph = complete_graph(45);
  graph.labels.push_back(3);  // an isolated node
  for (std::uint32_t i = 0; i < 45; ++i) {
    graph.labels[i] = i % 40;
    graph.edges.erase(std::remove(graph.edges.begin(), graph.edges.end(), Edge{0, i}),
                      graph.edges.end());
  }
  graph.edges.emplace_back(0, 1);
  const GraphSet set = make_set({graph, path_graph(2), unlabelled(1, {})}, 41);
  EXPECT_TRUE(
      agrees_with_chebyshev(set, chebyshev_label_basis<double>(set, 6, {.threads = 2}), 6, 1e-12));
  core::ThreadPool pool(1);
  const auto sparse = LabelBasisBuilder<double>::build(set, set, PolynomialPlan{6, {}}, pool, 0);
  EXPECT_TRUE(agrees_with_chebyshev(set, sparse, 6, 1e-12));
}

std::vector<TestGraph> some_graphs() {
  std::vector<TestGraph> graphs;
  for (std::uint32_t g = 0; g < 1200; ++g) {
    TestGraph graph = g % 3 == 0   ? path_graph(1 + g % 37)
                      : g % 3 == 1 ? star_graph(1 + g % 23)
                                   : complete_graph(1 + g % 11);
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      graph.labels[i] = static_cast<std::uint32_t>(i * (g + 1) % 7);
    }
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

TEST(LabelBasis, DoesNotDependOnThreadsOrBatch) {
  const GraphSet set = make_set(some_graphs(), 7);
  const auto one = chebyshev_label_basis<float>(set, 6, {.threads = 1});
  const auto three = chebyshev_label_basis<float>(set, 6, {.threads = 3});
  EXPECT_EQ(one.nonzeros(), three.nonzeros());
  for (std::size_t g = 0; g < set.size(); ++g) {
    ASSERT_TRUE(same_entries(one, g, three, g)) << g;
  }
  const std::vector<std::uint32_t> chosen{1199, 0, 600};
  const auto some = chebyshev_label_basis<float>(set.subset(chosen), 6, {.threads = 2});
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    EXPECT_TRUE(same_entries(some, k, one, chosen[k]));
  }
}

TEST(LabelBasis, MovesWithTheNodesWhenTheyAreReordered) {
  const auto graphs = some_graphs();
  for (std::size_t g = 0; g < 60; ++g) {
    const TestGraph& graph = graphs[g];
    std::vector<std::uint32_t> place(graph.nodes());
    std::iota(place.begin(), place.end(), 0U);
    core::RandomStream(g, "relabel").at(0).shuffle(std::span(place));
    TestGraph moved = graph;
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      moved.labels[place[i]] = graph.labels[i];
    }
    for (auto& [a, b] : moved.edges) {
      a = place[a];
      b = place[b];
    }
    const GraphSet before = make_set({graph}, 7);
    const GraphSet after = make_set({moved}, 7);
    const auto basis = chebyshev_label_basis<double>(before, 6, {.threads = 1});
    const auto basis_moved = chebyshev_label_basis<double>(after, 6, {.threads = 1});
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      const auto x = full_row(basis, 0, i);
      const auto y = full_row(basis_moved, 0, place[i]);
      for (std::size_t c = 0; c < x.size(); ++c) {
        ASSERT_NEAR(x[c], y[c], 1e-13);
      }
    }
  }
}

TEST(LabelBasis, OfAnEmptyOrEdgelessSetIsWellFormed) {
  EXPECT_EQ(chebyshev_label_basis<float>(GraphSet{}, 3, {.threads = 2}).nonzeros(), 0U);
  const GraphSet set = make_set({unlabelled(3, {})}, 1);
  // T_k(0) is 1, 0, -1, 0, 1 for k = 0 … 4.
  EXPECT_EQ(chebyshev_label_basis<double>(set, 4, {.threads = 1}).nonzeros(), 9U);
  EXPECT_TRUE(
      agrees_with_chebyshev(set, chebyshev_label_basis<double>(set, 4, {.threads = 1}), 4, 1e-15));
}

}  // namespace
}  // namespace rayleigh::spectral::test
