// Operators on the nodes of a batch of graphs whose features are fixed sparse rows (the label basis
// or label forms): a filter bank with its linear layer, attention pooling, and the two fused.
// The fused one is RQGNN's whole implicit branch: per node one product and a few sparse rows.
// Graphs are cut into fixed groups, one thread each; sums over groups have a fixed order.
#pragma once

#include <cstdint>
#include <span>

#include "nn/ops_dense.h"
#include "nn/tape.h"

namespace rayleigh::nn {

/// The sparse rows of the graphs of a batch. Must outlive the step.
template <typename Real>
struct RowBatch {
  std::span<const SparseRows<Real>> graphs;
  std::span<const std::uint32_t> first_row;  ///< of each graph, and the row count
  /// The same rows by columns, for a faster way back; may be empty.
  std::span<const SparseColumns<Real>> by_column{};

  std::size_t rows() const { return first_row.back(); }
};

/// How the nodes of a graph become one vector: Σ_j <h_j, query> h_j, or plain mean or sum.
enum class Pool { attention, mean, sum };

/// activation(rows * table + bias), one row per node; table has one row per column of the sparse
/// rows.
template <typename Real>
Value sparse_linear(Tape<Real>& tape, RowBatch<Real> batch, Value table, Value bias,
                    Activation activation);

/// The weights of a layer, transposed: the table for the rows of `batch`. A scoring pass of few
/// entries turns only those rows of it that they take; the others are not initialised.
template <typename Real>
Value table_of(Tape<Real>& tape, const RowBatch<Real>& batch, Value weights);

/// One row per graph. `query` is used by attention only.
template <typename Real>
Value pool_nodes(Tape<Real>& tape, Value nodes, std::span<const std::uint32_t> first_row, Pool pool,
                 Value query);

/// pool_nodes(linear(sparse_linear(batch, table, bias), w, b), query), leaky ReLU after both
/// layers.
template <typename Real>
Value filter_and_pool(Tape<Real>& tape, RowBatch<Real> batch, Value table, Value bias, Value w,
                      Value b, Pool pool, Value query);

}  // namespace rayleigh::nn
