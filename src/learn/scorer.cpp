#include "learn/scorer.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::learn {

namespace {

/// Memory of a pass, unless a single graph takes more.
constexpr std::size_t kBytesAtOnce = std::size_t{256} << 20U;

struct Batch {
  std::size_t graphs = 0;
  std::size_t nodes = 0;
};

/// The first of the graphs, at least one.
Batch first_batch(std::span<const std::uint32_t> graphs, std::span<const std::uint32_t> graph_ptr,
                  std::size_t most_graphs, std::size_t most_nodes) {
  Batch batch;
  while (batch.graphs < std::min(most_graphs, graphs.size())) {
    const std::uint32_t g = graphs[batch.graphs];
    const std::size_t nodes = graph_ptr.empty() ? 0 : graph_ptr[g + 1] - graph_ptr[g];
    if (batch.graphs > 0 && batch.nodes + nodes > most_nodes) {
      break;
    }
    ++batch.graphs;
    batch.nodes += nodes;
  }
  return batch;
}

}  // namespace

template <typename Take>
void Scorer::run(const models::Model<float>& model, const models::Features& features,
                 std::span<const std::uint32_t> graphs, std::span<const std::uint32_t> graph_ptr,
                 Take take) {
  const nn::StepRandom unused{core::RandomStream(0, "scoring draws nothing")};
  const std::size_t largest_before = largest_;
  for (std::size_t begin = 0; begin < graphs.size();) {
    const Batch batch =
        first_batch(graphs.subspan(begin), graph_ptr, model.scoring_batch(), most_nodes_);
    tape_.start_scoring();
    take(begin, batch.graphs,
         model.forward(tape_, features, graphs.subspan(begin, batch.graphs), unused));
    begin += batch.graphs;
    // Everything a pass keeps grows with the nodes, in every model.
    if (batch.nodes > largest_) {
      largest_ = batch.nodes;
      most_nodes_ = std::max(kFirstNodes, kBytesAtOnce / (tape_.arena_bytes() / largest_ + 1));
    }
  }
  tape_.start_scoring();  // merges its memory, so that the next run finds it in one piece
  if (largest_ > largest_before) {
    make_room(model, graphs, graph_ptr);
  }
}

void Scorer::make_room(const models::Model<float>& model, std::span<const std::uint32_t> graphs,
                       std::span<const std::uint32_t> graph_ptr) {
  std::size_t nodes = 0;
  for (std::size_t begin = 0; begin < graphs.size();) {
    const Batch batch =
        first_batch(graphs.subspan(begin), graph_ptr, model.scoring_batch(), most_nodes_);
    nodes = std::max(nodes, batch.nodes);
    begin += batch.graphs;
  }
  if (nodes > largest_) {
    tape_.reserve((tape_.arena_bytes() / largest_ + 1) * nodes);
  }
}

void Scorer::score(const models::Model<float>& model, const models::Features& features,
                   std::span<const std::uint32_t> graphs, std::span<double> scores,
                   std::span<const std::uint32_t> graph_ptr) {
  assert(graphs.size() == scores.size());
  run(model, features, graphs, graph_ptr,
      [&](std::size_t begin, std::size_t count, const models::Output& out) {
        model.scores(tape_, out.result, scores.subspan(begin, count));
      });
}

void Scorer::margins(const models::Model<float>& model, const models::Features& features,
                     std::span<const std::uint32_t> graphs, std::span<double> margins,
                     std::span<const std::uint32_t> graph_ptr) {
  assert(graphs.size() == margins.size());
  run(model, features, graphs, graph_ptr,
      [&](std::size_t begin, std::size_t count, const models::Output& out) {
        const auto logits = tape_.value(out.result);
        for (std::size_t i = 0; i < count; ++i) {
          margins[begin + i] =
              static_cast<double>(logits(i, 1)) - static_cast<double>(logits(i, 0));
        }
      });
}

std::vector<float> Scorer::embed(const models::Model<float>& model,
                                 const models::Features& features,
                                 std::span<const std::uint32_t> graphs,
                                 std::span<const std::uint32_t> graph_ptr) {
  std::vector<float> rows;
  run(model, features, graphs, graph_ptr, [&](std::size_t, std::size_t, const models::Output& out) {
    const auto embedding = tape_.value(out.embedding).flat();
    rows.insert(rows.end(), embedding.begin(), embedding.end());
  });
  return rows;
}

}  // namespace rayleigh::learn
