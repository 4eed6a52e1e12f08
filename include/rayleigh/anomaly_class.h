// Which class of a labelled set is the anomalous one.
// Every part that speaks of normal and anomalous graphs asks here, so all agree.
// One pass over the graph labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"

namespace rayleigh {

/// Position of the anomalous class in graphs.classes(): the wanted one, else the rarer of two.
/// None when the set has no labels. Throws UsageError when the wanted class is not in the set, or
/// when one must be named (one class, more than two, or two equally frequent ones).
std::optional<std::uint32_t> anomaly_class(const GraphSet& graphs,
                                           const std::optional<std::string>& wanted = {});

/// Graphs per class.
std::vector<std::size_t> class_counts(const GraphSet& graphs);

}  // namespace rayleigh
