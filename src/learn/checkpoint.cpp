#include "learn/checkpoint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

#include "core/content_hash.h"
#include "core/output_place.h"
#include "core/strict_json.h"
#include "io/safetensors.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKey = "rayleigh_checkpoint";
constexpr const char* kHashKey = "rayleigh_checkpoint_hash";

Json to_json(const TrainerState& state) {
  Json history = Json::array();
  for (const EpochRecord& e : state.history) {
    history.push_back({e.loss, e.validation.auc, e.validation.average_precision,
                       e.validation.macro_f1, e.validation.normal_score, e.validation.log_loss});
  }
  return {{"epochs_done", state.epochs_done},
          {"not_improved", state.not_improved},
          {"best_epoch", state.best_epoch},
          {"adam_steps", state.adam.steps},
          {"rows", state.rows},
          {"history", history}};
}

TrainerState from_json(const Json& json) {
  constexpr std::uint64_t kMostEpochs = 1'000'000;
  const auto number_at = [&](const char* key, std::uint64_t most) {
    return core::whole_number(json.at(key), most, key);
  };
  TrainerState state;
  state.epochs_done = static_cast<int>(number_at("epochs_done", kMostEpochs));
  const auto done = static_cast<std::uint64_t>(state.epochs_done);
  state.not_improved = static_cast<int>(number_at("not_improved", done));
  state.best_epoch = static_cast<int>(number_at("best_epoch", done));
  state.adam.steps = number_at("adam_steps", std::uint64_t{1} << 62U);
  // A metric that does not exist is written as null.
  const auto number = [](const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  };
  for (const Json& e : json.at("history")) {
    state.history.push_back({.epoch = static_cast<int>(state.history.size()) + 1,
                             .loss = number(e.at(0)),
                             .validation = {.auc = number(e.at(1)),
                                            .average_precision = number(e.at(2)),
                                            .macro_f1 = number(e.at(3)),
                                            .normal_score = number(e.at(4)),
                                            .log_loss = number(e.at(5))}});
  }
  constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40U;
  for (const Json& rows : json.at("rows")) {
    state.rows.push_back(core::whole_number(rows, kMostRows, "rows"));
  }
  if (state.history.size() != done) {
    throw std::string("its history is not as long as its epochs");
  }
  if (done > 0 && state.best_epoch == 0) {
    throw std::string("it has no best epoch");
  }
  return state;
}

/// Of the text and of all numbers, in the order of members.
std::string hash_of(const std::string& text, const std::vector<TrainerState>& members) {
  std::uint64_t hash = core::hash_block(0, text);
  for (const TrainerState& state : members) {
    for (const auto* numbers :
         {&state.parameters, &state.best, &state.adam.mean, &state.adam.square}) {
      hash = core::hash_block(
          hash, {reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(float)});
    }
  }
  return fmt::format("{:016x}", hash);
}

/// "epochs was 100, is 50", or that something else differs.
std::string difference(const std::string& before, const std::string& now) {
  const Json a = core::parse_json(before);
  const Json b = core::parse_json(now);
  for (const auto& [key, value] : b.items()) {
    const Json old = a.is_object() && a.contains(key) ? a[key] : Json();
    if (value.is_object() && old.is_object()) {
      if (value != old) {
        return difference(old.dump(), value.dump());
      }
    } else if (old != value) {
      return fmt::format("{} was {}, is {}", key, old.dump(), value.dump());
    }
  }
  return "it is of another kind";
}

}  // namespace

void check_checkpoint_place(const std::filesystem::path& file) {
  if (core::output_place(file).through) {
    throw UsageError("checkpoint",
                     fmt::format("{} is not a regular file, expected one: a checkpoint is replaced "
                                 "as the run goes and read back",
                                 file.string()));
  }
}

void save_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  io::SafetensorsWriter writer;
  Json members = Json::array();
  for (std::size_t m = 0; m < checkpoint.members.size(); ++m) {
    const TrainerState& state = checkpoint.members[m];
    const auto add = [&](const char* name, const std::vector<float>& numbers) {
      writer.add<float>(fmt::format("member.{}/{}", m, name), {numbers.size()}, numbers);
    };
    add("parameters", state.parameters);
    add("best", state.best);
    add("adam.mean", state.adam.mean);
    add("adam.square", state.adam.square);
    members.push_back(to_json(state));
  }
  const std::string text =
      Json{{"fingerprint", checkpoint.fingerprint}, {"members", members}}.dump();
  writer.set_metadata(kKey, text);
  writer.set_metadata(kHashKey, hash_of(text, checkpoint.members));
  writer.save(file);
}

std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& file,
                                          const std::string& fingerprint) {
  if (!std::filesystem::exists(file)) {
    return std::nullopt;
  }
  const auto tensors = io::Safetensors::read(file);
  const Place place{file.string(), 0};
  const auto at = tensors.metadata().find(kKey);
  if (at == tensors.metadata().end()) {
    throw DataError(place, "is not a checkpoint of a training run");
  }
  Checkpoint checkpoint;
  try {
    const Json json = core::parse_json(at->second);
    checkpoint.fingerprint = json.at("fingerprint").get<std::string>();
    if (checkpoint.fingerprint != fingerprint) {
      throw Error(ErrorKind::usage, place, "checkpoint",
                  fmt::format("belongs to another run: {}; remove the file or choose another",
                              difference(checkpoint.fingerprint, fingerprint)));
    }
    for (const Json& member : json.at("members")) {
      TrainerState state = from_json(member);
      const auto numbers = [&](const char* name) {
        return tensors.values<float>(fmt::format("member.{}/{}", checkpoint.members.size(), name));
      };
      state.parameters = numbers("parameters");
      state.best = numbers("best");
      state.adam.mean = numbers("adam.mean");
      state.adam.square = numbers("adam.square");
      checkpoint.members.push_back(std::move(state));
    }
  } catch (const nlohmann::json::exception& error) {
    throw DataError(place, fmt::format("the checkpoint is damaged: {}", error.what()));
  } catch (const std::string& wrong) {
    throw DataError(place, "the checkpoint is damaged: " + wrong);
  }
  // Those of the first builds have none.
  const auto hash = tensors.metadata().find(kHashKey);
  if (hash != tensors.metadata().end() && hash->second != hash_of(at->second, checkpoint.members)) {
    throw DataError(place, "the checkpoint is damaged: it does not match its hash");
  }
  return checkpoint;
}

}  // namespace rayleigh::learn
