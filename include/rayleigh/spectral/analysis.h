// The paper's observation for any set of graphs: do Rayleigh quotients separate the two classes?
// Look at it before training anything; `rayleigh analyze` shows it.
// Dominated by one eigendecomposition per graph: about 50 µs for 26 nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/spectral/distributions.h"
#include "rayleigh/spectral/spectrum.h"
#include "rayleigh/spectral/wavelets.h"

namespace rayleigh::spectral {

struct AnalysisOptions {
  std::optional<std::string> anomaly_class{};  ///< see anomaly_class()
  DistributionOptions distribution{};
  BankOptions bank{};            ///< the filters shown over the spectrum
  std::size_t order = 6;         ///< K: wavelet i reaches order i K
  std::size_t thresholds = 101;  ///< points of an energy curve on [0, 2]
  std::size_t dense_limit = kDenseLimit;
  /// A label is ranked when its quotient exists in at least this many graphs of each class.
  std::size_t min_graphs = 10;
  RunOptions run{};
  /// Told how many graphs were finished since its last call, by any thread.
  std::function<void(std::size_t)> progress{};
};

/// How well one number separates the classes, over the graphs that have it.
struct Separation {
  std::size_t normal = 0;
  std::size_t anomalous = 0;
  double normal_mean = 0;
  double anomalous_mean = 0;
  double auc = 0.5;    ///< of the number alone as a detector; below 0.5: anomalies have less of it
  double ks = 0;       ///< Kolmogorov-Smirnov statistic
  double p_value = 1;  ///< of the Kolmogorov-Smirnov test
};

/// One number per graph; none where it does not exist.
struct Column {
  std::string name;         ///< as in the table, e.g. "rq_normalised"
  std::string description;  ///< for people
  std::vector<std::optional<double>> values;
  std::optional<Separation> separation;  ///< none when a class is empty
};

/// A quotient with its distributions (E4) and distance ratios (E5).
struct QuotientDistribution {
  std::size_t column;  ///< in Analysis::columns
  std::vector<SampleDistribution> samples;
  std::vector<DistanceRatio> ratios;  ///< empty when a class is empty
};

struct LabelSeparation {
  std::uint32_t label;
  Separation separation;
  double adjusted_p = 1;  ///< Holm's correction over all ranked labels

  bool significant() const { return adjusted_p < 0.05; }
};

/// Quantiles over the graphs of a class of E(t), the share of energy above t.
struct EnergyCurve {
  std::size_t graphs = 0;
  std::vector<double> q05, q25, median, q75, q95;
};

struct WaveletCurve {
  std::string name;
  std::vector<double> kernel;     ///< g(λ) at Analysis::lambdas
  std::vector<double> truncated;  ///< its Chebyshev series
};

struct Analysis {
  std::vector<std::int8_t> anomalous;  ///< per graph: 1, 0, or -1 without a label
  std::optional<std::uint32_t> anomaly_class;
  std::size_t normal_graphs = 0;
  std::size_t anomalous_graphs = 0;
  std::size_t estimated_graphs = 0;  ///< above the dense limit
  std::vector<bool> exact;           ///< per graph: not estimated

  std::vector<Column> columns;
  std::vector<QuotientDistribution> quotients;  ///< normalised, then regular Laplacian
  std::vector<LabelSeparation> labels;          ///< significant ones first, by |AUC - 0.5|
  std::vector<double> lambdas;                  ///< points of the curves on [0, 2]
  EnergyCurve normal_energy;
  EnergyCurve anomalous_energy;
  std::vector<double> eigenvalue_edges;      ///< bins on [0, 2]
  std::vector<double> eigenvalue_frequency;  ///< of all exact spectra together, sums to 1
  std::vector<WaveletCurve> wavelets;
};

/// UsageError for more bins or samples than graphs, or an anomalous class that is not clear.
Analysis analyse(const GraphSet& graphs, const AnalysisOptions& options);

}  // namespace rayleigh::spectral
