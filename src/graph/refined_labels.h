// Node labels that say more: a node's own label with its degree, its bonds, its neighbourhood.
// Keys are 64-bit hashes of words, not of a set's own numbering, so they mean the same in every
// set. Use through models::LabelEncoder, which keeps the frequent ones. About 50 ns per node and
// level.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"

#include "core/thread_pool.h"
#include "core/workspace.h"
#include "graph/attribute_bins.h"

namespace rayleigh::graph {

/// Each level tells more than the one before it. wl1 and wl2 add one and two rounds of
/// Weisfeiler-Leman refinement: the multiset of (edge label, neighbour's key), where bins of the
/// edge's attributes and the way it goes from here are part of its label. only_degree stands
/// apart: it says nothing of a node's own label. degree_wl1 to degree_wl3 are rounds of refinement
/// that begin with the degree, so that each says more than wl1 to wl3. Items of `edge` are not
/// nodes but entries of GraphSet::col(), each with the label of its edge, the same at both ends.
enum class LabelLevel {
  plain,
  degree,
  edges,
  wl1,
  wl2,
  only_degree,
  degree_wl1,
  degree_wl2,
  degree_wl3,
  edge,
};
inline constexpr std::size_t kLabelLevels = 10;

/// The levels a node falls back on, finest first, ending with plain: wl2, wl1, edges, plain.
std::vector<LabelLevel> fallback_chain(LabelLevel level);

/// What has a label in a graph: its nodes, or for `edge` its entries of col(); numbers of the whole
/// set.
struct LabelledItems {
  std::size_t begin = 0;
  std::size_t end = 0;
};
LabelledItems labelled_items(const GraphSet& graphs, std::size_t graph, LabelLevel level);
/// Of all graphs.
std::size_t labelled_items(const GraphSet& graphs, LabelLevel level);

/// The key of every node, or of every item of `edge`. Without bins edge attributes say nothing.
core::Vector<std::uint64_t> label_keys(const GraphSet& graphs, LabelLevel level,
                                       core::ThreadPool& pool,
                                       const AttributeBins* edge_bins = nullptr);

/// The keys of a set at several levels, each computed once, when it is asked for. The set, the pool
/// and the bins must outlive it.
class LabelKeys {
 public:
  LabelKeys(const GraphSet& graphs, core::ThreadPool& pool,
            const AttributeBins* edge_bins = nullptr)
      : graphs_(&graphs), pool_(&pool), edge_bins_(edge_bins) {}
  const core::Vector<std::uint64_t>& of(LabelLevel level);

 private:
  const GraphSet* graphs_;
  core::ThreadPool* pool_;
  const AttributeBins* edge_bins_;
  std::array<std::optional<core::Vector<std::uint64_t>>, kLabelLevels> keys_;
};

/// For people: "6", "d3", "6 d3", "6(1,1,2)", "6(1:7,2:8)", "6(1:7(1:6),2:8(2:6))". Not for items
/// of `edge`.
std::string describe_label(const GraphSet& graphs, std::size_t graph, std::size_t node,
                           LabelLevel level, const AttributeBins* edge_bins = nullptr);

/// The label of an entry of col(), with bins of its attributes: "2", "2 [attribute 1 above 0.5]";
/// `none` where it has no label.
std::string describe_edge(const GraphSet& graphs, std::size_t entry, const std::string& none,
                          const AttributeBins* edge_bins = nullptr);

}  // namespace rayleigh::graph
