// Where we match, beat and miss the paper: our means beside the values that it prints.
// For the summary of a reproduction.
// One pass over the tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "paper/reproduction.h"

namespace rayleigh::paper {

enum class MatchMetric { auc, macro_f1 };
/// "AUC" or "macro-F1".
std::string_view short_title(MatchMetric metric);

/// Ours beside the paper's, for a method on a dataset that both have. Macro-F1 is that at 0.5, or
/// at the tuned threshold where scores are not probabilities.
struct Match {
  ExperimentId experiment;
  std::string data;
  std::string method;
  MatchMetric metric = MatchMetric::auc;
  double ours = 0;
  double paper = 0;
  std::string why{};  ///< what differs from the paper's run

  double difference() const { return ours - paper; }
};
/// Closer than this counts as a match.
inline constexpr double kMatch = 0.02;
/// E1, E2, E3 but for COLORS-3-ind; each method, dataset and metric once.
std::vector<Match> matches(const Reproduction& reproduction);

/// How many matches there are on which side.
struct Tally {
  std::string title;
  std::size_t cells = 0;
  std::size_t within = 0;
  std::size_t above = 0;
  std::size_t below = 0;
  double mean_difference = 0;
};
/// Of RQGNN with its variants and of the baselines, by metric; those that have any.
std::vector<Tally> tallies(const std::vector<Match>& matches);

}  // namespace rayleigh::paper
