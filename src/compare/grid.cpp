#include "compare/grid.h"

#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <new>
#include <sstream>

#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "core/atomic_file.h"
#include "core/hash.h"
#include "core/strict_json.h"
#include "core/text.h"
#include "core/thread_pool.h"

namespace rayleigh::compare {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

constexpr const char* kCells = "cells";
constexpr const char* kEarlierCells = "earlier_cells";

fs::path make_cells_folder(const fs::path& folder) {
  fs::path cells = folder / "cells";
  std::error_code error;
  fs::create_directories(cells, error);
  if (error) {
    throw Error(ErrorKind::failed, Place{folder.string(), 0},
                "cannot make the folder: " + error.message());
  }
  return cells;
}

/// A name that every file system takes.
std::string file_name(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : text.substr(0, kLongest)) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? c : '_';
  }
  return name;
}

/// Readable, and different for different cells. What is granted is left out: a cell with more
/// epochs replaces the one with fewer.
std::string cell_name(const Grid& grid, const GridCell& cell) {
  const GridModel& model = grid.models[cell.model];
  std::string all = fmt::format("{}\n{}", grid.data[cell.data].title, model.model);
  for (const auto& [key, value] : model.settings) {
    all += fmt::format("\n{}={}", key, value);
  }
  return fmt::format("{}.{}.{}.{:08x}", file_name(grid.data[cell.data].title),
                     file_name(model.title), cell.seed, core::hash64(all) >> 32U);
}

/// What tells the results of a folder apart.
std::string result_key(std::string_view data, std::string_view model, std::uint64_t seed) {
  return fmt::format("{}\n{}\n{}", data, model, seed);
}

std::string result_key(const CellResult& result) {
  return result_key(result.data_title, result.model_title, result.seed);
}

std::string result_key(const Grid& grid, const GridCell& cell) {
  return result_key(grid.data[cell.data].title, grid.models[cell.model].title, cell.seed);
}

/// Throws std::string when there is none.
Json read_json(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return core::parse_json(text.str());
}

/// The results in results.json.
std::map<std::string, Json> finished_results(const fs::path& file) {
  std::map<std::string, Json> results;
  if (!fs::exists(file)) {
    return results;
  }
  std::string wrong;
  try {
    const Json json = read_json(file);
    for (const char* part : {kCells, kEarlierCells}) {
      for (const Json& cell : json.value(part, Json::array())) {
        results.emplace(result_key(cell.at("data_title").get<std::string>(),
                                   cell.at("model").at("title").get<std::string>(),
                                   cell.at("seed").get<std::uint64_t>()),
                        cell);
      }
    }
    return results;
  } catch (const nlohmann::json::exception& error) {
    wrong = error.what();
  } catch (const std::string& error) {
    wrong = error;
  }
  throw Error(ErrorKind::bad_data, Place{file.string(), 0},
              fmt::format("holds no results: {}; move it away, and its runs are made anew", wrong));
}

/// What went wrong, in words, of the exception that is being handled.
std::string current_reason() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "not enough memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown error";
  }
}

DetectorOptions cell_options(const Grid& grid, const GridCell& cell) {
  return make_options(grid.models[cell.model], grid.folds > 0 ? 1 : cell.seed,
                      grid.data[cell.data].anomaly_class);
}

/// A set of graphs, read when its first cell asks and dropped after its last.
// The analyzer does not see that empty JSON is made without exceptions.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct LoadedData {
  std::mutex mutex;
  bool tried = false;
  std::shared_ptr<const GraphSet> graphs;
  nlohmann::ordered_json description;
  std::string reason;  ///< why there is none
  std::size_t cells_left = 0;
};

class GridRun {
 public:
  GridRun(const Grid& grid, const GridFolder& folder, const RunOptions& run, const GridHooks& hooks)
      : grid_(grid), folder_(folder), run_(run), hooks_(hooks), data_(grid.data.size()) {
    for (const GridCell& cell : grid.cells) {
      ++data_[cell.data].cells_left;
      static_cast<void>(make_options(grid.models[cell.model], cell.seed));
    }
  }

