#include "models/overlap_index.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::models {

OverlapIndex::OverlapIndex(std::span<const CountEntry> entries,
                           std::span<const std::uint32_t> lengths, std::size_t columns)
    : rows_(lengths.size()), first_(columns + 1, 0), postings_(entries.size()) {
  for (const CountEntry& entry : entries) {
    assert(entry.column < columns);
    ++first_[entry.column + 1];
  }
  for (std::size_t column = 0; column < columns; ++column) {
    first_[column + 1] += first_[column];
  }
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  std::size_t at = 0;
  for (std::uint32_t row = 0; row < lengths.size(); ++row) {
    for (std::uint32_t k = 0; k < lengths[row]; ++k) {
      const CountEntry& entry = entries[at++];
      postings_[next[entry.column]++] = {row, entry.value};
    }
  }
}

void OverlapIndex::add_shared(std::span<const CountEntry> entries, std::span<float> sums) const {
  assert(sums.size() == rows_);
  for (const CountEntry& entry : entries) {
    const auto postings = std::span(postings_).subspan(
        first_[entry.column], first_[entry.column + 1] - first_[entry.column]);
    for (const Posting& posting : postings) {
      sums[posting.row] += std::min(entry.value, posting.count);
    }
  }
}

}  // namespace rayleigh::models
