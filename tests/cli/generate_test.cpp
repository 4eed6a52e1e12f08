#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "cli/run_command.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;

/// All files below a folder with their bytes.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = read_text(entry.path());
    }
  }
  return files;
}

void generate(const std::string& arguments) {
  const auto result = run_command("generate " + arguments);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(Generate, SameSeedGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* kind : {"colors3 --graphs 210", "molecules --graphs 100"}) {
    for (const char* name : {"/a/set", "/b/set", "/c/set"}) {
      generate(std::string(kind) + " --seed " + (name[1] == 'c' ? "6" : "5") + " -o " +
               folder.path().string() + name);
    }
    EXPECT_EQ(contents(folder / "a"), contents(folder / "b")) << kind;
    EXPECT_NE(contents(folder / "a"), contents(folder / "c")) << kind;
  }
}

TEST(Generate, PerturbWritesTheTouchedNodes) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  generate("molecules --graphs 200 -o " + path("m"));
  generate("perturb " + path("m") + " -p 0.3 --share 0.1 -o " + path("p"));
  EXPECT_THAT(read_text(folder / "p" / "touched.csv"), testing::StartsWith("graph,node\n"));
  generate("perturb " + path("m") + " -o " + path("p.jsonl.gz"));
  EXPECT_TRUE(fs::exists(folder / "p.jsonl.gz.touched.csv"));
  generate("perturb " + path("p.jsonl.gz") + " -o " + path("again"));
}

TEST(Generate, LeavesNothingBehindWhenItFails) {
  const TemporaryFolder folder;
  write_text(folder / "x.jsonl", "{\"nodes\":2,\"edges\":[[0,5]]}\n");
  const auto result = run_command("generate perturb " + (folder / "x.jsonl").string() + " -o " +
                                  (folder / "out").string());
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(contents(folder.path()).size(), 1U);
  EXPECT_FALSE(fs::exists(folder / "out"));
}

}  // namespace
}  // namespace rayleigh::test
