// Small training runs for tests: made-up molecules, few epochs, narrow layers.
// A run takes a few hundredths of a second.
// Nothing here is part of the library.
#pragma once

#include <map>
#include <string>

#include "rayleigh/generators.h"
#include "rayleigh/training.h"

namespace rayleigh::test {

using Settings = std::map<std::string, std::string>;

/// Settings with some added or replaced.
inline Settings with(Settings settings, const Settings& more) {
  for (const auto& [name, value] : more) {
    settings[name] = value;
  }
  return settings;
}

inline Settings quick(const Settings& more = {}) {
  return with({{"profile", "published"}, {"epochs", "3"}, {"hidden", "8"}, {"batch-size", "64"}},
              more);
}

inline GraphSet molecules(int graphs = 240, double anomalous = 0.2, std::uint64_t seed = 1) {
  return generate::molecules({.seed = seed, .graphs = graphs, .anomalous = anomalous});
}

inline TrainingRequest request_of(const Settings& settings, int threads = 1,
                                  const std::string& model = "rqgnn") {
  TrainingRequest request;
  request.options = DetectorOptions(model);
  for (const auto& [name, value] : settings) {
    request.options.set(name, value);
  }
  request.run.threads = threads;
  request.intervals = false;
  return request;
}

inline TrainingResult train_on(const GraphSet& graphs, const Settings& settings, int threads = 1,
                               const std::string& model = "rqgnn") {
  return train(graphs, request_of(settings, threads, model));
}

inline Detector detector_of(const GraphSet& graphs, const Settings& settings, int threads = 1,
                            const std::string& model = "rqgnn") {
  return train_on(graphs, settings, threads, model).detector;
}

}  // namespace rayleigh::test
