// The fixed inputs of message-passing detectors on node labels: a propagation matrix P with the
// pattern of the adjacency, and P times the one-hot labels, which is all a first layer needs.
// graph_features() once per set, message_batch() once per step.
// Memory: 4 to 8 bytes per edge entry, 8 per label that occurs next to a node.
#pragma once

#include <memory>
#include <span>

#include "models/graph_matrix.h"
#include "models/model.h"
#include "nn/ops_rows.h"

namespace rayleigh::models {

template <typename Real>
struct GraphFeatures : Features {
  GraphMatrix<Real> matrix;  ///< P
  // One-hot labels, and P times them, one row per node.
  core::Vector<std::uint32_t> own_ptr;
  core::Vector<spectral::BasisEntry<Real>> own;
  core::Vector<std::uint32_t> first_ptr;
  core::Vector<spectral::BasisEntry<Real>> first;

  std::size_t graphs() const override { return matrix.graphs(); }
  std::size_t memory_bytes() const override {
    return matrix.memory_bytes() + 4 * (own_ptr.size() + first_ptr.size()) +
           sizeof(spectral::BasisEntry<Real>) * (own.size() + first.size());
  }
};

/// A node whose label is not below `known` has no features.
template <typename Real>
std::unique_ptr<GraphFeatures<Real>> graph_features(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    std::size_t known, Propagation propagation);

/// The chosen graphs as blocks of one matrix, in the arena of a tape.
template <typename Real>
struct MessageBatch {
  nn::Csr<Real> matrix;                      ///< P, symmetric
  nn::RowBatch<Real> own;                    ///< one-hot labels
  nn::RowBatch<Real> first;                  ///< P times them
  std::span<const std::uint32_t> first_row;  ///< of each graph, and the row count
};

template <typename Real>
MessageBatch<Real> message_batch(nn::Tape<Real>& tape, const GraphFeatures<Real>& features,
                                 std::span<const std::uint32_t> graphs);

}  // namespace rayleigh::models
