#include "compare/cell_result.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "rayleigh/error.h"

#include "core/text.h"
#include "core/thread_pool.h"

namespace rayleigh::compare {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double number_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? kNone : value.get<double>();
}

/// Shares of `total` as counts, which are short and exact.
Json counts(std::span<const double> shares, std::uint64_t total) {
  Json list = Json::array();
  for (const double share : shares) {
    list.push_back(std::llround(share * static_cast<double>(total)));
  }
  return list;
}

std::vector<double> shares(const Json& counts, std::uint64_t total) {
  std::vector<double> list;
  for (const Json& count : counts) {
    list.push_back(count.get<double>() / static_cast<double>(total));
  }
  return list;
}

/// Normal graphs called anomalous, and anomalous ones found, of the test part.
Json roc_json(const CellResult& r) {
  return {{"false_alarms", counts(r.roc.x, r.test.graphs - r.test.anomalous)},
          {"found", counts(r.roc.y, r.test.anomalous)}};
}

Curve parse_roc(const Json& json, const Metrics& test) {
  Curve curve{shares(json.at("false_alarms"), test.graphs - test.anomalous),
              shares(json.at("found"), test.anomalous)};
  if (curve.x.size() != curve.y.size()) {
    throw std::string("the curve has more x than y");
  }
  return curve;
}

bool has_structure_inside(const Json& json) {
  return std::ranges::any_of(json, [](const Json& item) { return item.is_structured(); });
}

