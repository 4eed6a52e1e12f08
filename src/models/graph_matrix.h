// One matrix per graph, with the pattern of its adjacency: how a node hears of its neighbours.
// Made once per set; block_matrix() puts those of a batch on one diagonal, in the arena of a tape.
// 4 to 8 bytes per entry.
#pragma once

#include <span>

#include "rayleigh/graph_set.h"

#include "core/workspace.h"
#include "nn/ops_sparse.h"

namespace rayleigh::models {

enum class Propagation {
  adjacency,          ///< A
  self_loops,         ///< A + I
  double_self_loops,  ///< A + 2I, as two ones on the diagonal
  shifted,            ///< L - I = -D^-1/2 A D^-1/2, zero rows at isolated nodes
  gcn,                ///< (D + I)^-1/2 (A + I) (D + I)^-1/2
};

/// By rows; columns count within the graph. All are symmetric.
template <typename Real>
struct GraphMatrix {
  core::Vector<std::uint32_t> graph_ptr;
  core::Vector<std::uint32_t> row_ptr;
  core::Vector<std::uint32_t> col;
  core::Vector<Real> value;  ///< empty = all ones

  std::size_t graphs() const { return graph_ptr.size() - 1; }
  std::size_t memory_bytes() const {
    return 4 * (row_ptr.size() + col.size()) + sizeof(Real) * value.size();
  }
};

template <typename Real>
GraphMatrix<Real> graph_matrix(const GraphSet& graphs, Propagation propagation);

/// The chosen graphs as blocks of one matrix.
template <typename Real>
struct BlockMatrix {
  nn::Csr<Real> matrix;
  std::span<const std::uint32_t> first_row;  ///< of each graph, and the row count
};
template <typename Real>
BlockMatrix<Real> block_matrix(nn::Tape<Real>& tape, const GraphMatrix<Real>& matrix,
                               std::span<const std::uint32_t> graphs);

}  // namespace rayleigh::models
