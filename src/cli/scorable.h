// Which graphs of a chunk a detector can score: those with a node and not too many.
// For the verbs that score what they read.
// One pass over the graphs.
#pragma once

#include <cstdint>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_set.h"

namespace rayleigh::cli {

inline std::vector<std::uint32_t> scorable(const GraphSet& graphs, const Detector& detector) {
  const std::size_t most = detector.most_nodes();
  std::vector<std::uint32_t> chosen;
  chosen.reserve(graphs.size());
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    if (graphs[g].nodes() > 0 && graphs[g].nodes() <= most) {
      chosen.push_back(g);
    }
  }
  return chosen;
}

}  // namespace rayleigh::cli
