#include "rayleigh/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_set>

#include "core/thread_pool.h"
#include "graph/weisfeiler_leman.h"

namespace rayleigh {
namespace {

Summary summarise(std::vector<std::uint64_t> values) {
  Summary out;
  if (values.empty()) {
    return out;
  }
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const auto rank = [&](double share) {
    const auto position = std::ceil(share * count);
    return values[static_cast<std::size_t>(std::max(1.0, position)) - 1];
  };
  out.mean =
      static_cast<double>(std::reduce(values.begin(), values.end(), std::uint64_t{0})) / count;
  out.min = values.front();
  out.p05 = rank(0.05);
  out.p25 = rank(0.25);
  out.median = rank(0.50);
  out.p75 = rank(0.75);
  out.p95 = rank(0.95);
  out.p99 = rank(0.99);
  out.max = values.back();
  return out;
}

/// Counts things by id, and in how many graphs each occurs.
class Counter {
 public:
  explicit Counter(std::size_t size) : counts_(size), last_graph_(size, kNever) {}

  void add(std::size_t id, std::size_t graph) {
    ++counts_[id].count;
    if (last_graph_[id] != graph) {
      last_graph_[id] = graph;
      ++counts_[id].graphs;
    }
  }

  std::vector<Count> by_frequency(const Vocabulary& words) && {
    for (std::size_t id = 0; id < counts_.size(); ++id) {
      counts_[id].word = words[id];
    }
    std::ranges::stable_sort(counts_, std::greater{}, &Count::count);
    return std::move(counts_);
  }

 private:
  static constexpr std::size_t kNever = SIZE_MAX;
  std::vector<Count> counts_;
  std::vector<std::size_t> last_graph_;
};

bool is_connected(const GraphView& graph, std::vector<std::uint32_t>& stack,
                  std::vector<bool>& seen) {
  seen.assign(graph.nodes(), false);
  stack.assign(1, 0);
  seen[0] = true;
  std::size_t reached = 1;
  while (!stack.empty()) {
    const std::uint32_t node = stack.back();
    stack.pop_back();
    for (const std::uint32_t neighbour : graph.neighbours(node)) {
      const std::uint32_t local = neighbour - graph.first_node();
      if (!seen[local]) {
        seen[local] = true;
        ++reached;
        stack.push_back(local);
      }
    }
  }
  return reached == graph.nodes();
}

Duplicates find_duplicates(const GraphSet& graphs, core::ThreadPool& pool) {
  Duplicates out;
  const auto groups = graph::duplicate_groups(graphs, graph::wl_hashes(graphs, pool));
  out.groups = groups.size();
  for (const auto& group : groups) {
    out.graphs += group.graphs.size();
    if (group.graphs.size() > out.largest.size()) {
      out.largest = group.graphs;
    }
    if (group.classes_differ) {
      if (++out.conflicting_groups == 1) {
        out.conflict = group.graphs;
      }
    }
  }
  return out;
}

void count_structure(const GraphSet& graphs, SetStatistics& out) {
  Counter node_labels(graphs.node_labels().size());
  Counter edge_labels(graphs.edge_labels().size());
  std::map<std::size_t, Count> degrees;
  std::vector<std::size_t> degree_seen_in;
  std::vector<std::uint32_t> stack;
  std::vector<bool> seen;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto graph = graphs[g];
    std::uint64_t isolated = 0;
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      node_labels.add(graph.label(node), g);
      const std::size_t degree = graph.degree(node);
      isolated += degree == 0 ? 1U : 0U;
      if (degree >= degree_seen_in.size()) {
        degree_seen_in.resize(degree + 1, SIZE_MAX);
      }
      auto& count = degrees[degree];
      ++count.count;
      if (degree_seen_in[degree] != g) {
        degree_seen_in[degree] = g;
        ++count.graphs;
      }
      for (std::size_t k = 0; k < degree && !graphs.edge_label().empty(); ++k) {
        if (graph.neighbours(node)[k] > graph.first_node() + node) {
          edge_labels.add(graphs.edge_label()[graph.first_entry(node) + k], g);
        }
      }
    }
    const std::size_t first = graph.first_entry(0);
    const auto ways = graphs.direction().empty()
                          ? std::span<const Direction>{}
                          : graphs.direction().subspan(first, 2 * graph.edges());
    out.directed_graphs +=
        std::ranges::any_of(ways, [](Direction way) { return way != Direction::both; }) ? 1U : 0U;
    out.connected_graphs += is_connected(graph, stack, seen) ? 1U : 0U;
    out.edgeless_graphs += graph.edges() == 0 ? 1U : 0U;
    out.isolated_nodes += isolated;
    out.graphs_with_isolated_nodes += isolated > 0 ? 1U : 0U;
  }
  out.node_labels = std::move(node_labels).by_frequency(graphs.node_labels());
  out.edge_labels = std::move(edge_labels).by_frequency(graphs.edge_labels());
  for (auto& [degree, count] : degrees) {
    count.word = std::to_string(degree);
    out.degrees.push_back(std::move(count));
  }
}

std::uint64_t count_repeated_names(const GraphSet& graphs) {
  std::unordered_set<std::string_view> names;
  std::uint64_t repeated = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const auto name = graphs.graph_name(g);
    repeated += !name.empty() && !names.insert(name).second ? 1U : 0U;
  }
  return repeated;
}

}  // namespace

SetStatistics statistics(const GraphSet& graphs, const RunOptions& run) {
  core::ThreadPool pool(run);
  SetStatistics out;
  std::vector<std::uint64_t> nodes;
  std::vector<std::uint64_t> edges;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    nodes.push_back(graphs[g].nodes());
    edges.push_back(graphs[g].edges());
  }
  out.nodes = summarise(std::move(nodes));
  out.edges = summarise(std::move(edges));
  out.total_nodes = graphs.nodes();
  out.total_edges = graphs.directed_edges() / 2;
  out.unlabelled_graphs =
      static_cast<std::uint64_t>(std::ranges::count(graphs.graph_class(), kNoClass));
  out.repeated_names = count_repeated_names(graphs);
  pool.check_stop();
  count_structure(graphs, out);
  out.duplicates = find_duplicates(graphs, pool);
  return out;
}

}  // namespace rayleigh
