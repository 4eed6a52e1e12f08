// Graphs to compare explained ones with: all of a data set, with their embeddings.
// For `rayleigh explain --reference`.
// Keeps the graphs to draw them, and one embedding each; a search goes through all of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/reference_set.h"

#include "core/progress.h"
#include "report/gallery.h"

namespace rayleigh::cli {

/// The row of each graph of a chunk.
std::vector<std::size_t> rows_of_graphs(const io::Chunk& chunk);

/// One graph of a chunk, ready to be drawn.
plot::DrawnGraph drawn_graph(const io::Chunk& chunk, std::uint32_t graph, const io::Row& row,
                             std::optional<io::Structure> written, const io::ReadOptions& read);

std::optional<std::string> class_name(const GraphSet& graphs, std::uint32_t graph);

/// Those that the detector can score.
std::vector<std::uint32_t> scorable_graphs(const GraphSet& graphs, const Detector& detector);

class Reference {
 public:
  Reference(const std::string& data, const Detector& detector, const io::ReadOptions& options,
            const RunOptions& run, core::ProgressBar& bar);

  std::size_t size() const { return known_.size(); }
  /// The `count` graphs whose embeddings are nearest, the nearest first.
  std::vector<report::Neighbour> nearest(std::span<const float> embedding, std::size_t count) const;

 private:
  struct Place {
    std::size_t chunk;
    std::uint32_t graph;  ///< in the chunk
    std::size_t row;      ///< in the chunk
    std::size_t index;    ///< in the data
  };

  io::ReadOptions options_;
  std::optional<io::Structure> written_;
  std::vector<io::Chunk> chunks_;
  std::vector<Place> places_;  ///< of every graph
  ReferenceSet known_;
};

}  // namespace rayleigh::cli
