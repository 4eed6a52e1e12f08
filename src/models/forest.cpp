#include "models/forest.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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
  std::vector<std::set<float>> limits(most_columns);
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
  std::size_t first = 0;
  for (const std::size_t size : trees.sizes) {
    first_.push_back(first);
    first += size;
  }
  std::vector<std::vector<float>> limits(columns);
  for (const TreeNode& node : trees.nodes) {
    if (node.child != 0) {
      limits[node.column].push_back(node.limit);
    }
  }
  slot_.assign(columns, kNoSlot);
  limit_ptr_.push_back(0);
  for (std::size_t column = 0; column < columns; ++column) {
    auto& own = limits[column];
    if (own.empty()) {
      continue;
    }
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
    slot_[column] = static_cast<std::uint32_t>(zero_rank_.size());
    zero_rank_.push_back(
        static_cast<std::uint8_t>(std::ranges::lower_bound(own, 0.0F) - own.begin()));
    limits_.insert(limits_.end(), own.begin(), own.end());
    limit_ptr_.push_back(static_cast<std::uint32_t>(limits_.size()));
  }
  nodes_.reserve(trees.nodes.size());
  values_.reserve(trees.nodes.size());
  for (const TreeNode& node : trees.nodes) {
    values_.push_back(node.value);
    Node compact{.child = node.child};
    if (node.child != 0) {
      const auto& own = limits[node.column];
      compact.slot = slot_[node.column] & 0xffffffU;
      compact.rank =
          static_cast<std::uint8_t>(std::ranges::lower_bound(own, node.limit) - own.begin());
    }
    nodes_.push_back(compact);
  }
}

void Forest::fill_ranks(const GraphRows<float>& rows, std::uint32_t graph,
                        std::span<std::uint8_t> ranks) const {
  std::ranges::copy(zero_rank_, ranks.begin());
  for (std::size_t e = rows.row_ptr[graph]; e < rows.row_ptr[graph + 1]; ++e) {
    const std::uint32_t slot = slot_[rows.entries[e].column];
    if (slot == kNoSlot) {
      continue;
    }
    std::uint8_t rank = 0;
    for (std::size_t k = limit_ptr_[slot];
         k < limit_ptr_[slot + 1] && rows.entries[e].value > limits_[k]; ++k) {
      ++rank;
    }
    ranks[slot] = rank;
  }
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
