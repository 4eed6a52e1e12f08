// Everything that decides what a training run computes: detector, split, optimiser, selection.
// Declared once for flags, config files, docs and model metadata; a model file holds its plan.
// Made once a run.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "learn/trainer.h"
#include "models/recipe.h"

namespace rayleigh::learn {

enum class SplitGroup { none, duplicates };

class Plan {
 public:
  /// Throws UsageError for an unknown detector.
  explicit Plan(const std::string& model);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// All parameters that change the result. Bound to this object, which must stay where it is as
  /// long as `parameters` is used.
  void declare(core::ParameterSet& parameters);
  /// Fills in what was not given with the detector's own defaults and checks what belongs together.
  /// Call once, after all parameters are set.
  void settle(core::ParameterSet& parameters);
  /// The instruction set of the plan, or the best one of this machine where it lacks that.
  nn::Isa isa() const;
  /// UsageError when this machine lacks the instruction set that was asked for.
  void check_isa() const;
  /// What model files store: values of all parameters, in the order declared.
  const nlohmann::ordered_json& values() const { return values_; }

  const models::Recipe& recipe() const { return *recipe_; }
  /// The molecules must be read with their scaffolds.
  bool needs_scaffolds() const;
  TrainerOptions trainer_options(std::uint64_t member_seed) const;

  std::uint64_t seed = 1;
  std::optional<std::uint64_t> split_seed;  ///< settled: as seed
  std::string split = "70/15/15";
  std::vector<std::string> split_files;
  SplitGroup split_group = SplitGroup::none;
  std::size_t train_graphs = 0;  ///< at most; 0 = all of the training part
  int ensemble = 1;
  std::optional<std::string> anomaly_class;
  double contamination = 0.05;  ///< of data without labels

 private:
  std::string model_;
  std::unique_ptr<models::Recipe> recipe_;
  nlohmann::ordered_json values_;
  int epochs_ = 100;
  int batch_size_ = 512;
  double rate_ = 5e-3;
  double l2_ = 0;
  double clip_ = 0;
  int patience_ = 50;
  Select select_ = Select::macro_f1;
  std::string isa_ = "auto";
};

}  // namespace rayleigh::learn
