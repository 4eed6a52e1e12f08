#include "graph/weisfeiler_leman.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/hash.h"

namespace rayleigh::graph {
namespace {

using core::combine64;
using core::mix64;

constexpr std::size_t kShard = 256;

/// Reused between graphs of a shard.
class Refiner {
 public:
  explicit Refiner(const GraphSet& graphs) : graphs_(graphs) {}

  std::uint64_t hash(std::size_t index) {
    const auto graph = graphs_[index];
    start_colours(graph);
    // Refinement is finished when a round splits no colour; the number of rounds is itself a
    // property of the graph, so it may differ between graphs.
    std::size_t colours = count_colours();
    while (true) {
      refine(graph);
      const std::size_t refined = count_colours();
      if (refined == colours) {
        break;
      }
      colours = refined;
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t colour : colour_) {
      sum += mix64(colour);
    }
    return combine64(combine64(graph.nodes(), graph.edges()), sum);
  }

 private:
  void start_colours(const GraphView& graph) {
    colour_.resize(graph.nodes());
    next_.resize(graph.nodes());
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      std::uint64_t colour = mix64(graph.label(node));
      for (const float value : graphs_.attributes(graph.first_node() + node)) {
        colour = combine64(colour, std::bit_cast<std::uint32_t>(value));
      }
      colour_[node] = colour;
    }
  }

  void refine(const GraphView& graph) {
    const auto edge_label = graphs_.edge_label();
    const auto direction = graphs_.direction();
    for (std::size_t node = 0; node < graph.nodes(); ++node) {
      std::size_t entry = graph.first_entry(node);
      std::uint64_t around = 0;  // a sum, so that the order of neighbours does not matter
      for (const std::uint32_t neighbour : graph.neighbours(node)) {
        std::uint64_t bond = edge_label.empty() ? 0 : edge_label[entry] + 1ULL;
        for (const float value : graphs_.edge_attributes(entry)) {
          bond = combine64(bond, std::bit_cast<std::uint32_t>(value));
        }
        if (!direction.empty() && direction[entry] != Direction::both) {
          bond = combine64(bond, static_cast<std::uint64_t>(direction[entry]));
        }
        around += combine64(bond, colour_[neighbour - graph.first_node()]);
        ++entry;
      }
      next_[node] = combine64(colour_[node], around);
    }
    colour_.swap(next_);
  }

  std::size_t count_colours() {
    sorted_ = colour_;
    std::ranges::sort(sorted_);
    const auto end = std::unique(sorted_.begin(), sorted_.end());
    return static_cast<std::size_t>(end - sorted_.begin());
  }

  const GraphSet& graphs_;
  std::vector<std::uint64_t> colour_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> sorted_;
};

}  // namespace

std::uint64_t wl_hash(const GraphSet& graphs, std::size_t graph) {
  return Refiner(graphs).hash(graph);
}

std::vector<std::uint64_t> wl_hashes(const GraphSet& graphs, core::ThreadPool& pool) {
  std::vector<std::uint64_t> hashes(graphs.size());
  pool.run((graphs.size() + kShard - 1) / kShard, [&](std::size_t shard) {
    Refiner refiner(graphs);
    const std::size_t end = std::min(graphs.size(), (shard + 1) * kShard);
    for (std::size_t g = shard * kShard; g < end; ++g) {
      hashes[g] = refiner.hash(g);
    }
  });
  return hashes;
}

std::vector<DuplicateGroup> duplicate_groups(const GraphSet& graphs,
                                             const std::vector<std::uint64_t>& hashes) {
  std::vector<std::uint32_t> order(hashes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t g) { return hashes[g]; });
  std::vector<DuplicateGroup> groups;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    while (end < order.size() && hashes[order[end]] == hashes[order[i]]) {
      ++end;
    }
    if (end - i > 1) {
      DuplicateGroup group;
      group.graphs.assign(order.begin() + static_cast<std::ptrdiff_t>(i),
                          order.begin() + static_cast<std::ptrdiff_t>(end));
      const auto classes = graphs.graph_class();
      group.classes_differ = std::ranges::any_of(group.graphs, [&](std::uint32_t g) {
        return classes[g] != classes[group.graphs.front()];
      });
      groups.push_back(std::move(group));
    }
    i = end;
  }
  std::ranges::sort(groups, {}, [](const DuplicateGroup& group) { return group.graphs.front(); });
  return groups;
}

}  // namespace rayleigh::graph
