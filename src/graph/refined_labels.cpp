#include "graph/refined_labels.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>

#include "core/hash.h"

namespace rayleigh::graph {
namespace {

constexpr std::size_t kNodesPerPart = 4096;

core::Vector<std::uint64_t> word_hashes(const Vocabulary& vocabulary) {
  core::Vector<std::uint64_t> hashes;
  hashes.reserve(vocabulary.size());
  for (const std::string& word : vocabulary.words()) {
    hashes.push_back(core::hash64(word));
  }
  return hashes;
}

template <typename Work>
void for_nodes(std::size_t nodes, core::ThreadPool& pool, Work work) {
  pool.run((nodes + kNodesPerPart - 1) / kNodesPerPart, [&](std::size_t part) {
    for (std::size_t i = part * kNodesPerPart; i < std::min(nodes, (part + 1) * kNodesPerPart);
         ++i) {
      work(i);
    }
  });
}

/// Combines numbers without regard to their order.
std::uint64_t multiset_hash(std::span<std::uint64_t> members) {
  // Nodes have few neighbours: for those the simplest sort is the fastest.
  constexpr std::size_t kFew = 8;
  if (members.size() > kFew) {
    std::ranges::sort(members);
  } else {
    for (std::size_t i = 1; i < members.size(); ++i) {
      for (std::size_t k = i; k > 0 && members[k - 1] > members[k]; --k) {
        std::swap(members[k - 1], members[k]);
      }
    }
  }
  std::uint64_t hash = core::mix64(members.size());
  for (const std::uint64_t member : members) {
    hash = core::combine64(hash, member);
  }
  return hash;
}

class Keys {
 public:
  Keys(const GraphSet& graphs, core::ThreadPool& pool)
      : graphs_(graphs), pool_(pool), edge_words_(word_hashes(graphs.edge_labels())) {}

  core::Vector<std::uint64_t> plain() const {
    const auto words = word_hashes(graphs_.node_labels());
    core::Vector<std::uint64_t> keys(graphs_.nodes());
    for_nodes(keys.size(), pool_, [&](std::size_t i) { keys[i] = words[graphs_.node_label()[i]]; });
    return keys;
  }

  core::Vector<std::uint64_t> degree() const {
    core::Vector<std::uint64_t> keys = plain();
    const auto row_ptr = graphs_.row_ptr();
    for_nodes(keys.size(), pool_, [&](std::size_t i) {
      keys[i] = core::combine64(keys[i], row_ptr[i + 1] - row_ptr[i]);
    });
    return keys;
  }

  core::Vector<std::uint64_t> only_degree() const {
    core::Vector<std::uint64_t> keys(graphs_.nodes());
    const auto row_ptr = graphs_.row_ptr();
    for_nodes(keys.size(), pool_,
              [&](std::size_t i) { keys[i] = core::mix64(row_ptr[i + 1] - row_ptr[i]); });
    return keys;
  }

  core::Vector<std::uint64_t> edge() const {
    core::Vector<std::uint64_t> keys(graphs_.directed_edges(), core::mix64(0));
    for (std::size_t entry = 0; entry < keys.size() && !edge_words_.empty(); ++entry) {
      keys[entry] = edge_words_[graphs_.edge_label()[entry]];
    }
    return keys;
  }

  /// The multiset of (edge label, far key); far keys of `none` leave only the edge labels.
  core::Vector<std::uint64_t> refine(const core::Vector<std::uint64_t>& own,
                                     const core::Vector<std::uint64_t>* far) const {
    core::Vector<std::uint64_t> keys(own.size());
    const auto row_ptr = graphs_.row_ptr();
    const auto col = graphs_.col();
    const auto edge_label = graphs_.edge_label();
    for_nodes(keys.size(), pool_, [&](std::size_t i) {
      constexpr std::size_t kUsual = 16;
      std::array<std::uint64_t, kUsual> usual;
      core::Vector<std::uint64_t> many;
      const std::size_t begin = row_ptr[i];
      const std::size_t degree = row_ptr[i + 1] - begin;
      if (degree > kUsual) {
        many.resize(degree);
      }
      const auto members = std::span(degree > kUsual ? many.data() : usual.data(), degree);
      for (std::size_t k = 0; k < degree; ++k) {
        const std::uint64_t edge = edge_words_.empty() ? 0 : edge_words_[edge_label[begin + k]];
        members[k] = far == nullptr ? edge : core::combine64(edge, (*far)[col[begin + k]]);
      }
      keys[i] = core::combine64(own[i], multiset_hash(members));
    });
    return keys;
  }

