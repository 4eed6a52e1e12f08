#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_command.h"

namespace rayleigh::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CommandLine, WithoutArgumentsShowsTheOverviewAsUsageError) {
  const auto result = run_command("");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("usage: rayleigh VERB"));
}

TEST(CommandLine, HelpGoesToStdout) {
  for (const char* words : {"--help", "help", "-h"}) {
    const auto result = run_command(words);
    EXPECT_EQ(result.exit_code, 0) << words;
    EXPECT_THAT(result.out, HasSubstr("inspect DATA")) << words;
    EXPECT_EQ(result.err, "") << words;
  }
  EXPECT_THAT(run_command("inspect --help").out, HasSubstr("--anomaly-class LABEL"));
  EXPECT_THAT(run_command("help generate perturb").out, HasSubstr("rewire|delete|flip"));
  EXPECT_THAT(run_command("--version").out, StartsWith("rayleigh "));
}

TEST(CommandLine, UnknownWordsNameTheNearestOne) {
  const auto expect = [](const char* words, const char* part) {
    const auto result = run_command(words);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_THAT(result.err, HasSubstr(part)) << words;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  expect("inspct x", "unknown verb 'inspct', did you mean inspect?");
  expect("inspect x --anomaly-clas 1",
         "unknown flag --anomaly-clas, did you mean --anomaly-class?");
  expect("inspect x -z", "unknown flag -z");
  expect("generate", "expected one of: colors3, molecules, perturb");
  expect("generate colours3 -o x", "did you mean colors3?");
  expect("inspect", "DATA|MODEL is missing");
  expect("inspect a b", "'b' is one argument too many");
  expect("generate colors3", "--output DIR is missing");
  expect("generate colors3 -o", "-o needs a value");
  expect("generate colors3 -o x --graphs 3", "expected a whole number, 21 … 100000000");
  expect("generate colors3 -o x --seed 1 --seed 2", "--seed is given twice");
  expect("inspect x --format xml", "expected one of text, json");
}

TEST(CommandLine, ExitCodesTellUsageFromBadDataFromFailure) {
  EXPECT_EQ(run_command("inspect --rows 0 x").exit_code, 2);
  const auto missing = run_command("inspect no-such-file.zip");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, StartsWith("no-such-file.zip: no such file or directory"));
  const TemporaryFolder folder;
  write_text(folder / "file", "x");
  const auto unwritable =
      run_command("generate colors3 --graphs 21 -o " + (folder / "file" / "deep").string());
  EXPECT_EQ(unwritable.exit_code, 1) << unwritable.err;
}

TEST(CommandLine, FullDiskOnStdoutIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "skipped: no /dev/full here";
  }
  const TemporaryFolder folder;
  const auto data = (folder / "d").string();
  ASSERT_EQ(run_command("generate colors3 --graphs 21 -o " + data).exit_code, 0);
  const auto line = std::string(RAYLEIGH_COMMAND) + " inspect " + data + " >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1);
}

TEST(Config, JsonAndTomlSetWhatFlagsDoNot) {
  const TemporaryFolder folder;
  const auto graphs = [&](const std::string& name, const std::string& text,
                          const std::string& flags) {
    write_text(folder / name, text);
    const auto result =
        run_command("generate colors3 --format json --config " + (folder / name).string() + " -o " +
                    (folder / "out").string() + " " + flags);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(graphs("a.json", R"({"graphs": 42})", ""), HasSubstr("\"graphs\": 42"));
  EXPECT_THAT(graphs("a.toml", "graphs = 43\n", ""), HasSubstr("\"graphs\": 43"));
  EXPECT_THAT(graphs("a.toml", "graphs = 43\n", "--graphs 44"), HasSubstr("\"graphs\": 44"));
  EXPECT_THAT(graphs("b.toml",
                     "graphs = 43\n[\"generate colors3\"]\ngraphs = 45\n[inspect]\nrows = 3\n", ""),
              HasSubstr("\"graphs\": 45"));
}

TEST(Config, MistakesNameFileKeyAndNearestName) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    const auto result = run_command("generate colors3 --config " + (folder / name).string() +
                                    " -o " + (folder / "out").string());
    EXPECT_EQ(result.exit_code, 2) << text;
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    return result.err;
  };
  EXPECT_THAT(message("a.json", R"({"graph": 42})"), HasSubstr("did you mean graphs?"));
  EXPECT_THAT(message("a.json", "{\"graphs\": 42,\n}"), HasSubstr("a.json:2: not valid JSON"));
  EXPECT_THAT(message("a.toml", "graphs = \n"), HasSubstr("a.toml:1: not valid TOML"));
  EXPECT_THAT(message("a.toml", "graphs = 1\n"), HasSubstr("graphs: '1' is not valid"));
  EXPECT_THAT(message("a.toml", "graphs = [42]\n"), HasSubstr("expected one value"));
}

TEST(Docs, CommandsPageIsWhatTheCommandSays) {
  EXPECT_EQ(read_text(std::filesystem::path(RAYLEIGH_SOURCE_DIR) / "docs" / "commands.md"),
            run_command("help --markdown").out)
      << "run `make docs`";
}

