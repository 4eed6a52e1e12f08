#include "graph/node_removal.h"

#include "graph/copy_graph.h"

namespace rayleigh::graph {

GraphSet without_each_node(const GraphSet& graphs, std::size_t graph, std::size_t first,
                           std::size_t last) {
  const GraphSetData& from = graphs.data();
  GraphSetData to;
  to.name = from.name;
  to.node_labels = from.node_labels;
  to.edge_labels = from.edge_labels;
  to.label_source = from.label_source;
  to.attribute_count = from.attribute_count;
  to.edge_attribute_count = from.edge_attribute_count;
  to.classes = from.classes;
  const std::uint32_t begin = from.graph_ptr[graph];
  if (from.graph_ptr[graph + 1] - begin > 1) {
    for (std::size_t node = first; node < last; ++node) {
      copy_graph(graphs, graph, to, begin + static_cast<std::uint32_t>(node));
    }
  }
  return GraphSet(std::move(to));
}

}  // namespace rayleigh::graph
