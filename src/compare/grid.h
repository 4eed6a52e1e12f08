// Many training runs, datasets × detectors × seeds, several at a time: the machinery behind
// comparisons. Every finished cell is a file in the grid's folder until all are done and go into
// results.json together, so a grid that was stopped, or is asked for again with more rows, runs
// only what is missing.
// Takes as long as its cells together, divided by the threads. A cell runs on one thread, and its
// result does not depend on what runs beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
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
  std::string published_as{};  ///< what published values call it; "" = its title
  /// In place of the split of the plan, for the seed of a cell.
  std::function<Split(const GraphSet& graphs, std::uint64_t seed)> split{};
  /// Results of other parts do not stand for its cells.
  bool parts_are_given = false;
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
  /// As many folds in place of seeds: a cell's seed is its fold, from 1, and all train with seed 1.
  std::size_t folds = 0;
  /// Results keep the order of their test graphs: to see how sure a difference is where these do
  /// not move.
  bool keep_ranks = false;

  /// "NCI-H23, gmt, seed 1".
  std::string title(std::size_t cell) const;
};

/// What a run of the model with that seed, or on that fold, is asked to do on the dataset.
TrainingRequest training_request(const Grid& grid, const GridCell& cell, const GraphSet& graphs);

/// The folder of a comparison, made where it is missing: results.json with everything of finished
/// grids, and while one runs the folder `cells` with a file for each result and checkpoints. Locked
/// as long as the object lives: hold it until the tables are written too.
class GridFolder {
 public:
  /// Error when another process works in it, or when its results.json is not one.
  explicit GridFolder(const std::filesystem::path& folder);

  std::filesystem::path result_file(const Grid& grid, const GridCell& cell) const;
  std::filesystem::path checkpoint_file(const Grid& grid, const GridCell& cell) const;

  bool has_result(const Grid& grid, const GridCell& cell) const;
  /// Of an earlier run. Throws std::string with what is wrong with it.
  std::optional<CellResult> find_result(const Grid& grid, const GridCell& cell) const;

  /// Writes results.json: `results`, the cells that it is about and, as "earlier_cells", all other
  /// results of this folder. Files of single results go. Returns the text.
  std::string finish(nlohmann::ordered_json results, std::span<const CellResult> cells) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path cells_;
  core::FolderLock lock_;
  /// Of results.json, by result_key(), as JSON.
  std::map<std::string, nlohmann::ordered_json> finished_;
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
