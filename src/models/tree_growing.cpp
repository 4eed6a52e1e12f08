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
    partition(task, node, scratch);
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
  const auto rows = std::span(task.fit).subspan(node.fit_begin, node.fit_end - node.fit_begin);
  const bool large = is_large(rows.size(), task.slopes.size());
  if (large) {
    scratch.slopes.assign(task.slopes.size(), {});
    for (const std::uint32_t row : rows) {
      scratch.slopes[row] = task.slopes[row];
    }
  }
  for (const std::uint32_t group : scratch.groups) {
    if (large) {
      sum_by_entries(group, scratch);
    } else {
      sum_by_rows(task, node, group, scratch);
    }
  }
  // From the highest bin of a column down, so that no sum is a difference.
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

void TreeGrower::sum_by_rows(const TreeTask& task, const Open& node, std::uint32_t group,
                             Scratch& scratch) const {
  const auto before = static_cast<std::ptrdiff_t>(scratch.touched.size());
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
  std::sort(scratch.touched.begin() + before, scratch.touched.end());
}

/// Rows come in the same order as above and those outside of the node add zero: the same bits,
/// without a loop of a few turns for every row.
void TreeGrower::sum_by_entries(std::uint32_t group, Scratch& scratch) const {
  const auto entries = grouped_.of_rows_below(scratch.slopes.size(), group);
  for (std::size_t e = 0; e < entries.bin.size(); ++e) {
    const Slope slope = scratch.slopes[entries.row[e]];
    Sum& sum = scratch.bins[entries.bin[e]];
    sum.gradient += static_cast<double>(slope.gradient);
    sum.curvature += static_cast<double>(slope.curvature);
  }
  const core::Range bins = grouped_.bins_of_group(group);
  for (std::size_t bin = bins.begin; bin < bins.end; ++bin) {
    if (scratch.bins[bin].curvature != 0) {
      scratch.touched.push_back(static_cast<std::uint32_t>(bin));
    }
  }
}

/// Stable.
void TreeGrower::partition(TreeTask& task, Open& node, Scratch& scratch) const {
  const std::uint32_t bin = node.bin;
  const std::uint32_t bins_above = grouped_.end_of_column(bin) - bin;
  const std::size_t group = grouped_.group_of_bin(bin);
  const auto split = [&](std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end,
                         auto&& is_above) {
    scratch.right.resize(end - begin);
    std::uint32_t left_end = begin;
    std::uint32_t right_end = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t row = rows[i];
      const std::uint32_t above = is_above(row) ? 1 : 0;
      rows[left_end] = row;
      scratch.right[right_end] = row;
      left_end += 1 - above;
      right_end += above;
    }
    std::copy_n(scratch.right.begin(), right_end, rows.begin() + left_end);
    return left_end;
  };
  const auto split_both = [&](auto&& is_above) {
    node.fit_middle = split(task.fit, node.fit_begin, node.fit_end, is_above);
    node.run_middle = split(task.run, node.run_begin, node.run_end, is_above);
  };
  const std::size_t rows = node.fit_end - node.fit_begin + node.run_end - node.run_begin;
  if (!is_large(rows, rows_.rows())) {
    split_both([&](std::uint32_t row) {
      return std::ranges::any_of(grouped_.of(row, group), [&](std::uint32_t entry) {
        return entry - bin < bins_above;  // below `bin` it is a huge number
      });
    });
    return;
  }
  scratch.above.assign(rows_.rows(), 0);
  const auto entries = grouped_.of_rows_below(rows_.rows(), group);
  for (std::size_t e = 0; e < entries.bin.size(); ++e) {
    std::uint8_t& above = scratch.above[entries.row[e]];
    above = entries.bin[e] - bin < bins_above ? std::uint8_t{1} : above;
  }
  split_both([&](std::uint32_t row) { return scratch.above[row] != 0; });
}

}  // namespace rayleigh::models
