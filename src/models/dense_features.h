// The general way: node features as a matrix, one row per node, filtered by sparse products on a
// tape. For real-valued attributes, where the label basis cannot be used; also to check the fast
// way. Memory: 4 bytes per node and feature; time: K sparse products of that width per step.
#pragma once

#include "models/graph_matrix.h"
#include "models/model.h"
#include "nn/ops_sparse.h"

namespace rayleigh::models {

/// Which numbers of a node a model sees.
enum class NodeFeatures { labels, attributes, both };

/// Mean and inverse deviation of every attribute over training nodes.
struct AttributeScale {
  core::Vector<double> mean;
  core::Vector<double> inverse;
};

AttributeScale fit_attribute_scale(const GraphSet& graphs, std::span<const std::uint32_t> chosen);

template <typename Real>
struct DenseFeatures : Features {
  GraphMatrix<Real> shifted;  ///< L - I
  std::size_t width = 0;
  core::Vector<Real> x;      ///< one row per node
  core::Vector<Real> forms;  ///< x'Lx of every column, one row per graph

  std::size_t graphs() const override { return shifted.graphs(); }
  std::size_t memory_bytes() const override {
    return (x.size() + forms.size()) * sizeof(Real) + shifted.memory_bytes();
  }
};

/// One-hot labels below `labels.count - 1`, attributes, or both side by side. Attributes are
/// standardised. x'Lx as the published code takes it.
template <typename Real>
std::unique_ptr<DenseFeatures<Real>> dense_features(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    std::size_t known_labels, NodeFeatures which,
                                                    const AttributeScale& scale);

/// The nodes of the chosen graphs in the arena of a tape.
template <typename Real>
struct DenseBatch {
  nn::Csr<Real> shifted;  ///< L - I = -D^-1/2 A D^-1/2, block-diagonal
  nn::Value x;
  nn::Value forms;
  std::span<const std::uint32_t> first_row;
};

template <typename Real>
DenseBatch<Real> dense_batch(nn::Tape<Real>& tape, const DenseFeatures<Real>& features,
                             std::span<const std::uint32_t> graphs);

/// T_0(L - I) x … T_{orders-1}(L - I) x, in the arena.
template <typename Real>
std::span<nn::Value> chebyshev_orders(nn::Tape<Real>& tape, const nn::Csr<Real>& shifted,
                                      nn::Value x, std::size_t orders);

}  // namespace rayleigh::models
