// Real attributes cut into bins, each with about as many training values as the others: what lets
// detectors that count labels see numbers. Fitted on training graphs, stored with the model.
// Used for attributes of nodes, as columns of their own, and of edges, as part of their label.
// Finding a bin costs a binary search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rayleigh/graph_set.h"

#include "core/thread_pool.h"

namespace rayleigh::graph {

class AttributeBins {
 public:
  AttributeBins() = default;
  /// Limits between the bins of each attribute. Throws std::string unless they are finite and
  /// ascending.
  explicit AttributeBins(std::vector<std::vector<float>> limits);

  /// Of the nodes of the chosen graphs.
  static AttributeBins of_nodes(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                                core::ThreadPool& pool);
  /// Of their edges. Fewer than of nodes, because every combination of bins is another edge label.
  static AttributeBins of_edges(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                                core::ThreadPool& pool);

  /// Whether there are no attributes.
  bool empty() const { return limits_.empty(); }
  std::size_t attributes() const { return limits_.size(); }
  /// Of all attributes together.
  std::size_t bins() const { return first_.empty() ? 0 : first_.back(); }
  /// Numbered over all attributes. A value at a limit lies below it.
  std::uint32_t bin(std::size_t attribute, float value) const {
    const auto& limits = limits_[attribute];
    return first_[attribute] +
           static_cast<std::uint32_t>(std::ranges::lower_bound(limits, value) - limits.begin());
  }
  std::span<const std::vector<float>> limits() const { return limits_; }

  /// "attribute 3 above 0.52", "attribute 3 up to 0.1", "attribute 3 from 0.1 to 0.52"; attributes
  /// count from 1.
  std::string word(std::uint32_t bin) const;

 private:
  std::vector<std::vector<float>> limits_;  ///< of each attribute
  std::vector<std::uint32_t> first_;        ///< bin of each attribute, and the count
};

}  // namespace rayleigh::graph
