// How a quotient is distributed in the two classes, at several sample sizes (experiments E4, E5).
// Use on one number per graph; `rayleigh analyze` shows the result.
// One sort and one pass per sample.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rayleigh::spectral {

/// Whether each sample has bins over its own range, or all over the range of everything.
enum class BinEdges { sample, common };

struct DistributionOptions {
  std::vector<double> shares{0.25, 0.5, 1.0};  ///< of each class
  int bins = 10;
  BinEdges edges = BinEdges::sample;
  std::uint64_t seed = 1;
};

/// Both classes of one sample over the same bins. Frequencies sum to one per class.
struct SampleDistribution {
  double share = 1;
  std::vector<double> edges;  ///< bins + 1 values
  std::vector<double> normal;
  std::vector<double> anomalous;  ///< empty when there is no such class
  std::size_t normal_graphs = 0;
  std::size_t anomalous_graphs = 0;
};

/// Samples are nested: a smaller one is part of every larger one. Throws UsageError when a share
/// leaves a class without a graph or there are more bins than graphs of a class.
std::vector<SampleDistribution> sample_distributions(std::span<const double> normal,
                                                     std::span<const double> anomalous,
                                                     const DistributionOptions& options);

/// E5, per bin: distances between samples of one class, and between the classes.
struct DistanceRatio {
  double within_anomalous = 0;  ///< d_a: mean |p_a^s - p_a^t| over pairs of samples
  double within_normal = 0;     ///< d_n
  double between = 0;           ///< d_i: mean |p_a^s - p_n^t| over all s, t

  double to_anomalous() const;  ///< d_i / d_a; infinity when d_a is 0 (NaN when d_i is 0 too)
  double to_normal() const;
};
std::vector<DistanceRatio> distance_ratios(std::span<const SampleDistribution> samples);

}  // namespace rayleigh::spectral
