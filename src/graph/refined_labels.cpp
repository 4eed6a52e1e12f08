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

/// Nodes have few neighbours, and hashes come in any order: those of atoms are sorted without a
/// branch.
void sort_members(std::span<std::uint64_t> members) {
  const auto order = [&](std::size_t a, std::size_t b) {
    const std::uint64_t low = std::min(members[a], members[b]);
    members[b] = std::max(members[a], members[b]);
    members[a] = low;
  };
  switch (members.size()) {
    case 0:
    case 1:
      return;
    case 2:
      order(0, 1);
      return;
    case 3:
      order(0, 1);
      order(1, 2);
      order(0, 1);
      return;
    case 4:
      order(0, 1);
      order(2, 3);
      order(0, 2);
      order(1, 3);
      order(1, 2);
      return;
    default:
      std::ranges::sort(members);
  }
}

/// Combines numbers without regard to their order.
std::uint64_t multiset_hash(std::span<std::uint64_t> members) {
  sort_members(members);
  std::uint64_t hash = core::mix64(members.size());
  for (const std::uint64_t member : members) {
    hash = core::combine64(hash, member);
  }
  return hash;
}

/// Whether there are bins, and attributes that they cut.
bool bins_used(const GraphSet& graphs, const AttributeBins* edge_bins) {
  return edge_bins != nullptr && !edge_bins->empty() &&
         graphs.edge_attribute_count() == edge_bins->attributes();
}

Direction way_of(const GraphSet& graphs, std::size_t entry) {
  return graphs.direction().empty() ? Direction::both : graphs.direction()[entry];
}

class Keys {
 public:
  Keys(const GraphSet& graphs, core::ThreadPool& pool, const AttributeBins* edge_bins)
      : graphs_(graphs),
        pool_(pool),
        edge_words_(word_hashes(graphs.edge_labels())),
        edge_bins_(bins_used(graphs, edge_bins) ? edge_bins : nullptr),
        plain_edges_(edge_bins_ == nullptr && graphs.direction().empty()) {}

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
    for (std::size_t entry = 0; entry < keys.size() && !plain_edges_; ++entry) {
      keys[entry] = with_bins(keys[entry], entry);
      if (way_of(graphs_, entry) != Direction::both) {
        keys[entry] = core::combine64(keys[entry], kOneWay);
      }
    }
    return keys;
  }

  /// The multiset of (edge label, far key); far keys of `none` leave only the edge labels.
  core::Vector<std::uint64_t> refine(const core::Vector<std::uint64_t>& own,
                                     const core::Vector<std::uint64_t>* far) const {
    core::Vector<std::uint64_t> keys(own.size());
    // combine64() of an edge's word and a key begins with this.
    core::Vector<std::uint64_t> mixed(std::max<std::size_t>(1, edge_words_.size()), core::mix64(0));
    std::ranges::transform(edge_words_, mixed.begin(), core::mix64);
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
        const std::size_t label = edge_words_.empty() ? 0 : edge_label[begin + k];
        if (plain_edges_ && far != nullptr) {
          members[k] = core::mix64(mixed[label] ^ (*far)[col[begin + k]]);
          continue;
        }
        std::uint64_t edge = edge_words_.empty() ? 0 : edge_words_[label];
        if (!plain_edges_) {
          edge = seen_from_node(edge, begin + k);
        }
        members[k] = far == nullptr ? edge : core::combine64(edge, (*far)[col[begin + k]]);
      }
      keys[i] = core::combine64(own[i], multiset_hash(members));
    });
    return keys;
  }

 private:
  // Far from the numbers of bins.
  static constexpr std::uint64_t kOut = 0xfffffffffffffff1U;
  static constexpr std::uint64_t kIn = 0xfffffffffffffff2U;
  static constexpr std::uint64_t kOneWay = 0xfffffffffffffff3U;

  std::uint64_t with_bins(std::uint64_t key, std::size_t entry) const {
    if (edge_bins_ != nullptr) {
      const auto values = graphs_.edge_attributes(entry);
      for (std::size_t a = 0; a < values.size(); ++a) {
        key = core::combine64(key, edge_bins_->bin(a, values[a]));
      }
    }
    return key;
  }

  /// An edge that goes away from the node is another than one that comes.
  std::uint64_t seen_from_node(std::uint64_t key, std::size_t entry) const {
    key = with_bins(key, entry);
    switch (way_of(graphs_, entry)) {
      case Direction::both:
        return key;
      case Direction::out:
        return core::combine64(key, kOut);
      case Direction::in:
        break;
    }
    return core::combine64(key, kIn);
  }

  const GraphSet& graphs_;
  core::ThreadPool& pool_;
  core::Vector<std::uint64_t> edge_words_;
  const AttributeBins* edge_bins_;
  bool plain_edges_;  ///< their labels say all
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
  const Keys keys(*graphs_, *pool_, edge_bins_);
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
                                       core::ThreadPool& pool, const AttributeBins* edge_bins) {
  return LabelKeys(graphs, pool, edge_bins).of(level);
}

std::string describe_edge(const GraphSet& graphs, std::size_t entry, const std::string& none,
                          const AttributeBins* edge_bins) {
  std::string word =
      graphs.edge_label().empty() ? none : graphs.edge_labels()[graphs.edge_label()[entry]];
  if (bins_used(graphs, edge_bins)) {
    std::vector<std::string> bins;
    for (std::size_t a = 0; a < edge_bins->attributes(); ++a) {
      bins.push_back(edge_bins->word(edge_bins->bin(a, graphs.edge_attributes(entry)[a])));
    }
    word += fmt::format(" [{}]", fmt::join(bins, "; "));
  }
  return word;
}

std::string describe_label(const GraphSet& graphs, std::size_t graph, std::size_t node,
                           LabelLevel level, const AttributeBins* edge_bins) {
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
    constexpr std::array<const char*, 3> kSigns{"", ">", "<"};  // both, out, in
    const std::size_t entry = view.first_entry(node) + k;
    const std::string edge = kSigns[static_cast<std::size_t>(way_of(graphs, entry))] +
                             describe_edge(graphs, entry, "-", edge_bins);
    if (level == LabelLevel::edges) {
      parts.push_back(edge);
    } else {
      parts.push_back(edge + ":" + describe_label(graphs, graph, far, below, edge_bins));
    }
  }
  std::ranges::sort(parts);
  return fmt::format("{}({})", own, fmt::join(parts, ","));
}

}  // namespace rayleigh::graph
