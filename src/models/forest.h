// Many trees laid out for scoring.
// Made of stored trees once, when they are sound; forest_defect() tells whether they are.
// About three nanoseconds per graph and tree where there are many graphs, ten times that for one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
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

/// A question is a column and a limit, the same in all trees, so the numbers of a graph become
/// answers once. Many graphs go through a tree together: a node splits the set of those that came
/// to it, a word of bits at a time, without a branch. A few walk through several trees side by
/// side.
class Forest {
 public:
  Forest() = default;
  Forest(const StoredTrees& trees, std::size_t columns);

  /// That share the answers of one pass.
  static constexpr std::size_t kGraphsAtOnce = 256;

  std::size_t trees() const { return first_node_.size(); }
  /// Bytes that a run of so many graphs needs; of kGraphsAtOnce for any number.
  std::size_t scratch_bytes(std::size_t graphs) const;

  /// Calls take(tree, i, value) for the value that every tree gives the row of every graphs[i]; for
  /// each graph in the order of trees. `scratch` has scratch_bytes() and begins where a word may.
  template <typename Take>
  void run(const GraphRows<float>& rows, std::span<const std::uint32_t> graphs,
           std::span<std::uint8_t> scratch, Take take) const {
    for (std::size_t begin = 0; begin < graphs.size() && trees() > 0; begin += kGraphsAtOnce) {
      const auto some = graphs.subspan(begin, std::min(kGraphsAtOnce, graphs.size() - begin));
      const auto take_here = [&](std::size_t tree, std::size_t i, double value) {
        take(tree, begin + i, value);
      };
      if (some.size() <= kFew) {
        walk(rows, some, scratch, take_here);
      } else if (some.size() <= kWordBits) {
        sweep<1>(rows, some, scratch, take_here);
      } else if (some.size() <= 2 * kWordBits) {
        sweep<2>(rows, some, scratch, take_here);
      } else {
        sweep<kWords>(rows, some, scratch, take_here);
      }
    }
  }

 private:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kWords = kGraphsAtOnce / kWordBits;
  static constexpr std::size_t kFew = 6;          ///< up to here walking is faster
  static constexpr std::size_t kTreesAtOnce = 8;  ///< of a walk, whose loads then overlap

  /// For walks. A leaf leads to itself by the question that all graphs answer with no.
  struct Node {
    std::uint32_t child = 0;  ///< among all nodes; "yes" goes to the one behind it
    std::uint32_t question = 0;
  };
  /// For sweeps, in the order of levels: the children of the k-th are 2 k + 1 and 2 k + 2.
  struct Inner {
    std::uint32_t at = 0;  ///< node of its tree
    std::uint32_t question = 0;
  };
  struct Leaf {
    std::uint32_t at = 0;
    float value = 0;
  };
  /// Graphs of one word that reach a leaf.
  struct Reached {
    std::uint64_t graphs = 0;
    float value = 0;
  };

  /// Calls answer(question, yes) for all questions about a column that the row has.
  template <typename Answer>
  void answer_row(const GraphRows<float>& rows, std::uint32_t graph, Answer answer) const {
    for (std::size_t e = rows.row_ptr[graph]; e < rows.row_ptr[graph + 1]; ++e) {
      const auto [column, value] = rows.entries[e];
      for (std::size_t q = first_question_[column]; q < first_question_[column + 1]; ++q) {
        answer(q, value > limits_[q]);
      }
    }
  }

