// What the spectral tests share: graphs by hand, at random and from golden files, and comparisons.
// Include from any test of this folder.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <ostream>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/laplacian.h"

#include "golden.h"
#include "support.h"

namespace rayleigh::spectral::test {

using rayleigh::test::golden_graphs;
using rayleigh::test::numbers_below;
using rayleigh::test::read_golden;

/// Each property runs this often unless RC_PARAMS says otherwise.
inline const bool thousand_cases = setenv("RC_PARAMS", "max_success=1000 max_size=60", 0) == 0;

using Edge = std::pair<std::uint32_t, std::uint32_t>;

struct TestGraph {
  std::vector<std::uint32_t> labels;  ///< one a node
  std::vector<Edge> edges;            ///< each once, no self-loops

  std::size_t nodes() const { return labels.size(); }
};

inline std::ostream& operator<<(std::ostream& out, const TestGraph& graph) {
  out << "labels";
  for (const auto label : graph.labels) {
    out << ' ' << label;
  }
  out << " edges";
  for (const auto& [a, b] : graph.edges) {
    out << ' ' << a << '-' << b;
  }
  return out;
}

/// Labels are 0 … labels-1, whether or not they occur.
inline GraphSet make_set(const std::vector<TestGraph>& graphs, std::size_t labels) {
  GraphSetData data;
  data.name = "test";
  data.node_labels = numbers_below(labels);
  for (const TestGraph& graph : graphs) {
    const std::uint32_t first = data.graph_ptr.back();
    std::vector<std::set<std::uint32_t>> neighbours(graph.nodes());
    for (const auto& [a, b] : graph.edges) {
      neighbours[a].insert(b);
      neighbours[b].insert(a);
    }
    for (std::size_t i = 0; i < graph.nodes(); ++i) {
      for (const std::uint32_t j : neighbours[i]) {
        data.col.push_back(first + j);
      }
      data.row_ptr.push_back(static_cast<std::uint32_t>(data.col.size()));
      data.node_label.push_back(graph.labels[i]);
    }
    data.graph_ptr.push_back(static_cast<std::uint32_t>(data.row_ptr.size() - 1));
    data.graph_class.push_back(kNoClass);
  }
  return GraphSet(std::move(data));
}

inline GraphSet make_set(const TestGraph& graph) {
  const auto largest = std::ranges::max_element(graph.labels);
  return make_set({graph}, *largest + std::size_t{1});
}

inline TestGraph unlabelled(std::size_t nodes, std::vector<Edge> edges) {
  return {std::vector<std::uint32_t>(nodes, 0), std::move(edges)};
}

inline TestGraph path_graph(std::uint32_t n) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < n; ++i) {
    edges.emplace_back(i - 1, i);
  }
  return unlabelled(n, std::move(edges));
}

inline TestGraph star_graph(std::uint32_t n) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < n; ++i) {
    edges.emplace_back(0, i);
  }
  return unlabelled(n, std::move(edges));
}

inline TestGraph complete_graph(std::uint32_t n) {
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = i + 1; j < n; ++j) {
      edges.emplace_back(i, j);
    }
  }
  return unlabelled(n, std::move(edges));
}

/// |a - b| against tolerance times the larger of 1 and |b|.
inline ::testing::AssertionResult near(double a, double b, double tolerance) {
  if (std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << a << " is not " << b << " to " << tolerance;
}

inline double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

inline std::vector<double> times(const Laplacian& L, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  L.apply(std::span<const double>(x), std::span<double>(y));
  return y;
}

inline std::vector<float> to_float(const std::vector<double>& x) { return {x.begin(), x.end()}; }

inline std::vector<LaplacianOptions> all_options() {
  return {{LaplacianKind::regular, IsolatedNode::zero, EdgeWeight::one},
          {LaplacianKind::normalised, IsolatedNode::zero, EdgeWeight::one},
          {LaplacianKind::normalised, IsolatedNode::one, EdgeWeight::one}};
}

/// A signal of fractions between -4 and 4, of any size from the first case on; shrinks to zeros.
inline rc::Gen<std::vector<double>> signal_of(std::size_t nodes) {
  const auto value =
      rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 2001)),
                   [](int v) { return (v % 2 == 0 ? -1 : 1) * 0.002 * (v + v % 2); });
  return rc::gen::container<std::vector<double>>(nodes, value);
}

}  // namespace rayleigh::spectral::test

namespace rc {

/// 1 to 24 nodes, up to 5 labels, any edges: trees, cycles, isolated nodes, several parts.
template <>
struct Arbitrary<rayleigh::spectral::test::TestGraph> {
  static Gen<rayleigh::spectral::test::TestGraph> arbitrary() {
    using rayleigh::spectral::test::Edge;
    using rayleigh::spectral::test::TestGraph;
    const auto labels = gen::nonEmpty(
        gen::container<std::vector<std::uint32_t>>(gen::inRange<std::uint32_t>(0, 5)));
    const auto pairs = gen::container<std::vector<std::pair<std::uint16_t, std::uint16_t>>>(
        gen::arbitrary<std::pair<std::uint16_t, std::uint16_t>>());
    return gen::apply(
        [](std::vector<std::uint32_t> node_labels,
           const std::vector<std::pair<std::uint16_t, std::uint16_t>>& raw) {
          node_labels.resize(std::min<std::size_t>(node_labels.size(), 24));
          const auto n = static_cast<std::uint32_t>(node_labels.size());
          std::set<Edge> edges;
          for (const auto& [a, b] : raw) {
            if (a % n != b % n) {
              edges.emplace(std::min(a % n, b % n), std::max(a % n, b % n));
            }
          }
          return TestGraph{std::move(node_labels), {edges.begin(), edges.end()}};
        },
        labels, pairs);
  }
};

template <>
struct Arbitrary<rayleigh::spectral::LaplacianOptions> {
  static Gen<rayleigh::spectral::LaplacianOptions> arbitrary() {
    return gen::elementOf(rayleigh::spectral::test::all_options());
  }
};

}  // namespace rc

namespace rayleigh::spectral {

inline std::ostream& operator<<(std::ostream& out, const LaplacianOptions& options) {
  return out << (options.kind == LaplacianKind::regular ? "regular" : "normalised")
             << (options.isolated == IsolatedNode::one ? ", isolated 1" : ", isolated 0");
}

}  // namespace rayleigh::spectral
