#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "cli/child_process.h"
#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kModels =
    "rqgnn:profile=published:hidden=8,chebynet:hidden=8,ocgin:hidden=8,size";

/// Two datasets: data.jsonl and other.jsonl.
class CompareFolder : public TrainingFolder {
 public:
  CompareFolder() {
    io::save_jsonl(generate::molecules({.seed = 3, .graphs = 150, .anomalous = 0.2}),
                   path("other.jsonl"));
  }
  CommandResult compare(const std::string& flags, const std::string& data = "data other") const {
    std::string words = "compare";
    for (std::istringstream names(data); names >> words_;) {
      words += " " + path(words_ + ".jsonl");
    }
    return run_command(words + " -o " + path("out") + " " + flags);
  }
  nlohmann::json results() const { return nlohmann::json::parse(text("out/results.json")); }

 private:
  mutable std::string words_;
};

std::string models(const std::string& list) { return "--models " + list + " "; }

TEST(Compare, WritesTablesPageAndCells) {
  const CompareFolder folder;
  const auto result = folder.compare(models(kModels) + "--epochs 3 --seeds 2");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, folder.text("out/table.txt"));
  for (const char* words : {"chebynet hidden=8", "ocgin hidden=8 (one-class)", "size (yardstick)",
                            "data AUC", "other AUC", "±", "*", "F1 tuned", "200 graphs"}) {
    EXPECT_THAT(result.out, HasSubstr(words));
  }
  EXPECT_LT(result.out.find("chebynet"), result.out.find("ocgin")) << "the paper's order";
  EXPECT_LT(result.out.find("ocgin"), result.out.find("rqgnn"));
  EXPECT_LT(result.out.find("rqgnn"), result.out.find("size (yardstick)"));
  EXPECT_EQ(lines_of(result.err).size(), 2U + 16U) << "a line a run\n" << result.err;

  const auto csv = lines_of(folder.text("out/results.csv"));
  ASSERT_EQ(csv.size(), 1U + 16U);
  for (const auto& line : csv) {
    EXPECT_EQ(cells_of(line).size(), cells_of(csv[0]).size()) << line;
  }
  const auto json = folder.results();
  EXPECT_EQ(json["cells"].size(), 16U);
  EXPECT_EQ(json["command"], "rayleigh compare " + folder.path("data.jsonl") + " " +
                                 folder.path("other.jsonl") + " --models " + kModels +
                                 " --seeds 2 --epochs 3");
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("out"))) {
    files.insert(entry.path().filename().string());
  }
  EXPECT_THAT(files, testing::ElementsAre("lock", "report.html", "results.csv", "results.json",
                                          "table.txt"));
  EXPECT_EQ(json["aggregates"].size(), 8U);
  EXPECT_EQ(json["aggregates"][0]["auc"]["seeds"], 2);
  // Scores of one-class models have no threshold of 0.5.
  for (const auto& entry : json["aggregates"]) {
    const bool one_class = entry["model"] == "size" || entry["model"] == "ocgin hidden=8";
    EXPECT_EQ(entry["macro_f1"]["mean"].is_null(), one_class);
    EXPECT_FALSE(entry["macro_f1_tuned"]["mean"].is_null());
  }
  const auto page = folder.text("out/report.html");
  for (const char* outside : {"src=", "href=", "url(", "<script", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_EQ(folder.left_over({"other.jsonl", "out"}), std::vector<std::string>{});
}

TEST(Compare, CellsHoldWhatTrainPrints) {
  const CompareFolder folder;
  ASSERT_EQ(folder
                .compare(models("rqgnn:profile=published:hidden=8:batch-size=64") +
                             "--epochs 3 --seeds 1",
                         "data")
                .exit_code,
            0);
  const auto cell = folder.results()["cells"][0];
  const auto train = folder.train();
  for (const char* key : {"split", "epochs_run", "best_epoch", "validation", "test", "data"}) {
    EXPECT_EQ(cell[key], train[key]) << key;
  }
  EXPECT_EQ(cell["settings"], train["model"]["settings"]);
}

TEST(Compare, ASecondRunPrintsTheSameAndRunsNothing) {
  const CompareFolder folder;
  const auto flags = models(kModels) + "--epochs 3 --seeds 1 ";
  const auto first = folder.compare(flags + "--threads 1");
  const auto second = folder.compare(flags + "--threads 4");
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(first.out, second.out);
  EXPECT_THAT(second.err, HasSubstr("kept from an earlier run"));
  EXPECT_EQ(folder.compare(flags + "--format json --quiet").out, folder.text("out/results.json"));
  EXPECT_EQ(folder.compare(flags + "--format csv --quiet").out, folder.text("out/results.csv"));
  EXPECT_EQ(folder.compare(flags + "--quiet").err, "");
  const auto changed = folder.compare(models(kModels) + "--epochs 2 --seeds 1");
  EXPECT_THAT(changed.err, HasSubstr("epochs was 3, is 2; run anew"));
  EXPECT_THAT(changed.err, HasSubstr("size, seed 1: AUC"));
  EXPECT_NE(changed.out, first.out);
}

TEST(Compare, DataThatIsNotThereLeavesTheOthers) {
  const CompareFolder folder;
  const auto result =
      folder.compare(models("size,label-counts") + "--seeds 2", "data missing other");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_THAT(result.out, HasSubstr("failed: missing, all methods, seeds 1, 2: " +
                                    folder.path("missing.jsonl") + ": no such file"));
  EXPECT_THAT(folder.text("out/report.html"), HasSubstr("missing.jsonl: no such file"));
  std::map<std::string, std::map<std::string, int>> counts;
  const auto json = folder.results();
  for (const auto& cell : json["cells"]) {
    ++counts[cell["data_title"]][cell["status"]];
  }
  EXPECT_EQ(counts["data"], (std::map<std::string, int>{{"done", 4}}));
  EXPECT_EQ(counts["other"], (std::map<std::string, int>{{"done", 4}}));
  EXPECT_EQ(counts["missing"], (std::map<std::string, int>{{"failed", 4}}));
}

TEST(Compare, WrongWordsAreUsageErrorsBeforeAnythingRuns) {
  const CompareFolder folder;
  const auto expect = [&](const std::string& flags, const std::string& words,
                          const std::string& data = "data") {
    const auto result = folder.compare(flags, data);
    EXPECT_EQ(result.exit_code, 2) << flags;
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out"))) << flags;
  };
  expect(models("size,chebnet"), "did you mean chebynet?");
  expect(models("size,chebynet:hiden=4"), "did you mean hidden?");
  expect(models("size,chebynet:hidden=-4"), "hidden: '-4' is not valid");
  expect(models("size,size"), "size is given twice");
  expect(models("size,"), "'' is unknown");
  expect(models("chebynet") + "--epochs 0", "epochs: '0' is not valid");
  expect(models("size") + "--full --epochs 3", "--full: means");
  expect(models("size"), "is given twice", "data data");
  expect("--model size", "did you mean --models?");
}

TEST(Compare, TheSplitIsOneForAll) {
  const TrainingFolder folder(120);
  const std::string command =
      "compare " + folder.path("data.jsonl") + " -o " + folder.path("c") + " --quiet --seeds 1 ";
  const auto own = run_command(command + "--models size:split=80/10/10");
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("split is the same for all models"));
  const auto result =
      run_command(command + "--models size,label-counts --split 50/25/25 --format json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto out = nlohmann::json::parse(result.out);
  for (const auto& cell : out["cells"]) {
    EXPECT_EQ(cell["split"]["train"], 60);
  }
  const auto no_scaffold = run_command(command + "--models size --split scaffold");
  EXPECT_EQ(no_scaffold.exit_code, 4);
}

TEST(Compare, AllDetectorsAreThoseThatTheDataAllow) {
  const TrainingFolder folder(60);
  const std::string command =
      "compare " + folder.path("data.jsonl") + " --seeds 1 --epochs 1 --train-graphs 30 -o ";
  const auto all = run_command(command + folder.path("all") + " --format json");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.err, HasSubstr("ecfp-forest is left out for data: it needs molecules"));
  EXPECT_THAT(all.out, Not(HasSubstr("\"ecfp-forest\"")));
  const auto named = run_command(command + folder.path("named") + " --models size,ecfp-forest");
  EXPECT_EQ(named.exit_code, 4);
  EXPECT_THAT(named.out + named.err, HasSubstr("ecfp-forest needs molecules"));
}

