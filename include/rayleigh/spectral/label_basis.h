// Polynomials of L applied to one-hot node labels, as sparse rows: Phi (orders) and Psi (wavelets).
// The fixed input of every filter bank: a filter with its linear layer is Phi times a small table.
// NCI-H23, orders 0 … 6, one thread: 40 ns and 13 non-zeros of 8 bytes (single precision) per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/spectral/node_labels.h"

namespace rayleigh::spectral {

template <typename Real>
struct BasisEntry {
  std::uint32_t column;
  Real value;
};

/// One sparse row per node; column block * labels() + label holds (p_block(L) onehot)(node, label),
/// where a block is an order or a wavelet. Columns ascend in each row; exact zeros are left out.
/// The rows of a graph are consecutive. Real is float or double. Copies share the numbers.
template <typename Real>
class LabelBasis {
 public:
  using Entry = BasisEntry<Real>;

  std::size_t graphs() const { return rows_.size(); }
  std::size_t labels() const { return labels_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t columns() const { return labels_ * blocks_; }
  std::size_t nonzeros() const;

  std::size_t nodes(std::size_t graph) const { return graph_ptr_[graph + 1] - graph_ptr_[graph]; }
  /// Where each row of the graph begins in entries(graph), and the count at the end.
  std::span<const std::uint32_t> row_ptr(std::size_t graph) const {
    return row_ptr_.subspan(graph_ptr_[graph] + graph, nodes(graph) + 1);
  }
  std::span<const Entry> entries(std::size_t graph) const {
    return {rows_[graph], row_ptr(graph).back()};
  }
  std::span<const Entry> row(std::size_t graph, std::size_t node) const {
    const auto ptr = row_ptr(graph);
    return entries(graph).subspan(ptr[node], ptr[node + 1] - ptr[node]);
  }

 private:
  template <typename>
  friend class LabelBasisBuilder;

  std::size_t labels_ = 0;
  std::size_t blocks_ = 0;
  std::span<const std::uint32_t> graph_ptr_;
  std::span<const std::uint32_t> row_ptr_;  ///< nodes + 1 of each graph
  std::span<const Entry* const> rows_;
  std::shared_ptr<const void> memory_;  ///< of all this
};

/// Phi: blocks T_0 … T_order of L - I, where L is normalised with diagonal 1 at isolated nodes.
/// The same for any number of threads; 0 = one per core.
template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, std::size_t order,
                                       const RunOptions& run = {});
template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                       std::size_t order, const RunOptions& run = {});

/// Psi: block i is c_0/2 + Σ_k c_k T_k(L - I) with c = series[i], as chebyshev_coefficients() gives
/// them for [0, 2]. No series may be empty.
template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs,
                                    std::span<const std::vector<double>> series,
                                    const RunOptions& run = {});
template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                    std::span<const std::vector<double>> series,
                                    const RunOptions& run = {});

}  // namespace rayleigh::spectral
