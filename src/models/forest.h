// Many trees laid out for scoring: small nodes, numbers of a graph as ranks among the limits that
// the trees ask for, several graphs through one tree while it is in the cache.
// Made of stored trees once, when they are sound; forest_defect() tells whether they are.
// A few nanoseconds per question of a tree.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/label_features.h"
#include "models/model.h"
#include "models/tree_growing.h"

namespace rayleigh::models {

/// Trees as they are stored: nodes of one behind those of the other.
struct StoredTrees {
  std::vector<std::size_t> sizes;  ///< nodes of each
  Tree nodes;
};

inline constexpr std::size_t kTreeNodeNumbers = 4;  ///< column, limit, child, value

template <typename Real>
StoredTrees read_trees(nn::Matrix<const Real> sizes, nn::Matrix<const Real> nodes);

/// The first number that makes no tree: sizes that do not fit, columns that are not there, children
/// that are not the next two of their tree, more than 255 limits of one column. `name` is that of
/// the two tensors without ".sizes" and ".nodes".
template <typename Real>
std::optional<NumberDefect> forest_defect(const std::string& name, nn::Matrix<const Real> sizes,
                                          nn::Matrix<const Real> nodes, std::size_t columns);

class Forest {
 public:
  Forest() = default;
  Forest(const StoredTrees& trees, std::size_t columns);

  std::size_t trees() const { return first_.size(); }
  /// Bytes that a run of so many graphs needs for their numbers.
  std::size_t scratch_bytes(std::size_t graphs) const { return graphs * zero_rank_.size(); }

  /// Calls take(tree, i, value) for the value that every tree, in order, gives the row of every
  /// graphs[i]. `scratch` has scratch_bytes().
  template <typename Take>
  void run(const GraphRows<float>& rows, std::span<const std::uint32_t> graphs,
           std::span<std::uint8_t> scratch, Take take) const {
    const std::size_t slots = zero_rank_.size();
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      fill_ranks(rows, graphs[i], scratch.subspan(i * slots, slots));
    }
    for (std::size_t tree = 0; tree < first_.size(); ++tree) {
      const Node* nodes = nodes_.data() + first_[tree];
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const std::uint8_t* ranks = scratch.data() + i * slots;
        std::uint32_t at = 0;
        while (nodes[at].child != 0) {
          at = nodes[at].child + (ranks[nodes[at].slot] > nodes[at].rank ? 1U : 0U);
        }
        take(tree, i, static_cast<double>(values_[first_[tree] + at]));
      }
    }
  }

 private:
  struct Node {
    std::uint32_t child = 0;  ///< 0 = a leaf
    std::uint32_t slot : 24 = 0;
    std::uint32_t rank : 8 = 0;  ///< a number of at most this rank goes to the first child
  };

  void fill_ranks(const GraphRows<float>& rows, std::uint32_t graph,
                  std::span<std::uint8_t> ranks) const;

  std::vector<std::size_t> first_;  ///< node of each tree
  std::vector<Node> nodes_;
  std::vector<float> values_;             ///< of each node
  std::vector<std::uint32_t> slot_;       ///< of each column; kNoSlot where no tree asks
  std::vector<std::uint32_t> limit_ptr_;  ///< of each slot
  std::vector<float> limits_;             ///< ascending in each slot
  std::vector<std::uint8_t> zero_rank_;   ///< of each slot

  static constexpr std::uint32_t kNoSlot = 0xffffffffU;
};

/// Shares of columns in the values of all trees: what each question changed on the way to the leaf.
/// Together with the values of the roots, which are returned, they add up to the sum of the leaves.
double path_shares(const StoredTrees& trees, const GraphRows<float>& rows, std::uint32_t graph,
                   std::span<double> share_of_column);

}  // namespace rayleigh::models
