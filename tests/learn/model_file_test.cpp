#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>

#include "expect_error.h"
#include "io/safetensors.h"
#include "learn/detector_parts.h"
#include "learn/trained.h"
#include "model_parts.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

using Json = nlohmann::ordered_json;
using test::expect_data_error;
using Parts = test::ModelParts;

constexpr const char* kFile = "m.model";

/// A whole model file, made once.
const std::string& model(const std::string& profile = "published") {
  static std::map<std::string, std::string> made;
  std::string& bytes = made[profile];
  if (bytes.empty()) {
    test::Settings settings = test::quick({{"profile", profile},
                                           {"epochs", "1"},
                                           {"hidden", "2"},
                                           {"max-labels", "6"},
                                           {"labels", "edges"},
                                           {"ensemble", "2"}});
    if (profile == "rayleigh") {
      settings.emplace("form-labels", "6");
    }
    bytes = test::detector_of(test::molecules(60, 0.4), settings).bytes();
  }
  return bytes;
}

std::string with_metadata(const std::function<void(Json&)>& change,
                          const std::string& profile = "published") {
  Parts parts(model(profile));
  Json metadata = parts.metadata();
  change(metadata);
  parts.set_metadata(metadata.dump());
  return parts.bytes();
}

void expect_refused(const std::string& bytes, const std::vector<std::string>& words = {}) {
  std::vector<std::string> all = {std::string(kFile) + ": "};
  all.insert(all.end(), words.begin(), words.end());
  expect_data_error([&] { parse_model(bytes, kFile); }, all);
}

/// Peak memory of this process so far, in MB.
long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

TEST(ModelFile, ComesBackAsItWas) {
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    const auto state = parse_model(model(profile), kFile);
    EXPECT_EQ(model_bytes(*state), model(profile));
  }
}

TEST(ModelFile, KeepsTheVersionThatTrainedIt) {
  const auto state = parse_model(with_metadata([](Json& m) { m["version"] = "0.0.7"; }), kFile);
  EXPECT_EQ(metadata_of(*state)["version"], "0.0.7");
}

TEST(ModelFile, AParameterAddedLaterTakesItsDefault) {
  const auto state =
      parse_model(with_metadata([](Json& m) { m["parameters"].erase("clip"); }), kFile);
  EXPECT_EQ(metadata_of(*state)["parameters"]["clip"], 0.0);
}

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string& whole = model();
  const Parts parts(whole);
  std::vector<std::size_t> cuts = {0, 1, 7, 8, 9};
  const std::size_t data = whole.size() - parts.data.size();
  for (const std::string& tensor : parts.tensors()) {
    cuts.push_back(data + parts.begin_of(tensor));
    cuts.push_back(data + parts.begin_of(tensor) + 3);
  }
  for (std::size_t cut = 0; cut < whole.size(); cut += 97) {
    cuts.push_back(cut);
  }
  cuts.push_back(whole.size() - 1);
  for (const std::size_t cut : cuts) {
    if (cut < whole.size()) {
      SCOPED_TRACE(cut);
      expect_refused(whole.substr(0, cut));
    }
  }
  expect_refused(whole + "x");
}

TEST(ModelFile, EveryFlippedBitOfTheNumbersIsNoticed) {
  const std::string& whole = model();
  const std::size_t data = whole.size() - Parts(whole).data.size();
  for (std::size_t at = data; at < whole.size(); at += 13) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    SCOPED_TRACE(at);
    expect_refused(bytes);
  }
}

