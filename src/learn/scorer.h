// Runs a model over many graphs in batches and gives one score per graph.
// Use for validation, evaluation and scoring alike, so that all see the same numbers.
// Forward passes only; memory of one batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/model.h"

namespace rayleigh::learn {

/// Keeps its tape, so scoring again allocates nothing.
class Scorer {
 public:
  explicit Scorer(core::ThreadPool& pool, nn::Isa isa = nn::best_isa()) : tape_(pool, isa) {}

  /// scores[i] belongs to graphs[i].
  void score(const models::Model<float>& model, const models::Features& features,
             std::span<const std::uint32_t> graphs, std::span<double> scores);

  /// One row per graph.
  std::vector<float> embed(const models::Model<float>& model, const models::Features& features,
                           std::span<const std::uint32_t> graphs);

 private:
  nn::Tape<float> tape_;
};

}  // namespace rayleigh::learn
