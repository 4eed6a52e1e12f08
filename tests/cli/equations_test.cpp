#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <vector>

#include "cli/run_command.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Cells = std::vector<std::string>;
using Choices = std::set<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// All matches of a pattern, each as the text of one group.
std::vector<std::string> found(const std::string& text, const char* pattern, int group) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    all.push_back((*at)[static_cast<std::size_t>(group)]);
  }
  return all;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The cells of a row of a Markdown table, where \| is no border; none for any other line.
Cells cells_of(const std::string& line) {
  Cells cells;
  if (!line.starts_with("| ")) {
    return cells;
  }
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line.compare(i, 2, "\\|") == 0) {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

/// A word in a comment is no function.
std::string without_comments(const std::string& code) {
  std::string kept;
  for (const std::string& line : lines_of(code)) {
    kept += line.substr(0, line.find("//")) + "\n";
  }
  return kept;
}

/// What a page about the project may name.
struct Project {
  fs::path root = RAYLEIGH_SOURCE_DIR;
  std::set<std::string> tests;                                  ///< Suite.Name
  std::map<std::string, std::map<std::string, Choices>> verbs;  ///< flags of each, with choices
};

std::set<std::string> all_tests(const fs::path& root) {
  std::set<std::string> tests;
  const std::regex test(R"(\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP)\(\s*(\w+),\s*(\w+))");
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
    if (entry.path().extension() != ".cpp") {
      continue;
    }
    const std::string code = without_comments(read_text(entry.path()));
    for (std::sregex_iterator at(code.begin(), code.end(), test), end; at != end; ++at) {
      tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return tests;
}

/// From the declarations of the verbs, as docs/commands.md is made.
std::map<std::string, std::map<std::string, Choices>> all_verbs() {
  std::map<std::string, std::map<std::string, Choices>> verbs;
  std::string verb;
  for (const std::string& line : lines_of(run_command("help --markdown").out)) {
    if (line.starts_with("## ")) {
      verb = line.substr(3);
      verbs[verb];
    }
    const Cells cells = cells_of(line);
    if (cells.empty()) {
      continue;
    }
    Choices choices;
    if (cells.at(1).find('|') != std::string::npos) {
      for (const std::string& choice : found(cells[1], "[^|]+", 0)) {
        choices.insert(choice);
      }
    }
    for (const std::string& flag : found(cells[0], "`(-[^`]+)`", 1)) {
      verbs[verb][flag] = choices;
    }
  }
  return verbs;
}

/// What is wrong with "`name` in `file`"; nothing where the file has such a function or class.
std::string defect_of_function(const Project& project, const std::string& name,
                               const std::string& file) {
  if (!fs::is_regular_file(project.root / file)) {
    return "there is no " + file;
  }
  const std::string code = without_comments(read_text(project.root / file));
  const std::regex use("\\b" + name + "\\(|\\b(?:class|struct) " + name + "\\b");
  return std::regex_search(code, use) ? "" : file + " has no " + name;
}

std::string defect_of_command(const Project& project, const std::string& command) {
  const auto words = words_of(command);
  if (words.size() < 2 || words[0] != "rayleigh") {
    return "no command of ours: " + command;
  }
  auto verb = project.verbs.find(words[1]);
  if (verb == project.verbs.end() && words.size() > 2) {
    verb = project.verbs.find(words[1] + " " + words[2]);
  }
  if (verb == project.verbs.end()) {
    return "no such verb: " + command;
  }
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with("-")) {
      continue;
    }
    const auto flag = verb->second.find(words[i]);
    if (flag == verb->second.end()) {
      return verb->first + " has no " + words[i];
    }
    const std::string value = i + 1 < words.size() ? words[i + 1] : "";
    if (!flag->second.empty() && !flag->second.contains(value)) {
      return words[i] + " does not take " + value;
    }
  }
  return "";
}

