#include "cli/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/scorable.h"

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

report::DrawnGraph drawn_graph(const io::Chunk& chunk, std::uint32_t graph, const io::Row& row,
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

Reference::Reference(const std::string& data, const Detector& detector,
                     const io::ReadOptions& options, core::ProgressBar& bar)
    : options_(options) {
  constexpr std::size_t kRows = 4096;
  const auto reader = io::open(data, options);
  written_ = reader->structure();
  std::size_t first_row = 0;
  while (auto chunk = reader->next_chunk(kRows)) {
    const auto chosen = scorable(chunk->graphs, detector);
    const auto rows = rows_of_graphs(*chunk);
    const GraphSet graphs = chunk->graphs.subset(chosen);
    const auto scores = detector.score(graphs, options.threads);
    const auto vectors = detector.embed(graphs, options.threads);
    embeddings_.insert(embeddings_.end(), vectors.begin(), vectors.end());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t row = rows[chosen[i]];
      places_.push_back({.chunk = chunks_.size(),
                         .graph = chosen[i],
                         .row = row,
                         .index = first_row + row,
                         .score = scores[i].score});
    }
    first_row += chunk->rows.size();
    bar.advance(chunk->rows.size());
    chunks_.push_back(std::move(*chunk));
  }
}

std::vector<report::Neighbour> Reference::nearest(std::span<const float> embedding,
                                                  std::size_t count) const {
  std::vector<std::pair<double, std::size_t>> found;
  found.reserve(places_.size());
  for (std::size_t p = 0; p < places_.size(); ++p) {
    double square = 0;
    for (std::size_t c = 0; c < embedding.size(); ++c) {
      const double apart = double{embedding[c]} - double{embeddings_[p * embedding.size() + c]};
      square += apart * apart;
    }
    found.emplace_back(square, p);
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, found.size()));
  std::ranges::partial_sort(found, found.begin() + kept);
  std::vector<report::Neighbour> nearest;
  nearest.reserve(static_cast<std::size_t>(kept));
  for (std::ptrdiff_t k = 0; k < kept; ++k) {
    const Place& place = places_[found[static_cast<std::size_t>(k)].second];
    const io::Chunk& chunk = chunks_[place.chunk];
    const io::Row& row = chunk.rows[place.row];
    nearest.push_back({.index = place.index,
                       .id = row.id,
                       .class_name = class_name(chunk.graphs, place.graph),
                       .distance = std::sqrt(found[static_cast<std::size_t>(k)].first),
                       .score = place.score,
                       .drawn = drawn_graph(chunk, place.graph, row, written_, options_)});
  }
  return nearest;
}

}  // namespace rayleigh::cli
