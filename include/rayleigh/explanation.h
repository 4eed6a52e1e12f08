// Why a graph scored as it did: what each of its nodes and labels added.
// Detector::explain() gives one per graph.
// Shares cost as much as about a hundred scores per graph, leaving nodes out one score per node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rayleigh {

enum class ExplainMethod {
  automatic,     ///< shares where the detector can be taken apart, else leave_one_out
  shares,        ///< parts that add up to the margin; RQGNN only
  leave_one_out  ///< by how much the margin falls when a node is taken away
};

struct LabelShare {
  std::string label;
  double share = 0;
};

struct Explanation {
  ExplainMethod method = ExplainMethod::shares;  ///< never automatic
  /// What is explained: the logit of the score (mean of an ensemble's members), or the score itself
  /// where it is not a probability.
  double margin = 0;
  double constant = 0;             ///< what depends on no label and no node; 0 for leave_one_out
  std::vector<LabelShare> labels;  ///< of the explicit branch; none for leave_one_out
  /// One number per node; above zero: it made the graph more anomalous. With shares,
  /// constant + labels + nodes is the margin, and a node's share is relative to the mean training
  /// graph. A share is not the effect of removing the node, which would change the other shares.
  std::vector<double> nodes;
};

/// How well the sizes of shares find the nodes that were changed (1, the others 0): the AUC within
/// this graph; none when it has only one kind.
std::optional<double> changed_nodes_auc(std::span<const double> shares,
                                        std::span<const std::int8_t> changed);

}  // namespace rayleigh
