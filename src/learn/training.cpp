#include "rayleigh/training.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "core/atomic_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "learn/checkpoint.h"
#include "learn/detector_parts.h"
#include "learn/metrics_json.h"
#include "learn/split.h"
#include "learn/training_data.h"
#include "models/attribute_inputs.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;

std::array<std::size_t, 2> count_classes(std::span<const std::int8_t> labels,
                                         const std::vector<std::uint32_t>& part) {
  std::array<std::size_t, 2> counts{};
  for (const std::uint32_t g : part) {
    ++counts[labels[g] == 1 ? 1 : 0];
  }
  return counts;
}

void check_part(const char* name, std::array<std::size_t, 2> counts, bool labelled) {
  for (std::size_t c = 0; c < 2; ++c) {
    if (counts[c] == 0 && (labelled || c == 0)) {
      throw UsageError(
          "split", fmt::format("the {} part has no {} graph: give more data or other shares", name,
                               c == 1 ? "anomalous" : "normal"));
    }
  }
}

Json part_json(std::span<const std::int8_t> labels, const std::vector<std::uint32_t>& part) {
  const auto counts = count_classes(labels, part);
  return {{"graphs", part.size()}, {"anomalous", counts[1]}};
}

/// The number that a share of the others does not exceed.
double quantile(std::span<const double> numbers, double share) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(std::clamp(std::floor(share * last), 0.0, last))];
}

/// Whether labels tell normal from anomalous graphs.
bool uses_labels(const GraphSet& graphs, const Plan& plan) {
  return graphs.classes().size() > 0 && !plan.unlabelled() && !plan.normal_class();
}

/// 0, 1, or negative for graphs that take no part. Without labels every graph counts as normal, for
/// detectors that need no others.
std::vector<std::int8_t> training_labels(const GraphSet& graphs, const Plan& plan) {
  const bool one_class = plan.recipe().learns_from() == models::LearnsFrom::normal_graphs;
  if (!one_class && (plan.unlabelled() || plan.normal_class())) {
    throw UsageError(
        plan.unlabelled() ? "unlabelled" : "normal-class",
        fmt::format("is not for {}, which learns from both classes", plan.recipe().name()));
  }
  if (uses_labels(graphs, plan) || !one_class || graphs.empty() || graphs.nodes() == 0) {
    return learnable_labels(graphs, plan.anomaly_class());
  }
  std::vector<std::int8_t> labels(graphs.size(), 0);
  if (plan.normal_class()) {
    const auto normal = graphs.classes().find(*plan.normal_class());
    if (!normal) {
      throw UsageError("normal-class",
                       fmt::format("{} has no class '{}', expected one of {}", graphs.name(),
                                   core::printable(*plan.normal_class()),
                                   fmt::join(graphs.classes().words(), ", ")));
    }
    std::ranges::transform(graphs.graph_class(), labels.begin(), [&](std::int32_t cls) {
      return static_cast<std::int8_t>(cls == static_cast<std::int32_t>(*normal) ? 0 : -1);
    });
  }
  return labels;
}

/// Whether the model can take up the state; its numbers are not looked at.
bool fits_model(const models::Model<float>& model, const TrainerState& state) {
  const auto& weights = model.weights();
  if (state.rows.size() != weights.free_rows().size()) {
    return false;
  }
  // No count of rows is trusted before it is known to be in the file.
  std::size_t next = 0;
  for (const nn::WeightInfo& info : weights.all()) {
    if (info.free_rows && state.rows[next++] > state.parameters.size() / info.cols) {
      return false;
    }
  }
  const std::size_t numbers = weights.size_with(state.rows);
  const std::size_t further = model.learns_by_itself() ? 0 : numbers;
  return state.parameters.size() == numbers && state.best.size() == further &&
         state.adam.mean.size() == further && state.adam.square.size() == further;
}

/// One run: holds what its steps share.
class Training {
 public:
  Training(const GraphSet& graphs, const TrainingRequest& request)
      : graphs_(graphs),
        request_(request),
        pool_(request.run),
        parts_(std::make_shared<DetectorParts>()) {
    parts_->options = request.options;
    if (request.split) {
      Inside::plan(parts_->options).set_split(*request.split);
    }
  }

  TrainingResult run() {
    try {
      return train_all();
    } catch (const Cancelled&) {
      say_what_is_kept();
    }
  }

