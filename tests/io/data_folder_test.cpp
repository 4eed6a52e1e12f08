// DATA by name: where it is looked for, and what counts as a name.
#include "io/data_folder.h"

#include <cstdlib>
#include <gtest/gtest.h>

#include "rayleigh/graph_io.h"

#include "io/io_support.h"
#include "support.h"

namespace rayleigh::test {
namespace {

/// The variables of a test are its own; those before it come back.
class DataFolder : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : kVariables) {
      const char* value = std::getenv(variable);
      before_.emplace_back(value != nullptr, value != nullptr ? value : "");
      unsetenv(variable);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < std::size(kVariables); ++i) {
      unsetenv(kVariables[i]);
      if (before_[i].first) {
        setenv(kVariables[i], before_[i].second.c_str(), 1);
      }
    }
  }

  static constexpr const char* kVariables[] = {"RAYLEIGH_DATA", "XDG_DATA_HOME", "HOME"};
  std::vector<std::pair<bool, std::string>> before_;
};

TEST_F(DataFolder, IsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(io::data_folder(), "");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(io::data_folder(), "/home/me/.local/share/rayleigh");
  setenv("XDG_DATA_HOME", "relative", 1);
  EXPECT_EQ(io::data_folder(), "/home/me/.local/share/rayleigh");
  setenv("XDG_DATA_HOME", "/shared", 1);
  EXPECT_EQ(io::data_folder(), "/shared/rayleigh");
  setenv("RAYLEIGH_DATA", "", 1);
  EXPECT_EQ(io::data_folder(), "/shared/rayleigh");
  setenv("RAYLEIGH_DATA", "sets", 1);
  EXPECT_EQ(io::data_folder(), "sets");
}

TEST_F(DataFolder, NamesAreNeverPathsOrFlags) {
  for (const char* name : {"NCI-H23", "MCF-7", "DBLP_v1", "3", "a"}) {
    EXPECT_TRUE(io::is_dataset_name(name)) << name;
  }
  for (const char* word : {"", "-", "-x", "_x", ".", "..", "../x", "a/b", "a.zip", "a b", "a\n",
                           "ä", "a%2f", "a\\b", "~"}) {
    EXPECT_FALSE(io::is_dataset_name(word)) << word;
  }
  EXPECT_FALSE(io::is_dataset_name(std::string(101, 'a')));
}

TEST_F(DataFolder, HoldsArchivesAndFoldersThatAreLoadedByName) {
  const TemporaryFolder folder;
  setenv("RAYLEIGH_DATA", folder.path().c_str(), 1);
  expect_defect([] { io::load("Nobody-has-this"); }, "Nobody-has-this", 0,
                {"no such file or directory", folder.path().string(),
                 "`rayleigh fetch Nobody-has-this` would download it"});
  for (const auto& [name, text] : small_tu()) {
    write_text(folder / "X" / name, text);
  }
  EXPECT_EQ(io::find_data("X"), folder / "X");
  EXPECT_EQ(io::load("X").name(), "X");
  write_text(folder / "X.zip", zip_bytes(small_tu()));
  EXPECT_EQ(io::find_data("X"), folder / "X.zip");
  EXPECT_EQ(io::load("X").name(), "X");
  EXPECT_EQ(stream_all(*io::open("X"), 2).graphs.size(), 3U);
  unsetenv("RAYLEIGH_DATA");
  expect_defect([] { io::load("X"); }, "X", 0, {"RAYLEIGH_DATA"});
}

TEST_F(DataFolder, GivesWayToPathsThatExist) {
  const TemporaryFolder folder;
  write_text(folder / "data" / "X.zip", "");
  std::filesystem::create_directory(folder / "X");
  setenv("RAYLEIGH_DATA", (folder / "data").c_str(), 1);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto found = io::find_data("X");
  std::filesystem::current_path(before);
  EXPECT_EQ(found, "X");
  EXPECT_EQ(io::find_data("x.jsonl"), "x.jsonl") << "no name: the reader says what is wrong";
}

}  // namespace
}  // namespace rayleigh::test
