// What a set of graphs looks like: sizes, labels, degrees, connectedness, duplicates.
// Look at it before training; `rayleigh inspect` prints it.
// About 0.15 s for a set the size of NCI-H23 on two threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

/// A distribution in nine numbers. Percentiles are values that occur (nearest rank).
struct Summary {
  double mean = 0;
  std::uint64_t min = 0;
  std::uint64_t p05 = 0;
  std::uint64_t p25 = 0;
  std::uint64_t median = 0;
  std::uint64_t p75 = 0;
  std::uint64_t p95 = 0;
  std::uint64_t p99 = 0;
  std::uint64_t max = 0;
};

struct Count {
  std::string word;
  std::uint64_t count = 0;
  std::uint64_t graphs = 0;  ///< graphs in which it occurs
};

struct Duplicates {
  std::uint64_t groups = 0;              ///< sets of graphs with one Weisfeiler-Leman hash
  std::uint64_t graphs = 0;              ///< graphs in them
  std::uint64_t conflicting_groups = 0;  ///< alike, but with different graph labels
  std::vector<std::uint32_t> largest;    ///< the members of the largest group
  std::vector<std::uint32_t> conflict;   ///< the members of the first conflicting group
};

struct SetStatistics {
  Summary nodes;  ///< per graph
  Summary edges;  ///< undirected, per graph
  std::uint64_t total_nodes = 0;
  std::uint64_t total_edges = 0;
  std::vector<Count> node_labels;  ///< most frequent first
  std::vector<Count> edge_labels;  ///< counts undirected edges
  std::vector<Count> degrees;      ///< by degree
  std::uint64_t connected_graphs = 0;
  std::uint64_t edgeless_graphs = 0;
  std::uint64_t isolated_nodes = 0;
  std::uint64_t graphs_with_isolated_nodes = 0;
  std::uint64_t directed_graphs = 0;  ///< with an edge that goes one way
  std::uint64_t unlabelled_graphs = 0;
  std::uint64_t repeated_names = 0;  ///< graphs whose name another graph had before
  Duplicates duplicates;
};

SetStatistics statistics(const GraphSet& graphs, const RunOptions& run = {});

}  // namespace rayleigh
