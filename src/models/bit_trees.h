// Grows the trees of a random forest on columns that are 0 or 1: Gini, a bootstrap of the rows,
// each node looks at a few random columns, until leaves are pure or their rows alike. For
// fingerprints; a grower is made once per training part and shared by all threads. A tree takes
// some ten milliseconds for thirty thousand rows of fifty bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "models/label_features.h"
#include "models/tree_growing.h"

namespace rayleigh::models {

class BitTreeGrower {
 public:
  /// The rows `chosen` of `rows`, whose entries are the columns that are 1. `anomalous` has 0 or 1
  /// for each of them.
  BitTreeGrower(const GraphRows<float>& rows, std::span<const std::uint32_t> chosen,
                std::vector<std::uint8_t> anomalous, std::size_t columns);

  /// Values of nodes are their share of anomalous rows. A node looks at `looks` columns, and at
  /// further ones only where all of these are the same in all its rows.
  Tree grow(core::Generator random, std::size_t looks) const;

 private:
  class Growth;

  std::size_t rows() const { return anomalous_.size(); }
  std::span<const std::uint32_t> columns_of(std::size_t row) const {
    return std::span(column_).subspan(row_ptr_[row], row_ptr_[row + 1] - row_ptr_[row]);
  }
  std::span<const std::uint32_t> rows_of(std::size_t column) const {
    return std::span(row_).subspan(column_ptr_[column],
                                   column_ptr_[column + 1] - column_ptr_[column]);
  }
  bool has(std::size_t row, std::size_t column) const {
    return (bits_[row * words_ + column / kWordBits] >> (column % kWordBits) & 1U) != 0;
  }

  static constexpr std::size_t kWordBits = 64;

  std::size_t columns_;
  std::size_t words_;                    ///< of a row of bits
  std::vector<std::uint8_t> anomalous_;  ///< of each row
  std::vector<std::uint64_t> bits_;
  // The same by rows and by columns.
  std::vector<std::size_t> row_ptr_{0};
  std::vector<std::uint32_t> column_;
  std::vector<std::size_t> column_ptr_;
  std::vector<std::uint32_t> row_;
};

}  // namespace rayleigh::models