  std::vector<CellResult> run() {
    results_.resize(grid_.cells.size());
    core::ThreadPool pool(run_);
    pool.run(grid_.cells.size(), [&](std::size_t cell) { run_cell(cell); });
    return std::move(results_);
  }

 private:
  template <typename Hook, typename... Arguments>
  void tell(const Hook& hook, const Arguments&... arguments) {
    if (hook) {
      const std::lock_guard lock(telling_);
      hook(arguments...);
    }
  }

  void run_cell(std::size_t number) {
    tell(hooks_.started, number);
    const GridCell& cell = grid_.cells[number];
    CellResult& result = results_[number];
    result.data = cell.data;
    result.model = cell.model;
    result.seed = cell.seed;
    result.data_title = grid_.data[cell.data].title;
    result.model_title = grid_.models[cell.model].title;
    result.detector = grid_.models[cell.model].model;
    result.version = kVersion;
    try {
      compute(number, result);
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      constexpr std::size_t kLongestReason = 1000;
      result.reason = core::printable(current_reason(), kLongestReason);
    }
    try {
      if (!result.reused && !result.absent) {
        core::write_file_atomically(folder_.result_file(grid_, cell), to_text(to_json(result)));
      }
      if (!result.failed() && !result.absent) {
        fs::remove(folder_.checkpoint_file(grid_, cell));
      }
    } catch (...) {
      // The result stands; only the next run will not find it.
      tell(hooks_.say, fmt::format("{}: {}", grid_.title(number), current_reason()));
    }
    release(data_[cell.data]);
    tell(hooks_.finished, number, result);
  }

  void compute(std::size_t number, CellResult& result) {
    const GridCell& cell = grid_.cells[number];
    const GridData& data = grid_.data[cell.data];
    result.settings = Json::parse(cell_options(grid_, cell).json());
    if (grid_.folds > 0) {
      result.settings["folds"] = grid_.folds;
    }
    const auto graphs = loaded(cell.data, result);
    TrainingRequest request = training_request(grid_, cell, *graphs);
    if (data.parts_are_given) {
      result.settings["parts"] = split_hash(std::get<Split>(*request.split));
    }
    if (take_over(number, result)) {
      return;
    }
    if (!cell.train) {
      result.absent = true;
      return;
    }
    request.run = {.threads = 1, .stop = run_.stop};
    request.intervals = false;
    request.checkpoint = folder_.checkpoint_file(grid_, cell);
    request.resume = fs::exists(*request.checkpoint) ? Resume::if_usable : Resume::no;
    request.say = [&](const std::string& text) {
      tell(hooks_.say, fmt::format("{}: {}", grid_.title(number), text));
    };
    request.progress = [&](const TrainingProgress& progress) {
      if (!progress.restored) {
        tell(hooks_.after_epoch, number, progress);
      }
    };
    fill_in(result, train(*graphs, request), grid_.keep_ranks);
  }

  /// Throws what made reading fail, for every cell of the data.
  std::shared_ptr<const GraphSet> loaded(std::size_t index, CellResult& result) {
    LoadedData& data = data_[index];
    const std::lock_guard lock(data.mutex);
    if (!data.tried) {
      data.tried = true;
      try {
        auto graphs = std::make_shared<const GraphSet>(grid_.data[index].load());
        const auto labels = anomaly_labels(*graphs, grid_.data[index].anomaly_class);
        data.description = description_of(describe_data(*graphs, labels));
        data.graphs = std::move(graphs);
      } catch (const Cancelled&) {
        throw;
      } catch (...) {
        data.reason = current_reason();
      }
    }
    if (!data.graphs) {
      throw Error(ErrorKind::bad_data, data.reason);
    }
    result.description = data.description;
    return data.graphs;
  }

  static void release(LoadedData& data) {
    const std::lock_guard lock(data.mutex);
    if (--data.cells_left == 0) {
      data.graphs.reset();
    }
  }

