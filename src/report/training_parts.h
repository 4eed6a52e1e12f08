// The parts of a training run as its report shows them.
// For the makers of the figures and of the page, so that both speak of the same graphs.
// A copy of labels and scores.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rayleigh/curves.h"
#include "rayleigh/training.h"

namespace rayleigh::report {

struct Part {
  std::string name;
  std::vector<std::int8_t> labels{};
  std::vector<double> scores{};

  Scored view() const { return {labels, scores}; }
  std::size_t anomalous() const {
    return static_cast<std::size_t>(std::ranges::count(labels, std::int8_t{1}));
  }
  std::size_t normal() const { return labels.size() - anomalous(); }
  bool has_both_classes() const { return anomalous() > 0 && normal() > 0; }
};

inline Part part_of(const TrainingResult& result, std::string name,
                    const std::vector<std::uint32_t>& graphs) {
  Part part{std::move(name)};
  for (const std::uint32_t g : graphs) {
    part.labels.push_back(result.labels[g]);
    part.scores.push_back(result.scores[g]);
  }
  return part;
}

inline Part validation_part(const TrainingResult& result) {
  return part_of(result, "validation", result.split.validation);
}

inline Part test_part(const TrainingResult& result) {
  return part_of(result, "test", result.split.test);
}

/// Whose scores and calibration are shown: the test part, or validation where that has not both
/// classes.
inline Part shown_part(const TrainingResult& result) {
  auto test = test_part(result);
  return test.has_both_classes() ? test : validation_part(result);
}

/// The part with its calibrated probabilities in place of the scores.
inline Part calibrated(const Part& part, const Detector& detector) {
  Part out = part;
  for (double& score : out.scores) {
    score = detector.probability(score);
  }
  return out;
}

/// Fewer bins for few graphs, so that a share means something.
inline std::vector<ReliabilityBin> reliability_of(const Part& part) {
  constexpr std::size_t kFewGraphs = 200;
  return reliability_bins(part.view(), part.scores.size() < kFewGraphs ? 5 : 10);
}

}  // namespace rayleigh::report