  template <typename Take>
  void walk(const GraphRows<float>& rows, std::span<const std::uint32_t> graphs,
            std::span<std::uint8_t> answers, Take take) const {
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      std::ranges::fill(answers.first(limits_.size() + 1), std::uint8_t{0});
      for (const std::uint32_t question : yes_to_zero_) {
        answers[question] = 1;
      }
      answer_row(rows, graphs[i],
                 [&](std::size_t question, bool yes) { answers[question] = yes ? 1 : 0; });
      for (std::size_t first = 0; first < trees(); first += kTreesAtOnce) {
        const std::size_t count = std::min(kTreesAtOnce, trees() - first);
        std::array<std::uint32_t, kTreesAtOnce> at;
        std::uint32_t steps = 0;
        for (std::size_t k = 0; k < kTreesAtOnce; ++k) {
          const std::size_t tree = first + std::min(k, count - 1);
          at[k] = first_node_[tree];
          steps = std::max(steps, depth_[tree]);
        }
        for (; steps > 0; --steps) {
          for (std::uint32_t& node : at) {
            node = nodes_[node].child + answers[nodes_[node].question];
          }
        }
        for (std::size_t k = 0; k < count; ++k) {
          take(first + k, i, static_cast<double>(values_[at[k]]));
        }
      }
    }
  }

  template <std::size_t Words, typename Take>
  void sweep(const GraphRows<float>& rows, std::span<const std::uint32_t> graphs,
             std::span<std::uint8_t> scratch, Take take) const {
    using Bits = std::array<std::uint64_t, Words>;
    auto* const answers = new (scratch.data()) Bits[limits_.size() + largest_];
    Bits* const reach = answers + limits_.size();
    sweep_answers<Words>(rows, graphs, answers);
    std::array<std::array<Reached, kWordBits + 1>, Words> reached;
    std::array<float, Words * kWordBits + 1> value;
    for (std::size_t tree = 0; tree < trees(); ++tree) {
      reach[0].fill(~std::uint64_t{0});
      Bits* child = reach + 1;
      for (std::size_t k = first_inner_[tree]; k < first_inner_[tree + 1]; ++k) {
        const Bits& here = reach[inner_[k].at];
        const Bits& yes = answers[inner_[k].question];
        for (std::size_t w = 0; w < Words; ++w) {
          child[0][w] = here[w] & ~yes[w];
          child[1][w] = here[w] & yes[w];
        }
        child += 2;
      }
      sweep_leaves<Words>(tree, reach, reached, value);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        take(tree, i, static_cast<double>(value[i]));
      }
    }
  }

  template <std::size_t Words>
  void sweep_answers(const GraphRows<float>& rows, std::span<const std::uint32_t> graphs,
                     std::array<std::uint64_t, Words>* answers) const {
    std::fill(answers, answers + limits_.size(), std::array<std::uint64_t, Words>{});
    for (const std::uint32_t question : yes_to_zero_) {
      answers[question].fill(~std::uint64_t{0});
    }
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i % kWordBits);
      answer_row(rows, graphs[i], [&](std::size_t question, bool yes) {
        std::uint64_t& word = answers[question][i / kWordBits];
        word = yes ? word | bit : word & ~bit;
      });
    }
  }

  /// Values of all graphs of a tree. Every word has 64 graphs, so the words go on side by side:
  /// first the leaves that a word's graphs reach, then graph by graph.
  template <std::size_t Words>
  void sweep_leaves(std::size_t tree, const std::array<std::uint64_t, Words>* reach,
                    std::array<std::array<Reached, kWordBits + 1>, Words>& reached,
                    std::array<float, Words * kWordBits + 1>& value) const {
    std::array<std::size_t, Words> count{};
    for (std::size_t k = first_leaf_[tree]; k < first_leaf_[tree + 1]; ++k) {
      const Leaf leaf = leaves_[k];
      for (std::size_t w = 0; w < Words; ++w) {
        const std::uint64_t graphs = reach[leaf.at][w];
        reached[w][count[w]] = {graphs, leaf.value};
        count[w] += graphs != 0 ? 1 : 0;
      }
    }
    std::array<const Reached*, Words> at;
    std::array<std::uint64_t, Words> left;
    for (std::size_t w = 0; w < Words; ++w) {
      at[w] = reached[w].data();
      left[w] = at[w]->graphs;
    }
    for (std::size_t step = 0; step < kWordBits; ++step) {
      for (std::size_t w = 0; w < Words; ++w) {
        value[w * kWordBits + static_cast<std::size_t>(std::countr_zero(left[w]))] = at[w]->value;
        left[w] &= left[w] - 1;
        at[w] += left[w] == 0 ? 1 : 0;
        left[w] = left[w] == 0 ? at[w]->graphs : left[w];
      }
    }
  }

  std::vector<std::uint32_t> first_node_;  ///< of each tree
  std::vector<std::uint32_t> depth_;       ///< questions on its longest way
  std::vector<Node> nodes_;
  std::vector<float> values_;               ///< of each node
  std::vector<std::uint32_t> first_inner_;  ///< of each tree, and their number
  std::vector<Inner> inner_;
  std::vector<std::uint32_t> first_leaf_;  ///< of each tree, and their number
  std::vector<Leaf> leaves_;
  std::size_t largest_ = 0;                    ///< nodes of a tree
  std::vector<std::uint32_t> first_question_;  ///< of each column, and their number
  std::vector<float> limits_;  ///< of each question, ascending in a column: above it is yes
  std::vector<std::uint32_t> yes_to_zero_;  ///< questions with a limit below zero
};

/// Shares of columns in the values of all trees: what each question changed on the way to the leaf.
/// Together with the values of the roots, which are returned, they add up to the sum of the leaves.
double path_shares(const StoredTrees& trees, const GraphRows<float>& rows, std::uint32_t graph,
                   std::span<double> share_of_column);

}  // namespace rayleigh::models
