#include "learn/training.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

#include "rayleigh/anomaly_class.h"
#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "core/atomic_file.h"
#include "core/hash.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "graph/weisfeiler_leman.h"
#include "learn/checkpoint.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
std::uint64_t hash_array(std::uint64_t hash, std::span<const T> numbers) {
  for (const T number : numbers) {
    hash = core::combine64(hash, static_cast<std::uint64_t>(number));
  }
  return core::combine64(hash, numbers.size());
}

std::uint64_t hash_words(std::uint64_t hash, const Vocabulary& words) {
  for (const std::string& word : words.words()) {
    hash = core::combine64(hash, core::hash64(word));
  }
  return core::combine64(hash, words.size());
}

std::uint64_t hash_graphs(const GraphSet& graphs, std::span<const std::int8_t> labels) {
  std::uint64_t hash = 1;
  hash = hash_array(hash, graphs.graph_ptr());
  hash = hash_array(hash, graphs.row_ptr());
  hash = hash_array(hash, graphs.col());
  hash = hash_array(hash, graphs.node_label());
  hash = hash_array(hash, graphs.edge_label());
  hash = hash_array(hash, graphs.multiplicity());
  hash = hash_array(hash, labels);
  hash = hash_words(hash, graphs.node_labels());
  return hash_words(hash, graphs.edge_labels());
}

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
          fmt::format("the {} part has no {} graph: give more data, or other shares with --split",
                      name, c == 1 ? "anomalous" : "normal"));
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

/// 0, 1, or negative for graphs that take no part. Of data without labels every graph counts as
/// normal, for detectors that need no others.
std::vector<std::int8_t> training_labels(const GraphSet& graphs, const Plan& plan) {
  if (graphs.classes().size() == 0 && !graphs.empty() && graphs.nodes() > 0 &&
      plan.recipe().learns_from() == models::LearnsFrom::normal_graphs) {
    std::vector<std::int8_t> all_normal(graphs.size(), 0);
    return all_normal;
  }
  return anomaly_labels(graphs, plan.anomaly_class);
}

/// One run: holds what its steps share.
class Training {
 public:
  Training(const GraphSet& graphs, std::unique_ptr<Plan> plan, const TrainingHooks& hooks)
      : graphs_(graphs), hooks_(hooks), pool_(hooks.threads) {
    result_.detector = std::make_unique<Detector::State>();
    result_.detector->plan = std::move(plan);
  }

