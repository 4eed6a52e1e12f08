// The live line of a training run on stderr: rewritten in place on a terminal; elsewhere a new line
// now and then.
// One write per epoch.
#pragma once

#include <string>

#include "rayleigh/training.h"

#include "core/live_line.h"
#include "core/log.h"
#include "core/stopwatch.h"

namespace rayleigh::cli {

class EpochLine {
 public:
  EpochLine(core::Log log, bool terminal);

  void show(const TrainingProgress& progress);
  /// Removes the line from a terminal.
  void finish() { line_.clear(); }

 private:
  std::string text(const TrainingProgress& progress) const;

  core::Log log_;
  bool terminal_;
  int shown_ = 0;
  int first_epoch_ = 0;
  int fold_ = 0;
  bool folded_ = false;  ///< a fold came before
  core::LiveLine line_;
  core::Stopwatch watch_;
};

}  // namespace rayleigh::cli
