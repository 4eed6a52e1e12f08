#include "rayleigh/graph_set_builder.h"

#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/text.h"
#include "graph/raw_graphs.h"

namespace rayleigh {

struct GraphSetBuilder::State {
  graph::RawGraphs raw;
  std::size_t nodes = 0;
  bool any_names = false;
};

GraphSetBuilder::GraphSetBuilder(std::string set_name) : state_(std::make_unique<State>()) {
  state_->raw.name = std::move(set_name);
}
GraphSetBuilder::~GraphSetBuilder() = default;
GraphSetBuilder::GraphSetBuilder(GraphSetBuilder&&) noexcept = default;
GraphSetBuilder& GraphSetBuilder::operator=(GraphSetBuilder&&) noexcept = default;

namespace {

[[noreturn]] void reject(std::size_t graph, const std::string& message) {
  throw DataError({}, fmt::format("graph {}: {}", graph, message));
}

/// Speaks of the graph that is being built.
[[noreturn]] void reject(const graph::RawGraphs& raw, const std::string& message) {
  reject(raw.node_count.size(), message);
}

void require_text(std::size_t graph, std::string_view text) {
  if (core::find_invalid_utf8(text) != std::string_view::npos) {
    reject(graph, fmt::format("'{}' is not valid UTF-8", core::printable(text)));
  }
}

void require_finite(const graph::RawGraphs& raw, std::span<const float> attributes) {
  for (const float value : attributes) {
    if (!std::isfinite(value)) {
      reject(raw, "an attribute is not finite");
    }
  }
}

void require_nodes(const graph::RawGraphs& raw) {
  if (!raw.node_count.empty() && raw.node_count.back() == 0) {
    reject(raw, "has no nodes, expected at least one");
  }
}

}  // namespace

void GraphSetBuilder::begin_graph(std::string_view graph_name,
                                  std::optional<std::string_view> graph_class) {
  auto& raw = state_->raw;
  require_nodes(raw);
  require_text(raw.node_count.size() + 1, graph_name);
  require_text(raw.node_count.size() + 1, graph_class.value_or(""));
  if (graph_class && graph_class->empty()) {
    graph_class.reset();  // as for nodes and edges, an empty label means none
  }
  raw.node_count.push_back(0);
  raw.edge_count.push_back(0);
  raw.directed.push_back(0);
  raw.graph_class.push_back(
      graph_class ? static_cast<std::int32_t>(raw.class_tokens.intern(*graph_class)) : kNoClass);
  raw.graph_name.emplace_back(graph_name);
  state_->any_names = state_->any_names || !graph_name.empty();
}

std::uint32_t GraphSetBuilder::add_node(std::string_view label, std::span<const float> attributes) {
  auto& raw = state_->raw;
  if (raw.node_count.empty()) {
    reject(raw, "add_node before begin_graph");
  }
  require_text(raw.node_count.size(), label);
  const bool labelled = !raw.node_label.empty();
  if (state_->nodes > 0 && labelled == label.empty()) {
    reject(raw, "some nodes have a label and some have none, expected all or none");
  }
  if (state_->nodes == 0) {
    raw.attribute_count = static_cast<std::uint32_t>(attributes.size());
  } else if (attributes.size() != raw.attribute_count) {
    reject(raw, fmt::format("a node has {} attributes, expected {}", attributes.size(),
                            raw.attribute_count));
  }
  require_finite(raw, attributes);
  if (!label.empty()) {
    raw.node_label.push_back(raw.node_tokens.intern(label));
  }
  raw.attributes.insert(raw.attributes.end(), attributes.begin(), attributes.end());
  ++state_->nodes;
  return raw.node_count.back()++;
}

void GraphSetBuilder::set_directed() {
  if (state_->raw.directed.empty()) {
    reject(state_->raw, "set_directed before begin_graph");
  }
  state_->raw.directed.back() = 1;
}

void GraphSetBuilder::add_edge(std::uint32_t from, std::uint32_t to, std::string_view label,
                               std::span<const float> attributes) {
  auto& raw = state_->raw;
  const std::uint32_t nodes = raw.node_count.empty() ? 0 : raw.node_count.back();
  if (from >= nodes || to >= nodes) {
    reject(raw, fmt::format("edge {}-{} names a node that does not exist, the graph has {}", from,
                            to, nodes));
  }
  require_text(raw.node_count.size(), label);
  if (!raw.edges.empty() && raw.edge_label.empty() != label.empty()) {
    reject(raw, "some edges have a label and some have none, expected all or none");
  }
  if (raw.edges.empty()) {
    raw.edge_attribute_count = static_cast<std::uint32_t>(attributes.size());
  } else if (attributes.size() != raw.edge_attribute_count) {
    reject(raw, fmt::format("an edge has {} attributes, expected {}", attributes.size(),
                            raw.edge_attribute_count));
  }
  require_finite(raw, attributes);
  raw.edge_attributes.insert(raw.edge_attributes.end(), attributes.begin(), attributes.end());
  raw.edges.push_back({from, to});
  if (!label.empty()) {
    raw.edge_label.push_back(raw.edge_tokens.intern(label));
  }
  ++raw.edge_count.back();
}

GraphSet GraphSetBuilder::build(const RunOptions& run) {
  auto state = std::exchange(state_, std::make_unique<State>());
  require_nodes(state->raw);
  if (!state->any_names) {
    state->raw.graph_name.clear();
  }
  core::ThreadPool pool(run);
  return graph::canonicalise(std::move(state->raw), pool);
}

}  // namespace rayleigh