  TrainingResult run() {
    const core::Stopwatch watch;
    plan().check_isa();
    // Only the first run of a process can hold oneDNN back; a limit that comes too late is an
    // error.
    if (plan().isa() != nn::best_isa() && !nn::limit_products_to(plan().isa())) {
      throw UsageError("--isa must be the same for all training of a process");
    }
    if (hooks_.checkpoint) {
      // A place that cannot be written is better known before training than after the first epoch.
      const core::AtomicFile probe(*hooks_.checkpoint);
    }
    result_.labels = training_labels(graphs_, plan());
    result_.labelled = graphs_.classes().size() > 0;
    result_.split = the_split();
    const auto counts = count_classes(result_.labels, result_.split.train);
    check_part("training", counts, result_.labelled);
    check_part("validation", count_classes(result_.labels, result_.split.validation),
               result_.labelled);
    detector().class_counts = counts;
    learning_ = result_.split;
    if (plan().recipe().learns_from() == models::LearnsFrom::normal_graphs) {
      std::erase_if(learning_.train, [&](std::uint32_t g) { return result_.labels[g] == 1; });
    }
    augment();
    fit_vocabulary();
    const EncodedSet set = encode(detector(), learning_graphs(), pool_);
    make_members();
    load_checkpoint_of_run();
    const auto features =
        members_.front()->prepare(learning_graphs(), set.views, nn::Mode::training, pool_);
    result_.seconds_prepare = watch.seconds();
    result_.scores.assign(graphs_.size(), 0.0);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      train_member(m, *features);
    }
    finish();
    std::ranges::move(members_, std::back_inserter(detector().members));
    return std::move(result_);
  }

 private:
  Split the_split() {
    if (!hooks_.split) {
      return make_split(graphs_, result_.labels, plan(), pool_);
    }
    Split split = *hooks_.split;
    if (plan().train_graphs > 0) {
      thin_training(split, result_.labels, plan().train_graphs, *plan().split_seed);
    }
    return split;
  }

  Plan& plan() const { return *result_.detector->plan; }
  Detector::State& detector() const { return *result_.detector; }

  /// The data, and the graphs that the detector makes up behind it.
  const GraphSet& learning_graphs() const { return augmented_ ? augmented_->graphs : graphs_; }

  void augment() {
    targets_.reserve(graphs_.size());
    std::ranges::transform(result_.labels, std::back_inserter(targets_),
                           [](std::int8_t label) { return label == 1 ? 1.0F : 0.0F; });
    augmented_ = plan().recipe().augment(graphs_, learning_.train, result_.labels, plan().seed);
    if (!augmented_) {
      return;
    }
    for (const float target : augmented_->targets) {
      learning_.train.push_back(static_cast<std::uint32_t>(targets_.size()));
      targets_.push_back(target);
      ++detector().class_counts[target > 0.5F ? 1 : 0];
    }
  }

  void fit_vocabulary() {
    std::vector<std::uint32_t> chosen = result_.split.train;
    if (plan().recipe().vocabulary_of_all()) {
      chosen.resize(graphs_.size());
      std::iota(chosen.begin(), chosen.end(), 0U);
    }
    for (std::size_t g = graphs_.size(); g < learning_graphs().size(); ++g) {
      chosen.push_back(static_cast<std::uint32_t>(g));
    }
    for (const models::EncoderOptions& options : plan().recipe().encoders()) {
      detector().labels.push_back(
          models::LabelEncoder::fit(learning_graphs(), chosen, options, pool_));
    }
  }

  void make_members() {
    detector().attributes = graphs_.attribute_count();
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      detector().largest_graph =
          std::max<std::size_t>(detector().largest_graph, graphs_[g].nodes());
    }
    detector().mean_nodes = (graphs_.nodes() + graphs_.size() / 2) / graphs_.size();
    const models::ModelInputs inputs{
        .labels = detector().labels,
        .class_counts = detector().class_counts,
        .attributes = models::fit_attribute_scale(graphs_, result_.split.train),
        .largest_graph = detector().largest_graph,
        .mean_nodes = detector().mean_nodes};
    for (int m = 0; m < plan().ensemble; ++m) {
      members_.push_back(plan().recipe().make(inputs));
      members_.back()->initialise(member_seed(static_cast<std::size_t>(m)));
    }
  }

  std::uint64_t member_seed(std::size_t member) const { return plan().seed + member; }

  std::optional<Checkpoint> fitting_checkpoint() const {
    auto found = load_checkpoint(*hooks_.checkpoint, checkpoint_.fingerprint);
    const std::size_t numbers = members_.front()->weights().values().size();
    for (const TrainerState& state : found ? found->members : std::vector<TrainerState>{}) {
      if (found->members.size() > members_.size() || state.parameters.size() != numbers ||
          state.best.size() != numbers || state.adam.mean.size() != numbers ||
          state.adam.square.size() != numbers) {
        throw DataError({hooks_.checkpoint->string(), 0},
                        "the checkpoint is damaged: its tensors do not fit the model");
      }
    }
    return found;
  }

  void load_checkpoint_of_run() {
    data_ = describe_data(graphs_, result_.labels);
    checkpoint_.fingerprint = Json{{"version", kVersion},
                                   {"parameters", plan().values()},
                                   {"data", data_},
                                   {"split", split_hash(result_.split)}}
                                  .dump();
    if (!hooks_.checkpoint || !hooks_.resume) {
      return;
    }
    const auto say = [&](const std::string& text) {
      if (hooks_.say) {
        hooks_.say(text);
      }
    };
    std::optional<Checkpoint> found;
    try {
      found = fitting_checkpoint();
    } catch (const Error& error) {
      if (!hooks_.replace_unfit_checkpoint) {
        throw;
      }
      say(fmt::format("{}; training starts anew", error.what()));
      return;
    }
    if (!found) {
      say(fmt::format("no checkpoint at {}: training starts anew", hooks_.checkpoint->string()));
      return;
    }
    checkpoint_.members = std::move(found->members);
    if (!checkpoint_.members.empty()) {
      say(fmt::format(
          "going on after epoch {}{}", checkpoint_.members.back().epochs_done,
          members_.size() > 1 ? fmt::format(" of model {}", checkpoint_.members.size()) : ""));
    }
  }

  void train_member(std::size_t m, const models::Features& features) {
    auto& model = *members_[m];
    const TrainerOptions options = plan().trainer_options(member_seed(m));
    Trainer trainer(model, features, targets_, learning_, options, pool_, plan().isa());
    const bool resumed = m < checkpoint_.members.size();
    if (resumed) {
      trainer.restore(checkpoint_.members[m]);
      for (const EpochRecord& epoch : trainer.state().history) {
        if (hooks_.restored_epoch) {
          hooks_.restored_epoch(static_cast<int>(m), epoch);
        }
      }
    } else {
      checkpoint_.members.push_back(trainer.state());
    }
    double trained_before = 0;
    const int epochs_before = trainer.state().epochs_done;
    trainer.run([&](const EpochRecord& epoch, const TrainerSeconds& seconds) {
      checkpoint_.members[m] = trainer.state();
      save_checkpoint_sometimes(trainer.finished());
      if (hooks_.after_epoch) {
        hooks_.after_epoch({.member = static_cast<int>(m),
                            .epoch = epoch.epoch,
                            .epochs = options.epochs,
                            .loss = epoch.loss,
                            .validation_auc = epoch.validation.auc,
                            .validation_macro_f1 = epoch.validation.macro_f1,
                            .graphs_per_second = static_cast<double>(learning_.train.size()) /
                                                 std::max(1e-9, seconds.train - trained_before)},
                           epoch.validation);
      }
      trained_before = seconds.train;
      return true;
    });
    result_.epochs_run += trainer.state().epochs_done - epochs_before;
    result_.seconds_train += trainer.seconds().train;
    result_.seconds_evaluate += trainer.seconds().validate;
    result_.histories.push_back(trainer.state().history);
    result_.best_epochs.push_back(trainer.state().best_epoch);
    trainer.use_best();
    const core::Stopwatch watch;
    add_scores(model, features);
    result_.seconds_evaluate += watch.seconds();
  }

  /// After the first epoch, and then so seldom that writing takes a twentieth of the time: an epoch
  /// of a fast run is shorter than that.
  void save_checkpoint_sometimes(bool must) {
    constexpr double kShare = 0.05;
    if (!hooks_.checkpoint || (!must && kShare * since_saved_.seconds() < seconds_to_save_)) {
      return;
    }
    const core::Stopwatch watch;
    save_checkpoint(*hooks_.checkpoint, checkpoint_);
    since_saved_ = {};
    seconds_to_save_ = watch.seconds();
  }

  void add_scores(const models::Model<float>& model, const models::Features& features) {
    std::vector<std::uint32_t> all(graphs_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<double> scores(graphs_.size());
    Scorer(pool_, plan().isa()).score(model, features, all, scores);
    const auto members = static_cast<double>(members_.size());
    for (std::size_t g = 0; g < scores.size(); ++g) {
      result_.scores[g] += scores[g] / members;
    }
  }

  void finish() {
    const core::Stopwatch watch;
    std::vector<std::int8_t> labels;
    std::vector<double> scores;
    const Scored validation = result_.part(result_.split.validation, labels, scores);
    detector().threshold = result_.labelled ? best_threshold(validation).value
                                            : quantile(validation.scores, 1 - plan().contamination);
    detector().calibration =
        fit_calibration(validation, members_.front()->scores_are_probabilities());
    detector().calibration.exists = result_.labelled;
    const bool probabilities = members_.front()->scores_are_probabilities();
    const auto measure = [&](const std::vector<std::uint32_t>& part) {
      Evaluation evaluation =
          evaluate(result_.part(part, labels, scores), detector().threshold, probabilities);
      if (!result_.labelled) {
        evaluation.macro_f1_tuned = std::numeric_limits<double>::quiet_NaN();
      }
      return evaluation;
    };
    result_.validation = measure(result_.split.validation);
    result_.test = measure(result_.split.test);
    result_.train_graphs_per_second = static_cast<double>(learning_.train.size()) *
                                      result_.epochs_run / std::max(1e-9, result_.seconds_train);
    Json members = Json::array();
    for (std::size_t m = 0; m < result_.histories.size(); ++m) {
      members.push_back({{"seed", member_seed(m)},
                         {"epochs", result_.histories[m].size()},
                         {"best_epoch", result_.best_epochs[m]}});
    }
    detector().record = {{"data", data_},
                         {"anomaly_class", anomaly_word()},
                         {"split",
                          {{"train", part_json(result_.labels, result_.split.train)},
                           {"validation", part_json(result_.labels, result_.split.validation)},
                           {"test", part_json(result_.labels, result_.split.test)},
                           {"seed", *plan().split_seed},
                           {"hash", split_hash(result_.split)}}},
                         {"members", members},
                         {"validation", to_json(result_.validation)},
                         {"test", to_json(result_.test)}};
    result_.seconds_evaluate += watch.seconds();
  }

  /// null for data without labels.
  Json anomaly_word() const {
    const auto chosen = anomaly_class(graphs_, plan().anomaly_class);
    return chosen ? Json(graphs_.classes()[*chosen]) : Json();
  }

  const GraphSet& graphs_;
  const TrainingHooks& hooks_;
  core::ThreadPool pool_;
  TrainingResult result_;
  Split learning_;  ///< the split with the training graphs that the detector learns from
  std::optional<models::Augmented> augmented_;
  std::vector<float> targets_;  ///< of learning_graphs(); 0 where there is no label
  std::vector<std::unique_ptr<models::Model<float>>> members_;  ///< the detector's, in training
  Json data_;
  Checkpoint checkpoint_;
  core::Stopwatch since_saved_;
  double seconds_to_save_ = 0;
};

}  // namespace

