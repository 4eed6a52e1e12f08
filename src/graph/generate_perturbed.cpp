#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "core/random.h"

namespace rayleigh::generate {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

Pair ordered(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// The edges of one graph, with the entry of the set that tells their label, while they are being
/// changed.
class EdgeSet {
 public:
  explicit EdgeSet(const GraphView& graph) : nodes_(static_cast<std::uint32_t>(graph.nodes())) {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      std::size_t entry = graph.first_entry(node);
      for (const std::uint32_t neighbour : graph.neighbours(node)) {
        const std::uint32_t other = neighbour - graph.first_node();
        if (node < other) {
          edges_[{node, other}] = static_cast<std::uint32_t>(entry);
        }
        ++entry;
      }
    }
  }

  const std::map<Pair, std::uint32_t>& edges() const { return edges_; }
  const std::set<std::uint32_t>& touched() const { return touched_; }

  void perturb(const PerturbOptions& options, core::Generator& random) {
    const auto original = edges_;
    for (const auto& [pair, label] : original) {
      if (!random.chance(options.probability)) {
        continue;
      }
      switch (options.how) {
        case Perturbation::remove:
          toggle(pair, label);
          break;
        case Perturbation::rewire:
          // The absent pair is drawn first: a complete graph has none and keeps its edge.
          if (const auto absent = absent_pair(random)) {
            toggle(pair, label);
            toggle(*absent, label);
          }
          break;
        case Perturbation::flip:
          if (const auto any = any_pair(random)) {
            toggle(*any, label);
          }
          break;
      }
    }
  }

 private:
  void toggle(const Pair& pair, std::uint32_t label) {
    if (edges_.erase(pair) == 0) {
      edges_.emplace(pair, label);
    }
    touched_.insert(pair.first);
    touched_.insert(pair.second);
  }

  std::optional<Pair> any_pair(core::Generator& random) const {
    if (nodes_ < 2) {
      return std::nullopt;
    }
    const std::uint32_t a = random.below(nodes_);
    std::uint32_t b = random.below(nodes_ - 1);
    b += b >= a ? 1U : 0U;
    return ordered(a, b);
  }

  std::optional<Pair> absent_pair(core::Generator& random) const {
    const std::uint64_t pairs = std::uint64_t{nodes_} * (nodes_ - 1) / 2;
    if (edges_.size() >= pairs) {
      return std::nullopt;
    }
    while (true) {
      const auto pair = any_pair(random);
      if (!edges_.contains(*pair)) {
        return pair;
      }
    }
  }

  std::uint32_t nodes_;
  std::map<Pair, std::uint32_t> edges_;
  std::set<std::uint32_t> touched_;
};

std::vector<std::uint32_t> normal_graphs(const GraphSet& source,
                                         const std::optional<std::string>& wish) {
  const auto anomalous = anomaly_class(source, wish);
  std::vector<std::uint32_t> normal;
  for (std::uint32_t g = 0; g < source.size(); ++g) {
    if (!anomalous || source.graph_class()[g] != static_cast<std::int32_t>(*anomalous)) {
      normal.push_back(g);
    }
  }
  return normal;
}

/// With the label, the attributes and the direction of an entry, seen from its smaller node.
void add_edge(const GraphSet& source, const Pair& pair, std::uint32_t entry,
              GraphSetBuilder& builder) {
  const std::string_view label =
      source.edge_label().empty()
          ? std::string_view{}
          : std::string_view(source.edge_labels()[source.edge_label()[entry]]);
  const auto way = source.direction().empty() ? Direction::both : source.direction()[entry];
  const auto attributes = source.edge_attributes(entry);
  if (way != Direction::in) {
    builder.add_edge(pair.first, pair.second, label, attributes);
  }
  if (way == Direction::in || (way == Direction::both && !source.direction().empty())) {
    builder.add_edge(pair.second, pair.first, label, attributes);
  }
  if (!source.direction().empty()) {
    builder.set_directed();
  }
}

void add_nodes(const GraphSet& source, const GraphView& graph, GraphSetBuilder& builder) {
  const bool labelled = source.label_source() == LabelSource::given;
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    builder.add_node(
        labelled ? std::string_view(source.node_labels()[graph.label(node)]) : std::string_view{},
        source.attributes(graph.first_node() + node));
  }
}

}  // namespace

PerturbedSet perturb(const GraphSet& source, const PerturbOptions& options) {
  const auto normal = normal_graphs(source, options.anomaly_class);
  const auto count =
      static_cast<std::size_t>(std::lround(options.share * static_cast<double>(normal.size())));
  if (count == 0) {
    throw UsageError(fmt::format(
        "a share of {} of {} normal graphs is not one graph, expected a larger `share` or more "
        "graphs",
        options.share, normal.size()));
  }
  auto order = normal;
  auto chooser = core::RandomStream(options.seed, "perturb which graphs").at(0);
  chooser.shuffle(std::span(order));
  const std::set<std::uint32_t> chosen(order.begin(),
                                       order.begin() + static_cast<std::ptrdiff_t>(count));

  const core::RandomStream stream(options.seed, "perturb edges");
  PerturbedSet out;
  GraphSetBuilder builder(source.name());
  for (std::uint32_t i = 0; i < normal.size(); ++i) {
    const std::uint32_t g = normal[i];
    const auto graph = source[g];
    EdgeSet edges(graph);
    if (chosen.contains(g)) {
      auto random = stream.at(g);
      edges.perturb(options, random);
      for (const std::uint32_t node : edges.touched()) {
        out.touched.push_back({i, node});
      }
    }
    builder.begin_graph(
        source.has_names() ? std::string(source.graph_name(g)) : std::to_string(g + 1),
        chosen.contains(g) ? "1" : "0");
    add_nodes(source, graph, builder);
    for (const auto& [pair, entry] : edges.edges()) {
      add_edge(source, pair, entry, builder);
    }
  }
  out.graphs = builder.build();
  return out;
}

}  // namespace rayleigh::generate
