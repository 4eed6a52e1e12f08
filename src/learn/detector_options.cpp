#include "rayleigh/detector_options.h"

#include <nlohmann/json.hpp>

#include "learn/plan.h"

namespace rayleigh {

DetectorOptions::DetectorOptions(std::string_view detector)
    : plan_(std::make_unique<learn::Plan>(detector)) {}
DetectorOptions::DetectorOptions(std::unique_ptr<learn::Plan> plan) : plan_(std::move(plan)) {}
DetectorOptions::DetectorOptions(const DetectorOptions& other) : plan_(other.plan_->clone()) {}
DetectorOptions& DetectorOptions::operator=(const DetectorOptions& other) {
  if (this != &other) {
    plan_ = other.plan_->clone();
  }
  return *this;
}
DetectorOptions::DetectorOptions(DetectorOptions&&) noexcept = default;
DetectorOptions& DetectorOptions::operator=(DetectorOptions&&) noexcept = default;
DetectorOptions::~DetectorOptions() = default;

DetectorOptions& DetectorOptions::set(std::string_view option, const OptionValue& value) {
  core::OptionSet::assign(plan_->options().at(option), value);
  return *this;
}

DetectorOptions& DetectorOptions::set_split(const SplitRequest& split) {
  plan_->set_split(split);
  return *this;
}

DetectorOptions DetectorOptions::with_detector(std::string_view detector) const {
  auto plan = std::make_unique<learn::Plan>(detector);
  plan_->options().copy_given_to(plan->options());
  return DetectorOptions(std::move(plan));
}

std::string DetectorOptions::detector() const { return plan_->recipe().name(); }
std::string DetectorOptions::title() const { return plan_->recipe().title(); }
std::string DetectorOptions::profile() const { return plan_->recipe().variant(); }

std::vector<OptionInfo> DetectorOptions::all() const {
  std::vector<OptionInfo> infos;
  for (const core::Option& option : plan_->options().all()) {
    infos.push_back(option.info);
  }
  return infos;
}

bool DetectorOptions::given(std::string_view option) const {
  return plan_->options().at(option).given;
}

std::string DetectorOptions::value(std::string_view option) const {
  return plan_->options().at(option).value().dump();
}

std::string DetectorOptions::json() const { return plan_->options().values().dump(); }
SplitRequest DetectorOptions::split() const { return plan_->split(); }

void DetectorOptions::check() const {
  plan_->check();
  plan_->check_isa();
}

namespace {

std::vector<std::string> comparison_rows(const models::Recipe& recipe) {
  std::vector<std::string> rows;
  for (const std::string& settings : recipe.rows_in_comparison()) {
    rows.push_back(recipe.name() + (settings.empty() ? "" : ":" + settings));
  }
  return rows;
}

DetectorInfo info_of(const models::Recipe& recipe) {
  const models::Budget budget = recipe.budget();
  return {.name = recipe.name(),
          .summary = recipe.summary(),
          .supervised = recipe.learns_from() == models::LearnsFrom::both_classes,
          .yardstick = recipe.is_yardstick(),
          .needs_fingerprints = recipe.needs_fingerprints(),
          .budget = {.epochs = static_cast<std::uint64_t>(budget.epochs),
                     .seeds = budget.seeds,
                     .train_graphs = budget.train_graphs},
          .comparison_rows = comparison_rows(recipe)};
}

}  // namespace

std::vector<DetectorInfo> detectors() {
  std::vector<DetectorInfo> infos;
  for (const auto& recipe : models::all_recipes()) {
    infos.push_back(info_of(*recipe));
  }
  return infos;
}

DetectorInfo detector_info(std::string_view name) { return info_of(*models::make_recipe(name)); }

}  // namespace rayleigh
