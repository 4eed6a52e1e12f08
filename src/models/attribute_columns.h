// Bins of real attributes as labels of nodes: how often each occurs in a graph. Columns that
// detectors put behind those of their labels.
// About 20 ns per node and attribute.
#pragma once

#include "graph/attribute_bins.h"
#include "models/label_features.h"

namespace rayleigh::models {

/// The bin of every node, one attribute behind the other. DataError unless the graphs have as many
/// attributes as the bins.
core::Vector<std::uint32_t> bins_of_nodes(const graph::AttributeBins& bins, const GraphSet& graphs,
                                          core::ThreadPool& pool);

/// How many nodes each graph has in each bin that occurs in it.
GraphRows<float> bin_counts(const graph::AttributeBins& bins,
                            std::span<const std::uint32_t> of_nodes, const GraphSet& graphs);

/// Puts the rows of `further` behind those of `rows`, their columns from `first_column` on.
void put_behind(const GraphRows<float>& further, std::size_t first_column, GraphRows<float>& rows);

}  // namespace rayleigh::models