/// `levels` levels of items have lines of their own.
void write_lines(std::string& text, const Json& json, int levels, std::size_t indent) {
  if (levels == 0 || !json.is_structured() || !has_structure_inside(json)) {
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  text += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    text += separator + std::string(indent + 1, ' ');
    if (json.is_object()) {
      text += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    }
    write_lines(text, value, levels - 1, indent + 1);
    separator = ",\n";
  }
  text += "\n" + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

Json to_json(const CellResult& r) {
  Json json = {{"version", r.version},
               {"status", r.failed() ? "failed" : "done"},
               {"data", r.description},
               {"data_title", r.data_title},
               {"model", {{"name", r.detector}, {"title", r.model_title}}},
               {"seed", r.seed},
               {"settings", r.settings}};
  if (r.failed()) {
    json["reason"] = r.reason;
    return json;
  }
  json["split"] = r.split;
  json["epochs_run"] = r.epochs_run;
  json["best_epoch"] = r.best_epoch;
  json["continued"] = r.continued;
  json["seconds"] = {{"prepare", number(r.seconds_prepare)},
                     {"train", number(r.seconds_train)},
                     {"evaluate", number(r.seconds_evaluate)}};
  json["train_graphs_per_second"] = number(r.train_graphs_per_second);
  json["validation"] = Json::parse(rayleigh::to_json(r.validation));
  json["test"] = Json::parse(rayleigh::to_json(r.test));
  json["machine"] = r.machine;
  json["roc"] = roc_json(r);
  if (r.ranks) {
    json["test_ranks"] = to_json(*r.ranks);
  }
  return json;
}

std::string to_text(const Json& json) {
  constexpr int kLevels = 3;
  std::string text;
  write_lines(text, json, kLevels, 0);
  return text + "\n";
}

CellResult parse_cell_result(const Json& json) {
  try {
    CellResult r;
    r.version = json.at("version").get<std::string>();
    r.description = json.at("data");
    r.data_title = json.at("data_title").get<std::string>();
    r.detector = json.at("model").at("name").get<std::string>();
    r.model_title = json.at("model").at("title").get<std::string>();
    r.seed = json.at("seed").get<std::uint64_t>();
    r.settings = json.at("settings");
    if (json.at("status") != "done") {
      r.reason = json.at("reason").get<std::string>();
      return r;
    }
    r.split = json.at("split");
    r.epochs_run = json.at("epochs_run").get<std::size_t>();
    r.best_epoch = json.at("best_epoch").get<int>();
    r.continued = json.at("continued").get<bool>();
    r.seconds_prepare = number_at(json.at("seconds"), "prepare");
    r.seconds_train = number_at(json.at("seconds"), "train");
    r.seconds_evaluate = number_at(json.at("seconds"), "evaluate");
    r.train_graphs_per_second = number_at(json, "train_graphs_per_second");
    r.validation = metrics_from_json(json.at("validation").dump());
    r.test = metrics_from_json(json.at("test").dump());
    r.machine = json.at("machine");
    r.roc = parse_roc(json.at("roc"), r.test);
    if (json.contains("test_ranks")) {
      r.ranks = parse_test_ranks(json["test_ranks"]);
    }
    return r;
  } catch (const nlohmann::json::exception& error) {
    throw std::string(error.what());
  } catch (const Error& error) {
    throw std::string(error.what());
  }
}

void fill_in(CellResult& r, const TrainingResult& training, bool keep_ranks) {
  constexpr double kDots = 100;  // at most 200 points
  const Json record = Json::parse(training.detector.metadata()).at("record");
  const Json& split = record.at("split");
  r.split = {{"train", training.split.train.size()},
             {"validation", training.split.validation.size()},
             {"test", training.split.test.size()},
             {"seed", split["seed"]},
             {"train_anomalous", split["train"]["anomalous"]},
             {"validation_anomalous", split["validation"]["anomalous"]},
             {"test_anomalous", split["test"]["anomalous"]},
             {"hash", split["hash"]}};
  std::size_t epochs = 0;
  for (const TrainedMember& member : training.members) {
    epochs += member.history.size();
  }
  r.epochs_run = training.members.back().history.size();
  r.best_epoch = training.members.back().best_epoch;
  r.validation = training.validation;
  r.test = training.test;
  const auto here = static_cast<double>(training.epochs_run);
  r.continued = static_cast<double>(epochs) != here;
  const double scale = here > 0 ? static_cast<double>(epochs) / here : kNone;
  r.seconds_prepare = training.seconds.prepare;
  r.seconds_train = training.seconds.train * scale;
  r.seconds_evaluate = training.seconds.evaluate * scale;
  const double rate = training.train_graphs_per_second;
  r.train_graphs_per_second = rate > 0 ? rate : kNone;
  std::vector<std::int8_t> labels;
  std::vector<double> scores;
  for (const std::uint32_t g : training.split.test) {
    labels.push_back(training.labels[g]);
    scores.push_back(training.scores[g]);
  }
  r.roc = thinned(roc_curve({labels, scores}), kDots);
  if (keep_ranks) {
    r.ranks = ranks_of({labels, scores}, r.test.threshold);
  }
  r.machine = describe_machine();
}

std::string difference(const CellResult& found, const CellResult& wanted) {
  if (found.version != wanted.version) {
    return fmt::format("it is of version {}, this is {}", core::printable(found.version),
                       wanted.version);
  }
  if (found.detector != wanted.detector || found.seed != wanted.seed) {
    return "it is of another cell";
  }
  if (found.description != wanted.description) {
    return "the data has changed";
  }
  for (const auto& [key, value] : wanted.settings.items()) {
    const Json old = found.settings.is_object() && found.settings.contains(key)
                         ? found.settings[key]
                         : Json("missing");
    if (old != value) {
      return fmt::format("{} was {}, is {}", key, old.dump(), value.dump());
    }
  }
  return found.settings == wanted.settings ? "" : "its settings are others";
}

Json description_of(const DataSummary& data) {
  return {{"name", data.name},   {"graphs", data.graphs}, {"anomalous", data.anomalous},
          {"nodes", data.nodes}, {"edges", data.edges},   {"labels", data.labels},
          {"hash", data.hash}};
}

Json describe_machine() {
  static const std::string processor = [] {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
      if (const auto colon = line.find(':');
          line.starts_with("model name") && colon < line.size()) {
        return core::printable(core::trim(std::string_view(line).substr(colon + 1)), 100);
      }
    }
    return std::string("unknown processor");
  }();
  return {{"processor", processor}, {"cores", core::available_cores()}};
}

}  // namespace rayleigh::compare
