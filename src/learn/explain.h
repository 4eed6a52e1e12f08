// Why graphs scored as they did, for Detector::explain(): exact shares where the detector can take
// its margin apart, and the effect of leaving out each node for any detector.
// Shares cost about a hundred scores per graph, leaving out one score per node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rayleigh/explanation.h"

#include "learn/detector_parts.h"

namespace rayleigh::learn {

/// Of every graph, none of which may be empty or too large. The shares of an ensemble are the means
/// of its members' shares, which add up to the mean of their margins; those of a blend are weighted
/// like its margins. Labels by their words, the
/// largest shares first. The logits of probabilities are compared when a node is left out; a lone
/// node has 0. UsageError for shares of a detector that cannot be taken apart.
std::vector<Explanation> explain(const DetectorParts& parts, const GraphSet& graphs,
                                 ExplainMethod method, core::ThreadPool& pool);

}  // namespace rayleigh::learn
