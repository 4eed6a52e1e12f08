// Runs a detector on the graphs of a golden case and compares everything the case has: outputs,
// loss, gradients, running statistics and the weights after two Adam steps.
// A test makes the model with the options of the case; weights are found by their names, or put
// together from several tensors of the case.
#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "golden.h"
#include "models/model.h"
#include "nn/optimizer.h"

namespace rayleigh::models {

/// The tensors of the case that make up one of our weight matrices, and where their numbers go.
struct GoldenParts {
  std::vector<std::string> names;
  /// Place of number i of part k in our matrix.
  std::function<std::size_t(std::size_t k, std::size_t i)> place;
};

template <typename Real>
class GoldenRun {
 public:
  GoldenRun(const std::string& name, std::unique_ptr<Model<Real>> model,
            std::map<std::string, GoldenParts> parts = {})
      : golden_(name),
        model_(std::move(model)),
        parts_(std::move(parts)),
        graphs_(test::golden_graphs(golden_.file())) {
    model_->weights().allocate();
    for (const nn::WeightInfo& info : weights().all()) {
      if (info.name == "centre") {
        continue;  // begin_training() sets it
      }
      if (info.role == nn::Role::buffer && !golden_.has("buf/" + info.name)) {
        const double start = info.name.ends_with("running_var") ? 1 : 0;
        std::ranges::fill(weights().values().subspan(info.offset, info.size()),
                          static_cast<Real>(start));
        continue;
      }
      const auto numbers = gathered(info.role == nn::Role::buffer   ? "buf/"
                                    : info.role == nn::Role::frozen ? "frozen/"
                                                                    : "w/",
                                    info);
      std::ranges::transform(numbers,
                             weights().values().begin() + static_cast<std::ptrdiff_t>(info.offset),
                             [](double x) { return static_cast<Real>(x); });
    }
    EXPECT_EQ(weights().trained(),
              golden_.about().at("trainable_parameters").template get<std::size_t>());
    gradients_ = nn::Gradients<Real>(weights());
    const std::vector labels{spectral::NodeLabels(graphs_)};
    features_ = model_->prepare(graphs_, labels, nn::Mode::training, pool_);
    all_.resize(graphs_.size());
    std::iota(all_.begin(), all_.end(), 0U);
    for (const auto label : golden_.file().template values<std::int64_t>("graph/graph_label")) {
      targets_.push_back(static_cast<float>(label));
    }
    if (golden_.has("eval/soft_label")) {
      const auto soft = golden_.tensor("eval/soft_label");
      for (std::size_t g = 0; g < targets_.size(); ++g) {
        targets_[g] = static_cast<float>(soft[2 * g + 1]);
      }
    }
  }

  const test::GoldenCase& golden() const { return golden_; }

  /// `result`, `embedding` and `score` are the names of those tensors in the case; may be empty.
  void compare_outputs(const std::string& result, const std::string& score,
                       const std::string& embedding = "") {
    tape_.start_scoring();
    const Output out = model_->forward(tape_, *features_, all_, random_);
    std::vector<double> scores(all_.size());
    model_->scores(tape_, out.result, scores);
    if (!result.empty()) {
      expect("eval/" + result, tape_.value(out.result).flat(), 1e-5);
    }
    if (!embedding.empty()) {
      expect("eval/" + embedding, tape_.value(out.embedding).flat(), 1e-5);
    }
    expect("eval/" + score, scores, 1e-5);
  }

