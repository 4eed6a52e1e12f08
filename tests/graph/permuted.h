// The same graphs with their nodes in another order, for tests of what must not depend on it.
// Classes, labels and names stay; attributes are left out.
// Nothing here is part of the library.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"

namespace rayleigh::test {

struct Permuted {
  GraphSet graphs;
  std::vector<std::uint32_t> place;  ///< of a node of the old set, in the new set
};

inline Permuted permuted(const GraphSet& set, std::uint64_t seed) {
  const core::RandomStream stream(seed, "permuted nodes");
  GraphSetBuilder builder(set.name());
  Permuted result;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const GraphView graph = set[g];
    const auto cls = set.graph_class()[g];
    builder.begin_graph(set.graph_name(g),
                        cls == kNoClass ? "" : set.classes()[static_cast<std::size_t>(cls)]);
    std::vector<std::uint32_t> old_of_new(graph.nodes());
    std::iota(old_of_new.begin(), old_of_new.end(), 0U);
    core::Generator generator = stream.at(g);
    generator.shuffle(std::span(old_of_new));
    std::vector<std::uint32_t> new_of_old(graph.nodes());
    for (std::uint32_t i = 0; i < old_of_new.size(); ++i) {
      new_of_old[old_of_new[i]] = i;
      builder.add_node(set.node_labels()[graph.label(old_of_new[i])]);
    }
    for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
      result.place.push_back(graph.first_node() + new_of_old[i]);
      for (std::size_t k = 0; k < graph.degree(i); ++k) {
        const std::uint32_t far = graph.neighbours(i)[k] - graph.first_node();
        if (i < far) {
          builder.add_edge(new_of_old[far], new_of_old[i],
                           set.edge_label().empty()
                               ? std::string()
                               : set.edge_labels()[set.edge_label()[graph.first_entry(i) + k]]);
        }
      }
    }
  }
  result.graphs = builder.build();
  return result;
}

}  // namespace rayleigh::test
