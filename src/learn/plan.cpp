#include "learn/plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::learn {

namespace {

/// Asks the recipe when it is needed: defaults may depend on the detector's other options.
template <auto Member>
auto own_default(const std::unique_ptr<models::Recipe>& recipe) {
  using Value = std::decay_t<decltype(models::TrainingDefaults{}.*Member)>;
  return std::function<Value()>([&recipe] { return recipe->defaults().*Member; });
}

/// Files of models made without the option keep their bytes: it is recorded only where it is given.
void record_where_given(core::OptionSet& options, const std::string& name) {
  core::Option& option = options.at(name);
  option.effect = core::Effect::none;
  option.assign = [&options, name, assign = option.assign](std::string_view text) {
    assign(text);
    options.at(name).effect = core::Effect::changes_result;
  };
}

}  // namespace

Plan::Plan(std::string_view detector)
    : model_(detector),
      recipe_(models::make_recipe(detector)),
      epochs_(own_default<&models::TrainingDefaults::epochs>(recipe_)),
      batch_size_(own_default<&models::TrainingDefaults::batch_size>(recipe_)),
      rate_(own_default<&models::TrainingDefaults::rate>(recipe_)),
      l2_(own_default<&models::TrainingDefaults::l2>(recipe_)),
      clip_(own_default<&models::TrainingDefaults::clip>(recipe_)),
      patience_(own_default<&models::TrainingDefaults::patience>(recipe_)),
      select_(own_default<&models::TrainingDefaults::select>(recipe_)) {
  declare();
}

std::unique_ptr<Plan> Plan::clone() const {
  auto copy = std::make_unique<Plan>(model_);
  options_.copy_given_to(copy->options_);
  return copy;
}