 private:
  TrainingResult train_all() {
    const core::Stopwatch watch;
    plan().check();
    use_isa();
    if (request_.resume == Resume::yes && !request_.checkpoint) {
      throw UsageError("resume", "needs a `checkpoint`");
    }
    if (request_.checkpoint) {
      check_checkpoint_place(*request_.checkpoint);
      // A place that cannot be written is better known before training than after the first epoch.
      const core::AtomicFile probe(*request_.checkpoint);
    }
    refuse_without_fingerprints(plan().recipe(), graphs_);
    divide();
    augment();
    fit_vocabulary();
    const EncodedSet set = encode(*parts_, learning_graphs(), pool_);
    make_members();
    load_checkpoint_of_run();
    parts_->members.assign(models_.begin(), models_.end());
    const auto features = prepare_members(parts_->members, parts_->places, learning_graphs(),
                                          set.views, nn::Mode::training, pool_);
    seconds_.prepare = watch.seconds();
    scores_.assign(graphs_.size(), 0.0);
    for (std::size_t m = 0; m < models_.size(); ++m) {
      train_member(m, *features[parts_->places[m].prepares]);
    }
    if (!plan().recipe().parts().empty()) {
      blend();
    }
    return finish();
  }

  const Plan& plan() const { return parts_->plan(); }

  void use_isa() const {
    plan().check_isa();
    // Only the first run of a process can hold oneDNN back; a limit that comes too late is an
    // error.
    if (plan().isa() != core::best_isa() && !nn::limit_products_to(plan().isa())) {
      throw UsageError("isa", "must be the same for all training of a process");
    }
  }

  /// By parts, groups or a fold, which no option tells.
  bool split_given() const {
    const auto* grouped = request_.split ? std::get_if<GroupedSplit>(&*request_.split) : nullptr;
    return request_.split && (std::holds_alternative<Split>(*request_.split) ||
                              std::holds_alternative<FoldSplit>(*request_.split) ||
                              (grouped != nullptr && !grouped->groups.empty()));
  }

  void divide() {
    labels_ = training_labels(graphs_, plan());
    labelled_ = uses_labels(graphs_, plan());
    // A rule is taken from the plan, as the model records it: shares written as text are rounded.
    split_ = make_split(split_given() ? *request_.split : plan().split(), graphs_, labels_,
                        plan().split_seed(), pool_);
    if (plan().train_graphs() > 0) {
      thin_training(split_, labels_, plan().train_graphs(), plan().split_seed());
    }
    cut_calibration();
    const auto counts = count_classes(labels_, split_.train);
    check_part("training", counts, labelled_);
    check_part("validation", count_classes(labels_, split_.validation), labelled_);
    parts_->class_counts = counts;
    learning_ = split_;
    if (plan().recipe().learns_from() == models::LearnsFrom::normal_graphs) {
      std::erase_if(learning_.train, [&](std::uint32_t g) { return labels_[g] == 1; });
    }
  }

  /// Of the training part, before anything is learned from it.
  void cut_calibration() {
    const auto rate = plan().false_alarms(labelled_);
    const std::size_t normal = count_classes(labels_, split_.train)[0];
    if (!rate || normal == 0) {
      return;
    }
    learn::cut_calibration(split_, labels_, *rate, plan().split_seed());
    const std::size_t found = split_.calibration.size();
    const std::size_t needed = least_calibration(*rate);
    promised_ = *rate;
    if (found >= needed) {
      return;
    }
    const auto all = static_cast<double>(graphs_.size()) / static_cast<double>(normal);
    const std::string wanted = fmt::format(
        "a promise of at most {} false alarms takes {} in the calibration part, a quarter of the "
        "training graphs: about {} in all, and there are {}",
        *rate, core::counted(needed, "normal graph"),
        core::counted(static_cast<std::uint64_t>(std::ceil(all * 4 * static_cast<double>(needed))),
                      "graph"),
        core::counted(graphs_.size(), "graph"));
    if (plan().false_alarms_given()) {
      throw UsageError("false-alarms", wanted);
    }
    if (found == 0) {
      promised_.reset();
      say(fmt::format("{}; nothing is promised", wanted));
      return;
    }
    promised_ = 1 / (static_cast<double>(found) + 1);
    say(fmt::format("{}; with {} there {:.3g} is promised", wanted, core::with_commas(found),
                    *promised_));
  }

  /// The data, and the graphs that the detector makes up behind it.
  const GraphSet& learning_graphs() const { return augmented_ ? augmented_->graphs : graphs_; }

