#include "models/forest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <set>

namespace rayleigh::models {
namespace {

constexpr std::size_t kMostLimits = 255;
constexpr std::size_t kMostColumns = std::size_t{1} << 24U;  // whole numbers that a float holds

enum Part : std::size_t { kColumn, kLimit, kChild, kValue };

/// Whole and from 0 to `most`.
bool is_index(double number, std::size_t most) {
  return number >= 0 && number <= static_cast<double>(most) && number == std::floor(number);
}

float value_in_row(std::span<const spectral::BasisEntry<float>> row, std::uint32_t column) {
  const auto at = std::ranges::lower_bound(row, column, {}, &spectral::BasisEntry<float>::column);
  return at != row.end() && at->column == column ? at->value : 0;
}

/// The columns that more than kMostLimits nodes name, whatever the nodes are worth.
template <typename Real>
std::vector<bool> asked_often(nn::Matrix<const Real> nodes, std::size_t columns) {
  std::vector<std::uint32_t> asked(columns, 0);
  std::vector<bool> often(columns, false);
  for (std::size_t row = 0; row < nodes.rows; ++row) {
    const auto column = static_cast<double>(nodes(row, kColumn));
    if (columns > 0 && is_index(column, columns - 1)) {
      const auto at = static_cast<std::size_t>(column);
      asked[at] += asked[at] <= kMostLimits ? 1 : 0;
      often[at] = asked[at] > kMostLimits;
    }
  }
  return often;
}

}  // namespace

template <typename Real>
StoredTrees read_trees(nn::Matrix<const Real> sizes, nn::Matrix<const Real> nodes) {
  StoredTrees trees;
  trees.sizes.reserve(sizes.rows);
  for (std::size_t t = 0; t < sizes.rows; ++t) {
    trees.sizes.push_back(static_cast<std::size_t>(sizes(t, 0)));
  }
  trees.nodes.reserve(nodes.rows);
  for (std::size_t i = 0; i < nodes.rows; ++i) {
    trees.nodes.push_back({.column = static_cast<std::uint32_t>(nodes(i, kColumn)),
                           .limit = static_cast<float>(nodes(i, kLimit)),
                           .child = static_cast<std::uint32_t>(nodes(i, kChild)),
                           .value = static_cast<float>(nodes(i, kValue))});
  }
  return trees;
}

template <typename Real>
std::optional<NumberDefect> forest_defect(const std::string& name, nn::Matrix<const Real> sizes,
                                          nn::Matrix<const Real> nodes, std::size_t columns) {
  const auto in_nodes = [&](std::size_t row, Part part, std::string expected) {
    return NumberDefect{.parameter = name + ".nodes",
                        .index = row * kTreeNodeNumbers + part,
                        .value = static_cast<double>(nodes(row, part)),
                        .expected = std::move(expected)};
  };
  const std::size_t most_columns = std::min(columns, kMostColumns);
  const auto often = asked_often(nodes, most_columns);
  std::map<std::size_t, std::set<float>>
      limits;  // of those columns, as no others can have too many
  std::size_t first = 0;
  for (std::size_t t = 0; t < sizes.rows; ++t) {
    const auto size = static_cast<double>(sizes(t, 0));
    if (!is_index(size, nodes.rows - first) || size == 0) {
      return NumberDefect{
          .parameter = name + ".sizes",
          .index = t,
          .value = size,
          .expected = fmt::format("a number of nodes from 1 to {}", nodes.rows - first)};
    }
    // Nodes stand in the order of levels, so the next child is known: no circle, no second parent.
    const auto count = static_cast<std::size_t>(size);
    std::size_t next = 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = first + i;
      const auto child = static_cast<double>(nodes(row, kChild));
      if (child == 0) {
        continue;
      }
      if (child != static_cast<double>(next) || next <= i || next + 2 > count) {
        return in_nodes(row, kChild,
                        next > i && next + 2 <= count ? fmt::format("0 or child {}", next)
                                                      : "0, as no nodes are left");
      }
      next += 2;
      const auto column = static_cast<double>(nodes(row, kColumn));
      if (columns == 0 || !is_index(column, most_columns - 1)) {
        return in_nodes(row, kColumn, fmt::format("a column below {}", most_columns));
      }
      if (!often[static_cast<std::size_t>(column)]) {
        continue;
      }
      auto& of_column = limits[static_cast<std::size_t>(column)];
      of_column.insert(static_cast<float>(nodes(row, kLimit)));
      if (of_column.size() > kMostLimits) {
        return in_nodes(row, kLimit, fmt::format("at most {} limits of a column", kMostLimits));
      }
    }
    if (next != count) {
      return NumberDefect{.parameter = name + ".sizes",
                          .index = t,
                          .value = size,
                          .expected = fmt::format("{} nodes, as its nodes have it", next)};
    }
    first += count;
  }
  if (first != nodes.rows) {
    return in_nodes(first, kColumn, fmt::format("{} nodes, as the sizes say", first));
  }
  return std::nullopt;
}

