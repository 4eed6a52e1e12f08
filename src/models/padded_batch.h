// A batch of graphs as GLocalKD and HimNet see it, filled up with empty rows to the size of the
// largest graph, but with one row for all empty rows that are alike (nn/ops_padded.h).
// Made once per step, in the arena of a tape.
// Costs a pass over the entries of the batch.
#pragma once

#include "models/graph_features.h"
#include "nn/ops_padded.h"

namespace rayleigh::models {

/// What a norm takes its mean and variance over.
enum class NormOver {
  position,  ///< in training the nodes at one place in their graphs, in scoring a node
  node,      ///< a node
};

/// Whether empty rows count in means, maxima and norms.
enum class EmptyRows { count, ignored };

struct PaddingOptions {
  NormOver norm = NormOver::position;
  EmptyRows empty = EmptyRows::count;
  std::size_t size = 0;  ///< rows of every graph, with the empty ones
};

template <typename Real>
struct PaddedBatch {
  nn::Csr<Real> matrix;        ///< of all rows; that of an empty row is the row itself
  nn::RowBatch<Real> first;    ///< the matrix times one-hot labels, of all rows
  nn::RowBatch<Real> own;      ///< one-hot labels of the nodes
  nn::PaddedRows rows;         ///< of graphs and empty ones
  nn::RowGroups groups;        ///< of the norm
  std::size_t first_position;  ///< of the first shared row
};

template <typename Real>
PaddedBatch<Real> padded_batch(nn::Tape<Real>& tape, const GraphFeatures<Real>& features,
                               std::span<const std::uint32_t> graphs,
                               const PaddingOptions& options);

/// Rows that count of each graph, as a column.
template <typename Real>
nn::Value row_counts(nn::Tape<Real>& tape, const nn::PaddedRows& rows,
                     const PaddingOptions& options);

}  // namespace rayleigh::models
