#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/training_folder.h"
#include "io/safetensors.h"
#include "model_parts.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

CommandResult inspect(const TrainingFolder& folder, const std::string& flags = {}) {
  return run_command("inspect " + folder.path("m.model") + " " + flags);
}

TEST(InspectModel, TellsInJsonWhatTheModelIs) {
  const TrainingFolder folder;
  const json trained = folder.train("--ensemble 2 --seed 4 --labels degree");
  const auto result = inspect(folder, "--format json --rows 3");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json out = json::parse(result.out);
  EXPECT_EQ(out["kind"], "model");
  EXPECT_EQ(out["bytes"], std::filesystem::file_size(folder.path("m.model")));
  EXPECT_EQ(out["model"], "rqgnn");
  EXPECT_EQ(out["profile"], "published");
  EXPECT_TRUE(out["version"].is_string());
  EXPECT_EQ(out["parameters"], trained["model"]["settings"]);
  EXPECT_EQ(out["trained_parameters"], trained["model"]["parameters"]);
  EXPECT_EQ(out["members"], 2);
  EXPECT_EQ(out["trained_members"], trained["members"]);
  EXPECT_EQ(out["data"], trained["data"]);
  EXPECT_EQ(out["anomaly_class"], "1");
  EXPECT_EQ(out["split"]["train"]["graphs"], trained["split"]["train"]);
  EXPECT_EQ(out["split"]["seed"], 4);
  EXPECT_EQ(out["validation"], trained["validation"]);
  EXPECT_EQ(out["test"], trained["test"]);
  EXPECT_EQ(out["threshold"], trained["test"]["threshold"]);
  EXPECT_TRUE(out["calibration"]["slope"].is_number());
  ASSERT_EQ(out["vocabularies"].size(), 1U);
  EXPECT_EQ(out["vocabularies"][0]["level"], "degree");
  EXPECT_GT(out["vocabularies"][0]["size"], 7);
  EXPECT_EQ(out["vocabularies"][0]["words"], json({"Br", "C", "Cl"}));
}

TEST(InspectModel, ShowsAReadablePage) {
  const TrainingFolder folder;
  folder.train();
  const auto page = inspect(folder, "--rows 4").out;
  for (const char* part :
       {"m.model: rqgnn, profile published, ", "trained parameters", "on disk", "seed 1: epoch ",
        "data: 200 graphs", "class 1 is anomalous", "split with seed 1", "macro-F1 at 0.5",
        "validation      30          6", "a score above ", "(tuned on validation)",
        "probability = sigmoid(", "hidden 8", "epochs 3", "node labels (7, level plain)",
        "Br  C  Cl  F  …"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(InspectModel, ShowsEveryVocabularyOfTheModel) {
  const TrainingFolder folder;
  folder.train("");
  ASSERT_EQ(run_command("train " + folder.path("data.jsonl") + " -o " + folder.path("m.model") +
                        " --profile rayleigh --epochs 1 --quiet")
                .exit_code,
            0);
  const json out = json::parse(inspect(folder, "--format json").out);
  std::vector<std::string> levels;
  for (const json& vocabulary : out["vocabularies"]) {
    levels.push_back(vocabulary["level"]);
  }
  EXPECT_THAT(levels, testing::ElementsAre("plain", "plain", "wl1", "wl2"))
      << "of the nodes, then of the quadratic forms";
  EXPECT_THAT(inspect(folder).out, HasSubstr("labels of quadratic forms"));
}

TEST(InspectModel, AFileThatOnlyStartsLikeOneIsBadData) {
  const TrainingFolder folder;
  folder.train();
  const std::string whole = folder.text("m.model");
  folder.write("m.model", whole.substr(0, whole.size() - 1));
  auto result = inspect(folder);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::StartsWith(folder.path("m.model") + ": "));
  io::SafetensorsWriter().save(folder.path("m.model"));
  EXPECT_THAT(inspect(folder).err, HasSubstr("no rayleigh model"));
}

TEST(InspectModel, ARecordThatIsDamagedIsBadData) {
  const TrainingFolder folder;
  folder.train();
  ModelParts parts(folder.text("m.model"));
  std::string metadata = parts.metadata().dump();
  const auto at = metadata.find("best_epoch");
  ASSERT_NE(at, std::string::npos);
  parts.set_metadata(metadata.replace(at, 4, "rest"));
  folder.write("m.model", parts.bytes());
  const auto result = inspect(folder);
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_THAT(result.err, HasSubstr("the record of the model is damaged"));
}

TEST(InspectModel, DataIsStillInspectedAsData) {
  const TrainingFolder folder;
  const auto result = run_command("inspect --format json " + folder.path("data.jsonl"));
  EXPECT_EQ(json::parse(result.out)["graphs"], 200);
}

}  // namespace
}  // namespace rayleigh::test
