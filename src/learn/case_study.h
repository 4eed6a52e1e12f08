// Does the detector follow the Rayleigh quotient? Quotients of training graphs beside those of test
// graphs that were called right and wrong, class by class, with distances that have intervals.
// Experiment E8; a claim that can fail.
// One training run and a thousand resamples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learn/training.h"

namespace rayleigh::learn {

/// A distance of two samples with its 95 % bootstrap interval; NaN where a sample is empty.
struct SampleDistance {
  double value = 0;
  double low = 0;
  double high = 0;
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
};

struct CaseStudy {
  std::string data;
  std::vector<CaseGroup> groups;  ///< normal, anomalous
};

/// Of scalar quotients under the normalised Laplacian; a graph is called anomalous above 0.5.
CaseStudy study_case(const GraphSet& graphs, const TrainingResult& result, std::uint64_t seed);

}  // namespace rayleigh::learn