void Plan::declare() {
  core::OptionSet& o = options_;
  o.add_parsed(
      "model", "NAME", "detector; `rayleigh models` lists them", model_,
      [this](std::string_view text) {
        if (text != model_) {
          throw fmt::format("{}: the detector is chosen before its options", model_);
        }
      },
      [this] { return nlohmann::ordered_json(model_); });
  recipe_->declare(o);
  o.add("epochs", epochs_, "passes over the training graphs", {1, 1'000'000});
  o.add("batch-size", batch_size_, "graphs per step", {1, 1'000'000});
  o.add("lr", rate_, "learning rate of Adam", {0, 10});
  o.add("l2", l2_, "L2 penalty", {0, 10});
  o.add("clip", clip_, "largest norm of the gradient; 0 = any", {0, 1e9});
  o.add("patience", patience_, "epochs without improvement before it stops; 0 = never",
        {0, 1'000'000});
  o.add("select", select_, "validation metric that chooses the epoch",
        {{"macro-f1", Select::macro_f1},
         {"auc", Select::auc},
         {"average-precision", Select::average_precision},
         {"normal-score", Select::normal_score},
         {"log-loss", Select::log_loss}});
  o.add("seed", seed_, "seed of weights, order, dropout, and of the split");
  o.add_parsed(
      "split", "TRAIN/VAL/TEST",
      "percentages, cut per class; or scaffold, or scaffold/80/10/10: molecules of one scaffold "
      "stay in one part",
      to_text(split_), [this](std::string_view text) { split_ = parse_split(text); },
      [this] { return nlohmann::ordered_json(to_text(split_)); });
  o.add("split-seed", split_seed_, "another seed for the split").value = [this] {
    return nlohmann::ordered_json(split_seed());
  };
  o.add("split-group", split_group_, "duplicates: isomorphic graphs stay in one part",
        {{"none", SplitGroup::none}, {"duplicates", SplitGroup::duplicates}});
  o.add("train-graphs", train_graphs_,
        "at most this many graphs of the training part, drawn per class; 0 = all",
        {0, 1'000'000'000});
  o.add("ensemble", ensemble_, "models with seeds N, N+1, … in one file; scores are their mean",
        {1, 1000});
  o.add("contamination", contamination_,
        "of data without labels: share of graphs that count as anomalous", {0.0001, 0.5});
  o.add("anomaly-class", anomaly_class_, "LABEL",
        "class that counts as anomalous; the rarer of two when not given");
  o.add("false-alarms", false_alarms_,
        "share of normal graphs that may be called anomalous; a calibration part of the training "
        "graphs keeps the promise; 0.01 for data without labels",
        {0.0001, 0.5})
      .instead_of("contamination");
  o.add("unlabelled", unlabelled_, "ignore the labels of graphs: all count as normal")
      .instead_of("anomaly-class")
      .instead_of("normal-class");
  o.add("normal-class", normal_class_, "LABEL",
        "learn from the graphs of this class alone, as normal ones; the others take no part")
      .instead_of("anomaly-class");
  for (const char* name : {"false-alarms", "unlabelled", "normal-class"}) {
    record_where_given(o, name);
  }
  // What a model was trained with is recorded, not that the machine chose it.
  o.add("isa", isa_, "instruction set; results differ in the last bits between them",
        {{"auto", IsaChoice::automatic},
         {"baseline", IsaChoice::baseline},
         {"avx2", IsaChoice::avx2},
         {"avx512", IsaChoice::avx512}})
      .value = [this] { return nlohmann::ordered_json(isa_name(wanted_isa())); };
}

void Plan::set_split(const SplitRequest& request) {
  const auto set = [&](const SplitRule& rule, const std::optional<std::uint64_t>& seed,
                       const char* group) {
    core::OptionSet::assign(options_.at("split"), OptionValue(to_text(rule)));
    core::OptionSet::assign(options_.at("split-group"), OptionValue(group));
    if (seed) {
      core::OptionSet::assign(options_.at("split-seed"), OptionValue(*seed));
    }
  };
  if (const auto* plain = std::get_if<StratifiedSplit>(&request)) {
    set({.shares = plain->shares}, plain->seed, "none");
  } else if (const auto* scaffold = std::get_if<ScaffoldSplit>(&request)) {
    set({.shares = scaffold->shares, .by_scaffold = true}, std::nullopt, "none");
  } else if (const auto* grouped = std::get_if<GroupedSplit>(&request)) {
    set({.shares = grouped->shares}, grouped->seed,
        grouped->groups.empty() ? "duplicates" : "none");
  } else if (const auto* fold = std::get_if<FoldSplit>(&request)) {
    std::visit([this](const auto& rule) { set_split(rule); }, fold->rule);
  }
}

SplitRequest Plan::split() const {
  if (split_.by_scaffold) {
    return ScaffoldSplit{.shares = split_.shares};
  }
  if (split_group_ == SplitGroup::duplicates) {
    return GroupedSplit{.shares = split_.shares, .seed = split_seed()};
  }
  return StratifiedSplit{.shares = split_.shares, .seed = split_seed()};
}

void Plan::check() const {
  options_.check();
  if (split_.by_scaffold && split_group_ != SplitGroup::none) {
    throw UsageError("split-group", "`split` scaffold and `split-group` cannot both be given");
  }
}

std::optional<double> Plan::false_alarms(bool labelled) const {
  constexpr double kUsual = 0.01;
  const core::Option& contamination = options_.at("contamination");
  if (false_alarms_ || labelled || (contamination.given && !contamination.recorded)) {
    return false_alarms_;
  }
  return kUsual;
}

core::Isa Plan::wanted_isa() const {
  switch (isa_) {
    case IsaChoice::baseline:
      return core::Isa::baseline;
    case IsaChoice::avx2:
      return core::Isa::avx2;
    case IsaChoice::avx512:
      return core::Isa::avx512;
    case IsaChoice::automatic:
      break;
  }
  return core::best_isa();
}

core::Isa Plan::isa() const { return std::min(wanted_isa(), core::best_isa()); }

void Plan::check_isa() const {
  if (wanted_isa() > core::best_isa()) {
    throw UsageError("isa", fmt::format("this machine has no {}, the best it has is {}",
                                        isa_name(wanted_isa()), isa_name(core::best_isa())));
  }
}

TrainerOptions Plan::trainer_options(std::uint64_t member_seed, std::size_t part) const {
  if (part > 0) {
    const models::TrainingDefaults own = recipe_->parts()[part].training;
    return {.epochs = own.epochs,
            .batch_size = static_cast<std::size_t>(own.batch_size),
            .adam = {.rate = own.rate, .l2 = own.l2, .clip_norm = own.clip},
            .patience = own.patience,
            .select = own.select,
            .seed = member_seed};
  }
  return {.epochs = epochs_(),
          .batch_size = static_cast<std::size_t>(batch_size_()),
          .adam = {.rate = rate_(), .l2 = l2_(), .clip_norm = clip_()},
          .patience = patience_(),
          .select = select_(),
          .seed = member_seed,
          .rate_factor = [this](const models::TrainingMoment& moment) {
            return recipe_->rate_factor(moment);
          }};
}

}  // namespace rayleigh::learn
