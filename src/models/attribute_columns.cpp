#include "models/attribute_columns.h"

#include <fmt/format.h>

#include "rayleigh/error.h"

namespace rayleigh::models {

core::Vector<std::uint32_t> bins_of_nodes(const graph::AttributeBins& bins, const GraphSet& graphs,
                                          core::ThreadPool& pool) {
  if (!graphs.empty() && graphs.attribute_count() != bins.attributes()) {
    throw DataError({graphs.name(), 0},
                    fmt::format("the graphs have {} node attributes, the model was trained with {}",
                                graphs.attribute_count(), bins.attributes()));
  }
  constexpr std::size_t kNodesAtOnce = 4096;
  const std::size_t nodes = graphs.nodes();
  core::Vector<std::uint32_t> of_nodes(nodes * bins.attributes());
  pool.run((nodes + kNodesAtOnce - 1) / kNodesAtOnce, [&](std::size_t part) {
    const std::size_t end = std::min(nodes, (part + 1) * kNodesAtOnce);
    for (std::size_t i = part * kNodesAtOnce; i < end; ++i) {
      const auto values = graphs.attributes(i);
      for (std::size_t a = 0; a < values.size(); ++a) {
        of_nodes[a * nodes + i] = bins.bin(a, values[a]);
      }
    }
  });
  return of_nodes;
}

GraphRows<float> bin_counts(const graph::AttributeBins& bins,
                            std::span<const std::uint32_t> of_nodes, const GraphSet& graphs) {
  GraphRows<float> rows;
  rows.row_ptr.reserve(graphs.size() + 1);
  core::Vector<std::uint32_t> count(bins.bins(), 0);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::size_t first = graphs.graph_ptr()[g];
    const std::size_t nodes = graphs[g].nodes();
    for (std::size_t a = 0; a < bins.attributes(); ++a) {
      for (const std::uint32_t bin : of_nodes.subspan(a * graphs.nodes() + first, nodes)) {
        ++count[bin];
      }
    }
    for (std::uint32_t bin = 0; bin < count.size(); ++bin) {
      if (count[bin] > 0) {
        rows.entries.push_back({bin, static_cast<float>(count[bin])});
        count[bin] = 0;
      }
    }
    rows.row_ptr.push_back(static_cast<std::uint32_t>(rows.entries.size()));
  }
  return rows;
}

void put_behind(const GraphRows<float>& further, std::size_t first_column, GraphRows<float>& rows) {
  GraphRows<float> both;
  both.row_ptr.reserve(rows.row_ptr.size());
  both.entries.reserve(rows.entries.size() + further.entries.size());
  for (std::size_t g = 0; g + 1 < rows.row_ptr.size(); ++g) {
    both.entries.insert(both.entries.end(), rows.entries.begin() + rows.row_ptr[g],
                        rows.entries.begin() + rows.row_ptr[g + 1]);
    for (std::size_t e = further.row_ptr[g]; e < further.row_ptr[g + 1]; ++e) {
      const auto& entry = further.entries[e];
      both.entries.push_back(
          {static_cast<std::uint32_t>(first_column + entry.column), entry.value});
    }
    both.row_ptr.push_back(static_cast<std::uint32_t>(both.entries.size()));
  }
  rows = std::move(both);
}

}  // namespace rayleigh::models
