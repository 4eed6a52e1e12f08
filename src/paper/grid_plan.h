// What one experiment trains: datasets across, detectors down, a cell for each seed.
// An experiment fills it in; budgets, quick runs and finished runs are looked after here.
// Nothing is loaded or trained.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "compare/grid.h"
#include "paper/datasets.h"
#include "paper/options.h"

namespace rayleigh::paper {

class GridPlan {
 public:
  /// `trains`: new cells may be trained; otherwise only finished ones count.
  GridPlan(std::span<const FoundDataset> found, const ReproduceOptions& options, bool trains)
      : found_(found), options_(options), trains_(trains) {}

  const ReproduceOptions& options() const { return options_; }
  /// Null where it is not there.
  const FoundDataset* dataset(std::string_view name) const { return find(found_, name); }

  /// A dataset of the paper, where it is there. Datasets come before models.
  void add_data(std::string_view name);
  void add_main_data();
  /// One that is made. The reference holds until the next one is added.
  compare::GridData& add_data(const std::string& name, std::function<GraphSet()> load);

  void add_model(std::string_view entry);
  enum class On { every_set, one_set_when_quick };
  void add_baseline(std::string_view entry, On on = On::one_set_when_quick);

  /// The grid, without rows that have no cells.
  compare::Grid take();

 private:
  void add_row(std::string_view entry, const std::function<bool(std::size_t data)>& trains);

  std::span<const FoundDataset> found_;
  const ReproduceOptions& options_;
  bool trains_;
  compare::Grid grid_;
};

}  // namespace rayleigh::paper
