// The training loop: shuffled batches and Adam, or what the model brings to learn by itself;
// validation after every epoch, the best epoch kept.
// Make one around a prepared model, then run(); state() is everything a checkpoint needs, and a
// Trainer restored from it goes on to the same bits.
// About one forward and two backward passes per graph and epoch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rayleigh/training.h"

#include "learn/scorer.h"
#include "learn/split.h"
#include "models/model.h"
#include "models/recipe.h"
#include "nn/optimizer.h"

namespace rayleigh::learn {

using models::Select;

struct TrainerOptions {
  int epochs = 100;
  std::size_t batch_size = 512;
  nn::AdamOptions adam;
  int patience = 50;  ///< stop when more epochs than this in a row did not improve; 0 = never
  Select select = Select::macro_f1;
  std::uint64_t seed = 1;
  /// Factor on the learning rate of a step; may be empty.
  std::function<double(const models::TrainingMoment&)> rate_factor{};
};

/// Everything that decides how training goes on. Seconds are not part of it.
struct TrainerState {
  int epochs_done = 0;
  int not_improved = 0;  ///< epochs in a row
  int best_epoch = 0;
  std::vector<EpochRecord> history;
  std::vector<std::size_t> rows;  ///< of the weights with a free number of rows
  std::vector<float> parameters;
  std::vector<float> best;  ///< weights of the best epoch; empty where the model learns by itself
  nn::Adam<float>::State adam;
};

struct TrainerSeconds {
  double train = 0;
  double validate = 0;
};

class Trainer {
 public:
  /// `targets` has a number for every graph of the split: 1 = anomalous, 0 = normal, between for
  /// mixtures. The model's weights are the start.
  Trainer(models::Model<float>& model, const models::Features& features,
          std::span<const float> targets, const Split& split, const TrainerOptions& options,
          core::ThreadPool& pool, core::Isa isa = core::best_isa());

  /// Trains until an end is reached or `after_epoch` returns false. Throws Error when the loss is
  /// not a number any more, naming epoch and step; state() is then that of the last whole epoch.
  void run(const std::function<bool(const EpochRecord&, const TrainerSeconds&)>& after_epoch = {});
  bool finished() const;

  const TrainerState& state() const { return state_; }
  /// The seconds of this process, not of runs before a restore().
  const TrainerSeconds& seconds() const { return seconds_; }
  void restore(TrainerState state);
  /// Gives the model the weights of the best epoch.
  void use_best();

 private:
  double train_epoch();
  double learn_epoch();
  void take_parameters();
  EpochMetrics validate();
  bool improves(const EpochMetrics& now) const;
  bool keeps_up(const EpochMetrics& now) const;
  void finish_epoch(double loss);

  models::Model<float>& model_;
  const models::Features& features_;
  std::span<const float> targets_;
  const Split& split_;
  TrainerOptions options_;
  core::ThreadPool& pool_;
  nn::Tape<float> tape_;
  Scorer scorer_;
  nn::Gradients<float> gradients_;
  nn::Adam<float> adam_;
  std::unique_ptr<models::Learner> learner_;  ///< none = batches and Adam
  TrainerState state_;
  TrainerSeconds seconds_;
  std::vector<std::uint32_t> order_;
  std::vector<float> batch_targets_;
  std::vector<double> scores_;
  std::vector<std::int8_t> validation_labels_;
};

}  // namespace rayleigh::learn
