#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rayleigh/error.h"
#include "rayleigh/version.h"

#include "core/content_hash.h"
#include "core/hash.h"
#include "core/json_document.h"
#include "core/strict_json.h"
#include "core/text.h"
#include "io/safetensors.h"
#include "learn/detector_parts.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKey = "rayleigh";
constexpr const char* kHashKey = "rayleigh_hash";

std::string tensor_name(std::size_t member, const std::string& parameter) {
  return fmt::format("member.{}/{}", member, parameter);
}

std::uint64_t hash_numbers(std::uint64_t hash, std::span<const float> numbers) {
  return core::combine64(
      hash, core::hash64({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}));
}

/// Of all numbers, in the order of members and parameters.
std::string buffer_hash(const DetectorParts& state) {
  std::uint64_t hash = 0;
  for (const auto& member : state.members) {
    const auto& weights = member->weights();
    for (const nn::WeightInfo& info : weights.all()) {
      hash = hash_numbers(hash, weights.values().subspan(info.offset, info.size()));
    }
  }
  return fmt::format("{:016x}", hash);
}

std::string text_hash(std::string_view text) {
  return fmt::format("{:016x}", core::hash_block(0, text));
}

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw DataError({file, 0}, message);
}

void read_tensor(const io::Safetensors& tensors, const std::string& file, const std::string& name,
                 std::span<float> to) {
  const auto values = tensors.values<float>(name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      fail(file, fmt::format("number {} of tensor '{}' is {}, expected a finite number", i, name,
                             values[i]));
    }
    to[i] = values[i];
  }
}

constexpr const char* kVocabularies = "vocabularies";

/// The JSON of a model file. Nearly all of it are the vocabularies, which no Json is made of.
struct Metadata {
  core::JsonDocument document;
  Json json;  ///< all the others
};

void check_format(const Json& json, const std::string& file) {
  if (!json.is_object()) {
    fail(file, "the metadata of the model is not a JSON object");
  }
  if (!json.contains("format") || !json["format"].is_number_integer()) {
    fail(file, "the metadata of the model names no format version");
  }
  if (json["format"] != kModelFormat) {
    fail(file, fmt::format("model format {} is not known to rayleigh {}, which reads format {}; "
                           "a later version may",
                           json["format"].dump(), kVersion, kModelFormat));
  }
}

Metadata parse_metadata(const io::Safetensors& tensors, const std::string& file) {
  const auto at = tensors.metadata().find(kKey);
  if (at == tensors.metadata().end()) {
    fail(file,
         "this is a safetensors file, but no rayleigh model: its metadata has no key "
         "'rayleigh'");
  }
  try {
    core::JsonDocument document(at->second);
    Json json = document.without(kVocabularies);
    check_format(json, file);
    return {std::move(document), std::move(json)};
  } catch (const std::string& wrong) {
    fail(file, fmt::format("the metadata of the model is {}", wrong));
  }
}

std::shared_ptr<models::Model<float>> make_member(const DetectorParts& state,
                                                  const MemberPlace& place) {
  return part_recipe(state.plan().recipe(), place.part)
      .make({.labels = place.own(std::span<const models::LabelEncoder>(state.labels)),
             .class_counts = state.class_counts,
             .attributes = {.mean = core::Vector<double>(state.attributes, 0.0),
                            .inverse = core::Vector<double>(state.attributes, 0.0)},
             .bins = state.bins,
             .largest_graph = state.largest_graph,
             .mean_nodes = state.mean_nodes});
}

std::size_t count_members(const Json& json) {
  constexpr std::uint64_t kMost = 1000;
  const std::size_t members = core::whole_number(json.at("members"), kMost, "members");
  if (members == 0) {
    throw std::string("there are no members");
  }
  return members;
}

/// Throws std::string for one that fit_blend() would not leave.
Blend blend_from(const Json& json, std::size_t members) {
  Blend blend{.offset = json.at("offset").get<double>(),
              .weights = json.at("weights").get<std::vector<double>>()};
  if (blend.weights.size() != members) {
    throw fmt::format("the blend has {} weights, expected {}", blend.weights.size(), members);
  }
  if (!std::isfinite(blend.offset)) {
    throw std::string("the offset of the blend is not finite");
  }
  for (const double weight : blend.weights) {
    if (!std::isfinite(weight) || weight < 0) {
      throw fmt::format("a weight of the blend is {}, expected a number from 0 on", weight);
    }
  }
  return blend;
}