Scored TrainingResult::part(const std::vector<std::uint32_t>& graphs,
                            std::vector<std::int8_t>& labels_of_part,
                            std::vector<double>& scores_of_part) const {
  labels_of_part.clear();
  scores_of_part.clear();
  for (const std::uint32_t g : graphs) {
    labels_of_part.push_back(labels[g]);
    scores_of_part.push_back(scores[g]);
  }
  return {labels_of_part, scores_of_part};
}

std::string split_hash(const Split& split) {
  std::uint64_t hash = 0;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    hash = hash_array(hash, std::span<const std::uint32_t>(*part));
  }
  return fmt::format("{:016x}", hash);
}

std::vector<std::int8_t> class_labels(const GraphSet& graphs,
                                      const std::optional<std::string>& wish) {
  if (graphs.classes().size() == 0) {
    throw UsageError("the data has no graph labels");
  }
  const auto anomalous = anomaly_class(graphs, wish);
  std::vector<std::int8_t> labels;
  labels.reserve(graphs.size());
  for (const std::int32_t cls : graphs.graph_class()) {
    const bool yes = cls == static_cast<std::int32_t>(*anomalous);
    labels.push_back(static_cast<std::int8_t>(cls == kNoClass ? -1 : (yes ? 1 : 0)));
  }
  return labels;
}