TEST(Docs, TheManualPageHasEveryVerbAndFlag) {
  const std::string page = run_command("help --man").out;
  EXPECT_THAT(page, StartsWith(".TH RAYLEIGH 1"));
  std::istringstream lines(run_command("help --markdown").out);
  int flags = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) {
      EXPECT_THAT(page, HasSubstr("\n.SS " + line.substr(3) + "\n"));
    } else if (line.starts_with("| `--")) {
      std::string flag = line.substr(3, line.find('`', 3) - 3);
      for (std::size_t at = 0; (at = flag.find('-', at)) != std::string::npos; at += 2) {
        flag.insert(at, "\\");
      }
      EXPECT_THAT(page, HasSubstr(flag)) << line;
      ++flags;
    }
  }
  std::istringstream page_lines(page);
  int entries = 0;
  for (std::string line; std::getline(page_lines, line);) {
    entries += line == ".TP" ? 1 : 0;
  }
  EXPECT_EQ(entries, flags);
}

TEST(Docs, ReadmeShowsTheMainTableOfTheReproduction) {
  const std::filesystem::path source(RAYLEIGH_SOURCE_DIR);
  const std::string tables = read_text(source / "docs" / "results" / "reproduce" / "E1.md");
  const auto begin = tables.find("| AUC |");
  const auto end = tables.find("\n\n", begin);
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(read_text(source / "README.md"), HasSubstr(tables.substr(begin, end - begin)));
}

/// Escapes of a terminal, as a byte, as C1 in UTF-8 and as a mark that turns letters.
constexpr const char* kNasty =
    // NOLINTNEXTLINE(misc-misleading-bidirectional): escaped, nothing is turned here
    "n\x1b]0;x\x07\xc2\x9b"
    "2J\xe2\x80\xae";

TEST(Output, NastyNamesReachNoTerminal) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  std::string data;
  for (int i = 0; i < 60; ++i) {
    data += nlohmann::json{{"id", fmt::format("{}{}", kNasty, i)},
                           {"label", i % 3 == 0 ? kNasty : "usual"},
                           {"node_labels", {i % 3 == 0 ? kNasty : "C", "C", kNasty}},
                           {"edges", {{0, 1}, {1, 2}}}}
                .dump() +
            "\n";
  }
  write_text(folder / "data.jsonl", data);
  write_text(folder / "c.toml", fmt::format("epochs = {}\n", kNasty));
  write_text(folder / "d.toml", fmt::format("\"{}\" = 3\n", kNasty));
  write_text(folder / "bad.jsonl", fmt::format("{{\"id\":{}\n", kNasty));
  const std::string train =
      "train " + path("data.jsonl") + " -o " + path("m") + " --epochs 2 --hidden 4";
  const std::string of_model = path("m") + " " + path("data.jsonl");
  for (const std::string& line :
       {"inspect " + path("data.jsonl"), "analyze " + path("data.jsonl") + " -o " + path("a"),
        train, train + " --config " + path("c.toml"), train + " --config " + path("d.toml"),
        "score " + of_model, "score " + path("m") + " " + path("bad.jsonl"),
        "explain " + of_model + " -o " + path("why"), "evaluate " + of_model,
        "inspect " + path("m"), "inspect " + path("bad.jsonl"),
        "train " + path("data.jsonl") + " -o " + path("n") + " --anomaly-class $'" + "\\x1b'"}) {
    const auto result = run_command(line);
    for (const std::string& text : {result.out, result.err}) {
      // NOLINTNEXTLINE(misc-misleading-bidirectional)
      for (const char* bad : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae"}) {
        EXPECT_EQ(text.find(bad), std::string::npos) << line << "\n" << text;
      }
    }
  }
  for (const char* file : {"a/labels.csv", "why/shares.csv"}) {
    EXPECT_EQ(read_text(folder / file).find('\x1b'), std::string::npos) << file;
  }
}

TEST(Config, DeepNestingIsRefusedBeforeItOverflowsTheStack) {
  const TemporaryFolder folder;
  constexpr std::size_t kDeep = 100'000;
  const auto many = [](const std::string& word) {
    std::string text;
    for (std::size_t i = 0; i < kDeep; ++i) {
      text += word;
    }
    return text;
  };
  const auto refused = [&](const std::string& name, const std::string& text,
                           const std::string& words) {
    write_text(folder / name, text);
    const auto result = run_command("train x -o y --config " + (folder / name).string());
    EXPECT_EQ(result.exit_code, 2) << name << result.err;
    EXPECT_THAT(result.err, HasSubstr(words)) << name;
  };
  const std::string deep = "nested more than 32 deep, expected options";
  refused("objects.json", many("{\"a\":") + "1" + many("}"), deep);
  refused("lists.json", "{\"lr\":" + many("[") + many("]") + "}", deep);
  refused("key.toml", "x = 1\n" + many("a.") + "a = 1\n", "key.toml:2: " + deep);
  refused("quoted.toml", many("'a'.") + "a = 1\n", deep);
  refused("table.toml", "[" + many("a.") + "a]\n", deep);
  refused("inner.toml", "x = {" + many("a .") + "a = 1}\n", deep);
  refused("lists.toml", "x = " + many("[") + many("]") + "\n", "not valid TOML");
  refused("dots.toml", "output = '" + std::string(200, '.') + "'\nnonsense = 3\n",
          "nonsense is not an option");
}

}  // namespace
}  // namespace rayleigh::test
