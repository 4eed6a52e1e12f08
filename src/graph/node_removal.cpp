#include "graph/node_removal.h"

namespace rayleigh::graph {

GraphSet without_each_node(const GraphSet& graphs, std::size_t graph) {
  const GraphSetData& from = graphs.data();
  GraphSetData to;
  to.name = from.name;
  to.node_labels = from.node_labels;
  to.edge_labels = from.edge_labels;
  to.label_source = from.label_source;
  to.attribute_count = from.attribute_count;
  const std::uint32_t begin = from.graph_ptr[graph];
  const std::uint32_t end = from.graph_ptr[graph + 1];
  for (std::uint32_t gone = begin; gone < end && end - begin > 1; ++gone) {
    const auto first = static_cast<std::uint32_t>(to.row_ptr.size() - 1);
    const auto number = [=](std::uint32_t node) {
      return first + (node - begin) - (node > gone ? 1 : 0);
    };
    for (std::uint32_t node = begin; node < end; ++node) {
      if (node == gone) {
        continue;
      }
      for (std::uint32_t e = from.row_ptr[node]; e < from.row_ptr[node + 1]; ++e) {
        if (from.col[e] == gone) {
          continue;
        }
        to.col.push_back(number(from.col[e]));
        if (!from.edge_label.empty()) {
          to.edge_label.push_back(from.edge_label[e]);
        }
        if (!from.multiplicity.empty()) {
          to.multiplicity.push_back(from.multiplicity[e]);
        }
      }
      to.row_ptr.push_back(static_cast<std::uint32_t>(to.col.size()));
      to.node_label.push_back(from.node_label[node]);
      const auto row = graphs.attributes(node);
      to.attributes.insert(to.attributes.end(), row.begin(), row.end());
    }
    to.graph_ptr.push_back(static_cast<std::uint32_t>(to.row_ptr.size() - 1));
    to.graph_class.push_back(kNoClass);
  }
  return GraphSet(std::move(to));
}

}  // namespace rayleigh::graph
