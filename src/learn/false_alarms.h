// A promise about false alarms: of new normal graphs at most a given share is called anomalous. It
// is kept by a calibration part, normal graphs that training never saw: where among their scores a
// score lies is its p-value (conformal prediction, Vovk et al. 2005). The promise holds on average
// over calibration parts, for graphs that come from where these came from, whatever the detector.
// Cut before training, made after it; a p-value is a binary search.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "rayleigh/split.h"

namespace rayleigh::learn {

class FalseAlarms {
 public:
  /// Scores of the calibration part, of which there are enough for the promise.
  FalseAlarms(double promised, std::vector<double> scores);

  double promised() const { return promised_; }
  std::size_t graphs() const { return scores_.size(); }
  /// (1 + calibration graphs with this score or a higher one) / (1 + all of them).
  double p_value(double score) const;
  /// Above it the p-value is at most what is promised, and nowhere else.
  double threshold() const;

  nlohmann::ordered_json to_json() const;
  /// Throws std::string with what is wrong.
  static FalseAlarms from_json(const nlohmann::ordered_json& json);

 private:
  double promised_;
  std::vector<double> scores_;  ///< ascending
};

/// Graphs that a calibration part must have to promise this rate.
std::size_t least_calibration(double rate);
/// Graphs of the calibration part that is cut from so many normal training graphs: a quarter, or
/// as many as make the rate precise.
std::size_t calibration_size(std::size_t normal, double rate);
/// Moves normal graphs drawn by the seed from the training part to the calibration part.
void cut_calibration(Split& split, std::span<const std::int8_t> labels, double rate,
                     std::uint64_t seed);

}  // namespace rayleigh::learn
