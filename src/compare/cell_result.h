// What a cell of a grid gave: a detector, trained and tested on one dataset with one seed, or why
// there is none. Written as JSON and read back when the grid is run again.
// Some kilobytes.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "rayleigh/curves.h"
#include "rayleigh/metrics.h"
#include "rayleigh/training.h"

#include "compare/test_ranks.h"

namespace rayleigh::compare {

// The analyzer does not see that empty JSON is made without exceptions.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct CellResult {
  // Which cell it is: places in the lists of the grid, and their names.
  std::size_t data = 0;
  std::size_t model = 0;
  std::uint64_t seed = 1;
  std::string data_title{};
  std::string model_title{};

  std::string reason{};    ///< why it failed; empty = it did not
  bool reused = false;     ///< read from a file of an earlier run
  bool absent = false;     ///< nothing was there, and it was not to be trained
  bool continued = false;  ///< an earlier process began it: its seconds are scaled up

  // What a result must agree in to stand for the cell.
  std::string version{};
  nlohmann::ordered_json description;  ///< of describe_data(), null when it was not read
  std::string detector{};
  nlohmann::ordered_json settings;  ///< DetectorOptions::json()

  nlohmann::ordered_json split;  ///< as `train --format json` has it
  std::size_t epochs_run = 0;
  int best_epoch = 0;
  Metrics validation{};
  Metrics test{};
  // NaN when an earlier process did all of it.
  double seconds_prepare = 0;
  double seconds_train = 0;
  double seconds_evaluate = 0;
  double train_graphs_per_second = 0;
  Curve roc{};                       ///< of the test part, thinned
  std::optional<TestRanks> ranks{};  ///< where they were to be kept
  nlohmann::ordered_json machine;

  bool failed() const { return !reason.empty(); }
};

nlohmann::ordered_json to_json(const CellResult& result);
/// Everything but the places in the lists. Throws std::string with what is wrong.
CellResult parse_cell_result(const nlohmann::ordered_json& json);

/// Lines for people: the upper levels have a line for each item, what is deeper stays on one. Bytes
/// that are not UTF-8 are replaced.
std::string to_text(const nlohmann::ordered_json& json);

/// Takes over what training gave.
void fill_in(CellResult& result, const TrainingResult& training, bool keep_ranks);

/// "" when `found` may stand for the cell `wanted`, whose version, description and settings are
/// known; otherwise the first difference.
std::string difference(const CellResult& found, const CellResult& wanted);

/// Name, counts and hash of a dataset.
nlohmann::ordered_json description_of(const DataSummary& data);

/// Processor and cores, for the notes beside measured times.
nlohmann::ordered_json describe_machine();

}  // namespace rayleigh::compare