TEST(ModelFile, AFlippedBitOfTheHeaderIsRefusedOrHarmless) {
  const auto graphs = test::molecules(5);
  const auto scores_of = [&](const std::string& bytes) {
    std::vector<double> scores;
    for (const Score& score :
         Inside::make(parse_model(bytes, kFile)).score(graphs, {.threads = 1})) {
      scores.insert(scores.end(), {score.score, score.probability, score.anomalous ? 1.0 : 0.0});
    }
    return scores;
  };
  for (const char* profile : {"published", "rayleigh"}) {
    const std::string& whole = model(profile);
    const auto scores = scores_of(whole);
    const std::size_t data = whole.size() - Parts(whole).data.size();
    std::size_t refused = 0;
    for (std::size_t at = 0; at < data; at += 3) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 7));
      try {
        EXPECT_EQ(scores_of(bytes), scores) << "byte " << at << " changed the model unseen";
      } catch (const DataError& error) {
        ++refused;
        EXPECT_TRUE(std::string(error.what()).starts_with("m.model: ")) << error.what();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "byte " << at << ": not a DataError: " << error.what();
      }
    }
    EXPECT_GT(refused, data / 3 - data / 30) << "all but those of the name of the hash";
  }
}

TEST(ModelFile, AChangedThresholdIsNoticedByTheHashOfTheMetadata) {
  Parts parts(model());
  Json metadata = parts.metadata();
  metadata["threshold"] = metadata["threshold"].get<double>() / 2;
  parts.set_metadata(metadata.dump());
  EXPECT_NO_THROW(parse_model(parts.bytes(), kFile)) << "a file of the first versions";
  parts.header["__metadata__"]["rayleigh_hash"] = std::string(16, '0');
  expect_refused(parts.bytes(), {"the metadata does not match its hash"});
}

TEST(ModelFile, NamesTheTensorThatDoesNotFit) {
  const Parts whole(model());
  const std::string name = "member.1/classifier.bias";
  ASSERT_TRUE(whole.header.contains(name));
  {
    Parts parts = whole;
    parts.header["member.1/classifier.bios"] = parts.header[name];
    parts.header.erase(name);
    expect_refused(parts.bytes(), {"tensor 'member.1/classifier.bias' is missing"});
  }
  {
    Parts parts = whole;
    parts.header["extra"] = {{"dtype", "F32"},
                             {"shape", {1}},
                             {"data_offsets", {parts.data.size(), parts.data.size() + 4}}};
    parts.data += std::string(4, '\0');
    expect_refused(parts.bytes(), {"tensors are stored, expected"});
  }
  {
    Parts parts = whole;
    parts.header[name]["shape"] = {2, 1};
    expect_refused(parts.bytes(), {name, "is F32 [2, 1], expected F32 [1, 2]"});
  }
  {
    Parts parts = whole;
    parts.header[name]["shape"] = {2};
    expect_refused(parts.bytes(), {name, "is F32 [2], expected F32 [1, 2]"});
  }
  {
    Parts parts = whole;
    parts.header[name]["dtype"] = "I32";
    expect_refused(parts.bytes(), {name, "is I32 [1, 2], expected F32 [1, 2]"});
  }
}

TEST(ModelFile, RefusesNumbersThatAreNone) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Parts parts(model());
    std::memcpy(parts.data.data() + parts.begin_of("member.0/mix_lin2.weight") + 4, &bad, 4);
    expect_refused(parts.bytes(), {"number 1 of tensor 'member.0/mix_lin2.weight'"});
  }
}

Detector trees() {
  return test::detector_of(test::molecules(60, 0.4),
                           {{"rounds", "3"}, {"tree-depth", "2"}, {"least-graphs", "2"}}, 1,
                           "label-counts");
}

/// The file of a detector of which one number is another, with the hash that fits.
std::string with_number(const Detector& detector, const char* weight, std::size_t at, float value) {
  DetectorParts parts = Inside::parts(detector);
  auto member = parts.plan().recipe().make({.labels = parts.labels,
                                            .class_counts = parts.class_counts,
                                            .attributes = {},
                                            .largest_graph = parts.largest_graph,
                                            .mean_nodes = parts.mean_nodes});
  member->weights().allocate();
  std::ranges::copy(parts.first().weights().values(), member->weights().values().begin());
  member->weights().value(*member->weights().find(weight)).flat()[at] = value;
  parts.members = {std::shared_ptr<const models::Model<float>>(std::move(member))};
  return model_bytes(parts);
}