Json to_json(const graph::AttributeBins& bins) {
  Json json = Json::array();
  for (const auto& limits : bins.limits()) {
    json.push_back(limits);
  }
  return json;
}

/// None where the key is not there. Throws std::string for limits that no training would leave.
graph::AttributeBins bins_from(const Json& json, const char* key) {
  const auto bins = json.find(key);
  if (bins == json.end()) {
    return {};
  }
  std::vector<std::vector<float>> limits;
  for (const Json& of_attribute : *bins) {
    std::vector<float>& own = limits.emplace_back();
    for (const Json& limit : of_attribute) {
      own.push_back(limit.get<float>());
    }
  }
  return graph::AttributeBins(std::move(limits));
}

/// What `evaluate` and `inspect` rely on.
void check_record(const Json& record) {
  if (!record.at("anomaly_class").is_null()) {  // of data without labels
    static_cast<void>(record.at("anomaly_class").get<std::string>());
  }
  static_cast<void>(record.at("data").at("hash").get<std::string>());
  static_cast<void>(record.at("split").at("hash").get<std::string>());
}

/// Everything but the members.
std::shared_ptr<DetectorParts> from_metadata(const Metadata& metadata) {
  const Json& json = metadata.json;
  auto state = std::make_shared<DetectorParts>();
  state->version = json.at("version").get<std::string>();
  const std::string model = json.at("model").get<std::string>();
  state->options = DetectorOptions(model);
  if (!json.at("parameters").is_object()) {
    throw std::string("parameters is not an object");
  }
  Plan& plan = Inside::plan(state->options);
  plan.options().set_values(json["parameters"]);
  plan.check();
  const auto vocabularies = core::json_at(metadata.document.root(), kVocabularies);
  for (const auto vocabulary : core::json_array(vocabularies, kVocabularies)) {
    state->labels.push_back(models::LabelEncoder::from_json(vocabulary));
  }
  if (state->labels.size() != plan.recipe().encoders().size()) {
    throw fmt::format("{} vocabularies, expected {}", state->labels.size(),
                      plan.recipe().encoders().size());
  }
  for (std::size_t v = 0; v < state->labels.size(); ++v) {
    if (state->labels[v].finest() != plan.recipe().encoders()[v].level) {
      throw fmt::format("vocabulary {} is of level {}, which is not that of the model", v,
                        state->labels[v].level_name());
    }
  }
  const Json& counts = json.at("class_counts");
  if (!counts.is_array() || counts.size() != 2) {
    throw std::string("class_counts is not two numbers");
  }
  constexpr std::uint64_t kMostGraphs = std::uint64_t{1} << 32U;
  state->class_counts = {core::whole_number(counts[0], kMostGraphs, "class_counts"),
                         core::whole_number(counts[1], kMostGraphs, "class_counts")};
  constexpr std::uint64_t kMostAttributes = 1'000'000;
  state->attributes = core::whole_number(json.at("attributes"), kMostAttributes, "attributes");
  state->bins = bins_from(json, "attribute_bins");
  state->edge_bins = bins_from(json, "edge_attribute_bins");
  const bool takes_bins = plan.recipe().bins_attributes();
  if (!state->bins.empty() && (!takes_bins || state->bins.attributes() != state->attributes)) {
    throw fmt::format("bins of {} attributes, which are not those of the model",
                      state->bins.attributes());
  }
  if (!state->edge_bins.empty() && !takes_bins) {
    throw std::string("bins of edge attributes, which the model does not look at");
  }
  constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32U;
  state->largest_graph = core::whole_number(json.at("largest_graph"), kMostNodes, "largest_graph");
  state->mean_nodes = core::whole_number(json.at("mean_nodes"), kMostNodes, "mean_nodes");
  state->threshold = json.at("threshold").get<double>();
  const Json& calibration = json.at("calibration");
  if (calibration.is_null()) {
    if (!json.at("record").at("anomaly_class").is_null()) {
      throw std::string("a model of labelled graphs has no calibration");
    }
    state->calibration.exists = false;
  } else {
    state->calibration = {.on_logit = calibration.at("on_logit").get<bool>(),
                          .slope = calibration.at("slope").get<double>(),
                          .offset = calibration.at("offset").get<double>()};
  }
  if (state->calibration.slope < 0) {
    throw std::string("the slope of the calibration is negative");
  }
  if (const auto promise = json.find("false_alarms"); promise != json.end()) {
    state->false_alarms = FalseAlarms::from_json(*promise);
  }
  check_record(json.at("record"));
  state->record = json["record"];
  return state;
}

}  // namespace

