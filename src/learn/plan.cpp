#include "learn/plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::learn {

Plan::Plan(const std::string& model) : model_(model), recipe_(models::make_recipe(model)) {}

void Plan::declare(core::ParameterSet& p) {
  p.add("model", model_, "NAME", "detector; `rayleigh models` lists them");
  recipe_->declare(p);
  const models::TrainingDefaults defaults = recipe_->defaults();
  epochs_ = defaults.epochs;
  batch_size_ = defaults.batch_size;
  rate_ = defaults.rate;
  l2_ = defaults.l2;
  clip_ = defaults.clip;
  patience_ = defaults.patience;
  select_ = defaults.select;
  p.add("epochs", epochs_, "passes over the training graphs", {1, 1'000'000});
  p.add("batch-size", batch_size_, "graphs of a step", {1, 1'000'000});
  p.add("lr", rate_, "learning rate of Adam", {0, 10});
  p.add("l2", l2_, "L2 penalty", {0, 10});
  p.add("clip", clip_, "largest norm of the gradient; 0 = any", {0, 1e9});
  p.add("patience", patience_, "epochs without improvement before it stops; 0 = never",
        {0, 1'000'000});
  p.add("select", select_, "validation metric that chooses the epoch",
        {{"macro-f1", Select::macro_f1},
         {"auc", Select::auc},
         {"average-precision", Select::average_precision},
         {"normal-score", Select::normal_score}});
  p.add("seed", seed, "seed of weights, order, dropout, and of the split");
  p.add("split", split, "TRAIN/VAL/TEST",
        "percentages, cut per class; or scaffold, or scaffold/80/10/10: molecules of one scaffold "
        "stay in one part");
  p.add("split-seed", split_seed, "another seed for the split");
  p.add("split-files", split_files, "FILE",
        "three files with 0-based graph numbers: training, validation, test")
      .without_effect();
  p.add("split-group", split_group, "duplicates: isomorphic graphs stay in one part",
        {{"none", SplitGroup::none}, {"duplicates", SplitGroup::duplicates}});
  p.add("train-graphs", train_graphs,
        "at most so many graphs of the training part, drawn per class; 0 = all",
        {0, 1'000'000'000});
  p.add("ensemble", ensemble, "models with seeds N, N+1, … in one file; scores are their mean",
        {1, 1000});
  p.add("contamination", contamination,
        "of data without labels: share of graphs that count as anomalous", {0.0001, 0.5});
  p.add("anomaly-class", anomaly_class, "LABEL",
        "class that counts as anomalous; the rarer of two when not given");
  p.add("isa", isa_, "auto|baseline|avx2|avx512",
        "instruction set; results differ in the last bits between them");
}

void Plan::settle(core::ParameterSet& parameters) {
  const models::TrainingDefaults defaults = recipe_->defaults();
  const auto settle_one = [&](const char* name, auto& target, auto value) {
    if (!parameters.find(name)->given) {
      target = value;
    }
  };
  settle_one("epochs", epochs_, defaults.epochs);
  settle_one("batch-size", batch_size_, defaults.batch_size);
  settle_one("lr", rate_, defaults.rate);
  settle_one("l2", l2_, defaults.l2);
  settle_one("clip", clip_, defaults.clip);
  settle_one("patience", patience_, defaults.patience);
  settle_one("select", select_, defaults.select);
  if (!split_seed) {
    split_seed = seed;
  }
  if (isa_ == "auto") {
    isa_ = isa_name(nn::best_isa());
  }
  if (parse_split(split).by_scaffold && split_group != SplitGroup::none) {
    throw UsageError("--split scaffold and --split-group cannot both be given");
  }
  if (!split_files.empty() && split_files.size() != 3) {
    throw UsageError("--split-files: expected three files: training, validation, test");
  }
  if (!split_files.empty() && parameters.find("split")->given) {
    throw UsageError("--split and --split-files cannot both be given");
  }
  values_ = parameters.values();
}

bool Plan::needs_scaffolds() const { return split_files.empty() && parse_split(split).by_scaffold; }

nn::Isa Plan::isa() const {
  return std::min(nn::isa_by_name(isa_).value_or(nn::best_isa()), nn::best_isa());
}

void Plan::check_isa() const {
  const auto isa = nn::isa_by_name(isa_);
  if (!isa) {
    throw UsageError(
        fmt::format("--isa: '{}' is not valid, expected auto, baseline, avx2 or avx512",
                    core::printable(isa_)));
  }
  if (*isa > nn::best_isa()) {
    throw UsageError(fmt::format("--isa: this machine has no {}, the best it has is {}", isa_,
                                 isa_name(nn::best_isa())));
  }
}

TrainerOptions Plan::trainer_options(std::uint64_t member_seed) const {
  return {.epochs = epochs_,
          .batch_size = static_cast<std::size_t>(batch_size_),
          .adam = {.rate = rate_, .l2 = l2_, .clip_norm = clip_},
          .patience = patience_,
          .select = select_,
          .seed = member_seed,
          .rate_factor = [this](const models::TrainingMoment& moment) {
            return recipe_->rate_factor(moment);
          }};
}

}  // namespace rayleigh::learn
