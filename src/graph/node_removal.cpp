#include "graph/node_removal.h"

#include "graph/copy_graph.h"

namespace rayleigh::graph {

GraphSet without_each_node(const GraphSet& graphs, std::size_t graph) {
  const GraphSetData& from = graphs.data();
  GraphSetData to;
  to.name = from.name;
  to.node_labels = from.node_labels;
  to.edge_labels = from.edge_labels;
  to.label_source = from.label_source;
  to.attribute_count = from.attribute_count;
  to.classes = from.classes;
  const std::uint32_t begin = from.graph_ptr[graph];
  const std::uint32_t end = from.graph_ptr[graph + 1];
  for (std::uint32_t gone = begin; gone < end && end - begin > 1; ++gone) {
    copy_graph(graphs, graph, to, gone);
  }
  return GraphSet(std::move(to));
}

}  // namespace rayleigh::graph
