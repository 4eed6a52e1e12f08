// Why graphs scored as they did: exact shares where the detector can take its margin apart, and the
// effect of leaving out each node for any detector.
// explain() costs about a hundred scores a graph, leave_one_out() one a node.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "learn/detector_state.h"
#include "models/explanation.h"

namespace rayleigh::learn {

/// Of each chosen graph. The shares of an ensemble are the means of its members' shares, which add
/// up to the mean of their margins. None where the detector cannot be taken apart.
std::optional<std::vector<models::Explanation>> explain(const Detector::State& state,
                                                        const GraphSet& graphs,
                                                        std::span<const std::uint32_t> chosen,
                                                        core::ThreadPool& pool);

/// How much the score falls when a node is left out, one number a node: above zero the node made
/// the graph more anomalous. Probabilities are compared by their logits. A lone node has 0.
std::vector<double> leave_one_out(const Detector::State& state, const GraphSet& graphs,
                                  std::uint32_t graph, core::ThreadPool& pool);

}  // namespace rayleigh::learn
