// What every detector is: named weights, fixed inputs computed once per set of graphs, a forward
// pass on a tape, a loss, and scores. It does not know how it is trained or stored.
// Everything but drawing the weights and begin_training() is const: several threads may score with
// one model, each on a tape of its own.
// prepare() costs a few passes over the set; forward() is the hot path of training and scoring.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/spectral/node_labels.h"

#include "core/thread_pool.h"
#include "core/workspace.h"
#include "models/learner.h"
#include "models/margin_shares.h"
#include "nn/ops_norm.h"
#include "nn/tape.h"

namespace rayleigh::models {

/// The fixed inputs of a set of graphs; each detector has its own kind. Members and what prepare()
/// needs on the way are core::Vector: then a session that scores allocates nothing.
class Features {
 public:
  Features() = default;
  virtual ~Features() = default;
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;

  virtual std::size_t graphs() const = 0;
  virtual std::size_t memory_bytes() const = 0;

  // From the current workspace, as their members.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* features);
};

/// What a forward pass gives, one row per graph.
struct Output {
  nn::Value result;     ///< the two logits, or whatever loss() and scores() understand
  nn::Value embedding;  ///< what the last layer sees
  nn::Value penalty{};  ///< 1 x 1: what a training pass adds to the loss of the result, if anything
};

/// A number that a model cannot work with.
struct NumberDefect {
  std::string parameter;
  std::size_t index = 0;  ///< in the parameter
  double value = 0;
  std::string expected;  ///< "a label from 0 to 7"
};

template <typename Real>
class Model {
 public:
  Model() = default;
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  nn::Weights<Real>& weights() { return weights_; }
  const nn::Weights<Real>& weights() const { return weights_; }

  /// Draws all weights anew.
  void initialise(std::uint64_t seed) {
    weights_.allocate();
    draw(seed);
    ready();
  }

  /// Called when the numbers are there to score with: after they were drawn, learned or read, and
  /// found sound. For what scoring derives of them once.
  virtual void ready() {}

  /// `labels` are the nodes' labels in each vocabulary of the recipe. For training more may be kept
  /// than scoring needs.
  virtual std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                            std::span<const spectral::NodeLabels> labels,
                                            nn::Mode mode, core::ThreadPool& pool) const = 0;

  /// Called once before the first step with the graphs that will train and their labels: for what
  /// is fixed then, such as the centre of a one-class detector. Must keep it in the weights.
  virtual void begin_training(nn::Tape<Real>& /*tape*/, const Features& /*features*/,
                              std::span<const std::uint32_t> /*graphs*/,
                              std::span<const std::int8_t> /*labels*/) {}

  /// Whether it has a learner(); else it is trained by steps along the gradient of its loss.
  virtual bool learns_by_itself() const { return false; }
  virtual std::unique_ptr<Learner> learner(const LearningSet& /*set*/) { return nullptr; }

  /// `features` come from prepare() of the same model and must outlive the step.
  virtual Output forward(nn::Tape<Real>& tape, const Features& features,
                         std::span<const std::uint32_t> graphs,
                         const nn::StepRandom& random) const = 0;

  /// 1 x 1. `targets` are 1 for anomalous and 0 for normal graphs, between for mixtures; one for
  /// each row of the result.
  virtual nn::Value loss(nn::Tape<Real>& tape, const Output& out,
                         std::span<const float> targets) const = 0;

  /// The first number it cannot work with: for models that use some as more than numbers, such as
  /// an index. Asked whenever numbers come from a file, before anything is done with them.
  virtual std::optional<NumberDefect> defect() const { return std::nullopt; }

  /// Graphs that are scored at once at most; more take more memory, fewer more time.
  virtual std::size_t scoring_batch() const { return 1024; }

  /// Nodes of the largest graph it can score.
  virtual std::size_t most_nodes() const { return std::numeric_limits<std::size_t>::max(); }

  /// Higher = more anomalous; by default softmax[1] of two logits.
  virtual void scores(nn::Tape<Real>& tape, nn::Value result, std::span<double> scores) const;
  /// What made the margin of one graph; none where the detector cannot take its score apart.
  virtual std::optional<MarginShares> explain(nn::Tape<Real>& /*tape*/,
                                              const Features& /*features*/,
                                              std::uint32_t /*graph*/) const {
    return std::nullopt;
  }
  /// Whether scores lie between 0 and 1.
  virtual bool scores_are_probabilities() const { return true; }

 protected:
  /// Sets the start values; all numbers are zero before.
  virtual void draw(std::uint64_t seed) = 0;

  nn::Weights<Real> weights_;  ///< declared by the constructor, not yet allocated
};

extern template class Model<float>;
extern template class Model<double>;

}  // namespace rayleigh::models
