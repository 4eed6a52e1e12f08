// Other methods beside ours: their scores, brought in files, measured on the parts of a grid.
// Add models() to the grid, then ask for the cells of each dataset before it is run, so that a file
// that does not fit is known at once.
// A pass over the rows per dataset.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/grid.h"
#include "compare/score_file.h"

namespace rayleigh::compare {

class OutsideScores {
 public:
  OutsideScores() = default;
  /// DataErrors of read_score_file().
  explicit OutsideScores(const std::vector<std::string>& files);

  bool empty() const { return files_.empty(); }
  /// A row of the grid for each method, in the order of the files. UsageError for two of one name.
  std::vector<GridModel> models() const;

  /// DataError where a file does not say which of several datasets it means, or names one that is
  /// not there.
  void check_data(const Grid& grid) const;

  /// Results on a dataset, those of one method behind those of the other. `first` is where models()
  /// begin in the grid, `splits` are the parts by seed or fold, from 1. DataError with the line of
  /// a row that does not fit, and for a graph without a score.
  std::vector<CellResult> cells(const Grid& grid, std::size_t first, std::size_t data,
                                const GraphSet& graphs, std::span<const Split> splits) const;
  /// The same for a dataset that cannot be read.
  std::vector<CellResult> failed_cells(const Grid& grid, std::size_t first, std::size_t data,
                                       std::size_t seeds, const std::string& reason) const;

 private:
  std::vector<ScoreFile> files_;
};

/// A row per graph of a part, seed (or fold) and dataset, in the columns of a score file but for
/// the score: data,seed,index,id,part,label.
std::string parts_header(const Grid& grid);
std::string parts_rows(const Grid& grid, std::size_t data, const GraphSet& graphs,
                       std::span<const std::int8_t> labels, std::span<const Split> splits);

}  // namespace rayleigh::compare
