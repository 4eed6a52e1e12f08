// A graph spelled out in words, so that graphs of sets with different vocabularies compare.
// For tests and fuzz targets only; needs no test framework.
// Copies everything: small graphs only.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::test {

struct WordGraph {
  std::string graph_class;  ///< "?" = none
  std::vector<std::string> labels;
  std::vector<float> attributes;
  /// from, to, times, label
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::string>> edges;
  std::vector<float> edge_attributes;  ///< of each of them
  std::vector<Direction> directions;   ///< of each of them

  friend bool operator==(const WordGraph&, const WordGraph&) = default;
};

inline WordGraph words_of(const GraphSet& set, std::size_t index) {
  WordGraph words;
  const auto graph = set[index];
  const auto graph_class = set.graph_class()[index];
  words.graph_class =
      graph_class == kNoClass ? "?" : set.classes()[static_cast<std::size_t>(graph_class)];
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    words.labels.push_back(set.node_labels()[graph.label(node)]);
    const auto row = set.attributes(graph.first_node() + node);
    words.attributes.insert(words.attributes.end(), row.begin(), row.end());
    std::size_t entry = graph.first_entry(node);
    for (const auto neighbour : graph.neighbours(node)) {
      words.edges.emplace_back(
          node, neighbour - graph.first_node(),
          set.multiplicity().empty() ? 1 : set.multiplicity()[entry],
          set.edge_label().empty() ? "" : set.edge_labels()[set.edge_label()[entry]]);
      const auto numbers = set.edge_attributes(entry);
      words.edge_attributes.insert(words.edge_attributes.end(), numbers.begin(), numbers.end());
      words.directions.push_back(set.direction().empty() ? Direction::both
                                                         : set.direction()[entry]);
      ++entry;
    }
  }
  return words;
}

inline std::vector<WordGraph> words_of(const GraphSet& set) {
  std::vector<WordGraph> all;
  for (std::size_t g = 0; g < set.size(); ++g) {
    all.push_back(words_of(set, g));
  }
  return all;
}

}  // namespace rayleigh::test
