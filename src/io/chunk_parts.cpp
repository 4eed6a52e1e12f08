#include "io/chunk_parts.h"

#include <algorithm>
#include <iterator>

#include "io/limits.h"

namespace rayleigh::io {

ChunkParts::Part ChunkParts::next(std::size_t max_rows) {
  std::size_t nodes = 0;
  std::size_t graphs = 0;
  std::size_t end = row_;
  while (end < all_.rows.size() && end - row_ < max_rows) {
    if (all_.rows[end].ok) {
      nodes += all_.graphs.node_count[at_.graph + graphs];
      if (graphs > 0 && nodes > kNodesAtOnce) {
        break;
      }
      ++graphs;
    }
    ++end;
  }
  if (row_ == 0 && end == all_.rows.size()) {
    return std::exchange(all_, {});
  }
  Part part;
  const auto first = all_.rows.begin() + static_cast<std::ptrdiff_t>(row_);
  const auto last = all_.rows.begin() + static_cast<std::ptrdiff_t>(end);
  part.rows.assign(std::make_move_iterator(first), std::make_move_iterator(last));
  part.graphs = copy_run(all_.graphs, graphs, at_);
  part.graphs.findings = std::exchange(all_.graphs.findings, {});
  row_ = end;
  if (empty()) {
    *this = ChunkParts();
  }
  return part;
}

std::size_t ChunkParts::skip(std::size_t rows) {
  std::size_t skipped = 0;
  while (skipped < rows && !empty()) {
    skipped += next(rows - skipped).rows.size();
  }
  return skipped;
}

}  // namespace rayleigh::io
