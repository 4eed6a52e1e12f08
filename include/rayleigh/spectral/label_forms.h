// S = X'LX of every graph, X its one-hot labels, without making X: label quotients and label pairs.
// Use for quotients of labels and of graphs, and for learned quotients, which are sums over S.
// About 20 ns per node on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/spectral/laplacian.h"
#include "rayleigh/spectral/node_labels.h"

namespace rayleigh::spectral {

/// S_ab = S_ba of two different labels, a < b.
struct LabelPair {
  std::uint32_t a;
  std::uint32_t b;
  double value;
};

/// Packed over graphs. Only labels that occur in a graph and pairs that are joined by an edge are
/// stored; other labels have no quotient, for other pairs S_ab = 0. Use it as LabelForms.
template <template <typename> typename Allocator>
struct BasicLabelForms {
  template <typename T>
  using Vector = std::vector<T, Allocator<T>>;

  Vector<std::uint32_t> label_ptr{0};  ///< first label of each graph, and the count
  Vector<std::uint32_t> label;         ///< ascending in each graph
  Vector<std::uint32_t> count;         ///< x'x: nodes with the label
  Vector<double> form;                 ///< x'Lx = S_aa
  Vector<std::uint32_t> pair_ptr{0};   ///< first pair of each graph, and the count
  Vector<LabelPair> pair;              ///< ordered by (a, b) in each graph

  std::size_t graphs() const { return label_ptr.size() - 1; }
  std::span<const std::uint32_t> labels(std::size_t graph) const {
    return std::span(label).subspan(label_ptr[graph], label_ptr[graph + 1] - label_ptr[graph]);
  }
  std::span<const LabelPair> pairs(std::size_t graph) const {
    return std::span(pair).subspan(pair_ptr[graph], pair_ptr[graph + 1] - pair_ptr[graph]);
  }

  /// x'Lx / x'x of a label column; none where the label does not occur in the graph.
  std::optional<double> quotient(std::size_t graph, std::uint32_t label_id) const;
  /// tr(X'LX) / tr(X'X), where tr(X'X) is the number of nodes (experiment E4).
  double scalar_quotient(std::size_t graph) const;
};

using LabelForms = BasicLabelForms<std::allocator>;

/// Whether the pairs S_ab are wanted too, or only the quotients: a third less work.
enum class LabelPairs { all, none };

/// The same for any number of threads; 0 = one per core.
LabelForms label_forms(const GraphSet& graphs, LaplacianOptions options = {},
                       const RunOptions& run = {}, LabelPairs pairs = LabelPairs::all);
LabelForms label_forms(const GraphSet& graphs, const NodeLabels& labels,
                       LaplacianOptions options = {}, const RunOptions& run = {},
                       LabelPairs pairs = LabelPairs::all);

}  // namespace rayleigh::spectral
