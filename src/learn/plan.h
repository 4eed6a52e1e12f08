// Everything that decides what a training run computes: detector, split, optimiser, selection.
// Its options are declared once, here and by the detector; DetectorOptions and model files hold
// one. Made once per run.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "rayleigh/split.h"

#include "core/option_set.h"
#include "learn/split.h"
#include "learn/trainer.h"
#include "models/recipe.h"

namespace rayleigh::learn {

class Plan {
 public:
  /// UsageError for an unknown detector.
  explicit Plan(std::string_view detector);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  /// A copy that was given the same options.
  std::unique_ptr<Plan> clone() const;

  core::OptionSet& options() { return options_; }
  const core::OptionSet& options() const { return options_; }
  /// Sets the options that stand for the request; parts and groups have none and are left alone.
  void set_split(const SplitRequest& request);
  /// UsageError for options that contradict each other.
  void check() const;

  /// The instruction set of the plan, or the best one of this machine where it lacks that.
  core::Isa isa() const;
  /// UsageError when this machine lacks the instruction set that was asked for.
  void check_isa() const;

  const models::Recipe& recipe() const { return *recipe_; }
  SplitRequest split() const;
  std::uint64_t split_seed() const { return split_seed_.value_or(seed_); }
  /// Of a member of that part: the further parts of a blend keep to their own defaults.
  TrainerOptions trainer_options(std::uint64_t member_seed, std::size_t part = 0) const;

  std::uint64_t seed() const { return seed_; }
  std::size_t train_graphs() const { return train_graphs_; }
  int ensemble() const { return ensemble_; }
  const std::optional<std::string>& anomaly_class() const { return anomaly_class_; }
  /// Whether labels of graphs are ignored.
  bool unlabelled() const { return unlabelled_; }
  /// Graphs of this class are normal, the others take no part.
  const std::optional<std::string>& normal_class() const { return normal_class_; }
  double contamination() const { return contamination_; }
  /// The share of normal graphs that may be called anomalous; none where the threshold comes from
  /// labels or from `contamination`.
  std::optional<double> false_alarms(bool labelled) const;
  bool false_alarms_given() const { return false_alarms_.has_value(); }

 private:
  enum class SplitGroup { none, duplicates };
  enum class IsaChoice { automatic, baseline, avx2, avx512 };

  void declare();
  core::Isa wanted_isa() const;

  std::string model_;
  std::unique_ptr<models::Recipe> recipe_;
  core::OptionSet options_;

  std::uint64_t seed_ = 1;
  SplitRule split_;
  std::optional<std::uint64_t> split_seed_;
  SplitGroup split_group_ = SplitGroup::none;
  std::size_t train_graphs_ = 0;  ///< at most; 0 = all of the training part
  int ensemble_ = 1;
  std::optional<std::string> anomaly_class_;
  std::optional<double> false_alarms_;
  bool unlabelled_ = false;
  std::optional<std::string> normal_class_;
  double contamination_ = 0.05;  ///< of data without labels
  core::Derived<int> epochs_;
  core::Derived<int> batch_size_;
  core::Derived<double> rate_;
  core::Derived<double> l2_;
  core::Derived<double> clip_;
  core::Derived<int> patience_;
  core::Derived<Select> select_;
  IsaChoice isa_ = IsaChoice::automatic;
};

}  // namespace rayleigh::learn