  void augment() {
    targets_.reserve(graphs_.size());
    std::ranges::transform(labels_, std::back_inserter(targets_),
                           [](std::int8_t label) { return label == 1 ? 1.0F : 0.0F; });
    augmented_ = plan().recipe().augment(graphs_, learning_.train, labels_, plan().seed());
    if (!augmented_) {
      return;
    }
    for (const float target : augmented_->targets) {
      learning_.train.push_back(static_cast<std::uint32_t>(targets_.size()));
      targets_.push_back(target);
      ++parts_->class_counts[target > 0.5F ? 1 : 0];
    }
  }

  void fit_vocabulary() {
    std::vector<std::uint32_t> chosen = split_.train;
    if (plan().recipe().vocabulary_of_all()) {
      chosen.resize(graphs_.size());
      std::iota(chosen.begin(), chosen.end(), 0U);
    }
    for (std::size_t g = graphs_.size(); g < learning_graphs().size(); ++g) {
      chosen.push_back(static_cast<std::uint32_t>(g));
    }
    if (plan().recipe().bins_attributes()) {
      parts_->bins = graph::AttributeBins::of_nodes(graphs_, split_.train, pool_);
      parts_->edge_bins = graph::AttributeBins::of_edges(graphs_, split_.train, pool_);
    } else if (graphs_.edge_attribute_count() > 0) {
      say(fmt::format("{} does not look at the {} of the data", plan().recipe().name(),
                      core::counted(graphs_.edge_attribute_count(), "edge attribute")));
    }
    for (const models::EncoderOptions& options : plan().recipe().encoders()) {
      parts_->labels.push_back(
          models::LabelEncoder::fit(learning_graphs(), chosen, options, pool_, &parts_->edge_bins));
    }
  }

