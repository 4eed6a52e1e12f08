#include "cli/reference.h"

#include <array>
#include <utility>

namespace rayleigh::cli {

std::vector<std::size_t> rows_of_graphs(const io::Chunk& chunk) {
  std::vector<std::size_t> rows;
  rows.reserve(chunk.graphs.size());
  for (std::size_t r = 0; r < chunk.rows.size(); ++r) {
    if (chunk.rows[r].ok) {
      rows.push_back(r);
    }
  }
  return rows;
}

plot::DrawnGraph drawn_graph(const io::Chunk& chunk, std::uint32_t graph, const io::Row& row,
                             std::optional<io::Structure> written, const io::ReadOptions& read) {
  const std::array one{graph};
  return {.graph = chunk.graphs.subset(one),
          .written = written,
          .structure = row.structure,
          .largest_fragment = read.molecules.fragments == io::Fragments::largest};
}

std::optional<std::string> class_name(const GraphSet& graphs, std::uint32_t graph) {
  const std::int32_t number = graphs.graph_class()[graph];
  return number == kNoClass
             ? std::nullopt
             : std::optional<std::string>(graphs.classes()[static_cast<std::size_t>(number)]);
}

std::vector<std::uint32_t> scorable_graphs(const GraphSet& graphs, const Detector& detector) {
  std::vector<std::uint32_t> chosen;
  chosen.reserve(graphs.size());
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    if (detector.can_score(graphs[g])) {
      chosen.push_back(g);
    }
  }
  return chosen;
}

Reference::Reference(const std::string& data, const Detector& detector,
                     const io::ReadOptions& options, const RunOptions& run, core::ProgressBar& bar)
    : options_(options), known_(detector) {
  constexpr std::size_t kRows = 4096;
  const auto reader = io::open(data, options);
  written_ = reader->structure();
  std::size_t first_row = 0;
  while (auto chunk = reader->next_chunk(kRows)) {
    const auto rows = rows_of_graphs(*chunk);
    known_.add(chunk->graphs, run);
    for (std::uint32_t g = 0; g < chunk->graphs.size(); ++g) {
      places_.push_back(
          {.chunk = chunks_.size(), .graph = g, .row = rows[g], .index = first_row + rows[g]});
    }
    first_row += chunk->rows.size();
    bar.advance(chunk->rows.size());
    chunks_.push_back(std::move(*chunk));
  }
}

std::vector<report::Neighbour> Reference::nearest(std::span<const float> embedding,
                                                  std::size_t count) const {
  std::vector<report::Neighbour> nearest;
  for (const NearGraph& near : known_.nearest(embedding, count)) {
    const Place& place = places_[near.index];
    const io::Chunk& chunk = chunks_[place.chunk];
    const io::Row& row = chunk.rows[place.row];
    nearest.push_back({.index = place.index,
                       .id = row.id,
                       .class_name = class_name(chunk.graphs, place.graph),
                       .distance = near.distance,
                       .score = near.score,
                       .drawn = drawn_graph(chunk, place.graph, row, written_, options_)});
  }
  return nearest;
}

}  // namespace rayleigh::cli