 private:
  const GraphSet& graphs_;
  core::ThreadPool& pool_;
  core::Vector<std::uint64_t> edge_words_;
};

}  // namespace

std::vector<LabelLevel> fallback_chain(LabelLevel level) {
  switch (level) {
    case LabelLevel::plain:
    case LabelLevel::only_degree:
    case LabelLevel::degree_wl1:
    case LabelLevel::degree_wl2:
    case LabelLevel::degree_wl3:
    case LabelLevel::edge:
      return {level};
    case LabelLevel::degree:
      return {LabelLevel::degree, LabelLevel::plain};
    case LabelLevel::edges:
      return {LabelLevel::edges, LabelLevel::plain};
    case LabelLevel::wl1:
      return {LabelLevel::wl1, LabelLevel::edges, LabelLevel::plain};
    case LabelLevel::wl2:
      return {LabelLevel::wl2, LabelLevel::wl1, LabelLevel::edges, LabelLevel::plain};
  }
  return {};
}

const core::Vector<std::uint64_t>& LabelKeys::of(LabelLevel level) {
  auto& known = keys_[static_cast<std::size_t>(level)];
  if (known) {
    return *known;
  }
  const Keys keys(*graphs_, *pool_);
  const auto make = [&]() -> core::Vector<std::uint64_t> {
    switch (level) {
      case LabelLevel::plain:
        return keys.plain();
      case LabelLevel::only_degree:
        return keys.only_degree();
      case LabelLevel::degree:
        return keys.degree();
      case LabelLevel::edges:
        return keys.refine(of(LabelLevel::plain), nullptr);
      case LabelLevel::wl1:
        return keys.refine(of(LabelLevel::plain), &of(LabelLevel::plain));
      case LabelLevel::wl2:
        return keys.refine(of(LabelLevel::wl1), &of(LabelLevel::wl1));
      case LabelLevel::degree_wl1:
        return keys.refine(of(LabelLevel::degree), &of(LabelLevel::degree));
      case LabelLevel::degree_wl2:
        return keys.refine(of(LabelLevel::degree_wl1), &of(LabelLevel::degree_wl1));
      case LabelLevel::degree_wl3:
        return keys.refine(of(LabelLevel::degree_wl2), &of(LabelLevel::degree_wl2));
      case LabelLevel::edge:
        return keys.edge();
    }
    return {};
  };
  return known.emplace(make());
}

LabelledItems labelled_items(const GraphSet& graphs, std::size_t graph, LabelLevel level) {
  const std::size_t begin = graphs.graph_ptr()[graph];
  const std::size_t end = graphs.graph_ptr()[graph + 1];
  if (level == LabelLevel::edge) {
    return {graphs.row_ptr()[begin], graphs.row_ptr()[end]};
  }
  return {begin, end};
}

std::size_t labelled_items(const GraphSet& graphs, LabelLevel level) {
  return level == LabelLevel::edge ? graphs.directed_edges() : graphs.nodes();
}

core::Vector<std::uint64_t> label_keys(const GraphSet& graphs, LabelLevel level,
                                       core::ThreadPool& pool) {
  return LabelKeys(graphs, pool).of(level);
}

std::string describe_label(const GraphSet& graphs, std::size_t graph, std::size_t node,
                           LabelLevel level) {
  const GraphView view = graphs[graph];
  if (level == LabelLevel::only_degree) {
    return fmt::format("d{}", view.degree(node));
  }
  std::string own = graphs.node_labels()[view.label(node)];
  if (level == LabelLevel::plain) {
    return own;
  }
  if (level == LabelLevel::degree) {
    return fmt::format("{} d{}", own, view.degree(node));
  }
  const auto below = [level] {
    switch (level) {
      case LabelLevel::wl2:
        return LabelLevel::wl1;
      case LabelLevel::degree_wl1:
        return LabelLevel::degree;
      case LabelLevel::degree_wl2:
        return LabelLevel::degree_wl1;
      case LabelLevel::degree_wl3:
        return LabelLevel::degree_wl2;
      default:
        return LabelLevel::plain;
    }
  }();
  std::vector<std::string> parts;
  parts.reserve(view.degree(node));
  for (std::size_t k = 0; k < view.degree(node); ++k) {
    const std::size_t far = view.neighbours(node)[k] - view.first_node();
    const std::string edge =
        graphs.edge_label().empty()
            ? "-"
            : graphs.edge_labels()[graphs.edge_label()[view.first_entry(node) + k]];
    if (level == LabelLevel::edges) {
      parts.push_back(edge);
    } else {
      parts.push_back(edge + ":" + describe_label(graphs, graph, far, below));
    }
  }
  std::ranges::sort(parts);
  return fmt::format("{}({})", own, fmt::join(parts, ","));
}

}  // namespace rayleigh::graph
