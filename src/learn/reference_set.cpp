#include "rayleigh/reference_set.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "rayleigh/error.h"

namespace rayleigh {

void ReferenceSet::add(const GraphSet& graphs, const RunOptions& run) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    if (detector_.can_score(graphs[g])) {
      chosen.push_back(g);
    }
  }
  const GraphSet known = graphs.subset(chosen);
  const auto scores = detector_.score(known, run);
  const Embeddings embeddings = detector_.embed(known, run);
  embeddings_.insert(embeddings_.end(), embeddings.values.begin(), embeddings.values.end());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    graphs_.push_back({.index = added_ + chosen[i], .score = scores[i].score});
  }
  added_ += graphs.size();
}

std::vector<NearGraph> ReferenceSet::nearest(std::span<const float> embedding,
                                             std::size_t count) const {
  if (!graphs_.empty() && embedding.size() * graphs_.size() != embeddings_.size()) {
    throw UsageError(
        fmt::format("an embedding of {} numbers, expected {} as Detector::embed() gives",
                    embedding.size(), embeddings_.size() / graphs_.size()));
  }
  std::vector<std::pair<double, std::size_t>> found;
  found.reserve(graphs_.size());
  for (std::size_t g = 0; g < graphs_.size(); ++g) {
    double square = 0;
    for (std::size_t c = 0; c < embedding.size(); ++c) {
      const double apart = double{embedding[c]} - double{embeddings_[g * embedding.size() + c]};
      square += apart * apart;
    }
    found.emplace_back(square, g);
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, found.size()));
  std::ranges::partial_sort(found, found.begin() + kept);
  std::vector<NearGraph> nearest;
  for (std::ptrdiff_t k = 0; k < kept; ++k) {
    const auto& [square, g] = found[static_cast<std::size_t>(k)];
    nearest.push_back(
        {.index = graphs_[g].index, .distance = std::sqrt(square), .score = graphs_[g].score});
  }
  return nearest;
}

}  // namespace rayleigh