/// The file of --write-parts with scores that are the number of nodes, and a random one.
void score_parts(const CompareFolder& folder, const std::string& parts, const std::string& out,
                 const GraphSet& graphs) {
  std::string text;
  for (const auto& line : lines_of(folder.text(parts))) {
    text += line + ",";
    text += text.size() == line.size() + 1
                ? std::string("score")
                : std::to_string(graphs[std::stoul(cells_of(line)[2])].nodes());
    text += "\n";
  }
  folder.write(out, text);
}

TEST(Compare, ScoresOfAnotherProgramOnTheSamePartsAreARow) {
  const CompareFolder folder;
  const auto graphs = io::load(folder.path("data.jsonl"));
  for (const std::string repeats : {"--seeds 2 ", "--folds 3 "}) {
    const auto flags = models("label-counts,size") + repeats;
    const auto first = folder.compare(flags + "--write-parts " + folder.path("parts.csv"), "data");
    ASSERT_EQ(first.exit_code, 0) << first.err;
    score_parts(folder, "parts.csv", "nodes.csv", graphs);
    const auto result = folder.compare(
        flags + "--reference size --format json --scores " + folder.path("nodes.csv"), "data");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("kept from an earlier run"));
    const auto json = nlohmann::json::parse(result.out);
    const std::size_t runs = repeats == "--seeds 2 " ? 2 : 3;
    ASSERT_EQ(json["cells"].size(), 3 * runs);
    for (std::size_t i = 0; i < runs; ++i) {
      const auto& size = json["cells"][runs + i];
      const auto& nodes = json["cells"][2 * runs + i];
      EXPECT_EQ(nodes["model"]["title"], "nodes");
      EXPECT_EQ(nodes["test"]["auc"], size["test"]["auc"]) << "the same score of the same graphs";
      EXPECT_EQ(nodes["test"]["macro_f1_tuned"], size["test"]["macro_f1_tuned"]);
      EXPECT_EQ(nodes["split"]["hash"], size["split"]["hash"]);
    }
    EXPECT_EQ(json["paired"]["reference"], "size");
    for (const auto& difference : json["paired"]["differences"]) {
      if (difference["model"] == "nodes") {
        EXPECT_EQ(difference["auc"]["mean"], 0);
        EXPECT_EQ(difference["auc"]["p_value"], 1);
      }
    }
    EXPECT_THAT(folder.text("out/table.txt"), HasSubstr("nodes (scores)"));
    EXPECT_THAT(folder.text("out/table.txt"), HasSubstr("Method minus size, mean over the " +
                                                        repeats.substr(2, 5) + " that both have"));
  }
}

