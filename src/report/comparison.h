// The results of a grid, put together as tables show them: means over seeds, published values
// beside them, who beats whom, ranks.
// Made once from the results; the text table, the page and the files are made from this.
// A pass over the cells, and one over pairs of rows.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "compare/grid.h"
#include "report/comparison_entry.h"
#include "report/paired.h"
#include "report/published.h"

namespace rayleigh::report {

struct ComparisonRow {
  std::size_t model = 0;  ///< place in the grid
  std::string title{};
  std::string published_as{};  ///< "" = it is not
  bool yardstick = false;
  bool one_class = false;
  std::string scores{};  ///< file of its scores; "" = it was trained here
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
  PairedDifferences paired;                           ///< of each row to the reference
  std::size_t folds = 0;                              ///< 0 = seeds

  bool is_best(std::size_t row, std::size_t set, const ComparisonMetric& metric) const;
  std::size_t failures() const;
  /// What is repeated: "seed" or "fold".
  const char* repeat() const { return folds > 0 ? "fold" : "seed"; }
  /// A cell of the dataset that has been read, or none.
  const compare::CellResult* any_of(std::size_t set) const;
};

/// `reference` is the model of the grid that the others are paired with.
Comparison make_comparison(const compare::Grid& grid, std::vector<compare::CellResult> cells,
                           const Published& published = {}, std::size_t reference = 0,
                           const RunOptions& run = {});

/// The published value of a metric, where there is one.
std::optional<double> published_value(const ComparisonEntry& entry, const ComparisonMetric& metric);

/// How the differences to the reference were tested, in words.
std::string paired_note(const Comparison& comparison);

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