TEST(ModelFile, RefusesTreesThatAskForALabelThatIsNotThere) {
  const Detector sound = trees();
  EXPECT_EQ(parse_model(sound.bytes(), kFile)->members.size(), 1U);
  const auto labels = static_cast<float>(sound.vocabularies().front().words.size());
  for (const float bad : {labels, -1.0F, 0.5F, 1e30F, -1e30F, 16'777'216.0F}) {
    for (const std::size_t at : {0U, 4U}) {
      SCOPED_TRACE(bad);
      expect_refused(with_number(sound, "trees.label", at, bad),
                     {fmt::format("number {} of tensor 'member.0/trees.label'", at),
                      fmt::format("expected a label from 0 to {}", labels - 1)});
    }
  }
}

TEST(ModelFile, NoticesAChangedNumberByItsHash) {
  Parts parts(model());
  const float other = 0.25F;
  std::memcpy(parts.data.data() + parts.begin_of("member.0/mix_lin2.weight"), &other, 4);
  expect_refused(parts.bytes(), {"the numbers do not match their hash"});
  // Two tensors of the same shape that changed places.
  Parts swapped(model());
  std::swap(swapped.header["member.0/mix_lin2.weight"]["data_offsets"],
            swapped.header["member.1/mix_lin2.weight"]["data_offsets"]);
  expect_refused(swapped.bytes(), {"the numbers do not match their hash"});
}

TEST(ModelFile, TellsAFormatOfTheFutureFromDamage) {
  for (const char* format : {"2", "99", "0", "-1", "4294967297", "18446744073709551617"}) {
    Parts parts(model());
    Json metadata = parts.metadata();
    metadata["format"] = "FORMAT";
    std::string text = metadata.dump();
    text.replace(text.find("\"FORMAT\""), 8, format);
    parts.set_metadata(text);
    SCOPED_TRACE(format);
    if (std::string(format).size() < 20) {
      expect_refused(parts.bytes(), {"model format", "which reads format 1"});
    } else {
      expect_refused(parts.bytes());
    }
  }
  for (const Json& format : {Json("1"), Json(1.0), Json(nullptr), Json({1})}) {
    expect_refused(with_metadata([&](Json& m) { m["format"] = format; }),
                   {"names no format version"});
  }
}

TEST(ModelFile, MetadataThatIsNoJsonObjectIsRefused) {
  for (const char* text : {"", "{", "[]", "1", "null", "\"x\"", "{} {}", "{\"format\":1,}", "\n"}) {
    Parts parts(model());
    parts.set_metadata(text);
    SCOPED_TRACE(text);
    expect_refused(parts.bytes(), {"metadata"});
  }
}

TEST(ModelFile, EveryMissingOrMistypedKeyIsRefused) {
  const Json whole = Parts(model()).metadata();
  const std::vector<std::string> informative = {"profile", "trained_parameters"};
  std::size_t keys = 0;
  for (const auto& item : whole.items()) {
    const std::string& key = item.key();
    const Json& value = item.value();
    if (std::ranges::find(informative, key) != informative.end()) {
      continue;
    }
    ++keys;
    SCOPED_TRACE(key);
    expect_refused(with_metadata([&](Json& m) { m.erase(key); }), {"metadata"});
    for (const Json& other :
         {Json(nullptr), Json("x"), Json(-7), Json(0.5), Json(1e300), Json::array(), Json::object(),
          Json({{"x", 1}}), Json({1, 2, 3}), Json(true), Json("a\nb")}) {
      if (other.type() == value.type() || (other.is_number() && value.is_number())) {
        continue;  // judged by the next test
      }
      SCOPED_TRACE(other.dump());
      expect_refused(with_metadata([&](Json& m) { m[key] = other; }), {"metadata"});
    }
  }
  EXPECT_EQ(keys, 14U);
}