/// null where it does not exist.
Json to_json(const Calibration& calibration) {
  if (!calibration.exists) {
    return {};
  }
  return {{"on_logit", calibration.on_logit},
          {"slope", calibration.slope},
          {"offset", calibration.offset}};
}

Json metadata_of(const DetectorParts& state) {
  Json vocabularies = Json::array();
  for (const models::LabelEncoder& encoder : state.labels) {
    vocabularies.push_back(encoder.to_json());
  }
  Json metadata{{"format", kModelFormat},
                {"version", state.version},
                {"model", state.plan().recipe().name()},
                {"profile", state.plan().recipe().variant()},
                {"parameters", state.plan().options().values()},
                {"members", state.members.size()},
                {"trained_parameters", state.members.front()->weights().trained()},
                {"class_counts", state.class_counts},
                {"attributes", state.attributes},
                {"largest_graph", state.largest_graph},
                {"mean_nodes", state.mean_nodes},
                {"threshold", state.threshold},
                {"calibration", to_json(state.calibration)},
                {"record", state.record},
                {"buffer_hash", buffer_hash(state)},
                {kVocabularies, vocabularies}};
  if (!state.bins.empty()) {
    metadata["attribute_bins"] = to_json(state.bins);
  }
  if (!state.edge_bins.empty()) {
    metadata["edge_attribute_bins"] = to_json(state.edge_bins);
  }
  if (state.false_alarms) {
    metadata["false_alarms"] = state.false_alarms->to_json();
  }
  if (state.blend) {
    Json names = Json::array();
    for (const MemberPlace& place : state.places) {
      names.push_back(part_recipe(state.plan().recipe(), place.part).name());
    }
    metadata["blend"] = {
        {"offset", state.blend->offset}, {"weights", state.blend->weights}, {"members", names}};
  }
  return metadata;
}

std::string model_bytes(const DetectorParts& state) {
  io::SafetensorsWriter writer;
  for (std::size_t m = 0; m < state.members.size(); ++m) {
    const auto& weights = state.members[m]->weights();
    for (const nn::WeightInfo& info : weights.all()) {
      writer.add<float>(tensor_name(m, info.name), {info.rows, info.cols},
                        weights.values().subspan(info.offset, info.size()));
    }
  }
  std::string metadata = metadata_of(state).dump();
  writer.set_metadata(kHashKey, text_hash(metadata));
  writer.set_metadata(kKey, std::move(metadata));
  return writer.bytes();
}

