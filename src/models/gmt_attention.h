// Attention of a few queries to the rows of each graph of a batch, in several heads.
// For GMT's poolings and its self-attention; keys of a graph are a run of rows, nothing is padded.
// Four operations per graph, query, key and column forward, eight backward; one thread per graph.
#pragma once

#include <cstdint>
#include <span>

#include "nn/tape.h"

namespace rayleigh::models {

enum class Queries {
  shared,     ///< the same rows for every graph
  per_graph,  ///< as many rows for each graph, graph by graph
};
enum class SoftmaxOver { keys, queries };

struct AttentionOptions {
  std::size_t heads = 1;  ///< contiguous splits of the width, which they divide
  SoftmaxOver over = SoftmaxOver::keys;
};

/// A V with A = softmax(Q K' / sqrt(d)), d the full width, head by head. The rows of graph g among
/// keys and values are first_key[g] … first_key[g + 1] - 1; the result has the queries' count of
/// rows for each graph. A graph without keys gives zeros.
template <typename Real>
nn::Value attention(nn::Tape<Real>& tape, nn::Value queries, Queries kind, nn::Value keys,
                    nn::Value values, std::span<const std::uint32_t> first_key,
                    AttentionOptions options = {});

}  // namespace rayleigh::models
