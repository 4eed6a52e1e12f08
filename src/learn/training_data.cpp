#include "learn/training_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/training.h"

#include "core/hash.h"
#include "core/text.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
std::uint64_t hash_array(std::uint64_t hash, std::span<const T> numbers) {
  for (const T number : numbers) {
    hash = core::combine64(hash, static_cast<std::uint64_t>(number));
  }
  return core::combine64(hash, numbers.size());
}

std::uint64_t hash_floats(std::uint64_t hash, std::span<const float> numbers) {
  for (const float number : numbers) {
    hash = core::combine64(hash, std::bit_cast<std::uint32_t>(number));
  }
  return core::combine64(hash, numbers.size());
}

std::uint64_t hash_words(std::uint64_t hash, const Vocabulary& words) {
  for (const std::string& word : words.words()) {
    hash = core::combine64(hash, core::hash64(word));
  }
  return core::combine64(hash, words.size());
}

std::uint64_t hash_graphs(const GraphSet& graphs, std::span<const std::int8_t> labels) {
  std::uint64_t hash = 1;
  hash = hash_array(hash, graphs.graph_ptr());
  hash = hash_array(hash, graphs.row_ptr());
  hash = hash_array(hash, graphs.col());
  hash = hash_array(hash, graphs.node_label());
  hash = hash_array(hash, graphs.edge_label());
  hash = hash_array(hash, graphs.multiplicity());
  hash = hash_array(hash, labels);
  hash = hash_words(hash, graphs.node_labels());
  hash = hash_words(hash, graphs.edge_labels());
  // What came later takes part where it is there, so that other data keep their hash.
  if (graphs.attribute_count() > 0) {
    hash = hash_floats(hash, graphs.data().attributes);
  }
  if (graphs.edge_attribute_count() > 0) {
    hash = hash_floats(core::combine64(hash, 1), graphs.data().edge_attributes);
  }
  if (!graphs.direction().empty()) {
    hash = hash_array(core::combine64(hash, 2), graphs.direction());
  }
  return hash;
}

}  // namespace

std::vector<std::int8_t> learnable_labels(const GraphSet& graphs,
                                          const std::optional<std::string>& wanted) {
  if (graphs.empty() || graphs.nodes() == 0) {
    throw UsageError("the data has no graph with a node: there is nothing to learn from");
  }
  if (graphs.classes().size() == 0) {
    throw UsageError("the data has no graph labels: this model learns from labelled graphs");
  }
  auto labels = anomaly_labels(graphs, wanted);
  const auto normal = std::ranges::count(labels, std::int8_t{0});
  const auto anomalous = std::ranges::count(labels, std::int8_t{1});
  if (normal < 2 || anomalous < 2) {
    throw UsageError(fmt::format(
        "the data has {} and {}: at least two of each are needed to train and to validate",
        core::counted(static_cast<std::uint64_t>(normal), "normal graph"),
        core::counted(static_cast<std::uint64_t>(anomalous), "anomalous graph")));
  }
  return labels;
}

Json json_of(const DataSummary& data) {
  return {{"name", data.name},   {"graphs", data.graphs}, {"anomalous", data.anomalous},
          {"nodes", data.nodes}, {"edges", data.edges},   {"labels", data.labels},
          {"hash", data.hash}};
}

DataSummary training_data_from(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .graphs = json.at("graphs").get<std::size_t>(),
          .anomalous = json.at("anomalous").get<std::size_t>(),
          .nodes = json.at("nodes").get<std::size_t>(),
          .edges = json.at("edges").get<std::size_t>(),
          .labels = json.at("labels").get<std::size_t>(),
          .hash = json.at("hash").get<std::string>(),
          .anomaly_class = {},
          .split_hash = {}};
}

void refuse_overflow(const GraphSet& graphs, const models::AttributeScale& scale) {
  // Its square, summed over a graph, is still a number of 32 bits.
  constexpr double kMostDeviations = 1e15;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    for (std::size_t node = graphs.graph_ptr()[g]; node < graphs.graph_ptr()[g + 1]; ++node) {
      const auto values = graphs.attributes(node);
      for (std::size_t a = 0; a < values.size(); ++a) {
        const double deviations =
            (static_cast<double>(values[a]) - scale.mean[a]) * scale.inverse[a];
        if (!(std::abs(deviations) < kMostDeviations)) {
          throw DataError(
              {graphs.name(), 0},
              fmt::format("column {} of the node attributes overflows: {} in graph {} is too far "
                          "from its mean of {:.4g}; leave out such values or take their logarithm",
                          a + 1, values[a], shown_name(graphs, g), scale.mean[a]));
        }
      }
    }
  }
}

std::string shown_name(const GraphSet& graphs, std::size_t graph) {
  return graphs.has_names() ? core::printable(graphs.graph_name(graph)) : std::to_string(graph + 1);
}

}  // namespace rayleigh::learn

namespace rayleigh {

std::vector<std::int8_t> anomaly_labels(const GraphSet& graphs,
                                        const std::optional<std::string>& wanted) {
  if (graphs.classes().size() == 0) {
    throw UsageError("the data has no graph labels");
  }
  const auto anomalous = anomaly_class(graphs, wanted);
  std::vector<std::int8_t> labels;
  labels.reserve(graphs.size());
  for (const std::int32_t cls : graphs.graph_class()) {
    const bool yes = cls == static_cast<std::int32_t>(*anomalous);
    labels.push_back(static_cast<std::int8_t>(cls == kNoClass ? -1 : (yes ? 1 : 0)));
  }
  return labels;
}

DataSummary describe_data(const GraphSet& graphs, std::span<const std::int8_t> labels) {
  // The name may come from a file, and names of files need not be text.
  constexpr std::size_t kLongestName = 255;
  return {.name = core::printable(graphs.name(), kLongestName),
          .graphs = graphs.size(),
          .anomalous = static_cast<std::size_t>(std::ranges::count(labels, std::int8_t{1})),
          .nodes = graphs.nodes(),
          .edges = graphs.directed_edges() / 2,
          .labels = graphs.node_labels().size(),
          .hash = fmt::format("{:016x}", learn::hash_graphs(graphs, labels)),
          .anomaly_class = {},
          .split_hash = {}};
}

}  // namespace rayleigh
