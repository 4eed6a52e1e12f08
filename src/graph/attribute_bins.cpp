#include "graph/attribute_bins.h"

#include <cmath>
#include <fmt/format.h>
#include <functional>

namespace rayleigh::graph {
namespace {

constexpr std::size_t kMostBins = 16;              // of an attribute
constexpr std::size_t kMostBinsOfAll = 1'000'000;  // fewer of each where there are many attributes

constexpr std::size_t kMostBinsOfEdges = 4;  // of an attribute
constexpr std::size_t kMostCombined = 16;    // bins of all attributes of an edge together

/// Between bins of about as many values each, or between all values where there are few.
std::vector<float> limits_between(std::vector<float>& values, std::size_t most) {
  std::ranges::sort(values);
  std::vector<float> distinct;
  for (const float value : values) {
    if (distinct.empty() || distinct.back() < value) {
      distinct.push_back(value);
      if (distinct.size() > most) {
        break;
      }
    }
  }
  if (distinct.size() <= most) {
    distinct.resize(std::max<std::size_t>(1, distinct.size()) - 1);
    return distinct;
  }
  std::vector<float> limits;
  for (std::size_t k = 1; k < most; ++k) {
    const float limit = values[k * values.size() / most];
    if (limit < values.back() && (limits.empty() || limits.back() < limit)) {
      limits.push_back(limit);
    }
  }
  return limits;
}

/// take(attribute, values) collects the values.
template <typename Take>
AttributeBins fit(std::size_t attributes, std::size_t most, core::ThreadPool& pool, Take take) {
  std::vector<std::vector<float>> limits(attributes);
  pool.run(attributes, [&](std::size_t a) {
    std::vector<float> values;
    take(a, values);
    limits[a] = limits_between(values, most);
  });
  return attributes == 0 ? AttributeBins() : AttributeBins(std::move(limits));
}

}  // namespace

AttributeBins::AttributeBins(std::vector<std::vector<float>> limits) : limits_(std::move(limits)) {
  first_.push_back(0);
  for (const auto& own : limits_) {
    if (!std::ranges::all_of(own, [](float limit) { return std::isfinite(limit); })) {
      throw std::string("a limit of the bins of an attribute is not finite");
    }
    if (std::ranges::adjacent_find(own, std::greater_equal{}) != own.end()) {
      throw std::string("the limits of the bins of an attribute are not ascending");
    }
    first_.push_back(first_.back() + static_cast<std::uint32_t>(own.size()) + 1);
  }
}

AttributeBins AttributeBins::of_nodes(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                                      core::ThreadPool& pool) {
  const std::size_t attributes = graphs.attribute_count();
  const std::size_t most =
      std::clamp<std::size_t>(kMostBinsOfAll / std::max<std::size_t>(1, attributes), 2, kMostBins);
  return fit(attributes, most, pool, [&](std::size_t attribute, std::vector<float>& values) {
    for (const std::uint32_t g : chosen) {
      for (std::size_t i = graphs.graph_ptr()[g]; i < graphs.graph_ptr()[g + 1]; ++i) {
        values.push_back(graphs.attributes(i)[attribute]);
      }
    }
  });
}

AttributeBins AttributeBins::of_edges(const GraphSet& graphs, std::span<const std::uint32_t> chosen,
                                      core::ThreadPool& pool) {
  const std::size_t attributes = graphs.edge_attribute_count();
  std::size_t most = kMostBinsOfEdges;
  while (most > 2 && std::pow(most, attributes) > kMostCombined) {
    --most;
  }
  return fit(attributes, most, pool, [&](std::size_t attribute, std::vector<float>& values) {
    for (const std::uint32_t g : chosen) {
      const std::size_t end = graphs.row_ptr()[graphs.graph_ptr()[g + 1]];
      for (std::size_t e = graphs.row_ptr()[graphs.graph_ptr()[g]]; e < end; ++e) {
        values.push_back(graphs.edge_attributes(e)[attribute]);
      }
    }
  });
}

std::string AttributeBins::word(std::uint32_t bin) const {
  const auto after = std::ranges::upper_bound(first_, bin);
  const auto attribute = static_cast<std::size_t>(after - first_.begin()) - 1;
  const auto& limits = limits_[attribute];
  const std::size_t at = bin - first_[attribute];
  std::string name = fmt::format("attribute {}", attribute + 1);
  if (limits.empty()) {
    return name;
  }
  if (at == 0) {
    return fmt::format("{} up to {:.4g}", name, limits.front());
  }
  if (at == limits.size()) {
    return fmt::format("{} above {:.4g}", name, limits.back());
  }
  return fmt::format("{} from {:.4g} to {:.4g}", name, limits[at - 1], limits[at]);
}

}  // namespace rayleigh::graph
