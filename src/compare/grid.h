// Many training runs, datasets × detectors × seeds, several at a time: the machinery behind
// comparisons. Every finished cell is a file in the grid's folder, so a grid that was stopped, or
// is asked for again with more rows, runs only what is missing.
// Takes as long as its cells together, divided by the threads. A cell runs on one thread, and its
// result does not depend on what runs beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/split.h"

#include "compare/cell_result.h"
#include "compare/grid_model.h"
#include "core/folder_lock.h"

namespace rayleigh::compare {

struct GridData {
  std::string title;  ///< what tables call it; no two alike
  std::function<GraphSet()> load;
  std::optional<std::string> anomaly_class{};
  std::string in_paper{};  ///< what the paper calls it; "" = its title
  /// In place of the split of the plan, for the seed of a cell.
  std::function<Split(const GraphSet& graphs, std::uint64_t seed)> split{};
};

struct GridCell {
  std::size_t data = 0;
  std::size_t model = 0;
  std::uint64_t seed = 1;
  bool train = true;  ///< false: only a result that is there already counts
};

struct Grid {
  std::vector<GridData> data;
  std::vector<GridModel> models;
  std::vector<GridCell> cells;  ///< by data: a set is in memory while its cells run

  /// "NCI-H23, gmt, seed 1".
  std::string title(std::size_t cell) const;
};

/// The folder `cells` in the folder of a comparison, made where it is missing. Locked as long as
/// the object lives: hold it until the tables are written too.
class GridFolder {
 public:
  /// Error when another process works in it.
  explicit GridFolder(const std::filesystem::path& folder);

  std::filesystem::path result_file(const Grid& grid, const GridCell& cell) const;
  std::filesystem::path checkpoint_file(const Grid& grid, const GridCell& cell) const;

 private:
  std::filesystem::path cells_;
  core::FolderLock lock_;
};

/// What happens while a grid runs. Never called by two threads at once.
struct GridHooks {
  std::function<void(std::size_t cell)> started{};
  std::function<void(std::size_t cell, const TrainingProgress&)> after_epoch{};
  std::function<void(std::size_t cell, const CellResult&)> finished{};
  /// Why a cell that has a file is run again, and where one goes on.
  std::function<void(const std::string&)> say{};
};

/// Results in the order of the cells. A cell or a dataset that fails does not stop the others; a
/// stop request does, finished cells are kept and running ones have their checkpoints. Detectors
/// and settings that do not exist are UsageErrors before anything runs.
std::vector<CellResult> run_grid(const Grid& grid, const GridFolder& folder, const RunOptions& run,
                                 const GridHooks& hooks = {});

}  // namespace rayleigh::compare
