#include "graph/refined_labels.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "core/hash.h"

namespace rayleigh::graph {
namespace {

constexpr std::size_t kNodesPerPart = 4096;

std::vector<std::uint64_t> word_hashes(const Vocabulary& vocabulary) {
  std::vector<std::uint64_t> hashes;
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
  std::ranges::sort(members);
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

  std::vector<std::uint64_t> plain() const {
    const auto words = word_hashes(graphs_.node_labels());
    std::vector<std::uint64_t> keys(graphs_.nodes());
    for_nodes(keys.size(), pool_, [&](std::size_t i) { keys[i] = words[graphs_.node_label()[i]]; });
    return keys;
  }

  std::vector<std::uint64_t> degree() const {
    std::vector<std::uint64_t> keys = plain();
    const auto row_ptr = graphs_.row_ptr();
    for_nodes(keys.size(), pool_, [&](std::size_t i) {
      keys[i] = core::combine64(keys[i], row_ptr[i + 1] - row_ptr[i]);
    });
    return keys;
  }

  std::vector<std::uint64_t> only_degree() const {
    std::vector<std::uint64_t> keys(graphs_.nodes());
    const auto row_ptr = graphs_.row_ptr();
    for_nodes(keys.size(), pool_,
              [&](std::size_t i) { keys[i] = core::mix64(row_ptr[i + 1] - row_ptr[i]); });
    return keys;
  }

  /// The multiset of (edge label, far key); far keys of `none` leave only the edge labels.
  std::vector<std::uint64_t> refine(const std::vector<std::uint64_t>& own,
                                    const std::vector<std::uint64_t>* far) const {
    std::vector<std::uint64_t> keys(own.size());
    const auto row_ptr = graphs_.row_ptr();
    for_nodes(keys.size(), pool_, [&](std::size_t i) {
      thread_local std::vector<std::uint64_t> members;
      members.clear();
      for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
        const std::uint64_t edge = edge_words_.empty() ? 0 : edge_words_[graphs_.edge_label()[e]];
        members.push_back(far == nullptr ? edge : core::combine64(edge, (*far)[graphs_.col()[e]]));
      }
      keys[i] = core::combine64(own[i], multiset_hash(members));
    });
    return keys;
  }

 private:
  const GraphSet& graphs_;
  core::ThreadPool& pool_;
  std::vector<std::uint64_t> edge_words_;
};

}  // namespace

std::vector<LabelLevel> fallback_chain(LabelLevel level) {
  switch (level) {
    case LabelLevel::plain:
    case LabelLevel::only_degree:
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

std::vector<std::uint64_t> label_keys(const GraphSet& graphs, LabelLevel level,
                                      core::ThreadPool& pool) {
  const Keys keys(graphs, pool);
  auto plain = keys.plain();
  switch (level) {
    case LabelLevel::plain:
      return plain;
    case LabelLevel::only_degree:
      return keys.only_degree();
    case LabelLevel::degree:
      return keys.degree();
    case LabelLevel::edges:
      return keys.refine(plain, nullptr);
    case LabelLevel::wl1:
      return keys.refine(plain, &plain);
    case LabelLevel::wl2: {
      const auto first = keys.refine(plain, &plain);
      return keys.refine(first, &first);
    }
  }
  return {};
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
      const auto below = level == LabelLevel::wl2 ? LabelLevel::wl1 : LabelLevel::plain;
      parts.push_back(edge + ":" + describe_label(graphs, graph, far, below));
    }
  }
  std::ranges::sort(parts);
  return fmt::format("{}({})", own, fmt::join(parts, ","));
}

}  // namespace rayleigh::graph
