#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_command.h"
#include "xml.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Analyze, WritesTablesFiguresAndOnePage) {
  const TemporaryFolder folder;
  const auto data = (folder / "m").string();
  ASSERT_EQ(run_command("generate molecules --graphs 400 --anomalous 0.1 -o " + data).exit_code, 0);
  const auto out = folder / "out";
  const auto result = run_command("analyze " + data + " -o " + out.string() + " --label-quotients");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("scalar quotient, normalised Laplacian"));
  EXPECT_THAT(result.out, HasSubstr("report: " + out.string() + "/report.html"));
  for (const char* name : {"quotient_normalised.svg", "quotient_regular.svg", "energy.svg",
                           "labels.svg", "wavelets.svg"}) {
    EXPECT_EQ(xml_defect(read_text(out / name)), "") << name;
  }
  const auto page = read_text(out / "report.html");
  EXPECT_THAT(page, HasSubstr("Figure 5."));
  const auto table = read_text(out / "graphs.csv");
  EXPECT_THAT(table, StartsWith("index,id,class,anomalous,rq_normalised,rq_regular,"));
  EXPECT_THAT(table, HasSubstr(",rq_label_Cl"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 401);
  EXPECT_THAT(table, HasSubstr(",,")) << "an absent label has no quotient, not 0";
}

TEST(Analyze, PrintsAsJsonWhatThePageShows) {
  const TemporaryFolder folder;
  const auto data = (folder / "m").string();
  ASSERT_EQ(run_command("generate molecules --graphs 400 --anomalous 0.1 -o " + data).exit_code, 0);
  const auto result =
      run_command("analyze " + data + " --format json --samples 50 100 --bins 8 -o " +
                  (folder / "out").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["normal"], 360);
  EXPECT_EQ(json["distributions"][0]["samples"].size(), 2U);
  EXPECT_EQ(json["distributions"][0]["samples"][0]["normal"].size(), 8U);
  EXPECT_EQ(json["distributions"][0]["distance_ratios"].size(), 8U);
  EXPECT_LT(json["separation"][0]["auc"], 0.3);
  EXPECT_EQ(json["energy"]["t"].size(), json["energy"]["normal"]["median"].size());
  EXPECT_EQ(json["wavelets"]["bank"].size(), 4U);
}

TEST(Analyze, UsageErrorsLeaveNothingBehind) {
  const TemporaryFolder folder;
  const auto data = (folder / "m").string();
  ASSERT_EQ(run_command("generate molecules --graphs 60 --anomalous 0.1 -o " + data).exit_code, 0);
  const auto expect = [&](const std::string& flags, int code, const char* part) {
    const auto result = run_command("analyze " + data + " -o " + (folder / "out").string() + flags);
    EXPECT_EQ(result.exit_code, code) << flags;
    EXPECT_THAT(result.err, HasSubstr(part)) << flags;
    EXPECT_FALSE(fs::exists(folder / "out"));
  };
  expect(" --bins 20", 2, "--bins: 20 for 6 anomalous graphs");
  expect(" --bins 5 --samples 1", 2, "--samples: 1 % of 6 anomalous graphs");
  expect(" --samples 120", 2, "expected a number, 0.0001 … 100");
  expect(" --bins 5 --anomaly-class 7", 2, "has no class");
  expect(" --bins 5 --kernel hat", 2, "expected one of mexican-hat, heat, beta, meyer");
}

TEST(Analyze, SaysWhenAGraphIsEstimated) {
  const TemporaryFolder folder;
  const auto data = (folder / "m").string();
  ASSERT_EQ(run_command("generate molecules --graphs 100 --anomalous 0.2 -o " + data).exit_code, 0);
  const auto result =
      run_command("analyze " + data + " --dense-limit 20 -o " + (folder / "out").string());
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("above the dense limit of 20 nodes: estimated"));
}

}  // namespace
}  // namespace rayleigh::test
