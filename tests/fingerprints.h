// Fingerprints for graphs that no chemistry has read: a detector that needs molecules then runs in
// the tests that hold for every detector. As those of molecules they come from nodes and their
// surroundings, so that graphs alike have bits alike, in whatever order their nodes are.
// Nothing here is part of the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rayleigh/graph_set.h"

#include "core/hash.h"

namespace rayleigh::test {

/// The same graphs; a bit for the label of every node, and one for it with those of its neighbours.
inline GraphSet with_fingerprints(const GraphSet& graphs) {
  GraphSetData data = graphs.data();
  data.fingerprint_ptr = {0};
  data.fingerprint.clear();
  const auto word = [&](const GraphView& graph, std::size_t node) {
    return core::hash64(graphs.node_labels()[graph.label(node)]);
  };
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const GraphView graph = graphs[g];
    std::vector<std::uint16_t> bits;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      std::uint64_t around = word(graph, node);
      bits.push_back(static_cast<std::uint16_t>(around % kFingerprintBits));
      for (const std::uint32_t neighbour : graph.neighbours(node)) {
        around += core::mix64(word(graph, neighbour - graph.first_node()));
      }
      bits.push_back(static_cast<std::uint16_t>(core::mix64(around) % kFingerprintBits));
    }
    std::ranges::sort(bits);
    bits.erase(std::unique(bits.begin(), bits.end()), bits.end());
    data.fingerprint.insert(data.fingerprint.end(), bits.begin(), bits.end());
    data.fingerprint_ptr.push_back(static_cast<std::uint32_t>(data.fingerprint.size()));
  }
  return GraphSet(std::move(data));
}

}  // namespace rayleigh::test
