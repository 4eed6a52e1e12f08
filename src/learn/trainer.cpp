#include "learn/trainer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <tuple>

#include "rayleigh/error.h"
#include "rayleigh/metrics.h"

#include "core/stopwatch.h"

namespace rayleigh::learn {
namespace {

std::int8_t label_of(float target) { return target > 0.5F ? 1 : 0; }

double mean_normal_score(const Scored& scored) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < scored.labels.size(); ++i) {
    if (scored.labels[i] == 0) {
      sum += scored.scores[i];
      ++count;
    }
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, count));
}

double log_loss(const Scored& scored) {
  constexpr double kLeast = 1e-15;
  double sum = 0;
  for (std::size_t i = 0; i < scored.labels.size(); ++i) {
    const double own = scored.labels[i] == 1 ? scored.scores[i] : 1 - scored.scores[i];
    sum -= std::log(std::max(own, kLeast));
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, scored.labels.size()));
}

}  // namespace

Trainer::Trainer(models::Model<float>& model, const models::Features& features,
                 std::span<const float> targets, const Split& split, const TrainerOptions& options,
                 core::ThreadPool& pool, core::Isa isa)
    : model_(model),
      features_(features),
      targets_(targets),
      split_(split),
      options_(options),
      pool_(pool),
      tape_(pool, isa),
      scorer_(pool, isa),
      gradients_(model.weights()),
      adam_(model.weights(), options.adam, isa),
      learner_(model.learner({.features = features,
                              .train = split.train,
                              .validation = split.validation,
                              .targets = targets,
                              .seed = options.seed,
                              .pool = pool})) {
  take_parameters();
  if (!learner_) {
    state_.best = state_.parameters;
    state_.adam = adam_.state();
  }
  scores_.resize(split.validation.size());
  for (const std::uint32_t g : split.validation) {
    validation_labels_.push_back(label_of(targets[g]));
  }
}

bool Trainer::finished() const {
  return state_.epochs_done >= options_.epochs ||
         (options_.patience > 0 && state_.not_improved > options_.patience) ||
         (learner_ && learner_->finished());
}

void Trainer::run(
    const std::function<bool(const EpochRecord&, const TrainerSeconds&)>& after_epoch) {
  if (state_.epochs_done == 0 && !learner_) {
    std::vector<std::int8_t> labels;
    labels.reserve(split_.train.size());
    for (const std::uint32_t g : split_.train) {
      labels.push_back(label_of(targets_[g]));
    }
    model_.begin_training(tape_, features_, split_.train, labels);
  }
  while (!finished()) {
    finish_epoch(learner_ ? learn_epoch() : train_epoch());
    if (after_epoch && !after_epoch(state_.history.back(), seconds_)) {
      return;
    }
  }
}

double Trainer::train_epoch() {
  const core::Stopwatch watch;
  const auto epoch = static_cast<std::uint32_t>(state_.epochs_done);
  order_.assign(split_.train.begin(), split_.train.end());
  core::Generator generator = core::RandomStream(options_.seed, "epoch order").at(0, epoch);
  generator.shuffle(std::span(order_));
  nn::StepRandom random{core::RandomStream(options_.seed, "dropout")};
  models::TrainingMoment moment{
      .steps_per_epoch = (order_.size() + options_.batch_size - 1) / options_.batch_size,
      .epochs = options_.epochs};
  double sum = 0;
  for (std::size_t begin = 0; begin < order_.size(); begin += options_.batch_size) {
    const std::size_t count = std::min(options_.batch_size, order_.size() - begin);
    const auto graphs = std::span<const std::uint32_t>(order_).subspan(begin, count);
    batch_targets_.resize(count);
    std::ranges::transform(graphs, batch_targets_.begin(),
                           [&](std::uint32_t g) { return targets_[g]; });
    random.step = static_cast<std::uint32_t>(adam_.state().steps);
    tape_.start_training(model_.weights(), gradients_);
    gradients_.zero();
    const models::Output out = model_.forward(tape_, features_, graphs, random);
    const nn::Value loss = model_.loss(tape_, out, batch_targets_);
    const auto value = static_cast<double>(tape_.value(loss)(0, 0));
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::failed,
                  fmt::format("training diverged: the loss is {} in epoch {}, step {}; a smaller "
                              "`lr` may help",
                              value, epoch + 1, adam_.state().steps + 1));
    }
    tape_.backward(loss);
    moment.step = adam_.state().steps;
    adam_.step(model_.weights(), gradients_,
               options_.rate_factor ? options_.rate_factor(moment) : 1);
    sum += value * static_cast<double>(count);
  }
  seconds_.train += watch.seconds();
  return sum / static_cast<double>(std::max<std::size_t>(1, order_.size()));
}