Forest::Forest(const StoredTrees& trees, std::size_t columns) {
  // Limits of all columns in one piece, as most columns have few or none.
  std::vector<std::uint32_t> end(columns + 1, 0);
  for (const TreeNode& node : trees.nodes) {
    if (node.child != 0) {  // the column of a leaf means nothing
      ++end[node.column + 1];
    }
  }
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<float> limits(end.back());
  for (const TreeNode& node : trees.nodes) {
    if (node.child != 0) {
      limits[end[node.column]++] = node.limit;
    }
  }
  first_question_.reserve(columns + 1);
  first_question_.push_back(0);
  std::size_t begin = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto own = std::span(limits).subspan(begin, end[column] - begin);
    begin = end[column];
    std::ranges::sort(own);
    const auto different = std::unique(own.begin(), own.end()) - own.begin();
    for (const float limit : own.first(static_cast<std::size_t>(different))) {
      if (limit < 0) {
        yes_to_zero_.push_back(static_cast<std::uint32_t>(limits_.size()));
      }
      limits_.push_back(limit);
    }
    first_question_.push_back(static_cast<std::uint32_t>(limits_.size()));
  }
  const auto no_question = static_cast<std::uint32_t>(limits_.size());
  nodes_.reserve(trees.nodes.size());
  values_.reserve(trees.nodes.size());
  first_inner_.push_back(0);
  first_leaf_.push_back(0);
  std::vector<std::uint32_t> depth;  // of the nodes of a tree
  for (const std::size_t size : trees.sizes) {
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    first_node_.push_back(first);
    depth.assign(size, 0);
    for (std::uint32_t at = 0; at < size; ++at) {
      const TreeNode& node = trees.nodes[first + at];
      values_.push_back(node.value);
      if (node.child == 0) {
        nodes_.push_back({.child = first + at, .question = no_question});
        leaves_.push_back({.at = at, .value = node.value});
        continue;
      }
      const auto own = limits_.begin() + first_question_[node.column];
      const auto question = static_cast<std::uint32_t>(
          std::lower_bound(own, limits_.begin() + first_question_[node.column + 1], node.limit) -
          limits_.begin());
      nodes_.push_back({.child = first + node.child, .question = question});
      inner_.push_back({.at = at, .question = question});
      depth[node.child] = depth[node.child + 1] = depth[at] + 1;
    }
    depth_.push_back(depth.back());  // the last level has the last node
    first_inner_.push_back(static_cast<std::uint32_t>(inner_.size()));
    first_leaf_.push_back(static_cast<std::uint32_t>(leaves_.size()));
    largest_ = std::max(largest_, size);
  }
}

std::size_t Forest::scratch_bytes(std::size_t graphs) const {
  constexpr std::size_t kAlignment = 64;
  const std::size_t words = (std::min(graphs, kGraphsAtOnce) + kWordBits - 1) / kWordBits;
  const std::size_t room = words == 3 ? kWords : words;
  const std::size_t bytes = graphs <= kFew
                                ? limits_.size() + 1
                                : (limits_.size() + 1 + largest_) * room * sizeof(std::uint64_t);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

double path_shares(const StoredTrees& trees, const GraphRows<float>& rows, std::uint32_t graph,
                   std::span<double> share_of_column) {
  const auto row = std::span(rows.entries)
                       .subspan(rows.row_ptr[graph], rows.row_ptr[graph + 1] - rows.row_ptr[graph]);
  double roots = 0;
  std::size_t first = 0;
  for (const std::size_t size : trees.sizes) {
    std::size_t at = first;
    roots += static_cast<double>(trees.nodes[at].value);
    while (trees.nodes[at].child != 0) {
      const TreeNode& node = trees.nodes[at];
      const bool second = value_in_row(row, node.column) > node.limit;
      at = first + node.child + (second ? 1 : 0);
      share_of_column[node.column] +=
          static_cast<double>(trees.nodes[at].value) - static_cast<double>(node.value);
    }
    first += size;
  }
  return roots;
}

template StoredTrees read_trees(nn::Matrix<const float>, nn::Matrix<const float>);
template StoredTrees read_trees(nn::Matrix<const double>, nn::Matrix<const double>);
template std::optional<NumberDefect> forest_defect(const std::string&, nn::Matrix<const float>,
                                                   nn::Matrix<const float>, std::size_t);
template std::optional<NumberDefect> forest_defect(const std::string&, nn::Matrix<const double>,
                                                   nn::Matrix<const double>, std::size_t);

}  // namespace rayleigh::models