TEST(Compare, FilesThatDoNotFitAreErrorsBeforeAnythingRuns) {
  const CompareFolder folder;
  const auto expect = [&](int code, const std::string& flags, const std::string& words,
                          const std::string& data = "data") {
    const auto result = folder.compare(models("size") + flags, data);
    EXPECT_EQ(result.exit_code, code) << flags << result.err;
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder.path("out"))) << flags;
  };
  folder.write("a.csv", "index,score\n0,0.5\n");
  folder.write("size.csv", "index,score\n0,0.5\n");
  folder.write("bad.csv", "index,score\n0,NaN\n");
  folder.write("numbers", "0\n1\nx\n");
  expect(3, "--scores " + folder.path("a.csv"), "a.csv:1: there is no column seed");
  expect(3, "--seeds 1 --scores " + folder.path("a.csv"), "there is no score of graph");
  expect(3, "--scores " + folder.path("bad.csv"), "bad.csv:2: score 'NaN' is not a finite number");
  expect(3, "--scores " + folder.path("a.csv"), "there is no column data", "data other");
  expect(3, "--scores " + folder.path("absent.csv"), "absent.csv: cannot open");
  expect(2, "--scores " + folder.path("size.csv"), "size is the name of another row");
  expect(2, "--scores " + folder.path("a.csv") + " " + folder.path("a.csv"), "two methods");
  const std::string three =
      folder.path("numbers") + " " + folder.path("numbers") + " " + folder.path("numbers");
  expect(3, "--split-files " + three, "numbers:3: 'x' is not a graph");
  expect(2, "--split-files " + three, "one dataset, and there are several", "data other");
  expect(2, "--split-files " + folder.path("numbers"), "expected three files");
  expect(2, "--folds 3 --seeds 2", "--seeds");
  expect(2, "--folds 1", "folds: '1' is not valid");
  expect(2, "--reference sise", "did you mean size?");
}

TEST(Compare, FoldsTakeThePlaceOfSeedsAndAreThoseOfTrain) {
  const CompareFolder folder;
  const auto result = folder.compare(
      models("rqgnn:profile=published:hidden=8:batch-size=64") + "--epochs 3 --folds 4", "data");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("fold 4: AUC"));
  EXPECT_THAT(result.out, HasSubstr("deviation over folds"));
  const auto cells = folder.results()["cells"];
  const auto folds = folder.train("--folds 4")["folds"]["each"];
  ASSERT_EQ(cells.size(), 4U);
  std::size_t tested = 0;
  for (std::size_t fold = 0; fold < 4; ++fold) {
    EXPECT_EQ(cells[fold]["seed"], fold + 1);
    EXPECT_EQ(cells[fold]["test"], folds[fold]["test"]);
    tested += cells[fold]["test"]["graphs"].get<std::size_t>();
  }
  EXPECT_EQ(tested, 200U);
  const auto other = folder.compare(
      models("rqgnn:profile=published:hidden=8:batch-size=64") + "--epochs 3 --folds 5", "data");
  EXPECT_THAT(other.err, HasSubstr("folds was 4, is 5; run anew"));
}

