// What must hold of every detector, on graphs the project makes itself: gradients agree with finite
// differences, scores depend neither on the order of nodes nor on the other graphs of a batch.
// Make a ModelCheck of a model of double precision and call what applies.
#pragma once

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <vector>

#include "rayleigh/generators.h"

#include "fingerprints.h"
#include "graph/permuted.h"
#include "models/label_encoder.h"
#include "models/model.h"

namespace rayleigh::models {

/// Small molecules with both classes.
inline GraphSet check_graphs(int count = 24) {
  return generate::molecules({.seed = 5, .graphs = count, .anomalous = 0.3});
}

class ModelCheck {
 public:
  ModelCheck(std::unique_ptr<Model<double>> model, std::vector<LabelEncoder> encoders,
             GraphSet graphs)
      : model_(std::move(model)), encoders_(std::move(encoders)), graphs_(std::move(graphs)) {
    model_->initialise(3);
    gradients_ = nn::Gradients<double>(model_->weights());
    features_ = prepare(graphs_, nn::Mode::training);
    all_.resize(graphs_.size());
    std::iota(all_.begin(), all_.end(), 0U);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      targets_.push_back(
          graphs_.classes()[static_cast<std::size_t>(graphs_.graph_class()[g])] == "1" ? 1.0F
                                                                                       : 0.0F);
    }
  }

  Model<double>& model() { return *model_; }
  const GraphSet& graphs() const { return graphs_; }

  /// One step of training; the loss. Leaves the gradients in gradients_.
  double step() {
    tape_.start_training(model_->weights(), gradients_);
    gradients_.zero();
    const Output out = model_->forward(tape_, *features_, all_, random_);
    const nn::Value loss = model_->loss(tape_, out, targets_);
    tape_.backward(loss);
    const auto flat = tape_.value(out.result).flat();
    result_.assign(flat.begin(), flat.end());
    return tape_.value(loss)(0, 0);
  }
  /// Of the last step().
  const std::vector<double>& result() const { return result_; }

  std::vector<double> raw_scores() { return scores_of(*features_, all_); }

  std::optional<MarginShares> explain(std::uint32_t graph) {
    return model_->explain(tape_, *features_, graph);
  }
  /// Of the same graph with its nodes in another order.
  std::optional<MarginShares> explain_turned(std::uint32_t graph) {
    const GraphSet turned = test::permuted(graphs_, 9).graphs;
    const auto features = prepare(turned, nn::Mode::scoring);
    return model_->explain(tape_, *features, graph);
  }

  /// <gradient, v> against (loss(w + hv) - loss(w - hv)) / 2h for random directions v, one for
  /// each weight matrix.
  void expect_gradients(double tolerance) {
    auto& weights = model_->weights();
    // Start values may lie on kinks, as where features and bias of a ReLU are all 0.
    core::Generator away = core::RandomStream(11, "away from kinks").at(0);
    for (const nn::WeightInfo& info : weights.all()) {
      for (double& w : weights.values().subspan(info.offset, info.size())) {
        w += info.role == nn::Role::trained ? 0.02 * (away.uniform() - 0.5) : 0;
      }
    }
    // Below this a difference of two losses is rounding.
    const double floor = 2e-3 * (1 + std::abs(step()));
    const std::vector<double> gradients(gradients_.values().begin(), gradients_.values().end());
    for (const nn::WeightInfo& info : weights.all()) {
      if (info.role != nn::Role::trained) {
        continue;
      }
      const auto values = weights.values().subspan(info.offset, info.size());
      const std::vector<double> kept(values.begin(), values.end());
      core::Generator generator = core::RandomStream(11, info.name).at(0);
      std::vector<double> direction(kept.size());
      double slope = 0;
      double size = 0;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        direction[i] = 2 * generator.uniform() - 1;
        slope += direction[i] * gradients[info.offset + i];
        size += std::abs(direction[i] * gradients[info.offset + i]);
      }
      const auto loss_at = [&](double h) {
        for (std::size_t i = 0; i < kept.size(); ++i) {
          values[i] = kept[i] + h * direction[i];
        }
        return step();
      };
      const auto difference = [&](double h) { return (loss_at(h) - loss_at(-h)) / (2 * h); };
      const double allowed = tolerance * std::max(size, floor);
      double measured = difference(1e-6);
      if (std::abs(measured - slope) > allowed) {
        measured = difference(1e-8);  // a kink may lie closer than the usual step
      }
      std::ranges::copy(kept, values.begin());
      EXPECT_NEAR(measured, slope, allowed) << info.name;
    }
  }

  void expect_node_order_does_not_matter(double tolerance) {
    const auto before = raw_scores();
    const GraphSet turned = test::permuted(graphs_, 9).graphs;
    const auto features = prepare(turned, nn::Mode::scoring);
    const auto after = scores_of(*features, all_);
    for (std::size_t g = 0; g < before.size(); ++g) {
      EXPECT_NEAR(after[g], before[g], tolerance * std::abs(before[g])) << "graph " << g;
    }
  }

  void expect_batches_do_not_matter() {
    const auto together = raw_scores();
    for (std::uint32_t g = 0; g < together.size(); ++g) {
      EXPECT_EQ(scores_of(*features_, std::vector{g})[0], together[g]) << "graph " << g;
    }
  }

 private:
  std::unique_ptr<Features> prepare(const GraphSet& graphs, nn::Mode mode) {
    std::vector<EncodedLabels> encoded;
    std::vector<spectral::NodeLabels> views;
    encoded.reserve(encoders_.size());
    views.reserve(encoders_.size());
    for (const LabelEncoder& encoder : encoders_) {
      encoded.push_back(encoder.encode(graphs, pool_));
    }
    for (const EncodedLabels& labels : encoded) {
      views.push_back(labels.view());
    }
    return model_->prepare(test::with_fingerprints(graphs), views, mode, pool_);
  }

  std::vector<double> scores_of(const Features& features, std::span<const std::uint32_t> graphs) {
    tape_.start_scoring();
    const Output out = model_->forward(tape_, features, graphs, random_);
    std::vector<double> scores(graphs.size());
    model_->scores(tape_, out.result, scores);
    return scores;
  }

  core::ThreadPool pool_{2};
  nn::Tape<double> tape_{pool_};
  nn::StepRandom random_{core::RandomStream(1, "dropout")};
  std::unique_ptr<Model<double>> model_;
  nn::Gradients<double> gradients_;
  std::vector<LabelEncoder> encoders_;
  GraphSet graphs_;
  std::unique_ptr<Features> features_;
  std::vector<std::uint32_t> all_;
  std::vector<float> targets_;
  std::vector<double> result_;
};

}  // namespace rayleigh::models
