// The live line of a training run on stderr: rewritten in place on a terminal, now and then a line
// elsewhere.
// One write an epoch.
#pragma once

#include <string>

#include "rayleigh/detector.h"

#include "core/log.h"
#include "core/stopwatch.h"

namespace rayleigh::cli {

class EpochLine {
 public:
  /// `members` models are trained one after the other.
  EpochLine(core::Log log, bool terminal, int members);
  /// Leaves the last line where it stands.
  ~EpochLine();
  EpochLine(const EpochLine&) = delete;
  EpochLine& operator=(const EpochLine&) = delete;

  void show(const TrainProgress& progress);
  /// Removes the line from a terminal.
  void finish();

 private:
  std::string text(const TrainProgress& progress) const;

  core::Log log_;
  bool terminal_;
  int members_;
  int shown_ = 0;
  int first_epoch_ = 0;
  bool on_screen_ = false;
  core::Stopwatch watch_;
};

}  // namespace rayleigh::cli
