// Rows with their raw graphs, given out in parts of a bounded number of nodes.
// Readers use it between parsing and canonicalising: a row can claim far more nodes than it has
// bytes, and only canonical graphs take memory for each of them.
// Free where everything is one part; else a copy.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "rayleigh/graph_io.h"

#include "graph/raw_graphs.h"

namespace rayleigh::io {

class ChunkParts {
 public:
  struct Part {
    graph::RawGraphs graphs;
    std::vector<Row> rows;
  };

  ChunkParts() = default;
  /// Rows that are ok correspond, in order, to the graphs.
  explicit ChunkParts(Part all) : all_(std::move(all)) {}

  bool empty() const { return row_ == all_.rows.size(); }
  /// The next rows, at most `max_rows`; there must be some left.
  Part next(std::size_t max_rows);
  /// Passes over rows and returns how many there were.
  std::size_t skip(std::size_t rows);

 private:
  Part all_;
  std::size_t row_ = 0;  ///< of the next part
  graph::RawPosition at_;
};

}  // namespace rayleigh::io
