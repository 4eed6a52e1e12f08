#include "cli/inspect_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

#include "rayleigh/error.h"

#include "cli/table.h"
#include "core/text.h"
#include "io/safetensors.h"
#include "learn/detector_state.h"

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
  std::unique_ptr<Detector::State> state;
  Json metadata;

  const Json& record() const { return metadata.at("record"); }
};

Json to_json(const ModelFile& file, std::size_t rows) {
  Json json{{"kind", "model"}, {"path", file.path}, {"bytes", file.bytes}};
  auto vocabularies = Json::array();
  for (std::size_t v = 0; v < file.state->labels.size(); ++v) {
    const models::LabelEncoder& labels = file.state->labels[v];
    auto words = Json::array();
    for (std::size_t label = 0; label < std::min(rows, labels.size()); ++label) {
      words.push_back(labels.word(label));
    }
    vocabularies.push_back({{"level", file.metadata.at("vocabularies")[v].at("level")},
                            {"size", labels.size()},
                            {"words", words}});
  }
  for (const auto& [key, value] : file.metadata.items()) {
    if (key == "record") {
      json.update(value);
      // The record tells of each member how it was trained.
      json["members"] = file.state->members.size();
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

  void head() {
    const auto& recipe = file_.state->plan->recipe();
    text_ +=
        fmt::format("{}: {}, {}, trained by rayleigh {}; {} on disk\n", file_.path, recipe.title(),
                    counted(count(file_.metadata.at("trained_parameters")), "trained parameter"),
                    core::printable(file_.state->version), core::human_bytes(file_.bytes));
    std::vector<std::string> members;
    for (const Json& member : file_.record().at("members")) {
      members.push_back(fmt::format("seed {}: epoch {} of {}", count(member.at("seed")),
                                    count(member.at("best_epoch")), count(member.at("epochs"))));
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
    const auto& calibration = file_.state->calibration;
    line(fmt::format("a score above {:.4f} is anomalous ({})", file_.state->threshold,
                     calibration.exists ? "tuned on validation" : "by --contamination"));
    if (!calibration.exists) {
      return;
    }
    line(fmt::format("probability = sigmoid({:.4f} {} {} {:.4f})", calibration.slope,
                     calibration.on_logit ? "logit(score)" : "score",
                     calibration.offset < 0 ? "-" : "+", std::abs(calibration.offset)));
  }

  void parameters() {
    section("parameters");
    std::vector<std::string> words;
    for (const auto& [name, value] : file_.state->plan->values().items()) {
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
    for (std::size_t v = 0; v < file_.state->labels.size(); ++v) {
      const models::LabelEncoder& labels = file_.state->labels[v];
      section(fmt::format("{} ({}, level {})", v == 0 ? "node labels" : "labels of quadratic forms",
                          with_commas(labels.size()),
                          word(file_.metadata.at("vocabularies")[v].at("level"))));
      const std::size_t shown = std::min(rows_, labels.size());
      std::vector<std::string> words;
      for (std::size_t label = 0; label < shown; ++label) {
        words.push_back(core::printable(labels.word(label), 48));
      }
      line(fmt::format("{}{}", fmt::join(words, "  "), shown < labels.size() ? "  …" : ""));
    }
  }

  const ModelFile& file_;
  std::size_t rows_;
  std::string text_;
};

}  // namespace

bool looks_like_model(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return false;
  }
  std::array<char, io::kSafetensorsLength + 1> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()).good() && start.back() == '{' &&
         // A length below 2^32, which no text has in its first eight bytes.
         std::all_of(start.begin() + 4, start.begin() + 8, [](char c) { return c == 0; });
}

std::string inspect_model(const std::string& path, Format format, int rows) {
  ModelFile file;
  file.path = path;
  file.state = learn::read_model(path);
  file.bytes = std::filesystem::file_size(path);
  file.metadata = learn::metadata_of(*file.state);
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
