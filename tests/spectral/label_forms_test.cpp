#include "rayleigh/spectral/label_forms.h"

#include "rayleigh/spectral/rayleigh_quotient.h"

#include "core/random.h"
#include "spectral_support.h"

namespace rayleigh::spectral::test {
namespace {

/// S = X'LX by brute force.
std::vector<double> dense_form(const GraphSet& set, std::size_t graph, LaplacianOptions options) {
  const Laplacian L(set, graph, options);
  const auto matrix = L.dense();
  const std::size_t labels = set.node_labels().size();
  std::vector<double> S(labels * labels, 0.0);
  for (std::size_t i = 0; i < L.nodes(); ++i) {
    for (std::size_t j = 0; j < L.nodes(); ++j) {
      S[set[graph].label(i) * labels + set[graph].label(j)] += matrix[i * L.nodes() + j];
    }
  }
  return S;
}

void expect_forms(const GraphSet& set, const LabelForms& forms, LaplacianOptions options) {
  const std::size_t labels = set.node_labels().size();
  for (std::size_t g = 0; g < set.size(); ++g) {
    auto S = dense_form(set, g, options);
    for (std::size_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
      double& diagonal = S[forms.label[k] * (labels + 1)];
      EXPECT_TRUE(near(forms.form[k], diagonal, 1e-12));
      diagonal = 0;
    }
    for (const auto& [a, b, value] : forms.pairs(g)) {
      ASSERT_LT(a, b);
      EXPECT_TRUE(near(value, S[a * labels + b], 1e-12));
      S[a * labels + b] = 0;
      S[b * labels + a] = 0;
    }
    for (const double rest : S) {
      ASSERT_NEAR(rest, 0, 1e-12) << "a pair is missing";
    }
  }
}

RC_GTEST_PROP(LabelForms, EqualDenseXLX, (const TestGraph& graph, LaplacianOptions options)) {
  const GraphSet set = make_set({graph}, 6);
  const LabelForms forms = label_forms(set, options, {.threads = 1});
  auto S = dense_form(set, 0, options);
  double trace = 0;
  for (std::uint32_t label = 0; label < 6; ++label) {
    const auto quotient = forms.quotient(0, label);
    std::vector<double> x;
    for (const std::uint32_t own : graph.labels) {
      x.push_back(own == label ? 1 : 0);
    }
    RC_ASSERT(quotient.has_value() == (dot(x, x) > 0));
    if (quotient) {
      RC_ASSERT(*quotient >= 0);
      RC_ASSERT(
          near(*quotient,
               rayleigh_quotient(Laplacian(set, 0, options), std::span<const double>(x)).value(),
               1e-12));
      trace += S[std::size_t{label} * 7];
    }
  }
  RC_ASSERT(near(forms.scalar_quotient(0), trace / static_cast<double>(graph.nodes()), 1e-12));
  for (const auto& [a, b, value] : forms.pairs(0)) {
    RC_ASSERT(near(value, S[std::size_t{a} * 6 + b], 1e-12));
  }
}

TestGraph random_graph(std::uint64_t seed, std::uint32_t nodes, std::uint32_t edges,
                       std::uint32_t labels) {
  auto random = core::RandomStream(seed, "test graph").at(nodes);
  TestGraph graph;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    graph.labels.push_back(random.below(labels));
  }
  std::set<Edge> chosen;
  while (chosen.size() < edges) {
    const std::uint32_t a = random.below(nodes);
    const std::uint32_t b = random.below(nodes);
    if (a != b) {
      chosen.emplace(std::min(a, b), std::max(a, b));
    }
  }
  graph.edges.assign(chosen.begin(), chosen.end());
  return graph;
}

TEST(LabelForms, OfGraphsWithManyLabelsEqualDenseXLX) {
  const GraphSet set =
      make_set({random_graph(1, 150, 400, 100), random_graph(2, 90, 100, 90)}, 100);
  for (const auto& options : all_options()) {
    expect_forms(set, label_forms(set, options, {.threads = 2}), options);
  }
}

TEST(LabelForms, DoNotDependOnThreadsOrBatch) {
  std::vector<TestGraph> graphs;
  for (std::uint32_t g = 0; g < 900; ++g) {
    graphs.push_back(random_graph(g, 10 + g % 20, 12 + g % 20, 7));
  }
  const GraphSet set = make_set(graphs, 7);
  const LabelForms one = label_forms(set, {}, {.threads = 1});
  const LabelForms three = label_forms(set, {}, {.threads = 3});
  EXPECT_EQ(one.label_ptr, three.label_ptr);
  EXPECT_EQ(one.label, three.label);
  EXPECT_EQ(one.count, three.count);
  EXPECT_EQ(one.form, three.form);
  EXPECT_EQ(one.pair_ptr, three.pair_ptr);
  const std::vector<std::uint32_t> chosen{899, 3, 500};
  const LabelForms some = label_forms(set.subset(chosen), {}, {.threads = 2});
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    for (std::uint32_t label = 0; label < 7; ++label) {
      EXPECT_EQ(some.quotient(k, label), one.quotient(chosen[k], label));
    }
  }
}

TEST(LabelForms, OfAnEmptySetAreEmpty) {
  const LabelForms forms = label_forms(GraphSet{}, {}, {.threads = 2});
  EXPECT_EQ(forms.graphs(), 0U);
  EXPECT_TRUE(forms.label.empty());
}

}  // namespace
}  // namespace rayleigh::spectral::test
