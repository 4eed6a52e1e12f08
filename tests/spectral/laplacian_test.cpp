#include "rayleigh/spectral/laplacian.h"

#include "rayleigh/spectral/rayleigh_quotient.h"

#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

RC_GTEST_PROP(Laplacian, AppliesLikeItsDenseMatrix,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto x = *signal_of(graph.nodes());
  const auto matrix = L.dense();
  const auto y = times(L, x);
  const auto single = to_float(x);
  std::vector<float> y_float(x.size());
  L.apply(std::span<const float>(single), std::span<float>(y_float));
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      RC_ASSERT(matrix[i * x.size() + j] == matrix[j * x.size() + i]);
      sum += matrix[i * x.size() + j] * x[j];
    }
    RC_ASSERT(near(y[i], sum, 1e-12));
    RC_ASSERT(near(static_cast<double>(y_float[i]), sum, 1e-5));
  }
}

RC_GTEST_PROP(Laplacian, QuadraticFormIsXLXAndNotNegative,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto x = *signal_of(graph.nodes());
  const double form = L.quadratic_form(std::span<const double>(x));
  RC_ASSERT(form >= 0);
  RC_ASSERT(near(form, dot(x, times(L, x)), 1e-11));
  RC_ASSERT(form <= L.eigenvalue_bound() * dot(x, x) * (1 + 1e-12));
}

TEST(Laplacian, IsolatedNodeHasTheChosenDiagonal) {
  const GraphSet set = make_set(unlabelled(3, {{0, 1}}));
  EXPECT_EQ(Laplacian(set, 0).diagonal(2), 0);
  EXPECT_EQ(Laplacian(set, 0, all_options()[2]).diagonal(2), 1);
  EXPECT_EQ(Laplacian(set, 0, all_options()[0]).diagonal(2), 0);
}

TEST(Laplacian, MultiplicityCountsAsWeightInEdgesAndDegrees) {
  GraphSetData data;
  data.graph_ptr = {0, 3};
  data.row_ptr = {0, 1, 3, 4};
  data.col = {1, 0, 2, 1};
  data.multiplicity = {3, 3, 1, 1};
  data.node_label = {0, 0, 0};
  data.node_labels = numbers_below(1);
  data.graph_class = {kNoClass};
  const GraphSet set{std::move(data)};
  const Laplacian weighted(set, 0,
                           {LaplacianKind::regular, IsolatedNode::zero, EdgeWeight::multiplicity});
  EXPECT_EQ(weighted.dense(), (std::vector<double>{3, -3, 0, -3, 4, -1, 0, -1, 1}));
  const Laplacian plain(set, 0, {LaplacianKind::regular, IsolatedNode::zero, EdgeWeight::one});
  EXPECT_EQ(plain.dense(), (std::vector<double>{1, -1, 0, -1, 2, -1, 0, -1, 1}));
}

TEST(RayleighQuotient, OfTheZeroSignalIsNone) {
  const GraphSet set = make_set(path_graph(3));
  const std::vector<double> zero(3, 0.0);
  EXPECT_FALSE(rayleigh_quotient(Laplacian(set, 0), std::span<const double>(zero)).has_value());
  EXPECT_FALSE(scalar_quotient(Laplacian(set, 0), zero, 1).has_value());
}

TEST(RayleighQuotient, OfDegreeOnAStarIsKnown) {
  // Degrees 4, 1, 1, 1, 1: x'Lx = 4 (4-1)² = 36, x'x = 20.
  const GraphSet set = make_set(star_graph(5));
  EXPECT_DOUBLE_EQ(degree_quotient(Laplacian(set, 0, all_options()[0])).value(), 36.0 / 20);
  const GraphSet edgeless = make_set(unlabelled(4, {}));
  EXPECT_FALSE(degree_quotient(Laplacian(edgeless, 0)).has_value());
}

RC_GTEST_PROP(RayleighQuotient, OfAMatrixIsTheEnergyWeightedMeanOfItsColumns,
              (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set(graph);
  const Laplacian L(set, 0, options);
  const auto X = *signal_of(3 * graph.nodes());
  double numerator = 0;
  double denominator = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<double> x;
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      x.push_back(X[3 * i + c]);
    }
    numerator += L.quadratic_form(std::span<const double>(x));
    denominator += dot(x, x);
  }
  RC_PRE(denominator > 0);
  RC_ASSERT(near(scalar_quotient(L, X, 3).value(), numerator / denominator, 1e-12));
}

}  // namespace
}  // namespace rayleigh::spectral::test
