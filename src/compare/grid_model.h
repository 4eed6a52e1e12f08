// A detector with settings, as a row of a grid: "rqgnn:profile=published".
// Made from words of the user or by a program; the options of a run come from it.
// A few strings.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rayleigh/detector_options.h"

namespace rayleigh::compare {

using Setting = std::pair<std::string, std::string>;

struct GridModel {
  std::string title;              ///< what tables call it
  std::string model;              ///< name of the detector
  std::vector<Setting> settings;  ///< what makes it this row and no other
  /// Further settings that are granted, not part of what it is: epochs, training graphs, the
  /// split of all rows. Those of `settings` win.
  std::vector<Setting> granted{};
  std::string scores{};  ///< file with its scores: it is not trained here, and has no detector
};

/// "name" or "name:key=value:key=value"; a switch needs no value. Unknown detectors, keys
/// and values are UsageErrors with the nearest name; so are keys that the grid itself sets.
GridModel parse_grid_model(std::string_view entry);

/// Every detector, in the rows that it wants to be compared in.
std::vector<GridModel> all_grid_models();

/// What a user grants all detectors; what is not given comes from their own budgets.
struct GridOptions {
  std::size_t seeds = 3;
  std::optional<std::uint64_t> epochs{};
  std::optional<std::uint64_t> train_graphs{};
  std::optional<std::string> split{};
  bool full = false;  ///< own epochs, all seeds, all graphs
};
/// Fills in GridModel::granted and returns the number of seeds. Yardsticks keep their own epochs.
std::size_t grant(GridModel& model, const GridOptions& options);

/// UsageErrors as above.
DetectorOptions make_options(const GridModel& model, std::uint64_t seed,
                             const std::optional<std::string>& anomaly_class = {});

}  // namespace rayleigh::compare
