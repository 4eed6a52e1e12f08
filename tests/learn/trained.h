// Small training runs for tests: made-up molecules, few epochs, narrow layers.
// A run takes a few hundredths of a second.
// Nothing here is part of the library.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "rayleigh/generators.h"

#include "learn/training.h"

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

inline std::unique_ptr<learn::Plan> plan_of(const Settings& settings,
                                            const std::string& model = "rqgnn") {
  auto plan = std::make_unique<learn::Plan>(model);
  core::ParameterSet parameters;
  plan->declare(parameters);
  for (const auto& [name, value] : settings) {
    core::ParameterSet::assign(*parameters.find(name), std::string_view(value), name);
  }
  plan->settle(parameters);
  return plan;
}

inline learn::TrainingResult train_on(const GraphSet& graphs, const Settings& settings,
                                      int threads = 1) {
  learn::TrainingHooks hooks;
  hooks.threads = threads;
  return learn::train(graphs, plan_of(settings), hooks);
}

inline Detector detector_of(const GraphSet& graphs, const Settings& settings, int threads = 1) {
  return Detector::train(graphs, {.model = "rqgnn", .parameters = settings, .threads = threads});
}

}  // namespace rayleigh::test