TEST(ModelFile, EveryValueOutOfPlaceIsRefused) {
  const std::vector<std::function<void(Json&)>> changes = {
      [](Json& m) { m["model"] = "nonsense"; },
      [](Json& m) { m["model"] = ""; },
      [](Json& m) { m["members"] = 0; },
      [](Json& m) { m["members"] = 1; },
      [](Json& m) { m["members"] = 3; },
      [](Json& m) { m["members"] = -1; },
      [](Json& m) { m["members"] = 2.5; },
      [](Json& m) { m["members"] = 1001; },
      [](Json& m) { m["members"] = 18446744073709551615ULL; },
      [](Json& m) { m["class_counts"] = {1}; },
      [](Json& m) {
        m["class_counts"] = {1, -1};
      },
      [](Json& m) {
        m["class_counts"] = {1, 1.5};
      },
      [](Json& m) {
        m["class_counts"] = {1, 1e300};
      },
      [](Json& m) {
        m["class_counts"] = {1, 2, 3};
      },
      [](Json& m) {
        m["class_counts"] = {1, "2"};
      },
      [](Json& m) { m["calibration"].erase("slope"); },
      [](Json& m) { m["calibration"]["slope"] = "1"; },
      [](Json& m) { m["calibration"]["slope"] = -1; },
      [](Json& m) { m["calibration"]["on_logit"] = 1; },
      [](Json& m) { m["parameters"]["hidden"] = 3; },
      [](Json& m) { m["parameters"]["hidden"] = 0; },
      [](Json& m) { m["parameters"]["hidden"] = "two"; },
      [](Json& m) { m["parameters"]["hidden"] = {2}; },
      [](Json& m) { m["parameters"]["hiden"] = 2; },
      [](Json& m) { m["parameters"]["profile"] = "paper"; },
      [](Json& m) { m["parameters"]["split"] = "1/2/3"; },
      [](Json& m) { m["parameters"]["scales"] = {"x"}; },
      [](Json& m) { m["record"].erase("split"); },
      [](Json& m) { m["record"]["split"] = 1; },
      [](Json& m) { m["record"]["split"]["hash"] = 1; },
      [](Json& m) { m["record"]["data"] = nullptr; },
      [](Json& m) { m["record"]["anomaly_class"] = 1; },
      [](Json& m) { m["buffer_hash"] = ""; },
      [](Json& m) { m["buffer_hash"] = "0000000000000000"; },
      [](Json& m) { m["vocabularies"].push_back(m["vocabularies"][0]); },
      [](Json& m) { m["vocabularies"] = Json::array(); },
      [](Json& m) { m["vocabularies"][0]["entries"].erase(0); },
      [](Json& m) { m["vocabularies"][0]["entries"] = Json::array(); },
      [](Json& m) { m["vocabularies"][0]["level"] = "\x1b[31m"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SCOPED_TRACE(i);
    expect_refused(with_metadata(changes[i]));
  }
}

TEST(ModelFile, ParentsThatRunInACircleAreRefused) {
  // Following them would never end.
  const auto parent = [](std::size_t entry, std::size_t value) {
    return with_metadata([=](Json& m) { m["vocabularies"][0]["entries"][entry][2] = value; },
                         "rayleigh");
  };
  const std::size_t labels =
      Parts(model("rayleigh")).metadata()["vocabularies"][0]["entries"].size();
  ASSERT_GT(labels, 2U);
  expect_refused(parent(labels - 1, labels - 1), {"vocabulary is not valid"});
  expect_refused(parent(0, labels - 1), {"vocabulary is not valid"});
  expect_refused(parent(0, 0), {"vocabulary is not valid"});
  expect_refused(parent(0, labels + 1), {"a parent is not a whole number"});
}

TEST(ModelFile, AbsurdSizesAreRefusedWithoutWorkOrMemory) {
  model();
  model("paper");
  const long before = peak_megabytes();
  const auto start = std::chrono::steady_clock::now();
  const auto sized = [](const char* profile, const Json& hidden, const Json& width,
                        const Json& depth, const Json& members) {
    return with_metadata(
        [&](Json& m) {
          m["parameters"]["hidden"] = hidden;
          m["parameters"]["width"] = width;
          m["parameters"]["depth"] = depth;
          m["members"] = members;
        },
        profile);
  };
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    SCOPED_TRACE(profile);
    expect_refused(sized(profile, 4096, 4, 6, 2));
    expect_refused(sized(profile, 4096, 16, 64, 1000));
    expect_refused(sized(profile, 2, 64, 64, 1000));
    expect_refused(sized(profile, 1000000000, 4, 6, 2), {"hidden"});
    expect_refused(sized(profile, 2, 1000000000, 6, 2), {"width"});
    expect_refused(sized(profile, 2, 4, 1e18, 2), {"depth"});
    expect_refused(sized(profile, 2, 4, 6, 1000000000), {"members"});
  }
  EXPECT_LT(peak_megabytes() - before, 150);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(ModelFile, ALongVocabularyDoesNotMakeALargeModelBeforeTensorsAreChecked) {
  const long before = peak_megabytes();
  expect_refused(with_metadata([](Json& m) {
                   auto& entries = m["vocabularies"][0]["entries"];
                   const std::size_t labels = 20'000;
                   entries = Json::array();
                   for (std::size_t i = 0; i < labels; ++i) {
                     entries.push_back({"plain", fmt::format("{:016x}", i), labels, "x"});
                   }
                 }),
                 {"expected F32"});
  EXPECT_LT(peak_megabytes() - before, 200) << "20,000 x 20,000 numbers would be 1.6 GB";
}

TEST(ModelFile, DeepNestingIsRefusedBeforeItOverflowsTheStack) {
  for (const std::size_t depth : {std::size_t{100}, std::size_t{1'000'000}}) {
    Parts parts(model());
    const std::string nested = std::string(depth, '[') + std::string(depth, ']');
    for (const char* key : {"record", "vocabularies", "parameters", "unknown"}) {
      Json metadata = parts.metadata();
      metadata[key] = "HERE";
      std::string text = metadata.dump();
      text.replace(text.find("\"HERE\""), 6, nested);
      parts.set_metadata(text);
      expect_refused(parts.bytes(), {"nested"});
      parts = Parts(model());
    }
  }
}

TEST(ModelFile, OtherFilesAreToldFromModels) {
  const test::TemporaryFolder folder;
  const auto expect = [&](const std::string& name, const std::vector<std::string>& words) {
    std::vector<std::string> all = {(folder / name).string() + ": "};
    all.insert(all.end(), words.begin(), words.end());
    expect_data_error([&] { Detector::load(folder / name); }, all);
  };
  io::SafetensorsWriter writer;
  const std::vector<float> numbers(12, 1.0F);
  writer.add<float>("case/logits", {3, 4}, numbers);
  writer.set_metadata("schema", "{\"seed\":1}");
  writer.save(folder / "golden.safetensors");
  expect("golden.safetensors", {"safetensors file, but no rayleigh model"});
  io::SafetensorsWriter().save(folder / "nothing.safetensors");
  expect("nothing.safetensors", {"no rayleigh model"});
  test::write_text(folder / "empty", "");
  expect("empty", {"this is not a model"});
  test::write_text(folder / "text.txt", "graph,label\n1,2\n3,4\n");
  expect("text.txt", {"this is not a model"});
  test::write_text(folder / "zip.zip", "PK\x03\x04 and so on, for a while");
  expect("zip.zip", {"this is not a model"});
  expect("no-such-file", {"cannot be opened"});
  std::filesystem::create_directory(folder / "folder");
  expect("folder", {"is a folder"});
}

TEST(ModelFile, NeitherSavesNorLeavesAnythingWhereItCannotWrite) {
  const test::TemporaryFolder folder;
  const Detector detector = Inside::make(parse_model(model(), kFile));
  test::expect_error(ErrorKind::failed, [&] { detector.save(folder / "missing" / "m.model"); },
                     {"missing/m.model: cannot write"});
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace rayleigh::learn
