#include "models/bit_trees.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rayleigh::models {
namespace {

/// Rows of a node, or those of them that have a bit. A row counts in `weight` and `anomalous` as
/// often as the bootstrap drew it.
struct BitCount {
  std::uint32_t rows = 0;
  std::uint32_t weight = 0;
  std::uint32_t anomalous = 0;

  void add(std::uint32_t times, std::uint8_t label) {
    ++rows;
    weight += times;
    anomalous += label != 0 ? times : 0;
  }
};

/// The higher, the purer: the weight minus this is the weighted Gini impurity.
double purity(std::uint32_t weight, std::uint32_t anomalous) {
  const auto one = static_cast<double>(anomalous);
  const auto other = static_cast<double>(weight - anomalous);
  return (one * one + other * other) / static_cast<double>(weight);
}

}  // namespace

BitTreeGrower::BitTreeGrower(const GraphRows<float>& rows, std::span<const std::uint32_t> chosen,
                             std::vector<std::uint8_t> anomalous, std::size_t columns)
    : columns_(columns),
      words_((columns + kWordBits - 1) / kWordBits),
      anomalous_(std::move(anomalous)),
      bits_(chosen.size() * words_, 0),
      column_ptr_(columns + 1, 0) {
  row_ptr_.reserve(chosen.size() + 1);
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    const std::uint32_t from = chosen[row];
    for (std::size_t e = rows.row_ptr[from]; e < rows.row_ptr[from + 1]; ++e) {
      const std::uint32_t column = rows.entries[e].column;
      column_.push_back(column);
      ++column_ptr_[column + 1];
      bits_[row * words_ + column / kWordBits] |= std::uint64_t{1} << (column % kWordBits);
    }
    row_ptr_.push_back(column_.size());
  }
  std::partial_sum(column_ptr_.begin(), column_ptr_.end(), column_ptr_.begin());
  row_.resize(column_.size());
  std::vector<std::size_t> next(column_ptr_.begin(), column_ptr_.end() - 1);
  for (std::size_t row = 0; row < chosen.size(); ++row) {
    for (const std::uint32_t column : columns_of(row)) {
      row_[next[column]++] = static_cast<std::uint32_t>(row);
    }
  }
}

/// One tree while it grows, node by node in the order of levels.
class BitTreeGrower::Growth {
 public:
  Growth(const BitTreeGrower& grower, core::Generator random, std::size_t looks)
      : grower_(grower),
        random_(random),
        looks_(looks),
        // What one row costs when all its bits are counted, against what a column costs.
        rows_worth_counting_(looks * grower.rows() / std::max<std::size_t>(1, grower.columns_)),
        times_(grower.rows(), 0),
        node_of_(grower.rows(), 0),
        drawn_(grower.columns_),
        counts_(grower.columns_) {
    std::iota(drawn_.begin(), drawn_.end(), 0U);
  }

  Tree run() {
    draw_rows();
    for (std::size_t node = 0; node < open_.size(); ++node) {
      const Open at = open_[node];
      tree_[node].value = static_cast<float>(static_cast<double>(at.all.anomalous) / at.all.weight);
      if (at.all.anomalous > 0 && at.all.anomalous < at.all.weight) {
        look_for_split(static_cast<std::uint32_t>(node), at);
      }
    }
    return std::move(tree_);
  }

 private:
  struct Open {
    std::uint32_t begin = 0;  ///< of its rows in rows_
    std::uint32_t end = 0;
    BitCount all{};
  };

