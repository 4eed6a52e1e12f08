// How a detector learns that is not trained by steps along a gradient: trees that grow, a solver
// that converges. It goes an epoch at a time like every other training, so that progress, stops,
// checkpoints, patience and selection by validation are the same for all.
// Model::learner() makes one; the training loop drives it.
#pragma once

#include <cstdint>
#include <span>

#include "core/thread_pool.h"

namespace rayleigh::models {

class Features;

/// What a learner learns from. Everything must outlive it.
struct LearningSet {
  const Features& features;  ///< prepared for training by the same model
  std::span<const std::uint32_t> train;
  std::span<const std::uint32_t> validation;
  std::span<const float> targets;  ///< of every graph of the features, 1 = anomalous
  std::uint64_t seed = 1;
  core::ThreadPool& pool;
};

/// What it has learned is in the weights of its model after every epoch, and nowhere else: a
/// learner of a model whose weights were restored goes on to the same bits.
class Learner {
 public:
  Learner() = default;
  virtual ~Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  /// Takes up what the weights of the model hold, those of so many epochs.
  virtual void restore(int epochs) = 0;
  /// The next epoch, counted from 0; the mean loss of the training graphs after it.
  virtual double learn(int epoch) = 0;
  /// Of the validation graphs, as the model would score them now.
  virtual void validation_scores(std::span<double> scores) const = 0;
  /// No further epoch would change anything.
  virtual bool finished() const = 0;
  /// Whether the last epoch is the one to keep, whatever validation says.
  virtual bool converges() const { return false; }
  /// Leaves the weights as they were after so many epochs, the one that validation chose.
  virtual void keep(int epochs) = 0;
};

}  // namespace rayleigh::models
