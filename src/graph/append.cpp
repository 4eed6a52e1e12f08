#include "graph/append.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::graph {
namespace {

std::uint32_t most_frequent(std::span<const std::uint32_t> numbers, std::size_t count) {
  std::vector<std::size_t> times(count, 0);
  for (const std::uint32_t number : numbers) {
    ++times[number];
  }
  return static_cast<std::uint32_t>(std::ranges::max_element(times) - times.begin());
}

}  // namespace

GraphSet append(const GraphSet& graphs, std::span<const PlainGraph> further) {
  GraphSetData data = graphs.data();
  // Graphs that were made up have none.
  data.scaffold.clear();
  data.fingerprint_ptr.clear();
  data.fingerprint.clear();
  const bool labelled_edges = !data.edge_label.empty();
  const std::uint32_t edge_label =
      labelled_edges ? most_frequent(data.edge_label, data.edge_labels.size()) : 0;
  const bool counted = !data.multiplicity.empty();
  for (const PlainGraph& graph : further) {
    const auto first = static_cast<std::uint32_t>(data.row_ptr.size() - 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
    entries.reserve(2 * graph.edges.size());
    for (const auto& [from, to] : graph.edges) {
      assert(from != to && std::max(from, to) < graph.node_label.size());
      entries.emplace_back(from, to);
      entries.emplace_back(to, from);
    }
    std::ranges::sort(entries);
    std::size_t at = 0;
    for (std::uint32_t node = 0; node < graph.node_label.size(); ++node) {
      for (; at < entries.size() && entries[at].first == node; ++at) {
        data.col.push_back(first + entries[at].second);
      }
      data.row_ptr.push_back(static_cast<std::uint32_t>(data.col.size()));
    }
    data.node_label.insert(data.node_label.end(), graph.node_label.begin(), graph.node_label.end());
    data.graph_ptr.push_back(static_cast<std::uint32_t>(data.row_ptr.size() - 1));
    data.graph_class.push_back(kNoClass);
    if (!data.name_ptr.empty()) {
      data.name_ptr.push_back(data.name_ptr.back());
    }
  }
  if (labelled_edges) {
    data.edge_label.resize(data.col.size(), edge_label);
  }
  if (counted) {
    data.multiplicity.resize(data.col.size(), 1);
  }
  if (!data.direction.empty()) {
    data.direction.resize(data.col.size(), Direction::both);
  }
  data.edge_attributes.resize(data.col.size() * data.edge_attribute_count, 0.0F);
  data.attributes.resize(data.node_label.size() * data.attribute_count, 0.0F);
  return GraphSet(std::move(data));
}

}  // namespace rayleigh::graph
