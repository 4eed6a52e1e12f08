#include "paper/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rayleigh/error.h"

#include "support.h"

namespace rayleigh::paper {
namespace {

using testing::ElementsAre;

TEST(Reproduce, GoesOnWithoutADatasetThatCannotBeReadAndSaysSo) {
  const test::TemporaryFolder folder;
  ReproduceRequest request{.output = folder / "paper",
                           .datasets = look_for_datasets(folder.path(), {}),
                           .options = {},
                           .run = {}};
  EXPECT_EQ(request.datasets.missing.size(), 12U) << "the ten of the main table and two of E3";
  request.datasets.found.push_back({"MCF-7", []() -> GraphSet {
                                      throw DataError({"MCF-7.zip", 0}, "is empty");
                                    }});
  request.options.experiments = {ExperimentId::theory};
  std::vector<std::string> said;
  std::vector<std::string> warned;
  const Reproduction result =
      reproduce(request, {.say = [&](const std::string& text) { said.push_back(text); },
                          .warn = [&](const std::string& text) { warned.push_back(text); }})
          .result;
  EXPECT_THAT(said, ElementsAre("E0, E4, E5: MCF-7", "E9: theory", "E9: theory",
                                "report: " + (request.output / "report.html").string()));
  EXPECT_THAT(warned, ElementsAre("E0, E4, E5: MCF-7: MCF-7.zip: is empty",
                                  "E9: theory: MCF-7.zip: is empty"));
  EXPECT_FALSE(result.complete());
  EXPECT_EQ(result.theory_data, "generated molecules");
  EXPECT_TRUE(result.tables.empty()) << "nothing was to be trained";
  for (const char* file : {"report.html", "results.json"}) {
    EXPECT_TRUE(std::filesystem::is_regular_file(request.output / file)) << file;
  }
}

}  // namespace
}  // namespace rayleigh::paper
