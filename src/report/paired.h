// Differences of every row of a comparison to one of them, seed by seed or fold by fold.
// A difference of two methods on the same test graphs is surer than either value.
// A pass over pairs of cells.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rayleigh/resampled_mean.h"
#include "rayleigh/run_options.h"

#include "report/comparison_entry.h"

namespace rayleigh::report {

inline constexpr std::array<ComparisonMetric, 3> kPairedMetrics{kAuc, kAveragePrecision,
                                                                kMacroF1Tuned};

/// Row minus reference, in the order of kPairedMetrics.
using PairedEntry = std::array<ResampledMean, kPairedMetrics.size()>;

struct PairedDifferences {
  std::size_t reference = 0;                      ///< row
  std::vector<std::vector<PairedEntry>> entries;  ///< by row, then by dataset
  /// By row: over the means of the datasets, which are independent of each other.
  std::vector<PairedEntry> over_data;
  bool fixed_parts = false;  ///< some dataset has the same parts for all seeds
  /// The intervals of those, and of one seed alone, are about which graphs were tested on; else
  /// about the luck of training.
  bool drawn = false;
};

PairedDifferences paired_differences(const std::vector<std::vector<ComparisonEntry>>& entries,
                                     std::size_t reference, const RunOptions& run);

/// "+0.0123 (+0.0011 … +0.0235) p 0.034"; "-" for none.
std::string paired_text(const ResampledMean& difference);

}  // namespace rayleigh::report