double Trainer::learn_epoch() {
  const core::Stopwatch watch;
  const double loss = learner_->learn(state_.epochs_done);
  seconds_.train += watch.seconds();
  return loss;
}

EpochMetrics Trainer::validate() {
  const core::Stopwatch watch;
  if (learner_) {
    learner_->validation_scores(scores_);
  } else {
    scorer_.score(model_, features_, split_.validation, scores_);
  }
  // The last step of an epoch may diverge without any loss to show it.
  if (!std::ranges::all_of(scores_, [](double score) { return std::isfinite(score); })) {
    throw Error(ErrorKind::failed,
                fmt::format("training diverged: a validation score is not a number after epoch {}, "
                            "step {}; a smaller `lr` may help",
                            state_.epochs_done + 1, adam_.state().steps));
  }
  const Scored scored{validation_labels_, scores_};
  const bool probabilities = model_.scores_are_probabilities();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  EpochMetrics metrics;
  // The two that sort take longest.
  const auto one_half = [&](std::size_t half) {
    if (half == 0) {
      metrics.auc = roc_auc(scored);
      metrics.normal_score = mean_normal_score(scored);
      return;
    }
    metrics.average_precision = average_precision(scored);
    metrics.macro_f1 = probabilities ? macro_f1(scored) : kNone;
    metrics.log_loss = probabilities ? log_loss(scored) : kNone;
  };
  pool_.run(2, one_half);
  seconds_.validate += watch.seconds();
  return metrics;
}

namespace {

double selected(Select select, const EpochMetrics& m) {
  switch (select) {
    case Select::auc:
      return m.auc;
    case Select::average_precision:
      return m.average_precision;
    case Select::normal_score:
      return -m.normal_score;
    case Select::log_loss:
      return -m.log_loss;
    case Select::macro_f1:
      break;
  }
  return m.macro_f1;
}

}  // namespace

/// Ties of the selected metric are decided by AUC, then for the later epoch.
bool Trainer::improves(const EpochMetrics& now) const {
  if (state_.best_epoch == 0) {
    return true;
  }
  const EpochMetrics& best =
      state_.history[static_cast<std::size_t>(state_.best_epoch - 1)].validation;
  // Without anomalous graphs there is no AUC.
  const auto auc = [](const EpochMetrics& m) { return std::isnan(m.auc) ? 0 : m.auc; };
  return std::tuple(selected(options_.select, now), auc(now)) >=
         std::tuple(selected(options_.select, best), auc(best));
}

/// Patience is lost only by a metric below the best one.
bool Trainer::keeps_up(const EpochMetrics& now) const {
  return state_.best_epoch == 0 ||
         selected(options_.select, now) >=
             selected(options_.select,
                      state_.history[static_cast<std::size_t>(state_.best_epoch - 1)].validation);
}

void Trainer::finish_epoch(double loss) {
  const EpochMetrics validation = validate();
  const bool converges = learner_ && learner_->converges();
  const bool better = converges || improves(validation);
  const bool patient = converges || keeps_up(validation);
  ++state_.epochs_done;
  state_.history.push_back({.epoch = state_.epochs_done, .loss = loss, .validation = validation});
  take_parameters();
  state_.not_improved = patient ? 0 : state_.not_improved + 1;
  if (better) {
    state_.best_epoch = state_.epochs_done;
  }
  if (!learner_) {
    state_.adam = adam_.state();
    if (better) {
      state_.best = state_.parameters;
    }
  }
}

void Trainer::take_parameters() {
  const auto values = model_.weights().values();
  state_.parameters.assign(values.begin(), values.end());
  state_.rows = model_.weights().free_rows();
}

void Trainer::restore(TrainerState state) {
  state_ = std::move(state);
  model_.weights().set_free_rows(state_.rows);
  assert(state_.parameters.size() == model_.weights().values().size());
  std::ranges::copy(state_.parameters, model_.weights().values().begin());
  if (learner_) {
    learner_->restore(state_.epochs_done);
  } else {
    adam_.restore(state_.adam);
  }
}

void Trainer::use_best() {
  if (learner_) {
    learner_->keep(state_.best_epoch);
  } else {
    std::ranges::copy(state_.best, model_.weights().values().begin());
  }
  model_.ready();
}

}  // namespace rayleigh::learn
