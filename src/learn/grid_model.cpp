#include "learn/grid_model.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::learn {
namespace {

/// What all rows of a grid must share to be comparable, and what the cells set.
constexpr std::array<std::string_view, 6> kOfTheGrid{"model",      "seed",        "split",
                                                     "split-seed", "split-files", "anomaly-class"};

std::vector<std::string_view> cut(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void check_name(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& recipe : models::all_recipes()) {
    names.push_back(recipe->name());
  }
  if (std::ranges::find(names, name) == names.end()) {
    throw UsageError(fmt::format("model '{}' is unknown, expected one of {}{}",
                                 core::printable(name), fmt::join(names, ", "),
                                 core::did_you_mean(name, names)));
  }
}

/// "rqgnn published", "chebynet loss=cb-focal".
std::string title_of(const std::string& model, const std::vector<Setting>& settings) {
  std::string title = model;
  for (const auto& [key, value] : settings) {
    if (key == "profile") {
      title += " " + value;
    } else if (value == "true") {
      title += " " + key;
    } else {
      title += fmt::format(" {}={}", key, core::printable(value));
    }
  }
  return title;
}

bool has(const std::vector<Setting>& settings, std::string_view key) {
  return std::ranges::find(settings, key, &Setting::first) != settings.end();
}

void assign(core::ParameterSet& parameters, const std::string& model, const Setting& setting) {
  const auto& [key, value] = setting;
  core::Parameter* parameter = parameters.find(key);
  if (parameter == nullptr) {
    throw UsageError(fmt::format(
        "model {}: '{}' is not a parameter{} (rayleigh models {} lists "
        "them)",
        model, core::printable(key), core::did_you_mean(key, parameters.names()), model));
  }
  core::ParameterSet::assign(*parameter, std::string_view(value),
                             fmt::format("model {}: {}", model, key));
}

}  // namespace

GridModel parse_grid_model(std::string_view entry) {
  const auto parts = cut(entry, ':');
  check_name(parts[0]);
  GridModel model{.title = "", .model = std::string(parts[0]), .settings = {}};
  Plan plan(model.model);
  core::ParameterSet parameters;
  plan.declare(parameters);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    const std::string key(parts[i].substr(0, equals));
    const core::Parameter* parameter = parameters.find(key);
    if (std::ranges::find(kOfTheGrid, key) != kOfTheGrid.end()) {
      throw UsageError(fmt::format(
          "model {}: {} is the same for all models and cannot be set for one", model.model, key));
    }
    if (equals == std::string_view::npos && parameter != nullptr && !parameter->is_switch) {
      throw UsageError(fmt::format("model {}: {} needs a value: {}={}", model.model, key, key,
                                   parameter->placeholder));
    }
    if (has(model.settings, key) && parameter != nullptr && !parameter->is_list) {
      throw UsageError(fmt::format("model {}: {} is given twice", model.model, key));
    }
    model.settings.emplace_back(
        key, equals == std::string_view::npos ? "true" : std::string(parts[i].substr(equals + 1)));
    assign(parameters, model.model, model.settings.back());
  }
  plan.settle(parameters);
  plan.check_isa();
  model.title = title_of(model.model, model.settings);
  return model;
}

std::vector<GridModel> all_grid_models() {
  std::vector<GridModel> models;
  for (const auto& recipe : models::all_recipes()) {
    if (recipe->name() == "rqgnn") {
      models.push_back(parse_grid_model("rqgnn:profile=published"));
      models.push_back(parse_grid_model("rqgnn:profile=rayleigh"));
    } else {
      models.push_back(parse_grid_model(recipe->name()));
    }
  }
  return models;
}

std::size_t grant(GridModel& model, const GridWish& wish) {
  const auto plan = make_plan(model, 1);
  const models::Budget budget = plan->recipe().budget();
  const auto give = [&](const char* key, const std::optional<std::uint64_t>& wished,
                        std::uint64_t own, std::uint64_t most) {
    if (wished) {
      model.granted.emplace_back(key, std::to_string(*wished));
    } else if (!wish.full && most > 0 && (own == 0 || own > most)) {
      model.granted.emplace_back(key, std::to_string(most));
    }
  };
  // Yardsticks do not learn in epochs.
  give("epochs", plan->recipe().is_yardstick() ? std::nullopt : wish.epochs,
       static_cast<std::uint64_t>(plan->recipe().defaults().epochs),
       static_cast<std::uint64_t>(budget.epochs));
  give("train-graphs", wish.train_graphs, 0, budget.train_graphs);
  if (wish.split) {
    model.granted.emplace_back("split", *wish.split);
  }
  static_cast<void>(make_plan(model, 1));  // what was wished may be out of range
  return wish.full || budget.seeds == 0 ? wish.seeds : std::min(wish.seeds, budget.seeds);
}

std::unique_ptr<Plan> make_plan(const GridModel& model, std::uint64_t seed,
                                const std::optional<std::string>& anomaly_class) {
  check_name(model.model);
  auto plan = std::make_unique<Plan>(model.model);
  core::ParameterSet parameters;
  plan->declare(parameters);
  for (const Setting& setting : model.settings) {
    assign(parameters, model.model, setting);
  }
  for (const Setting& setting : model.granted) {
    if (!has(model.settings, setting.first)) {
      assign(parameters, model.model, setting);
    }
  }
  assign(parameters, model.model, {"seed", std::to_string(seed)});
  if (anomaly_class) {
    assign(parameters, model.model, {"anomaly-class", *anomaly_class});
  }
  plan->settle(parameters);
  return plan;
}

}  // namespace rayleigh::learn