std::vector<std::int8_t> anomaly_labels(const GraphSet& graphs,
                                        const std::optional<std::string>& wish) {
  if (graphs.empty() || graphs.nodes() == 0) {
    throw UsageError("the data has no graph with a node: there is nothing to learn from");
  }
  if (graphs.classes().size() == 0) {
    throw UsageError("the data has no graph labels: this model learns from labelled graphs");
  }
  auto labels = class_labels(graphs, wish);
  const auto normal = std::ranges::count(labels, std::int8_t{0});
  const auto anomalous = std::ranges::count(labels, std::int8_t{1});
  if (normal < 2 || anomalous < 2) {
    throw UsageError(fmt::format(
        "the data has {} and {}: at least two of each are needed to train and to validate",
        core::counted(static_cast<std::uint64_t>(normal), "normal graph"),
        core::counted(static_cast<std::uint64_t>(anomalous), "anomalous graph")));
  }
  return labels;
}

Split make_split(const GraphSet& graphs, std::span<const std::int8_t> labels, const Plan& plan,
                 core::ThreadPool& pool) {
  Split split;
  if (!plan.split_files.empty()) {
    split =
        read_split({plan.split_files[0], plan.split_files[1], plan.split_files[2]}, graphs.size());
    for (auto* part : {&split.train, &split.validation, &split.test}) {
      std::erase_if(*part, [&](std::uint32_t g) { return labels[g] < 0; });
    }
  } else if (const SplitRule rule = parse_split(plan.split); rule.by_scaffold) {
    if (graphs.scaffold().size() != graphs.size()) {
      throw UsageError(
          "--split scaffold: these graphs have no scaffolds, only molecules have (.smi, .csv, .tsv "
          "or .sdf)");
    }
    split = scaffold_split(labels, rule.shares, graphs.scaffold());
  } else {
    const auto groups = plan.split_group == SplitGroup::duplicates ? graph::wl_hashes(graphs, pool)
                                                                   : std::vector<std::uint64_t>{};
    split = stratified_split(labels, rule.shares, *plan.split_seed, groups);
  }
  if (plan.train_graphs > 0) {
    thin_training(split, labels, plan.train_graphs, *plan.split_seed);
  }
  return split;
}

Json describe_data(const GraphSet& graphs, std::span<const std::int8_t> labels) {
  // The name may come from a file, and names of files need not be text.
  constexpr std::size_t kLongestName = 255;
  return {{"name", core::printable(graphs.name(), kLongestName)},
          {"graphs", graphs.size()},
          {"anomalous", std::ranges::count(labels, std::int8_t{1})},
          {"nodes", graphs.nodes()},
          {"edges", graphs.directed_edges() / 2},
          {"labels", graphs.node_labels().size()},
          {"hash", fmt::format("{:016x}", hash_graphs(graphs, labels))}};
}

TrainingResult train(const GraphSet& graphs, std::unique_ptr<Plan> plan,
                     const TrainingHooks& hooks) {
  return Training(graphs, std::move(plan), hooks).run();
}

}  // namespace rayleigh::learn