namespace {

using MadeMember = std::shared_ptr<models::Model<float>>;

/// Refuses tensors that do not fit before anything of their size is allocated and before members
/// are made that the file does not hold. The members of a part are like the first of it.
void check_tensors(const io::Safetensors& tensors, const std::string& file,
                   std::span<const MadeMember> first_of_part, std::span<const MemberPlace> places) {
  std::size_t expected = 0;
  for (std::size_t m = 0; m < places.size(); ++m) {
    for (const nn::WeightInfo& info : first_of_part[places[m].part]->weights().all()) {
      const std::string name = tensor_name(m, info.name);
      if (!tensors.contains(name)) {
        fail(file, fmt::format("tensor '{}' is missing", name));
      }
      const io::TensorInfo& stored = tensors.info(name);
      std::vector<std::uint64_t> shape = {info.rows, info.cols};
      const bool free = info.free_rows && stored.shape.size() == 2;
      if (free) {
        shape[0] = stored.shape[0];  // as many as the file has room for, which is checked
      }
      if (stored.dtype != io::DType::f32 || stored.shape != shape) {
        fail(file, fmt::format("tensor '{}' is {} {}, expected F32 {}", name,
                               io::dtype_name(stored.dtype), stored.shape, shape));
      }
      ++expected;
    }
  }
  if (tensors.tensors().size() != expected) {
    fail(file,
         fmt::format("{} tensors are stored, expected {}", tensors.tensors().size(), expected));
  }
}

/// Of a member's tensors with a free number of rows.
std::vector<std::size_t> stored_rows(const io::Safetensors& tensors, std::size_t member,
                                     const nn::Weights<float>& weights) {
  std::vector<std::size_t> rows;
  for (const nn::WeightInfo& info : weights.all()) {
    if (info.free_rows) {
      rows.push_back(tensors.info(tensor_name(member, info.name)).shape[0]);
    }
  }
  return rows;
}

std::shared_ptr<const DetectorParts> from_tensors(const io::Safetensors& tensors,
                                                  const std::string& file) {
  const Metadata metadata = parse_metadata(tensors, file);
  const Json& json = metadata.json;
  std::shared_ptr<DetectorParts> state;
  std::vector<MadeMember> first_of_part;
  std::string hash;
  const auto damaged = [&](const std::string& wrong) {
    fail(file, fmt::format("the metadata of the model is damaged: {}", wrong));
  };
  try {
    state = from_metadata(metadata);
    const std::size_t members = count_members(json);
    state->places = member_places(state->plan().recipe(), members);
    for (const MemberPlace& place : state->places) {
      if (place.part == first_of_part.size()) {
        first_of_part.push_back(make_member(*state, place));
      }
    }
    if (!state->plan().recipe().parts().empty()) {
      state->blend = blend_from(json.at("blend"), members);
    }
    hash = json.at("buffer_hash").get<std::string>();
  } catch (const nlohmann::json::exception& error) {
    damaged(error.what());
  } catch (const std::string& wrong) {
    damaged(wrong);
  } catch (const Error& error) {
    damaged(error.what());
  }
  check_tensors(tensors, file, first_of_part, state->places);
  std::vector<MadeMember> made;
  for (const MemberPlace& place : state->places) {
    MadeMember& first = first_of_part[place.part];
    made.push_back(first ? std::move(first) : make_member(*state, place));
    first = nullptr;
  }
  for (std::size_t m = 0; m < made.size(); ++m) {
    auto& weights = made[m]->weights();
    weights.set_free_rows(stored_rows(tensors, m, weights));
    weights.allocate();
    for (const nn::WeightInfo& info : weights.all()) {
      read_tensor(tensors, file, tensor_name(m, info.name),
                  weights.values().subspan(info.offset, info.size()));
    }
  }
  state->members.assign(made.begin(), made.end());
  if (buffer_hash(*state) != hash) {
    fail(file, "the numbers do not match their hash: the file is damaged");
  }
  // Files of the first versions have none. Damage that leaves valid JSON would only change scores.
  const auto text_hash_of_file = tensors.metadata().find(kHashKey);
  if (text_hash_of_file != tensors.metadata().end() &&
      text_hash_of_file->second != text_hash(tensors.metadata().at(kKey))) {
    fail(file, "the metadata does not match its hash: the file is damaged");
  }
  for (std::size_t m = 0; m < state->members.size(); ++m) {
    if (const auto defect = state->members[m]->defect()) {
      fail(file, fmt::format("number {} of tensor '{}' is {}, expected {}", defect->index,
                             tensor_name(m, defect->parameter), defect->value, defect->expected));
    }
    made[m]->ready();
  }
  return state;
}

}  // namespace

std::shared_ptr<const DetectorParts> parse_model(std::string bytes, const std::string& name) {
  return from_tensors(io::Safetensors::parse(std::move(bytes), name), name);
}

std::shared_ptr<const DetectorParts> read_model(const std::filesystem::path& file) {
  return from_tensors(io::Safetensors::read(file), file.string());
}

}  // namespace rayleigh::learn