  /// Columns of the result against tensors of the case, in a pass of the given mode over all
  /// graphs; a sum of them, over `summed` columns, against `score` where that is not empty.
  void compare_columns(nn::Mode mode, const std::vector<std::string>& names,
                       const std::string& score = "", std::size_t summed = 0) {
    if (mode == nn::Mode::training) {
      tape_.start_training(weights(), gradients_);
    } else {
      tape_.start_scoring();
    }
    const auto result = tape_.value(model_->forward(tape_, *features_, all_, random_).result);
    std::vector<double> sums(result.rows);
    for (std::size_t c = 0; c < result.cols; ++c) {
      std::vector<double> column;
      double total = 0;
      for (std::size_t g = 0; g < result.rows; ++g) {
        column.push_back(static_cast<double>(result(g, c)));
        total += column.back();
        sums[g] += c < summed ? column.back() : 0;
      }
      if (c < names.size() && !names[c].empty()) {
        // Of training the case has the mean over the batch.
        expect(names[c],
               names[c].starts_with("train/")
                   ? std::vector{total / static_cast<double>(result.rows)}
                   : column,
               1e-5);
      }
    }
    if (!score.empty()) {
      expect(score, sums, 1e-5);
    }
  }

  /// The pass over the normal graphs that comes before training.
  void begin_training() {
    std::vector<std::uint32_t> normal;
    std::ranges::copy_if(all_, std::back_inserter(normal),
                         [&](std::uint32_t g) { return targets_[g] == 0; });
    model_->begin_training(tape_, *features_, normal, std::vector<std::int8_t>(normal.size(), 0));
  }

  /// A weight matrix against a tensor of the case.
  void compare_weight(const std::string& ours, const std::string& theirs) {
    expect(theirs, weights().value(weights().find(ours).value()).flat(), 1e-5);
  }

  /// The loss of one step on all graphs, which is not taken, against a tensor of the case.
  /// `less` is subtracted first; returns what is left.
  double compare_loss(const std::string& name, double less = 0) {
    tape_.start_training(weights(), gradients_);
    const Output out = model_->forward(tape_, *features_, all_, random_);
    const double left =
        static_cast<double>(tape_.value(model_->loss(tape_, out, targets_))(0, 0)) - less;
    expect(name, std::vector{left}, 1e-5);
    return left;
  }

  /// Two steps of training on all graphs.
  void compare_training(const nn::AdamOptions& options) {
    nn::Adam<Real> adam(weights(), options);
    for (int step = 1; step <= 2; ++step) {
      tape_.start_training(weights(), gradients_);
      gradients_.zero();
      const Output out = model_->forward(tape_, *features_, all_, random_);
      const nn::Value loss = model_->loss(tape_, out, targets_);
      tape_.backward(loss);
      if (step == 1) {
        expect("train/loss", tape_.value(loss).flat(), 1e-5);
        compare_gradients();
      } else {
        golden_.expect("train/loss_step2", tape_.value(loss).flat(), 1e-3);
      }
      adam.step(weights(), gradients_);
    }
    if (skip_moved) {
      return;
    }
    for (const nn::WeightInfo& info : weights().all()) {
      if (info.role == nn::Role::trained && is_sampled(info)) {
        golden_.expect_moved(
            info.name, sample(numbers_of(weights().values(), info)),
            {sample(gathered("w/", info)), golden_.tensor("adam2_sample/" + info.name),
             golden_.tensor("grad_sample/" + info.name)});
      } else if (info.role == nn::Role::trained && !is_noise(info)) {
        golden_.expect_moved(
            info.name, numbers_of(weights().values(), info),
            {gathered("w/", info), gathered("adam2/", info), gathered("grad/", info)});
      }
    }
  }

 private:
  static constexpr bool kDouble = std::is_same_v<Real, double>;
  nn::Weights<Real>& weights() { return model_->weights(); }

  static std::span<const Real> numbers_of(std::span<Real> all, const nn::WeightInfo& info) {
    return all.subspan(info.offset, info.size());
  }

  std::vector<std::string> names_of(const nn::WeightInfo& info) const {
    const auto found = parts_.find(info.name);
    return found == parts_.end() ? std::vector{info.name} : found->second.names;
  }