/// The rows "what | in our notation | function | test | command" of the page.
std::vector<Cells> rows_of(const std::string& page) {
  std::vector<Cells> rows;
  for (const std::string& line : lines_of(page)) {
    Cells cells = cells_of(line);
    if (cells.size() == 5 && cells[0] != "what") {
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

std::vector<std::string> defects_of(const std::string& page, const Project& project) {
  std::vector<std::string> defects;
  for (const Cells& row : rows_of(page)) {
    const auto add = [&](const std::string& defect) {
      if (!defect.empty()) {
        defects.push_back(row[0] + ": " + defect);
      }
    };
    const char* const function = "`(\\w+)` in `([^`]+)`";
    const auto names = found(row[2], function, 1);
    const auto files = found(row[2], function, 2);
    const auto tests = found(row[3], "`([^`]+)`", 1);
    const auto commands = found(row[4], "`([^`]+)`", 1);
    add(names.empty() ? "names no function" : "");
    add(2 * names.size() != found(row[2], "`[^`]+`", 0).size() ? "a name without a file" : "");
    add(tests.empty() ? "names no test" : "");
    add(commands.empty() ? "names no command" : "");
    for (std::size_t i = 0; i < names.size(); ++i) {
      add(defect_of_function(project, names[i], files[i]));
    }
    for (const std::string& test : tests) {
      add(project.tests.contains(test) ? "" : "no such test: " + test);
    }
    for (const std::string& command : commands) {
      add(defect_of_command(project, command));
    }
  }
  return defects;
}

Project this_project() {
  Project project;
  project.tests = all_tests(project.root);
  project.verbs = all_verbs();
  return project;
}

TEST(EquationsPage, NamesOnlyWhatExists) {
  EXPECT_THAT(
      defects_of(read_text(fs::path(RAYLEIGH_SOURCE_DIR) / "docs/equations.md"), this_project()),
      IsEmpty());
}

TEST(EquationsPage, HasARowForEverythingThatThePaperNumbers) {
  const auto rows = rows_of(read_text(fs::path(RAYLEIGH_SOURCE_DIR) / "docs/equations.md"));
  const std::vector<std::pair<std::string, int>> kinds{
      {"Eq.", 8},       {"Theorem", 2}, {"Proposition", 2}, {"Lemma", 2},
      {"Algorithm", 3}, {"Table", 7},   {"Figure", 15}};
  for (const auto& kind : kinds) {
    for (int number = 1; number <= kind.second; ++number) {
      const std::string title = kind.first + " " + std::to_string(number) + ":";
      EXPECT_EQ(
          std::ranges::count_if(rows, [&](const Cells& row) { return row[0].starts_with(title); }),
          1)
          << title;
    }
  }
}

TEST(SecurityPage, NamesTestsThatExistForEveryPromise) {
  const fs::path root(RAYLEIGH_SOURCE_DIR);
  const auto tests = all_tests(root);
  int promises = 0;
  for (const std::string& line : lines_of(read_text(root / "SECURITY.md"))) {
    const Cells cells = cells_of(line);
    if (cells.size() != 2 || cells[0] == "promise") {
      continue;
    }
    ++promises;
    const auto names = found(cells[1], "`([^`]+)`", 1);
    EXPECT_THAT(names, testing::Not(IsEmpty())) << line;
    for (const std::string& name : names) {
      // A whole suite, or one test of it.
      const auto at = tests.lower_bound(name);
      EXPECT_TRUE(at != tests.end() && (*at == name || at->starts_with(name + "."))) << name;
    }
  }
  EXPECT_EQ(promises, 15);
}

TEST(EquationsPage, AWrongNameIsADefect) {
  const Project project = this_project();
  const std::string function = "`high_frequency` in `include/rayleigh/spectral/energy.h`";
  const std::string test = "`Theorem2.ExactIdentityHolds`, `GoldenWavelets.CoefficientsAgree`";
  const std::string command =
      "`rayleigh generate perturb SN12C -o p`, `rayleigh train p -o m --profile paper`";
  const auto defects = [&](const std::string& f, const std::string& t, const std::string& c) {
    return defects_of(
        "| what | | function | test | command |\n|---|---|---|---|---|\n| Eq. 1: x | |" + f +
            " | " + t + " | " + c + " |\n",
        project);
  };
  EXPECT_THAT(defects(function, test, command), IsEmpty());
  const auto of_function = [&](const std::string& words) { return defects(words, test, command); };
  const auto of_test = [&](const std::string& words) { return defects(function, words, command); };
  const auto of_command = [&](const std::string& words) { return defects(function, test, words); };
  EXPECT_THAT(of_function("`low_frequency` in `include/rayleigh/spectral/energy.h`"),
              ElementsAre(HasSubstr("energy.h has no low_frequency")));
  // That file speaks of a decomposition in a comment only.
  EXPECT_THAT(of_function("`eigendecomposition` in `include/rayleigh/spectral/energy.h`"),
              ElementsAre(HasSubstr("has no eigendecomposition")));
  EXPECT_THAT(of_function("`high_frequency` in `include/rayleigh/spectral/power.h`"),
              ElementsAre(HasSubstr("there is no include/rayleigh/spectral/power.h")));
  EXPECT_THAT(of_function(function + ", `high_frequency`"),
              ElementsAre(HasSubstr("a name without a file")));
  EXPECT_THAT(of_test("`Theorem2.HoldsAlways`"), ElementsAre(HasSubstr("no such test")));
  EXPECT_THAT(of_test("none"), ElementsAre(HasSubstr("names no test")));
  EXPECT_THAT(of_command("`rayleigh rehearse E9`"), ElementsAre(HasSubstr("no such verb")));
  EXPECT_THAT(of_command("`rayleigh reproduce E9 --colour`"),
              ElementsAre(HasSubstr("reproduce has no --colour")));
  EXPECT_THAT(of_command("`rayleigh train p -o m --profile letter`"),
              ElementsAre(HasSubstr("--profile does not take letter")));
  EXPECT_THAT(defects("", "", ""),
              ElementsAre(HasSubstr("no function"), HasSubstr("no test"), HasSubstr("no command")));
}

}  // namespace
}  // namespace rayleigh::test
