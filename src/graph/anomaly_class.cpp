#include "rayleigh/anomaly_class.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace rayleigh {

std::vector<std::size_t> class_counts(const GraphSet& graphs) {
  std::vector<std::size_t> counts(graphs.classes().size(), 0);
  for (const std::int32_t graph_class : graphs.graph_class()) {
    if (graph_class != kNoClass) {
      ++counts[static_cast<std::size_t>(graph_class)];
    }
  }
  return counts;
}

std::optional<std::uint32_t> anomaly_class(const GraphSet& graphs,
                                           const std::optional<std::string>& wanted) {
  const auto words = graphs.classes().words();
  if (wanted) {
    const auto plain = wanted->starts_with('+') ? wanted->substr(1) : *wanted;
    const auto found = graphs.classes().find(plain);
    if (!found) {
      throw UsageError("anomaly-class",
                       fmt::format("{} has no class '{}', expected one of {}", graphs.name(),
                                   core::printable(*wanted), fmt::join(words, ", ")));
    }
    return found;
  }
  if (words.empty()) {
    return std::nullopt;
  }
  const auto counts = class_counts(graphs);
  if (counts.size() == 2 && counts[0] != counts[1]) {
    return counts[0] < counts[1] ? 0 : 1;
  }
  throw UsageError("anomaly-class",
                   fmt::format("{} has {}, so say which one is anomalous: {}", graphs.name(),
                               counts.size() == 2 ? std::string("two classes of equal size")
                                                  : fmt::format("{} classes", counts.size()),
                               fmt::join(words, "|")));
}

}  // namespace rayleigh
