// ScoringSession: scores graphs that keep coming, with threads and memory that stay.
// For services and loops: make one per thread that scores, hand it graphs, read the answer.
// After the first call, graphs no larger than those before are scored without allocating.
#pragma once

#include <memory>
#include <span>

#include "rayleigh/detector.h"
#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"

namespace rayleigh {

class ScoringSession {
 public:
  /// One thread unless told otherwise: for few graphs at a time more do not help.
  explicit ScoringSession(Detector detector, const RunOptions& run = {.threads = 1});
  ScoringSession(ScoringSession&&) noexcept;
  ScoringSession& operator=(ScoringSession&&) noexcept;
  ~ScoringSession();

  /// Like Detector::score(); the result is valid until the next call. One thread at a time.
  std::span<const Score> score(const GraphSet& graphs);
  /// UsageError when it is not a set of one graph.
  Score score_one(const GraphSet& graph);

  const Detector& detector() const;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace rayleigh
