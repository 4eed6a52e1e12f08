#include "compare/grid_model.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rayleigh/error.h"

#include "core/text.h"

namespace rayleigh::compare {
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

void assign(DetectorOptions& options, const Setting& setting) {
  const auto& [key, value] = setting;
  const std::string model = options.detector();
  const auto infos = options.all();
  if (std::ranges::find(infos, key, &OptionInfo::name) == infos.end()) {
    std::vector<std::string> names;
    std::ranges::transform(infos, std::back_inserter(names), &OptionInfo::name);
    throw UsageError(
        fmt::format("model {}: '{}' is not an option{} (rayleigh models {} lists them)", model,
                    core::printable(key), core::did_you_mean(key, names), model));
  }
  try {
    options.set(key, value);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("model {}: {}", model, error.what()));
  }
}

}  // namespace

GridModel parse_grid_model(std::string_view entry) {
  const auto parts = cut(entry, ':');
  GridModel model{.title = "", .model = detector_info(parts[0]).name, .settings = {}};
  DetectorOptions options(model.model);
  const auto infos = options.all();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    const std::string key(parts[i].substr(0, equals));
    if (std::ranges::find(kOfTheGrid, key) != kOfTheGrid.end()) {
      throw UsageError(fmt::format(
          "model {}: {} is the same for all models and cannot be set for one", model.model, key));
    }
    const auto info = std::ranges::find(infos, key, &OptionInfo::name);
    if (equals == std::string_view::npos && info != infos.end() &&
        info->kind != OptionKind::toggle) {
      throw UsageError(fmt::format("model {}: {} needs a value: {}={}", model.model, key, key,
                                   info->placeholder));
    }
    if (has(model.settings, key)) {
      throw UsageError(fmt::format("model {}: {} is given twice", model.model, key));
    }
    model.settings.emplace_back(
        key, equals == std::string_view::npos ? "true" : std::string(parts[i].substr(equals + 1)));
    assign(options, model.settings.back());
  }
  options.check();
  model.title = title_of(model.model, model.settings);
  return model;
}

std::vector<GridModel> all_grid_models() {
  std::vector<GridModel> models;
  for (const DetectorInfo& detector : detectors()) {
    for (const std::string& row : detector.comparison_rows) {
      models.push_back(parse_grid_model(row));
    }
  }
  return models;
}

std::size_t grant(GridModel& model, const GridOptions& options) {
  const DetectorInfo detector = detector_info(model.model);
  const ComparisonBudget& budget = detector.budget;
  const auto give = [&](const char* key, const std::optional<std::uint64_t>& wished,
                        std::uint64_t own, std::uint64_t most) {
    if (wished) {
      model.granted.emplace_back(key, std::to_string(*wished));
    } else if (!options.full && most > 0 && (own == 0 || own > most)) {
      model.granted.emplace_back(key, std::to_string(most));
    }
  };
  const auto own_epochs = std::stoull(make_options(model, 1).value("epochs"));
  // Yardsticks do not learn in epochs.
  give("epochs", detector.yardstick ? std::nullopt : options.epochs, own_epochs, budget.epochs);
  give("train-graphs", options.train_graphs, 0, budget.train_graphs);
  if (options.split) {
    model.granted.emplace_back("split", *options.split);
  }
  static_cast<void>(make_options(model, 1));  // what was granted may be out of range
  return options.full || budget.seeds == 0 ? options.seeds : std::min(options.seeds, budget.seeds);
}

DetectorOptions make_options(const GridModel& model, std::uint64_t seed,
                             const std::optional<std::string>& anomaly_class) {
  DetectorOptions options(model.model);
  for (const Setting& setting : model.settings) {
    assign(options, setting);
  }
  for (const Setting& setting : model.granted) {
    if (!has(model.settings, setting.first)) {
      assign(options, setting);
    }
  }
  options.set("seed", seed);
  if (anomaly_class) {
    options.set("anomaly-class", *anomaly_class);
  }
  return options;
}

}  // namespace rayleigh::compare
