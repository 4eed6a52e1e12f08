// What `train` trains when it is not told.
#include "cli/training_folder.h"

namespace rayleigh {
namespace {

using nlohmann::json;
using test::run_command;
using test::TrainingFolder;

class DefaultDetector : public testing::Test {
 protected:
  json train(const std::string& flags) const {
    const auto result =
        run_command("train " + folder_.path("data.jsonl") + " -o " + folder_.path("m.model") +
                    " --quiet --format json --epochs 2 --hidden 8 " + flags);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }

  TrainingFolder folder_;
};

TEST_F(DefaultDetector, IsTheBlendWhoseNetworkTheOptionsActOn) {
  const json all = train("--ensemble 2");
  EXPECT_EQ(all["model"]["name"], "rayleigh");
  EXPECT_EQ(all["epochs_run"], 2);
  EXPECT_EQ(all["blend"]["members"], json({"rqgnn", "rqgnn", "trees", "linear"}));
  EXPECT_EQ(all["blend"]["weights"].size(), 4U);
}

TEST_F(DefaultDetector, IsTheNetworkAloneWhereAProfileIsNamed) {
  for (const std::string profile : {"rayleigh", "published"}) {
    const json all = train("--profile " + profile);
    EXPECT_EQ(all["model"]["name"], "rqgnn");
    EXPECT_EQ(all["model"]["profile"], profile);
    EXPECT_FALSE(all.contains("blend"));
  }
}

TEST_F(DefaultDetector, SaysHowItIsBlended) {
  const auto result = run_command("train " + folder_.path("data.jsonl") + " -o " +
                                  folder_.path("m.model") + " --quiet --epochs 2 --hidden 8");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("blend of "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" trees + "), std::string::npos) << result.out;
}

}  // namespace
}  // namespace rayleigh
