// Seconds since a moment. Starts when made.
// For progress, reports and rates; reading it takes a few tens of nanoseconds.
#pragma once

#include <chrono>

namespace rayleigh::core {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rayleigh::core