  void make_members() {
    parts_->attributes = graphs_.attribute_count();
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      parts_->largest_graph = std::max<std::size_t>(parts_->largest_graph, graphs_[g].nodes());
    }
    parts_->mean_nodes = (graphs_.nodes() + graphs_.size() / 2) / graphs_.size();
    models::ModelInputs inputs{.labels = {},
                               .class_counts = parts_->class_counts,
                               .attributes = models::fit_attribute_scale(graphs_, split_.train),
                               .bins = parts_->bins,
                               .largest_graph = parts_->largest_graph,
                               .mean_nodes = parts_->mean_nodes};
    const models::Recipe& recipe = plan().recipe();
    parts_->places =
        member_places(recipe, member_count(recipe, static_cast<std::size_t>(plan().ensemble())));
    for (const MemberPlace& place : parts_->places) {
      inputs.labels = place.own(std::span<const models::LabelEncoder>(parts_->labels));
      models_.push_back(part_recipe(recipe, place.part).make(inputs));
      models_.back()->initialise(member_seed(models_.size() - 1));
    }
    if (std::ranges::any_of(models_, [](const auto& model) {
          return models::takes_attributes(model->weights());
        })) {
      refuse_overflow(graphs_, inputs.attributes);
    }
  }

  /// Members of an ensemble differ by it; the further parts of a blend take the plan's own.
  std::uint64_t member_seed(std::size_t member) const {
    return plan().seed() + (parts_->places[member].part == 0 ? member : 0);
  }

  std::optional<Checkpoint> fitting_checkpoint() const {
    auto found = load_checkpoint(*request_.checkpoint, checkpoint_.fingerprint);
    for (std::size_t m = 0; found && m < found->members.size(); ++m) {
      const TrainerState& state = found->members[m];
      if (found->members.size() > models_.size() || !fits_model(*models_[m], state)) {
        throw DataError({request_.checkpoint->string(), 0},
                        "the checkpoint is damaged: its tensors do not fit the model");
      }
      check_numbers(*models_[m], state.rows, state.parameters);
      if (!models_[m]->learns_by_itself()) {
        check_numbers(*models_[m], state.rows, state.best);
      }
    }
    return found;
  }

  /// DataError when the model could not work with these numbers.
  void check_numbers(models::Model<float>& model, std::span<const std::size_t> rows,
                     std::span<const float> numbers) const {
    auto& weights = model.weights();
    const auto own_rows = weights.free_rows();
    const std::vector<float> own(weights.values().begin(), weights.values().end());
    weights.set_free_rows(rows);
    std::ranges::copy(numbers, weights.values().begin());
    const auto defect = model.defect();
    weights.set_free_rows(own_rows);
    std::ranges::copy(own, weights.values().begin());
    if (defect) {
      throw DataError(
          {request_.checkpoint->string(), 0},
          fmt::format("the checkpoint is damaged: number {} of '{}' is {}, expected {}",
                      defect->index, defect->parameter, defect->value, defect->expected));
    }
  }

  void say(const std::string& text) const {
    if (request_.say) {
      request_.say(text);
    }
  }

  void load_checkpoint_of_run() {
    data_ = json_of(describe_data(graphs_, labels_));
    checkpoint_.fingerprint = Json{
        {"version", kVersion},
        {"parameters", plan().options().values()},
        {"data", data_},
        {"split",
         split_hash(split_)}}.dump();
    if (!request_.checkpoint || request_.resume == Resume::no) {
      return;
    }
    checkpoint_read_ = true;
    std::optional<Checkpoint> found;
    try {
      found = fitting_checkpoint();
    } catch (const Error& error) {
      if (request_.resume != Resume::if_usable) {
        throw;
      }
      say(fmt::format("{}; training starts anew", error.what()));
      return;
    }
    if (!found) {
      say(fmt::format("no checkpoint at {}: training starts anew", request_.checkpoint->string()));
      return;
    }
    checkpoint_.members = std::move(found->members);
    if (!checkpoint_.members.empty()) {
      say(fmt::format(
          "going on after epoch {}{}", checkpoint_.members.back().epochs_done,
          models_.size() > 1 ? fmt::format(" of model {}", checkpoint_.members.size()) : ""));
    }
  }

  void train_member(std::size_t m, const models::Features& features) {
    auto& model = *models_[m];
    const TrainerOptions options = plan().trainer_options(member_seed(m), parts_->places[m].part);
    Trainer trainer(model, features, targets_, learning_, options, pool_, plan().isa());
    const bool resumed = m < checkpoint_.members.size();
    if (resumed) {
      trainer.restore(checkpoint_.members[m]);
      for (const EpochRecord& epoch : trainer.state().history) {
        tell(m, options.epochs, epoch, 0, true);
      }
    } else {
      checkpoint_.members.push_back(trainer.state());
    }
    double trained_before = 0;
    const int epochs_before = trainer.state().epochs_done;
    const double until = end_of_member(m);
    double last_end = watch_.seconds();
    bool in_time = true;
    trainer.run([&](const EpochRecord& epoch, const TrainerSeconds& seconds) {
      checkpoint_.members[m] = trainer.state();
      const double now = watch_.seconds();
      in_time = now + (now - last_end) < until;
      last_end = now;
      save_checkpoint_sometimes(trainer.finished() || !in_time);
      tell(m, options.epochs, epoch, 1 / std::max(1e-9, seconds.train - trained_before), false);
      trained_before = seconds.train;
      return in_time;
    });
    const bool cut_short = !in_time && !trainer.finished();
    if (cut_short) {
      say(fmt::format("out of time: {} stops after epoch {} of {}",
                      part_recipe(plan().recipe(), parts_->places[m].part).name(),
                      trainer.state().epochs_done, options.epochs));
    }
    epochs_run_ += trainer.state().epochs_done - epochs_before;
    seconds_.train += trainer.seconds().train;
    if (!model.learns_by_itself()) {
      passes_ += trainer.state().epochs_done - epochs_before;
      seconds_of_passes_ += trainer.seconds().train;
    }
    seconds_.evaluate += trainer.seconds().validate;
    members_.push_back({.detector = part_recipe(plan().recipe(), parts_->places[m].part).name(),
                        .seed = member_seed(m),
                        .history = trainer.state().history,
                        .best_epoch = trainer.state().best_epoch,
                        .cut_short = cut_short});
    trainer.use_best();
    const core::Stopwatch watch;
    add_scores(model, features);
    seconds_.evaluate += watch.seconds();
  }

  /// When a member must be done, in seconds since the start: members share what is left of the time
  /// budget, less something for the evaluation at the end.
  double end_of_member(std::size_t m) const {
    if (!request_.time_budget) {
      return std::numeric_limits<double>::infinity();
    }
    constexpr double kForTraining = 0.9;
    const double now = watch_.seconds();
    const double left = kForTraining * request_.time_budget->count() - now;
    return now + left / static_cast<double>(models_.size() - m);
  }

  void tell(std::size_t member, int epochs, const EpochRecord& epoch, double epochs_per_second,
            bool restored) const {
    if (request_.progress) {
      const auto graphs = static_cast<double>(learning_.train.size());
      request_.progress({.member = static_cast<int>(member),
                         .members = static_cast<int>(models_.size()),
                         .epochs = epochs,
                         .epoch = epoch,
                         .graphs_per_second =
                             models_[member]->learns_by_itself() ? 0 : graphs * epochs_per_second,
                         .epochs_per_second = epochs_per_second,
                         .restored = restored});
    }
  }

  /// After a stop: the checkpoint gets every whole epoch, and Cancelled says so.
  [[noreturn]] void say_what_is_kept() {
    const auto& members = checkpoint_.members;
    const int epochs = members.empty() ? 0 : members.back().epochs_done;
    if (epochs == 0 && members.size() <= 1) {
      throw Cancelled(checkpoint_read_ || request_.resume == Resume::no
                          ? "training was stopped before the first epoch ended"
                          : "training was stopped before it went on; the checkpoint is unchanged");
    }
    const std::string where =
        fmt::format("training was stopped after epoch {}{}", epochs,
                    models_.size() > 1 ? fmt::format(" of model {}", members.size()) : "");
    if (!request_.checkpoint) {
      throw Cancelled(where + "; nothing of it is kept without a `checkpoint`");
    }
    save_checkpoint_sometimes(true);
    throw Cancelled(fmt::format("{}; {} has all of it, and `resume` goes on from there", where,
                                request_.checkpoint->string()));
  }

  /// After the first epoch, and then so seldom that writing takes a twentieth of the time: an epoch
  /// of a fast run is shorter than that.
  void save_checkpoint_sometimes(bool must) {
    constexpr double kShare = 0.05;
    if (!request_.checkpoint || (!must && kShare * since_saved_.seconds() < seconds_to_save_)) {
      return;
    }
    const core::Stopwatch watch;
    save_checkpoint(*request_.checkpoint, checkpoint_);
    since_saved_ = {};
    seconds_to_save_ = watch.seconds();
  }

  void add_scores(const models::Model<float>& model, const models::Features& features) {
    std::vector<std::uint32_t> all(graphs_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<double> scores(graphs_.size());
    Scorer scorer(pool_, plan().isa());
    if (!plan().recipe().parts().empty()) {
      scorer.margins(model, features, all, scores);
      margins_.push_back(std::move(scores));
      return;
    }
    scorer.score(model, features, all, scores);
    const auto members = static_cast<double>(models_.size());
    for (std::size_t g = 0; g < scores.size(); ++g) {
      scores_[g] += scores[g] / members;
    }
  }

  /// What the recipe usually gives a part, in equal shares for its members.
  std::vector<double> usual_weights() const {
    const auto parts = plan().recipe().parts();
    std::vector<double> weights;
    for (const MemberPlace& place : parts_->places) {
      const auto alike =
          static_cast<double>(std::ranges::count(parts_->places, place.part, &MemberPlace::part));
      weights.push_back(parts[place.part].usual_weight / alike);
    }
    return weights;
  }

  /// The members' margins become scores with weights that the validation part chooses.
  void blend() {
    std::vector<std::vector<double>> margins(margins_.size());
    std::vector<std::int8_t> labels;
    for (const std::uint32_t g : split_.validation) {
      labels.push_back(labels_[g]);
      for (std::size_t m = 0; m < margins.size(); ++m) {
        margins[m].push_back(margins_[m][g]);
      }
    }
    parts_->blend = fit_blend(margins, labels, usual_weights(), kBlendShrinkage);
    for (std::size_t g = 0; g < scores_.size(); ++g) {
      double sum = 0;
      for (std::size_t m = 0; m < margins_.size(); ++m) {
        sum += margins_[m][g] * parts_->blend->weights[m];
      }
      scores_[g] = probability_of(parts_->blend->offset + sum);
    }
  }

  /// Labels and scores of a part.
  struct PartScores {
    std::vector<std::int8_t> labels;
    std::vector<double> scores;
    Scored view() const { return {labels, scores}; }
  };
  PartScores scores_of(const std::vector<std::uint32_t>& graphs) const {
    PartScores part;
    for (const std::uint32_t g : graphs) {
      part.labels.push_back(labels_[g]);
      part.scores.push_back(scores_[g]);
    }
    return part;
  }

  Metrics measure(const std::vector<std::uint32_t>& graphs) const {
    const PartScores part = scores_of(graphs);
    Metrics evaluation = rayleigh::measure(part.view(), parts_->threshold,
                                           parts_->first().scores_are_probabilities());
    if (!labelled_) {
      evaluation.macro_f1_tuned = std::numeric_limits<double>::quiet_NaN();
    }
    if (request_.intervals) {
      evaluation.intervals = metric_intervals(part.view(), parts_->threshold, 1, request_.run);
    }
    return evaluation;
  }

  TrainingResult finish() {
    const core::Stopwatch watch;
    const PartScores validation = scores_of(split_.validation);
    if (promised_) {
      parts_->false_alarms.emplace(*promised_, scores_of(split_.calibration).scores);
    }
    parts_->threshold = promised_   ? parts_->false_alarms->threshold()
                        : labelled_ ? best_threshold(validation.view()).value
                                    : quantile(validation.scores, 1 - plan().contamination());
    parts_->calibration =
        fit_calibration(validation.view(), parts_->first().scores_are_probabilities());
    parts_->calibration.exists = labelled_;
    const Metrics on_train = measure(split_.train);
    const Metrics on_validation = measure(split_.validation);
    const Metrics on_test = measure(split_.test);
    parts_->record = record(on_validation, on_test);
    seconds_.evaluate += watch.seconds();
    return {.detector = Inside::make(parts_),
            .members = std::move(members_),
            .split = std::move(split_),
            .split_given = split_given(),
            .train = on_train,
            .validation = on_validation,
            .test = on_test,
            .labels = std::move(labels_),
            .scores = std::move(scores_),
            .labelled = labelled_,
            .seconds = seconds_,
            .train_graphs_per_second = static_cast<double>(learning_.train.size()) * passes_ /
                                       std::max(1e-9, seconds_of_passes_),
            .epochs_run = epochs_run_};
  }

  Json record(const Metrics& on_validation, const Metrics& on_test) const {
    Json members = Json::array();
    for (const TrainedMember& member : members_) {
      members.push_back({{"seed", member.seed},
                         {"epochs", member.history.size()},
                         {"best_epoch", member.best_epoch}});
      if (member.cut_short) {
        members.back()["cut_short"] = true;
      }
    }
    Json record{{"data", data_},
                {"anomaly_class", anomaly_word()},
                {"split",
                 {{"train", part_json(labels_, split_.train)},
                  {"validation", part_json(labels_, split_.validation)},
                  {"test", part_json(labels_, split_.test)},
                  {"seed", plan().split_seed()},
                  {"hash", split_hash(split_)}}},
                {"members", members},
                {"validation", json_of(on_validation)},
                {"test", json_of(on_test)}};
    if (promised_) {
      record["split"]["calibration"] = part_json(labels_, split_.calibration);
    }
    if (!graphs_.reading().empty()) {
      Json& reading = record["reading"];
      for (const auto& [name, value] : graphs_.reading()) {
        reading[name] = value;
      }
    }
    return record;
  }

  /// null for data without labels.
  Json anomaly_word() const {
    if (!labelled_) {
      return {};
    }
    const auto chosen = anomaly_class(graphs_, plan().anomaly_class());
    return chosen ? Json(graphs_.classes()[*chosen]) : Json();
  }

  const GraphSet& graphs_;
  const TrainingRequest& request_;
  core::Stopwatch watch_;
  core::ThreadPool pool_;
  std::shared_ptr<DetectorParts> parts_;
  std::vector<std::shared_ptr<models::Model<float>>> models_;
  std::vector<std::int8_t> labels_;
  bool labelled_ = true;
  std::optional<double> promised_;  ///< share of false alarms
  Split split_;
  Split learning_;  ///< the split with the training graphs that the detector learns from
  std::optional<models::Augmented> augmented_;
  std::vector<float> targets_;  ///< of learning_graphs(); 0 where there is no label
  std::vector<TrainedMember> members_;
  std::vector<double> scores_;                ///< of every graph, of the members together
  std::vector<std::vector<double>> margins_;  ///< of every member of a blend and graph
  TrainingSeconds seconds_;
  int epochs_run_ = 0;
  int passes_ = 0;  ///< of them those that pass over the training graphs
  double seconds_of_passes_ = 0;
  Json data_;
  Checkpoint checkpoint_;
  bool checkpoint_read_ = false;
  core::Stopwatch since_saved_;
  double seconds_to_save_ = 0;
};

}  // namespace

}  // namespace rayleigh::learn

namespace rayleigh {

TrainingResult train(const GraphSet& graphs, const TrainingRequest& request) {
  return learn::Training(graphs, request).run();
}

}  // namespace rayleigh