  void draw_rows() {
    const auto rows = static_cast<std::uint32_t>(grower_.rows());
    for (std::uint32_t i = 0; i < rows; ++i) {
      ++times_[random_.below(rows)];
    }
    BitCount all;
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (times_[row] > 0) {
        rows_.push_back(row);
        all.add(times_[row], grower_.anomalous_[row]);
      } else {
        node_of_[row] = kNowhere;
      }
    }
    right_.resize(rows_.size());
    add_node({0, all.rows, all});
  }

  void add_node(const Open& open) {
    tree_.emplace_back();
    open_.push_back(open);
  }

  void look_for_split(std::uint32_t node, const Open& at) {
    const bool few_rows = at.end - at.begin <= rows_worth_counting_;
    if (few_rows) {
      count_all_bits(at);
    }
    double best = -1;
    std::uint32_t column = 0;
    BitCount ones;
    for (std::uint32_t i = 0; i < drawn_.size() && (i < looks_ || best < 0); ++i) {
      const auto left = static_cast<std::uint32_t>(drawn_.size()) - i;
      std::swap(drawn_[i], drawn_[i + random_.below(left)]);
      const BitCount found =
          few_rows ? counts_[drawn_[i]] : count_column(node, grower_.rows_of(drawn_[i]));
      if (found.rows == 0 || found.rows == at.all.rows) {
        continue;
      }
      const double pure = purity(found.weight, found.anomalous) +
                          purity(at.all.weight - found.weight, at.all.anomalous - found.anomalous);
      if (pure > best) {
        best = pure;
        column = drawn_[i];
        ones = found;
      }
    }
    if (few_rows) {
      forget_all_bits(at);
    }
    if (best >= 0) {
      split(node, at, column, ones);
    }
  }

  BitCount count_column(std::uint32_t node, std::span<const std::uint32_t> rows) const {
    BitCount count;
    for (const std::uint32_t row : rows) {
      if (node_of_[row] == node) {
        count.add(times_[row], grower_.anomalous_[row]);
      }
    }
    return count;
  }

  void count_all_bits(const Open& at) {
    for (std::uint32_t i = at.begin; i < at.end; ++i) {
      const std::uint32_t row = rows_[i];
      for (const std::uint32_t column : grower_.columns_of(row)) {
        counts_[column].add(times_[row], grower_.anomalous_[row]);
      }
    }
  }
  void forget_all_bits(const Open& at) {
    for (std::uint32_t i = at.begin; i < at.end; ++i) {
      for (const std::uint32_t column : grower_.columns_of(rows_[i])) {
        counts_[column] = {};
      }
    }
  }

  void split(std::uint32_t node, const Open& at, std::uint32_t column, const BitCount& ones) {
    const auto child = static_cast<std::uint32_t>(tree_.size());
    tree_[node].column = column;
    tree_[node].limit = 0.5F;
    tree_[node].child = child;
    std::uint32_t middle = at.begin;
    std::uint32_t right = 0;
    for (std::uint32_t i = at.begin; i < at.end; ++i) {
      const std::uint32_t row = rows_[i];
      const bool one = grower_.has(row, column);
      node_of_[row] = child + (one ? 1 : 0);
      if (one) {
        right_[right++] = row;
      } else {
        rows_[middle++] = row;
      }
    }
    std::copy_n(right_.begin(), right, rows_.begin() + middle);
    add_node({at.begin,
              middle,
              {at.all.rows - ones.rows, at.all.weight - ones.weight,
               at.all.anomalous - ones.anomalous}});
    add_node({middle, at.end, ones});
  }

  static constexpr std::uint32_t kNowhere = 0xffffffffU;

  const BitTreeGrower& grower_;
  core::Generator random_;
  std::size_t looks_;
  std::size_t rows_worth_counting_;
  std::vector<std::uint32_t> times_;    ///< that the bootstrap drew each row
  std::vector<std::uint32_t> node_of_;  ///< of each row
  std::vector<std::uint32_t> drawn_;    ///< columns, those that a node looked at first
  std::vector<BitCount> counts_;        ///< of each column; all zero between nodes
  std::vector<std::uint32_t> rows_;     ///< that were drawn, node after node of a level
  std::vector<std::uint32_t> right_;
  std::vector<Open> open_;  ///< of each node of the tree
  Tree tree_;
};

Tree BitTreeGrower::grow(core::Generator random, std::size_t looks) const {
  return Growth(*this, random, looks).run();
}

}  // namespace rayleigh::models
