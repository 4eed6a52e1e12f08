// Does the detector follow the Rayleigh quotient? Quotients of training graphs beside those of test
// graphs that were called right and wrong, class by class, with distances that have intervals.
// Experiment E8; a claim that can fail.
// A thousand resamples per distance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/split.h"

namespace rayleigh::paper {

/// How far test graphs are from training graphs; NaN where there are none.
struct SampleDistance {
  double value = 0;
  double low = 0;  ///< 95 % bootstrap interval
  double high = 0;
  /// How often equally many test graphs of the class, drawn by chance, are at least as far. Small
  /// samples are far from everything, so the distance alone says little.
  double by_chance = 0;
};

struct CaseGroup {
  bool anomalous = false;
  std::vector<double> training;  ///< quotients
  std::vector<double> right;
  std::vector<double> wrong;
  SampleDistance wasserstein_right{};
  SampleDistance wasserstein_wrong{};
  SampleDistance ks_right{};
  SampleDistance ks_wrong{};

  /// Graphs that were called wrong are farther than chance makes them, those called right are not.
  /// None where there are fewer than ten of a kind.
  std::optional<bool> bears_out_the_paper() const;
};

struct CaseStudy {
  std::string data;
  std::vector<CaseGroup> groups;  ///< normal, anomalous
};

/// Of scalar quotients under the normalised Laplacian; a graph is called anomalous above 0.5.
/// `labels` and `scores` are of all graphs.
CaseStudy study_case(const GraphSet& graphs, const Split& split,
                     std::span<const std::int8_t> labels, std::span<const double> scores,
                     std::uint64_t seed);

}  // namespace rayleigh::paper
