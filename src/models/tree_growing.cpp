#include "models/tree_growing.h"

#include <algorithm>

namespace rayleigh::models {
namespace {

constexpr std::size_t kMostParts = 16;  // that a level is cut into, each with its own scratch
constexpr double kLeastGain = 1e-6;     // below it a gain is rounding

}  // namespace

void TreeGrower::grow(std::span<TreeTask> tasks) {
  std::vector<Open> level;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    TreeTask& task = tasks[t];
    Open root{.task = static_cast<std::uint32_t>(t),
              .fit_end = static_cast<std::uint32_t>(task.fit.size()),
              .run_end = static_cast<std::uint32_t>(task.run.size())};
    for (const std::uint32_t row : task.fit) {
      root.sum.gradient += static_cast<double>(task.slopes[row].gradient);
      root.sum.curvature += static_cast<double>(task.slopes[row].curvature);
    }
    task.tree.assign(1, {.value = value_of(root.sum)});
    level.push_back(root);
  }
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    // Parts of about as many rows each. Which node is in which part changes no result.
    std::size_t rows = 0;
    for (const Open& node : level) {
      rows += node.fit_end - node.fit_begin + node.run_end - node.run_begin;
    }
    std::vector<std::size_t> part_ptr{0};
    std::size_t taken = 0;
    for (std::size_t i = 0; i < level.size(); ++i) {
      taken += level[i].fit_end - level[i].fit_begin + level[i].run_end - level[i].run_begin;
      if (taken * kMostParts >= rows * part_ptr.size() || i + 1 == level.size()) {
        part_ptr.push_back(i + 1);
      }
    }
    scratch_.resize(std::max(scratch_.size(), part_ptr.size() - 1));
    pool_.run(part_ptr.size() - 1, [&](std::size_t part) {
      for (std::size_t i = part_ptr[part]; i < part_ptr[part + 1]; ++i) {
        work_on(tasks[level[i].task], level[i], depth < options_.depth, scratch_[part]);
      }
    });
    level = next_level(tasks, level);
  }
}

std::vector<TreeGrower::Open> TreeGrower::next_level(std::span<TreeTask> tasks,
                                                     std::span<const Open> level) const {
  std::vector<Open> next;
  for (const Open& node : level) {
    if (!node.split) {
      continue;
    }
    Tree& tree = tasks[node.task].tree;
    const auto child = static_cast<std::uint32_t>(tree.size());
    const std::uint32_t bin = grouped_.old_bin(node.bin);
    tree[node.node].column = rows_.column_of_bin[bin];
    tree[node.node].limit = rows_.limit[bin];
    tree[node.node].child = child;
    const Sum left{node.sum.gradient - node.right.gradient,
                   node.sum.curvature - node.right.curvature};
    tree.push_back({.value = value_of(left)});
    tree.push_back({.value = value_of(node.right)});
    next.push_back({.task = node.task,
                    .node = child,
                    .fit_begin = node.fit_begin,
                    .fit_end = node.fit_middle,
                    .run_begin = node.run_begin,
                    .run_end = node.run_middle,
                    .sum = left});
    next.push_back({.task = node.task,
                    .node = child + 1,
                    .fit_begin = node.fit_middle,
                    .fit_end = node.fit_end,
                    .run_begin = node.run_middle,
                    .run_end = node.run_end,
                    .sum = node.right});
  }
  return next;
}

void TreeGrower::work_on(TreeTask& task, Open& node, bool may_split, Scratch& scratch) const {
  if (may_split && node.sum.curvature >= 2 * options_.least_slope) {
    find_split(task, node, scratch);
  }
  if (node.split) {
    node.fit_middle = partition(task.fit, node.fit_begin, node.fit_end, node.bin, scratch.right);
    node.run_middle = partition(task.run, node.run_begin, node.run_end, node.bin, scratch.right);
    return;
  }
  const auto value = static_cast<double>(task.tree[node.node].value);
  for (std::uint32_t i = node.fit_begin; i < node.fit_end; ++i) {
    task.margins[task.fit[i]] += value;
  }
  for (std::uint32_t i = node.run_begin; i < node.run_end; ++i) {
    task.margins[task.run[i]] += value;
  }
}

void TreeGrower::draw_groups(const TreeTask& task, const Open& node,
                             std::vector<std::uint32_t>& groups) const {
  core::Generator generator = task.random.at(node.node, task.number);
  groups.clear();
  while (groups.size() < std::min(options_.looks, grouped_.groups())) {
    const std::uint32_t group = generator.below(static_cast<std::uint32_t>(grouped_.groups()));
    if (std::ranges::find(groups, group) == groups.end()) {
      groups.push_back(group);
    }
  }
  std::ranges::sort(groups);
}

void TreeGrower::consider(Open& node, Sum right, std::uint32_t bin, double& best) const {
  const Sum left{node.sum.gradient - right.gradient, node.sum.curvature - right.curvature};
  if (right.curvature < options_.least_slope || left.curvature < options_.least_slope) {
    return;
  }
  const double gain = worth(left) + worth(right) - worth(node.sum);
  if (gain > best) {
    best = gain;
    node.split = true;
    node.bin = bin;
    node.right = right;
  }
}

void TreeGrower::find_split(const TreeTask& task, Open& node, Scratch& scratch) const {
  scratch.bins.resize(grouped_.bins());
  draw_groups(task, node, scratch.groups);
  scratch.touched.clear();
  for (const std::uint32_t group : scratch.groups) {
    for (std::uint32_t i = node.fit_begin; i < node.fit_end; ++i) {
      const std::uint32_t row = task.fit[i];
      const Slope slope = task.slopes[row];
      for (const std::uint32_t bin : grouped_.of(row, group)) {
        Sum& sum = scratch.bins[bin];
        if (sum.curvature == 0) {
          scratch.touched.push_back(bin);
        }
        sum.gradient += static_cast<double>(slope.gradient);
        sum.curvature += static_cast<double>(slope.curvature);
      }
    }
  }
  // From the highest bin of a column down, so that no sum is a difference.
  std::ranges::sort(scratch.touched);
  double best = kLeastGain;
  Sum right;
  std::uint32_t column_end = 0;
  for (std::size_t i = scratch.touched.size(); i-- > 0;) {
    const std::uint32_t bin = scratch.touched[i];
    if (grouped_.end_of_column(bin) != column_end) {
      column_end = grouped_.end_of_column(bin);
      right = {};
    }
    right.gradient += scratch.bins[bin].gradient;
    right.curvature += scratch.bins[bin].curvature;
    scratch.bins[bin] = {};
    consider(node, right, bin, best);
  }
}

/// Stable; the first row of the second child.
std::uint32_t TreeGrower::partition(std::vector<std::uint32_t>& rows, std::uint32_t begin,
                                    std::uint32_t end, std::uint32_t bin,
                                    std::vector<std::uint32_t>& right) const {
  const std::uint32_t column_end = grouped_.end_of_column(bin);
  const std::size_t group = grouped_.group_of_bin(bin);
  right.clear();
  std::uint32_t left_end = begin;
  for (std::uint32_t i = begin; i < end; ++i) {
    const auto own = grouped_.of(rows[i], group);
    const bool above = std::ranges::any_of(
        own, [&](std::uint32_t entry) { return entry >= bin && entry < column_end; });
    if (above) {
      right.push_back(rows[i]);
    } else {
      rows[left_end++] = rows[i];
    }
  }
  std::ranges::copy(right, rows.begin() + left_end);
  return left_end;
}

}  // namespace rayleigh::models
