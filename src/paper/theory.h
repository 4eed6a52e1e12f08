// The paper's theorems and propositions, measured: how far each is from being violated on given
// graphs with random signals and perturbations. Experiment E9; property tests hold the same claims.
// Behind `rayleigh reproduce E9`.
// A few eigendecompositions per graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh::paper {

/// One claim. It holds when there were cases and the worst does not exceed the bound.
struct TheoryMargin {
  std::string claim;
  std::string measure;  ///< what `worst` is, in words
  std::size_t cases = 0;
  double worst = 0;
  double bound = 0;
  std::string note{};

  bool holds() const { return cases > 0 && worst <= bound; }
};

struct TheoryOptions {
  std::uint64_t seed = 1;
  std::size_t most_graphs = 500;  ///< the first ones with 3 … 60 nodes
};

/// Theorem 1 and Weyl, Courant-Fischer, Theorem 2 (exactly, to first order, and how often the
/// paper's form fails), Proposition 1, Proposition 2, the Chebyshev lemma.
std::vector<TheoryMargin> measure_theory(const GraphSet& graphs, const TheoryOptions& options = {});

}  // namespace rayleigh::paper