TEST(Compare, GivenPartsAreThoseOfEverySeed) {
  const CompareFolder folder;
  std::array<std::string, 3> parts;
  for (int g = 0; g < 200; ++g) {
    parts[g < 140 ? 0 : g < 170 ? 1 : 2] += std::to_string(g) + "\n";
  }
  folder.write("train", parts[0]);
  folder.write("validation", parts[1]);
  folder.write("test", parts[2]);
  const auto flags = models("size,label-counts") + "--seeds 2 --split-files " +
                     folder.path("train") + " " + folder.path("validation") + " " +
                     folder.path("test");
  const auto result = folder.compare(flags, "data");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = folder.results();
  for (const auto& cell : json["cells"]) {
    EXPECT_EQ(cell["split"]["hash"], json["cells"][0]["split"]["hash"]);
    EXPECT_EQ(cell["split"]["test"], 30);
  }
  EXPECT_THAT(result.out, HasSubstr("All runs have the same test graphs: paired bootstrap"));
  EXPECT_EQ(json["paired"]["test"], "paired bootstrap of the test graphs");
  EXPECT_TRUE(json["paired"]["differences"][0]["auc"]["low"].is_number());
  EXPECT_THAT(folder.compare(flags, "data").err, HasSubstr("kept from an earlier run"));
  folder.write("train", parts[0].substr(2));
  EXPECT_THAT(folder.compare(flags, "data").err, HasSubstr("parts was"));
}

TEST(Compare, AFolderInUseIsRefused) {
  const CompareFolder folder;
  ASSERT_EQ(folder.compare(models("size") + "--seeds 1", "data").exit_code, 0);
  ChildProcess child({"compare", folder.path("data.jsonl"), "-o", folder.path("out"), "--models",
                      "chebynet:hidden=64", "--epochs", "100000", "--seeds", "1"},
                     folder.path("err"));
  // The lock is there as soon as it says what it will do.
  while (folder.text("err").find("1 run") == std::string::npos &&
         !child.ends_within(std::chrono::milliseconds(5))) {
  }
  const auto result = folder.compare(models("size") + "--seeds 1", "data");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("another process is working in this folder"));
  child.kill_now();
  EXPECT_EQ(folder.compare(models("size") + "--seeds 1", "data").exit_code, 0);
}

bool has_file(const std::filesystem::path& folder, const std::string& ending) {
  std::error_code not_yet;
  for (const auto& entry : std::filesystem::directory_iterator(folder, not_yet)) {
    if (entry.path().extension() == ending) {
      return true;
    }
  }
  return false;
}

TEST(Compare, AKilledComparisonGoesOnAndEndsInTheSameFigures) {
  const CompareFolder folder;
  const auto words = [&](const char* out) {
    return std::vector<std::string>{
        "compare",
        folder.path("data.jsonl"),
        folder.path("other.jsonl"),
        "-o",
        folder.path(out),
        "--models",
        "rqgnn:profile=published:hidden=8:patience=0,chebynet:hidden=8:patience=0",
        "--epochs",
        "150",
        "--seeds",
        "2",
        "--threads",
        "2"};
  };
  ASSERT_EQ(ChildProcess(words("whole"), folder.path("err")).wait(), 0) << folder.text("err");
  // Killed as soon as there is a checkpoint to go on from, then as soon as there is a result to
  // keep.
  const auto kill_when_there_is = [&](const char* ending) {
    ChildProcess child(words("killed"), folder.path("err"));
    while (!has_file(folder.path("killed/cells"), ending)) {
      if (child.ends_within(std::chrono::milliseconds(2))) {
        return false;
      }
    }
    child.kill_now();
    return true;
  };
  EXPECT_TRUE(kill_when_there_is(".checkpoint")) << "the run was too short to be killed";
  EXPECT_TRUE(kill_when_there_is(".json")) << "the run was too short to be killed";
  EXPECT_THAT(folder.text("err"), HasSubstr("going on after epoch"));
  EXPECT_EQ(ChildProcess(words("killed"), folder.path("err")).wait(), 0) << folder.text("err");
  EXPECT_THAT(folder.text("err"), HasSubstr("kept from an earlier run"));
  const auto figures = [&](const std::string& out) {
    auto json = nlohmann::json::parse(folder.text(out + "/results.json"));
    for (auto& cell : json["cells"]) {
      for (const char* key : {"seconds", "train_graphs_per_second", "continued"}) {
        cell.erase(key);
      }
    }
    return json["cells"];
  };
  EXPECT_EQ(figures("killed"), figures("whole"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("killed/cells")))
      << "all results are in results.json";
}

}  // namespace
}  // namespace rayleigh::test
