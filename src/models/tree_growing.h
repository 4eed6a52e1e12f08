// Grows the trees of one boosting round: second-order gain on histograms, level by level, each node
// looking at a few random groups of columns.
// For Boosting; a round's trees are grown side by side so that all cores have work.
// A node's sums are made by one task in the order of rows: the same bits for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "models/binned_rows.h"

namespace rayleigh::models {

struct TreeOptions {
  std::size_t depth = 12;
  double least_slope = 0.05;  ///< of a leaf: sum of the second derivatives
  double lambda = 1;          ///< on squared leaf values
  double shrinkage = 0.07;
  std::size_t groups = 60;  ///< that columns are dealt into
  std::size_t looks = 3;    ///< groups that a node looks at
};

/// In the order of levels; the two children of a node stand next to each other.
struct TreeNode {
  std::uint32_t column = 0;
  float limit = 0;          ///< numbers up to it go to the first child
  std::uint32_t child = 0;  ///< the first of the two; 0 = a leaf
  float value = 0;          ///< of a leaf, or what it would be if the node were one
};
using Tree = std::vector<TreeNode>;

/// First and second derivative of the loss by the margin of one row.
struct Slope {
  float gradient = 0;
  float curvature = 0;
};

/// What one tree of a round is grown from.
struct TreeTask {
  std::span<const Slope> slopes;   ///< of every row
  std::vector<std::uint32_t> fit;  ///< rows that decide; reordered
  std::vector<std::uint32_t> run;  ///< rows that only want their value; reordered
  std::span<double> margins;       ///< of every row; the tree's values are added
  core::RandomStream random;       ///< of the groups that nodes look at, by (node, tree number)
  std::uint32_t number = 0;        ///< of the tree
  Tree tree{};                     ///< the result
};

class TreeGrower {
 public:
  TreeGrower(const BinnedRows& rows, const TreeOptions& options, core::ThreadPool& pool)
      : rows_(rows), options_(options), grouped_(rows, options.groups), pool_(pool) {}

  GroupedRows& grouped() { return grouped_; }
  void grow(std::span<TreeTask> tasks);

 private:
  struct Sum {
    double gradient = 0;
    double curvature = 0;
  };
  /// A node of the level that is being grown.
  struct Open {
    std::uint32_t task = 0;
    std::uint32_t node = 0;
    std::uint32_t fit_begin = 0;
    std::uint32_t fit_end = 0;
    std::uint32_t run_begin = 0;
    std::uint32_t run_end = 0;
    Sum sum{};
    // What becomes of it.
    bool split = false;
    std::uint32_t bin = 0;  ///< new number; it and the bins above go to the second child
    std::uint32_t fit_middle = 0;
    std::uint32_t run_middle = 0;
    Sum right{};
  };
  /// What one thread needs at a time.
  struct Scratch {
    std::vector<Sum> bins;
    std::vector<std::uint32_t> touched;
    std::vector<std::uint32_t> groups;
    std::vector<std::uint32_t> right;
    // Of large nodes.
    std::vector<Slope> slopes;        ///< of every row; zero outside of the node
    std::vector<std::uint8_t> above;  ///< of every row
  };

  void work_on(TreeTask& task, Open& node, bool may_split, Scratch& scratch) const;
  void find_split(const TreeTask& task, Open& node, Scratch& scratch) const;
  /// Sums of the bins of a group, whose numbers `touched` then ends with, ascending.
  void sum_by_rows(const TreeTask& task, const Open& node, std::uint32_t group,
                   Scratch& scratch) const;
  void sum_by_entries(std::uint32_t group, Scratch& scratch) const;
  void consider(Open& node, Sum right, std::uint32_t bin, double& best) const;
  void draw_groups(const TreeTask& task, const Open& node,
                   std::vector<std::uint32_t>& groups) const;
  void partition(TreeTask& task, Open& node, Scratch& scratch) const;
  /// Whether so many rows are a share of all that looking at the entries of all costs less.
  static bool is_large(std::size_t rows, std::size_t all) { return 8 * rows > all; }
  double worth(const Sum& sum) const {
    return sum.gradient * sum.gradient / (sum.curvature + options_.lambda);
  }
  float value_of(const Sum& sum) const {
    return static_cast<float>(-options_.shrinkage * sum.gradient /
                              (sum.curvature + options_.lambda));
  }
  std::vector<Open> next_level(std::span<TreeTask> tasks, std::span<const Open> level) const;

  const BinnedRows& rows_;
  TreeOptions options_;
  GroupedRows grouped_;
  core::ThreadPool& pool_;
  std::vector<Scratch> scratch_;
};

}  // namespace rayleigh::models
