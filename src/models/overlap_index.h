// How much a sparse row of counts has in common with each of many stored rows: the sum over columns
// of the smaller count. By lists of rows for each column, so that only columns of the asked row are
// looked at.
// For detectors that compare graphs with a reference sample by their labels.
// About a nanosecond for every pair of entries in one column; eight bytes per stored entry.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rayleigh/spectral/label_basis.h"

namespace rayleigh::models {

using CountEntry = spectral::BasisEntry<float>;

class OverlapIndex {
 public:
  OverlapIndex() = default;
  /// Rows one behind the other; every column below `columns`.
  OverlapIndex(std::span<const CountEntry> entries, std::span<const std::uint32_t> lengths,
               std::size_t columns);

  std::size_t rows() const { return rows_; }
  /// Adds to sums[r] what the entries share with row r.
  void add_shared(std::span<const CountEntry> entries, std::span<float> sums) const;

 private:
  struct Posting {
    std::uint32_t row;
    float count;
  };

  std::size_t rows_ = 0;
  std::vector<std::uint32_t> first_{0};  ///< posting of each column, and their number
  std::vector<Posting> postings_;
};

}  // namespace rayleigh::models
