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
  explicit Scorer(core::ThreadPool& pool, core::Isa isa = core::best_isa()) : tape_(pool, isa) {}

  /// scores[i] belongs to graphs[i]. `graph_ptr` has the first node of every graph of the features;
  /// with it large graphs are scored fewer at a time, without it only their number counts.
  void score(const models::Model<float>& model, const models::Features& features,
             std::span<const std::uint32_t> graphs, std::span<double> scores,
             std::span<const std::uint32_t> graph_ptr = {});

  /// The same before it becomes a probability: z_1 - z_0 of a model with two logits.
  void margins(const models::Model<float>& model, const models::Features& features,
               std::span<const std::uint32_t> graphs, std::span<double> margins,
               std::span<const std::uint32_t> graph_ptr = {});

  /// One row per graph.
  std::vector<float> embed(const models::Model<float>& model, const models::Features& features,
                           std::span<const std::uint32_t> graphs,
                           std::span<const std::uint32_t> graph_ptr = {});

 private:
  template <typename Take>
  void run(const models::Model<float>& model, const models::Features& features,
           std::span<const std::uint32_t> graphs, std::span<const std::uint32_t> graph_ptr,
           Take take);
  /// For the same graphs again: their batches are larger once it is known what a node takes.
  void make_room(const models::Model<float>& model, std::span<const std::uint32_t> graphs,
                 std::span<const std::uint32_t> graph_ptr);

  nn::Tape<float> tape_;
  /// Nodes of a batch at most, known once a pass has shown how much memory a node takes.
  std::size_t most_nodes_ = kFirstNodes;
  std::size_t largest_ = 0;  ///< nodes of the largest batch so far

  static constexpr std::size_t kFirstNodes = 4096;
};

}  // namespace rayleigh::learn
