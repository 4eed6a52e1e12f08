// The methods of the paper, and which of our detectors is which.
// A detector with settings is a row of the paper only when the settings make it one.
// A constant table.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/grid_model.h"

namespace rayleigh::paper {

enum class MethodKind {
  graph_network,    ///< made for classes of graphs
  one_class,        ///< made for anomalies, learns from normal graphs
  anomaly_network,  ///< made for anomalies, learns from both classes
  subject,          ///< RQGNN
};

struct Method {
  std::string_view detector;
  std::string_view name;  ///< in the paper
  MethodKind kind;
};
/// In the order of the main table.
std::span<const Method> methods();
/// The paper's names.
std::vector<std::string_view> methods_of(std::initializer_list<MethodKind> kinds);

/// What the paper calls a detector with these settings; "" when it has no such row. Settings of
/// how long and on how many graphs it learns do not matter.
std::string method_in_paper(const compare::GridModel& model);

/// Where a detector stands in the paper's main table; later than all for one it does not have.
std::size_t order_in_paper(std::string_view detector);

}  // namespace rayleigh::paper
