// Made-up graphs for examples, tests and benchmarks: no download needed.
// The same options give the same graphs on every machine, for any number of threads.
// About a million nodes per second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::generate {

/// COLORS-3 (Knyazev et al. 2019): the class of a graph is its number of green nodes, 0 … 10.
struct Colors3Options {
  std::uint64_t seed = 1;
  int graphs = 10'500;  ///< 11 : 5 : 5 for the original, large and large-c parts
};
GraphSet colors3(const Colors3Options& options);

/// Molecule-like graphs: fused and linked rings, chains, branches, atoms and bond orders. Normal
/// and anomalous graphs have the same atoms; in anomalous ones (class 1) the hetero-atoms sit side
/// by side, which shows in the Rayleigh quotients but not in the label counts.
struct MoleculesOptions {
  std::uint64_t seed = 1;
  int graphs = 2'000;
  double anomalous = 0.05;  ///< share of the graphs
};
GraphSet molecules(const MoleculesOptions& options);

enum class Perturbation { rewire, remove, flip };

/// Experiment E6: a share of the normal graphs is perturbed and becomes the anomalies (class 1),
/// the other normal graphs stay (class 0), the anomalies of the source are left out.
struct PerturbOptions {
  std::uint64_t seed = 1;
  double probability = 0.15;  ///< that an edge is changed
  double share = 0.05;        ///< of the normal graphs that are perturbed
  /// rewire: the edge is removed and a uniformly chosen absent pair of the graph is connected;
  /// remove: the edge is removed; flip: a uniformly chosen pair is connected or disconnected.
  Perturbation how = Perturbation::rewire;
  std::optional<std::string> anomaly_class{};  ///< of the source
};

struct PerturbedNode {
  std::uint32_t graph;  ///< in the result
  std::uint32_t node;   ///< local
};

struct PerturbedSet {
  GraphSet graphs;                     ///< graph names are those of the source, or its numbers
  std::vector<PerturbedNode> touched;  ///< end points of removed and added edges
};
PerturbedSet perturb(const GraphSet& source, const PerturbOptions& options);

}  // namespace rayleigh::generate