  /// The result of an earlier run, where it fits.
  bool take_over(std::size_t number, CellResult& result) {
    std::string wrong;
    try {
      auto found = folder_.find_result(grid_, grid_.cells[number]);
      if (!found || found->failed()) {
        return false;
      }
      wrong = difference(*found, result);
      if (wrong.empty()) {
        found->data = result.data;
        found->model = result.model;
        found->reused = true;
        result = std::move(*found);
        return true;
      }
    } catch (const std::string& damage) {
      wrong = "it is damaged: " + damage;
    }
    tell(hooks_.say, fmt::format("{}: the result there does not fit, {}; {}", grid_.title(number),
                                 wrong, grid_.cells[number].train ? "run anew" : "left out"));
    return false;
  }

  const Grid& grid_;
  const GridFolder& folder_;
  const RunOptions& run_;
  const GridHooks& hooks_;
  std::vector<LoadedData> data_;
  std::vector<CellResult> results_;
  std::mutex telling_;
};

}  // namespace

std::string Grid::title(std::size_t cell) const {
  return fmt::format("{}, {}, {} {}", data[cells[cell].data].title, models[cells[cell].model].title,
                     folds > 0 ? "fold" : "seed", cells[cell].seed);
}

TrainingRequest training_request(const Grid& grid, const GridCell& cell, const GraphSet& graphs) {
  TrainingRequest request;
  request.options = cell_options(grid, cell);
  if (const auto& split = grid.data[cell.data].split) {
    request.split = split(graphs, cell.seed);
  }
  if (grid.folds > 0) {
    request.split = fold_of(request.split.value_or(request.options.split()), grid.folds,
                            static_cast<std::size_t>(cell.seed - 1));
  }
  return request;
}

GridFolder::GridFolder(const fs::path& folder)
    : folder_(folder),
      cells_(make_cells_folder(folder)),
      lock_(folder),
      finished_(finished_results(folder / "results.json")) {
  // Halves of files that a killed process left behind.
  for (const auto& entry : fs::directory_iterator(cells_)) {
    if (entry.path().filename().string().find(".tmp-") != std::string::npos) {
      fs::remove(entry.path());
    }
  }
}

fs::path GridFolder::result_file(const Grid& grid, const GridCell& cell) const {
  return cells_ / (cell_name(grid, cell) + ".json");
}

fs::path GridFolder::checkpoint_file(const Grid& grid, const GridCell& cell) const {
  return cells_ / (cell_name(grid, cell) + ".checkpoint");
}

bool GridFolder::has_result(const Grid& grid, const GridCell& cell) const {
  return finished_.contains(result_key(grid, cell)) || fs::exists(result_file(grid, cell));
}

std::optional<CellResult> GridFolder::find_result(const Grid& grid, const GridCell& cell) const {
  // A file of its own is newer.
  if (const fs::path file = result_file(grid, cell); fs::exists(file)) {
    return parse_cell_result(read_json(file));
  }
  const auto at = finished_.find(result_key(grid, cell));
  return at == finished_.end() ? std::nullopt : std::optional(parse_cell_result(at->second));
}

std::string GridFolder::finish(Json results, std::span<const CellResult> cells) const {
  std::map<std::string, Json> earlier = finished_;
  std::vector<fs::path> folded;
  for (const auto& entry : fs::directory_iterator(cells_)) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    try {
      const CellResult one = parse_cell_result(read_json(entry.path()));
      earlier[result_key(one)] = to_json(one);
      folded.push_back(entry.path());
    } catch (const std::string&) {
      // Damaged, and of no cell of this grid, else it would have been replaced: not ours to judge.
    }
  }
  results[kCells] = Json::array();
  for (const CellResult& cell : cells) {
    results[kCells].push_back(to_json(cell));
    earlier.erase(result_key(cell));
  }
  results[kEarlierCells] = Json::array();
  for (const auto& [key, cell] : earlier) {
    results[kEarlierCells].push_back(cell);
  }
  std::string text = to_text(results);
  core::write_file_atomically(folder_ / "results.json", text);
  for (const fs::path& file : folded) {
    fs::remove(file);
  }
  std::error_code not_empty;  // checkpoints stay
  fs::remove(cells_, not_empty);
  return text;
}

std::vector<CellResult> run_grid(const Grid& grid, const GridFolder& folder, const RunOptions& run,
                                 const GridHooks& hooks) {
  return GridRun(grid, folder, run, hooks).run();
}

}  // namespace rayleigh::compare
