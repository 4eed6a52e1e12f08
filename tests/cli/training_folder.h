// A folder with made-up molecules and the models trained on them, for tests of train, evaluate,
// score and inspect.
// Runs take a few hundredths of a second.
#pragma once

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "rayleigh/generators.h"
#include "rayleigh/graph_io.h"

#include "cli/run_command.h"

namespace rayleigh::test {

inline constexpr const char* kQuick = " --profile published --epochs 3 --hidden 8 --batch-size 64 ";

class TrainingFolder {
 public:
  /// The data is data.jsonl.
  explicit TrainingFolder(int graphs = 200, double anomalous = 0.2) {
    io::save_jsonl(generate::molecules({.seed = 1, .graphs = graphs, .anomalous = anomalous}),
                   folder_ / "data.jsonl");
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const { return read_text(folder_ / name); }
  void write(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
  }

  /// Names in the folder that are neither data nor expected.
  std::vector<std::string> left_over(const std::vector<std::string>& expected = {}) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const auto name = entry.path().filename().string();
      if (name != "data.jsonl" &&
          std::find(expected.begin(), expected.end(), name) == expected.end()) {
        names.push_back(name);
      }
    }
    return names;
  }

  /// `rayleigh train data.jsonl -o MODEL --format json …` of a quick run, which must succeed.
  nlohmann::json train(const std::string& flags = {}, const std::string& model = "m.model") const {
    const auto result = run_command("train " + path("data.jsonl") + " -o " + path(model) + kQuick +
                                    "--format json --quiet " + flags);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return nlohmann::json::parse(result.out, nullptr, false);
  }

 private:
  TemporaryFolder folder_;
};

/// Lines without their ends.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// Cells of a line of CSV without quotes.
inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace rayleigh::test