  /// Large tensors are given at every so many places only.
  bool is_sampled(const nn::WeightInfo& info) const {
    return !parts_.contains(info.name) && golden_.has("grad_sample/" + info.name);
  }
  template <typename Range>
  static std::vector<double> sample(const Range& numbers) {
    constexpr std::size_t kPlaces = 256;
    std::vector<double> some;
    for (std::size_t j = 0; j < kPlaces; ++j) {
      some.push_back(static_cast<double>(numbers[j * std::size(numbers) / kPlaces]));
    }
    return some;
  }

  bool is_noise(const nn::WeightInfo& info) const {
    return std::ranges::any_of(
        names_of(info), [&](const std::string& name) { return golden_.is_noise("grad/" + name); });
  }

  /// Our weight matrix from the tensors of a group.
  std::vector<double> gathered(const std::string& group, const nn::WeightInfo& info) const {
    const auto names = names_of(info);
    std::vector<double> numbers(info.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto part = golden_.tensor(group + names[k]);
      EXPECT_EQ(part.size() * names.size(), numbers.size()) << group + names[k];
      for (std::size_t i = 0; i < part.size() && part.size() <= numbers.size(); ++i) {
        numbers[names.size() == 1 && !parts_.contains(info.name)
                    ? i
                    : parts_.at(info.name).place(k, i)] = part[i];
      }
    }
    return numbers;
  }

  /// Against the case's own double precision where both have it.
  template <typename Range>
  void expect(const std::string& name, const Range& actual, double tolerance) const {
    const double exact = kDouble ? double_tolerance : single_tolerance;
    if (exact > 0 && golden_.has("f64_" + name)) {
      golden_.expect_close(name, actual, golden_.tensor("f64_" + name), exact);
    } else {
      golden_.expect(name, actual, tolerance);
    }
  }

  void compare_gradients() {
    double largest = 0;
    for (const nn::WeightInfo& info : weights().all()) {
      if (info.role == nn::Role::trained && !is_sampled(info)) {
        largest = std::max(largest, golden_.largest(gathered("grad/", info)));
      }
    }
    for (const nn::WeightInfo& info : weights().all()) {
      const auto id = weights().find(info.name).value();
      if (info.role == nn::Role::trained && is_sampled(info)) {
        golden_.expect("grad_sample/" + info.name, sample(gradients_.of(info).flat()), 1e-4);
      } else if (info.role == nn::Role::trained) {
        const auto names = names_of(info);
        const double exact = kDouble ? double_tolerance : single_gradient_tolerance;
        const bool both = exact > 0 && golden_.has("f64_grad/" + names[0]);
        double tolerance = both ? exact : 1e-4;
        for (const std::string& name : names) {
          tolerance = both ? tolerance : std::max(tolerance, 10 * golden_.noise("grad/" + name));
        }
        golden_.expect_close("grad/" + info.name, gradients_.of(info).flat(),
                             gathered(both ? "f64_grad/" : "grad/", info), tolerance,
                             is_noise(info) ? 1e-5 * largest : 0);
      } else if (info.role == nn::Role::buffer && golden_.has("after1_buf/" + info.name)) {
        expect("after1_buf/" + info.name, weights().value(id).flat(), 1e-5);
      }
    }
  }

 public:
  double double_tolerance = 1e-9;  ///< of cases that hold double precision
  // Where single precision is noisy in the original but not here, the case's own double precision
  // is what to compare with; 0 = compare with its single precision.
  double single_tolerance = 0;
  double single_gradient_tolerance = 0;
  bool skip_moved = false;  ///< two steps are too noisy to compare, by the case's own word

 private:
  test::GoldenCase golden_;
  std::unique_ptr<Model<Real>> model_;
  nn::Gradients<Real> gradients_;
  std::map<std::string, GoldenParts> parts_;
  GraphSet graphs_;
  core::ThreadPool pool_{2};
  nn::Tape<Real> tape_{pool_};
  nn::StepRandom random_{core::RandomStream(1, "dropout")};
  std::unique_ptr<Features> features_;
  std::vector<std::uint32_t> all_;
  std::vector<float> targets_;
};

}  // namespace rayleigh::models
