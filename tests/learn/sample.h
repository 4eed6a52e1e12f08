// Labels with scores, drawn for tests of metrics.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "rayleigh/metrics.h"

#include "core/random.h"

namespace rayleigh::learn {

struct Sample {
  std::vector<std::int8_t> labels;
  std::vector<double> scores;

  Scored view() const { return {labels, scores}; }
};

/// Anomalous graphs (three in ten) score a little higher. Few levels = many ties.
inline Sample random_sample(std::uint64_t seed, int size, int levels) {
  auto random = core::RandomStream(seed, "sample").at(0);
  Sample out;
  for (int i = 0; i < size; ++i) {
    out.labels.push_back(random.chance(0.3) ? 1 : 0);
    const double shift = out.labels.back() == 1 ? 0.2 : 0;
    out.scores.push_back(std::floor((random.uniform() * 0.8 + shift) * levels) /
                         static_cast<double>(levels));
  }
  return out;
}

}  // namespace rayleigh::learn
