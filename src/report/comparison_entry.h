// A detector on a dataset: its cells, and means over seeds or folds.
// What the rows of a comparison are made of.
// A pass over the cells.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "compare/cell_result.h"
#include "report/published.h"

namespace rayleigh::report {

/// Mean and deviation over the seeds that have a value.
struct OverSeeds {
  std::size_t count = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();  ///< of a sample; NaN for one value
};
OverSeeds summarise(const std::vector<double>& values);

/// A detector on a dataset.
struct ComparisonEntry {
  std::vector<const compare::CellResult*> done{};
  std::vector<const compare::CellResult*> failed{};
  OverSeeds auc{};
  OverSeeds average_precision{};
  OverSeeds macro_f1{};  ///< at 0.5; no values where scores are not probabilities
  OverSeeds macro_f1_tuned{};
  OverSeeds seconds_train{};
  std::optional<PublishedValue> published{};
  bool below_size = false;  ///< its AUC is below that of the number of nodes, same seeds

  bool empty() const { return done.empty() && failed.empty(); }
};

/// What tables show of an entry.
struct ComparisonMetric {
  const char* key;
  const char* title;
  OverSeeds ComparisonEntry::*of;
};
inline constexpr ComparisonMetric kAuc{"auc", "AUC", &ComparisonEntry::auc};
inline constexpr ComparisonMetric kAveragePrecision{"average_precision", "average precision",
                                                    &ComparisonEntry::average_precision};
inline constexpr ComparisonMetric kMacroF1{"macro_f1", "macro-F1 at 0.5",
                                           &ComparisonEntry::macro_f1};
inline constexpr ComparisonMetric kMacroF1Tuned{"macro_f1_tuned", "macro-F1 tuned",
                                                &ComparisonEntry::macro_f1_tuned};

}  // namespace rayleigh::report
