#include "cli/inspect_model.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "rayleigh/detector.h"
#include "rayleigh/error.h"

#include "cli/table.h"
#include "core/text.h"

namespace rayleigh::cli {
namespace {

using Json = nlohmann::ordered_json;
using core::counted;
using core::with_commas;

// The analyzer does not see that JSON is moved without exceptions.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct ModelFile {
  std::string path;
  std::uint64_t bytes = 0;
  Detector detector;
  Json metadata;

  const Json& record() const { return metadata.at("record"); }
};

Json to_json(const ModelFile& file, std::size_t rows) {
  Json json{{"kind", "model"}, {"path", file.path}, {"bytes", file.bytes}};
  auto vocabularies = Json::array();
  for (const LabelWords& labels : file.detector.vocabularies()) {
    const auto shown = std::span(labels.words).first(std::min(rows, labels.words.size()));
    vocabularies.push_back({{"level", labels.level},
                            {"size", labels.words.size()},
                            {"words", std::vector<std::string>(shown.begin(), shown.end())}});
  }
  for (const auto& [key, value] : file.metadata.items()) {
    if (key == "record") {
      json.update(value);
      // The record tells of each member how it was trained.
      json["members"] = file.detector.members();
      json["trained_members"] = value.at("members");
    } else if (key != "vocabularies") {
      json[key] = value;
    }
  }
  json["vocabularies"] = vocabularies;
  return json;
}

/// The sections of the text layout, one function each.
class ModelLayout {
 public:
  ModelLayout(const ModelFile& file, std::size_t rows) : file_(file), rows_(rows) {}

  std::string render() {
    head();
    data();
    metrics();
    decision();
    parameters();
    vocabularies();
    return text_;
  }

 private:
  void section(std::string_view title) { text_ += fmt::format("\n{}\n", title); }
  void line(const std::string& words) { text_ += "  " + words + "\n"; }

  static std::uint64_t count(const Json& value) { return value.get<std::uint64_t>(); }
  static std::string word(const Json& value) { return core::printable(value.get<std::string>()); }
  static std::string number(const Json& value) {
    return value.is_null() ? "-" : fmt::format("{:.4f}", value.get<double>());
  }

  /// A number or name of the blend's members.
  const Json& blend(const char* what, std::size_t member) const {
    return file_.metadata.at("blend").at(what).at(member);
  }

  void head() {
    text_ += fmt::format("{}: {}, {}, trained by rayleigh {}; {} on disk\n", file_.path,
                         file_.detector.options().title(),
                         counted(file_.detector.trained_weights(), "trained parameter"),
                         word(file_.metadata.at("version")), core::human_bytes(file_.bytes));
    const bool blended = file_.metadata.contains("blend");
    std::vector<std::string> members;
    for (const Json& member : file_.record().at("members")) {
      const std::string part =
          blended ? fmt::format("{:.2f} {}, ", blend("weights", members.size()).get<double>(),
                                word(blend("members", members.size())))
                  : "";
      members.push_back(fmt::format("{}seed {}: epoch {} of {}", part, count(member.at("seed")),
                                    count(member.at("best_epoch")), count(member.at("epochs"))));
    }
    if (blended) {
      line(fmt::format("blend of {}", fmt::join(members, "; ")));
      return;
    }
    line(fmt::format("{}{}", members.size() > 1 ? fmt::format("{} models, ", members.size()) : "",
                     fmt::join(members, "; ")));
  }

  void data() {
    const Json& data = file_.record().at("data");
    section("data");
    line(fmt::format(
        "{}: {}, {}, {}, {}", word(data.at("name")), counted(count(data.at("graphs")), "graph"),
        counted(count(data.at("nodes")), "node"), counted(count(data.at("edges")), "edge"),
        counted(count(data.at("labels")), "label")));
    const Json& anomalous = file_.record().at("anomaly_class");
    line(fmt::format(
        "{}, split with seed {}, data hash {}, split hash {}",
        anomalous.is_null() ? "no labels" : fmt::format("class {} is anomalous", word(anomalous)),
        count(file_.record().at("split").at("seed")), word(data.at("hash")),
        word(file_.record().at("split").at("hash"))));
  }

