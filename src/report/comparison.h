// The results of a grid, put together as tables show them: means over seeds, published values
// beside them, who beats whom, ranks.
// Made once from the results; the text table, the page and the files are made from this.
// A pass over the cells, and one over pairs of rows.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compare/grid.h"
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

struct ComparisonRow {
  std::size_t model = 0;  ///< place in the grid
  std::string title{};
  std::string published_as{};  ///< "" = it is not
  bool yardstick = false;
  bool one_class = false;
};

/// Of the datasets and seeds that both rows have.
struct Duel {
  std::size_t wins = 0;
  std::size_t ties = 0;
  std::size_t losses = 0;
};

/// Can be moved, not copied: entries point to cells.
struct Comparison {
  Comparison() = default;
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;

  std::string published_by;    ///< Published::name
  std::string published_note;  ///< Published::note
  std::vector<compare::CellResult> cells;
  std::vector<std::string> data;
  std::vector<ComparisonRow> rows;                    ///< in the published order, yardsticks last
  std::vector<std::vector<ComparisonEntry>> entries;  ///< by row, then by dataset
  std::vector<std::vector<Duel>> duels;               ///< each row against each, by test AUC
  std::vector<OverSeeds> ranks;                       ///< of mean AUC, over datasets; 1 = best

  bool is_best(std::size_t row, std::size_t set, const ComparisonMetric& metric) const;
  std::size_t failures() const;
  /// A cell of the dataset that has been read, or none.
  const compare::CellResult* any_of(std::size_t set) const;
};

Comparison make_comparison(const compare::Grid& grid, std::vector<compare::CellResult> cells,
                           const Published& published = {});

/// The published value of a metric, where there is one.
std::optional<double> published_value(const ComparisonEntry& entry, const ComparisonMetric& metric);

/// "1, 2, 3" of what distinct values a detector ran with on all sets: seeds, epochs, graphs.
struct Granted {
  std::string seeds;
  std::string epochs;
  std::string train_graphs;
};
Granted granted(const Comparison& comparison, std::size_t row);

/// Runs that failed, put together where data and reason are the same.
struct FailureReason {
  std::string data;
  std::string models;  ///< with commas, or "all"
  std::string seeds;
  std::string why;
  std::size_t runs = 0;
};
std::vector<FailureReason> failure_reasons(const Comparison& comparison);

}  // namespace rayleigh::report
