// How work is run: on how many threads, and until when.
// Every call that takes longer than a moment takes one; results never depend on it.
// Cheap to copy.
#pragma once

#include <stop_token>

namespace rayleigh {

struct RunOptions {
  int threads = 0;  ///< 0 = one per core
  /// After a stop request the call throws Cancelled, within a second.
  std::stop_token stop{};
};

}  // namespace rayleigh
