// Sparse rows of numbers cut into few bins per column, as histograms want them, and the same rows
// sorted by random groups of columns, so that looking at a share of the columns costs that share of
// the entries.
// Made once for a boosting run; grouping again costs one pass over the entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "models/label_features.h"

namespace rayleigh::models {

/// A bin has a number in all columns. Zero, which no row stores, is below the bins of its column.
struct BinnedRows {
  std::vector<std::uint32_t> column_of_bin;
  std::vector<std::uint32_t> first_bin;  ///< of each column, and their number
  /// Numbers up to limit[b] are below bin b.
  std::vector<float> limit;
  std::vector<std::uint32_t> row_ptr;
  std::vector<std::uint32_t> bins;

  std::size_t rows() const { return row_ptr.size() - 1; }
  std::size_t columns() const { return first_bin.size() - 1; }
};

/// Rows of the given graphs in their order. Bins are made for the first `fitted` of them: one for
/// each number that occurs in a column, or `most` with about as many entries each; none for the
/// columns that are ignored.
BinnedRows bin_rows(const GraphRows<float>& from, std::size_t columns,
                    std::span<const std::uint32_t> graphs, std::size_t fitted, std::size_t most,
                    core::ThreadPool& pool, core::Range ignored = {});

/// Columns dealt into groups at random, bins numbered anew so that those of a group stand together.
/// What rows have of one group stands together too: it is small enough for a cache.
class GroupedRows {
 public:
  GroupedRows(const BinnedRows& rows, std::size_t groups) : rows_(&rows), groups_(groups) {}

  void deal(core::Generator generator, core::ThreadPool& pool);

  std::size_t groups() const { return groups_; }
  std::size_t bins() const { return old_bin_.size(); }
  /// Entries of a row that lie in a group, as new bins.
  std::span<const std::uint32_t> of(std::size_t row, std::size_t group) const {
    const std::uint32_t* ptr = &row_ptr_[group * (rows_->rows() + 1) + row];
    return {bins_.data() + ptr[0], bins_.data() + ptr[1]};
  }
  /// All entries of the first rows that lie in a group, in the order of rows.
  struct Entries {
    std::span<const std::uint32_t> bin;  ///< new
    std::span<const std::uint32_t> row;
  };
  Entries of_rows_below(std::size_t end, std::size_t group) const {
    const std::uint32_t* ptr = &row_ptr_[group * (rows_->rows() + 1)];
    return {std::span(bins_).subspan(ptr[0], ptr[end] - ptr[0]),
            std::span(row_).subspan(ptr[0], ptr[end] - ptr[0])};
  }
  /// New bins of a group.
  core::Range bins_of_group(std::size_t group) const {
    return {first_bin_[group], first_bin_[group + 1]};
  }
  /// Of a new bin.
  std::uint32_t old_bin(std::size_t bin) const { return old_bin_[bin]; }
  std::size_t group_of_bin(std::size_t bin) const { return place_[old_bin_[bin]].group; }
  /// One behind the last new bin of the column of this one.
  std::uint32_t end_of_column(std::size_t bin) const { return end_of_column_[bin]; }

 private:
  void sort_entries(core::ThreadPool& pool);

  const BinnedRows* rows_;
  std::size_t groups_;
  /// Of an old bin.
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t bin = 0;  ///< new
  };
  std::vector<Place> place_;
  std::vector<std::uint32_t> first_bin_;  ///< of each group, and their number
  std::vector<std::uint32_t> old_bin_;
  std::vector<std::uint32_t> end_of_column_;
  std::vector<std::uint32_t> row_ptr_;  ///< of each group, rows + 1 numbers
  std::vector<std::uint32_t> bins_;
  std::vector<std::uint32_t> row_;  ///< of each of bins_
};

}  // namespace rayleigh::models