  void metrics() {
    section("metrics");
    Table table({"", "graphs", "anomalous", "AUC", "average precision", "macro-F1 at 0.5",
                 "macro-F1 tuned"});
    const Json& split = file_.record().at("split");
    table.add({"train", with_commas(count(split.at("train").at("graphs"))),
               with_commas(count(split.at("train").at("anomalous"))), "", "", "", ""});
    for (const char* part : {"validation", "test"}) {
      const Json& m = file_.record().at(part);
      table.add({part, with_commas(count(m.at("graphs"))), with_commas(count(m.at("anomalous"))),
                 number(m.at("auc")), number(m.at("average_precision")), number(m.at("macro_f1")),
                 number(m.at("macro_f1_tuned"))});
    }
    text_ += table.text();
  }

  void decision() {
    section("decision");
    const Json& calibration = file_.metadata.at("calibration");
    const auto promised = file_.detector.promised_false_alarms();
    line(fmt::format("a score above {:.4f} is anomalous ({})", file_.detector.threshold(),
                     promised                ? std::string("at most the promised false alarms")
                     : calibration.is_null() ? std::string("by --contamination")
                                             : std::string("tuned on validation")));
    if (promised) {
      line(
          fmt::format("at most {:.4g} % of normal graphs are called anomalous, by {} that training "
                      "never saw",
                      100 * *promised,
                      counted(count(file_.metadata.at("false_alarms").at("graphs")), "graph")));
    }
    if (calibration.is_null()) {
      return;
    }
    const auto offset = calibration.at("offset").get<double>();
    line(fmt::format("probability = sigmoid({:.4f} {} {} {:.4f})",
                     calibration.at("slope").get<double>(),
                     calibration.at("on_logit").get<bool>() ? "logit(score)" : "score",
                     offset < 0 ? "-" : "+", std::abs(offset)));
  }

  void parameters() {
    section("parameters");
    std::vector<std::string> words;
    for (const auto& [name, value] : file_.metadata.at("parameters").items()) {
      if (!value.is_null() && !(value.is_array() && value.empty())) {
        words.push_back(fmt::format("{} {}", name, value.is_string() ? word(value) : value.dump()));
      }
    }
    constexpr std::size_t kPerLine = 5;
    for (std::size_t i = 0; i < words.size(); i += kPerLine) {
      line(fmt::format(
          "{}",
          fmt::join(std::span(words).subspan(i, std::min(kPerLine, words.size() - i)), ", ")));
    }
  }

  void vocabularies() {
    const auto all = file_.detector.vocabularies();
    for (std::size_t v = 0; v < all.size(); ++v) {
      const auto& [level, known] = all[v];
      section(fmt::format("{} ({}, level {})", v == 0 ? "node labels" : "labels of quadratic forms",
                          with_commas(known.size()), level));
      const std::size_t shown = std::min(rows_, known.size());
      std::vector<std::string> words;
      for (std::size_t label = 0; label < shown; ++label) {
        words.push_back(core::printable(known[label], 48));
      }
      line(fmt::format("{}{}", fmt::join(words, "  "), shown < known.size() ? "  …" : ""));
    }
  }

  const ModelFile& file_;
  std::size_t rows_;
  std::string text_;
};

}  // namespace

std::string inspect_model(const std::string& path, Format format, int rows) {
  Detector detector = Detector::load(path);
  Json metadata = Json::parse(detector.metadata());
  const ModelFile file{.path = path,
                       .bytes = std::filesystem::file_size(path),
                       .detector = std::move(detector),
                       .metadata = std::move(metadata)};
  const auto shown = static_cast<std::size_t>(rows);
  try {
    return format == Format::json
               ? to_json(file, shown).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
               : ModelLayout(file, shown).render();
  } catch (const nlohmann::json::exception& error) {
    throw DataError({path, 0}, fmt::format("the record of the model is damaged: {}", error.what()));
  }
}

}  // namespace rayleigh::cli
