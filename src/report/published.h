// Values that somebody has published about the same methods and datasets, to stand beside ours.
// Handed to make_comparison() as data: a report does not know who published them.
// Three functions and two texts.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "compare/grid_model.h"

namespace rayleigh::report {

/// Of a method on a dataset, both as the publication names them.
struct PublishedValue {
  std::string data;
  std::string method;
  double auc = 0;
  double macro_f1 = 0;  ///< NaN where none is given
};

/// All members, or none when nothing is published.
struct Published {
  std::string name{};  ///< what tables call it: "paper"
  std::string note{};  ///< a sentence on how its values came about
  /// What it calls a row; "" when it has no such row.
  std::function<std::string(const compare::GridModel& model)> method{};
  /// The place of a detector in its tables; later than all for one that it does not have.
  std::function<std::size_t(std::string_view detector)> order{};
  std::function<std::optional<PublishedValue>(std::string_view data, std::string_view method)>
      value{};

  bool empty() const { return name.empty(); }
};

}  // namespace rayleigh::report
