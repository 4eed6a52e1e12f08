#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rayleigh/metrics.h"

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Starts a run that would take hours; what must fail before training fails at once.
CommandResult long_run(const TrainingFolder& folder, const std::string& output,
                       const std::string& flags) {
  return run_command("train " + folder.path("data.jsonl") + " -o " + output +
                     " --epochs 1000000 --patience 0 " + flags);
}

TEST(Train, PrintsTheJsonOfTheContract) {
  const TrainingFolder folder;
  const json out = folder.train("--seed 3");
  const auto expect_keys = [&](const char* object, const std::vector<const char*>& keys) {
    for (const char* key : keys) {
      EXPECT_TRUE(out[object].contains(key)) << object << "." << key;
    }
  };
  expect_keys("data", {"name", "graphs", "anomalous", "nodes", "edges", "labels"});
  expect_keys("model", {"name", "profile", "parameters"});
  expect_keys("split", {"train", "validation", "test", "seed"});
  expect_keys("seconds", {"load", "prepare", "train", "evaluate"});
  expect_keys("validation", {"auc", "average_precision", "macro_f1"});
  expect_keys("test", {"auc", "average_precision", "macro_f1", "macro_f1_tuned", "threshold"});
  EXPECT_EQ(out["data"]["name"], "data");
  EXPECT_EQ(out["data"]["graphs"], 200);
  EXPECT_EQ(out["data"]["anomalous"], 40);
  EXPECT_EQ(out["data"]["labels"], 7);
  EXPECT_EQ(out["model"]["name"], "rqgnn");
  EXPECT_EQ(out["model"]["profile"], "published");
  EXPECT_GT(out["model"]["parameters"].get<int>(), 100);
  EXPECT_EQ(out["split"]["train"], 140);
  EXPECT_EQ(out["split"]["validation"], 30);
  EXPECT_EQ(out["split"]["test"], 30);
  EXPECT_EQ(out["split"]["seed"], 3);
  EXPECT_EQ(out["epochs_run"], 3);
  EXPECT_GE(out["best_epoch"], 1);
  EXPECT_LE(out["best_epoch"], 3);
  EXPECT_GT(out["seconds"]["train"].get<double>(), 0);
  EXPECT_NEAR(out["train_graphs_per_second"].get<double>() * out["seconds"]["train"].get<double>(),
              140 * 3, 1e-6);
}

TEST(Train, ShowsAReadablePageAndKeepsStdoutForIt) {
  const TrainingFolder folder;
  const auto result =
      run_command("train " + folder.path("data.jsonl") + " -o " + folder.path("m.model") + kQuick);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"rqgnn, profile published", "best epoch", "validation", "test", "AUC",
                           "The threshold", "was tuned on the validation graphs"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.err, HasSubstr("data: 200 graphs, 7 labels"));
  EXPECT_THAT(result.err, HasSubstr("epoch   1/3"));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b"))) << "no cursor movement where no terminal is";
}

TEST(Train, GivesTheSameBytesFromAnyFolderWithAnyNumberOfThreads) {
  const TrainingFolder one;
  const TrainingFolder two;
  one.train("--threads 1");
  two.train("--threads 3 --checkpoint " + two.path("c") + " --predictions " + two.path("p") +
            " --log " + two.path("l"));
  const std::string bytes = one.text("m.model");
  EXPECT_EQ(bytes, two.text("m.model"));
  EXPECT_THAT(bytes, Not(HasSubstr(one.path(""))));
  EXPECT_THAT(bytes, Not(HasSubstr("threads")));
  EXPECT_THAT(bytes, Not(HasSubstr("seconds")));
  EXPECT_TRUE(one.left_over({"m.model"}).empty());
}

TEST(Train, PredictionsCoverAllPartsAndGiveTheFiguresAgain) {
  const TrainingFolder folder;
  const json out = folder.train("--predictions " + folder.path("p.csv"));
  const auto lines = lines_of(folder.text("p.csv"));
  ASSERT_EQ(lines.size(), 201U);
  EXPECT_EQ(lines[0], "index,id,part,label,score,probability,anomalous");
  std::map<std::string, std::vector<std::int8_t>> labels;
  std::map<std::string, std::vector<double>> scores;
  const double threshold = out["test"]["threshold"];
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    ASSERT_EQ(cells.size(), 7U) << lines[i];
    EXPECT_EQ(cells[0], std::to_string(i - 1));
    labels[cells[2]].push_back(static_cast<std::int8_t>(std::stoi(cells[3])));
    scores[cells[2]].push_back(std::stod(cells[4]));
    EXPECT_EQ(cells[6], std::stod(cells[4]) > threshold ? "1" : "0");
  }
  EXPECT_EQ(labels["train"].size(), 140U);
  EXPECT_EQ(labels["validation"].size(), 30U);
  EXPECT_EQ(labels["test"].size(), 30U);
  for (const char* part : {"validation", "test"}) {
    const Scored scored{labels[part], scores[part]};
    EXPECT_EQ(out[part]["auc"], roc_auc(scored));
    EXPECT_EQ(out[part]["average_precision"], average_precision(scored));
    EXPECT_EQ(out[part]["macro_f1"], macro_f1(scored));
    EXPECT_EQ(out[part]["macro_f1_tuned"], macro_f1(scored, threshold));
  }
}

TEST(Train, FoldsGiveEveryGraphAScoreAndTheModelLearnsFromAll) {
  const TrainingFolder folder;
  const std::string flags = "--folds 4 --predictions " + folder.path("p.csv") + " --log " +
                            folder.path("log") + " --threads ";
  const json out = folder.train(flags + "1");
  const std::string predictions = folder.text("p.csv");
  const auto lines = lines_of(predictions);
  ASSERT_EQ(lines.size(), 201U);
  EXPECT_EQ(lines[0], "index,id,part,label,score,probability,anomalous,fold");
  std::map<std::string, std::vector<std::int8_t>> labels;
  std::map<std::string, std::vector<double>> scores;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto cells = cells_of(lines[i]);
    ASSERT_EQ(cells.size(), 8U) << lines[i];
    EXPECT_EQ(cells[2], "test");
    labels[cells[7]].push_back(static_cast<std::int8_t>(std::stoi(cells[3])));
    scores[cells[7]].push_back(std::stod(cells[4]));
  }
  ASSERT_EQ(out["folds"]["count"], 4);
  double sum = 0;
  for (int fold = 1; fold <= 4; ++fold) {
    const auto name = std::to_string(fold);
    const auto& one = out["folds"]["each"][static_cast<std::size_t>(fold - 1)];
    EXPECT_EQ(one["fold"], fold);
    EXPECT_EQ(one["test"]["auc"], roc_auc({labels[name], scores[name]}));
    EXPECT_EQ(one["split"]["test"], 50);
    sum += one["test"]["auc"].get<double>();
  }
  const auto& auc = out["folds"]["test"]["auc"];
  EXPECT_NEAR(auc["mean"].get<double>(), sum / 4, 1e-12);
  EXPECT_LE(auc["low"].get<double>(), auc["mean"].get<double>());
  EXPECT_GE(auc["high"].get<double>(), auc["mean"].get<double>());
  EXPECT_EQ(out["split"]["train"].get<int>() + out["split"]["validation"].get<int>(), 200);
  EXPECT_EQ(out["split"]["test"], 0);
  EXPECT_TRUE(out["test"]["auc"].is_null());
  const auto log = lines_of(folder.text("log"));
  ASSERT_EQ(log.size(), 15U);
  EXPECT_EQ(json::parse(log[3])["fold"], 2);
  EXPECT_FALSE(json::parse(log[14]).contains("fold")) << "of the model on all graphs";

  const std::string model = folder.text("m.model");
  folder.train(flags + "4");
  EXPECT_EQ(folder.text("p.csv"), predictions) << "for any number of threads";
  EXPECT_EQ(folder.text("m.model"), model);
  const auto text =
      run_command("train " + folder.path("data.jsonl") + " -o " + folder.path("m.model") + kQuick +
                  "--folds 4 --quiet --report " + folder.path("report"));
  EXPECT_THAT(text.out, HasSubstr("4 folds: every graph tested once"));
  EXPECT_THAT(text.out, HasSubstr("The model on all graphs: rqgnn"));
  EXPECT_THAT(folder.text("report/report.html"),
              HasSubstr("Every graph tested once, by a model that did not see it."));
}

TEST(Train, FoldsThatCannotBeAreUsageErrors) {
  const TrainingFolder folder;
  const auto expect = [&](const std::string& flags, const std::string& words) {
    const auto result = run_command("train " + folder.path("data.jsonl") + " -o " +
                                    folder.path("n.model") + kQuick + flags);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(folder.path("n.model")));
  };
  expect("--folds 1", "--folds");
  expect("--folds 100", "--folds: 100 folds cannot each have an anomalous graph");
  expect("--folds 3 --split-files a b c", "--split-files");
  expect("--folds 3 --split scaffold", "no scaffolds");
}

TEST(Train, LogHasALineAnEpoch) {
  const TrainingFolder folder;
  const json out = folder.train("--ensemble 2 --log " + folder.path("log"));
  const auto lines = lines_of(folder.text("log"));
  ASSERT_EQ(lines.size(), 6U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json line = json::parse(lines[i]);
    EXPECT_EQ(line["member"], i / 3);
    EXPECT_EQ(line["epoch"], i % 3 + 1);
    EXPECT_TRUE(line["loss"].is_number());
    EXPECT_TRUE(line["graphs_per_second"].is_number());
    for (const char* metric : {"auc", "average_precision", "macro_f1"}) {
      EXPECT_TRUE(line["validation"][metric].is_number()) << metric;
    }
  }
  EXPECT_EQ(out["members"].size(), 2U);
  EXPECT_EQ(out["members"][1]["seed"], 2);
}

TEST(Train, OutputThatCannotBeWrittenFailsBeforeTraining) {
  const TrainingFolder folder;
  folder.write("file", "x");
  const std::string good = folder.path("m.model");
  for (const char* bad : {"missing/x", "file/x", "."}) {
    const std::string path = folder.path(bad);
    for (const auto& [output, flags] :
         {std::pair(path, std::string()), std::pair(good, "--predictions " + path),
          std::pair(good, "--log " + path), std::pair(good, "--checkpoint " + path)}) {
      const auto result = long_run(folder, output, flags);
      EXPECT_EQ(result.exit_code, 1) << flags << ": " << result.err;
      EXPECT_THAT(result.err, HasSubstr(path + ": cannot")) << flags;
      EXPECT_EQ(result.out, "");
    }
  }
  EXPECT_TRUE(folder.left_over({"file"}).empty()) << folder.left_over({"file"})[0];
}

TEST(Train, AFailedRunLeavesAnOldModelAsItWas) {
  const TrainingFolder folder;
  folder.write("m.model", "precious");
  folder.write("bad.jsonl", "{\"nodes\":1,\"label\":0}\nnonsense\n");
  const auto bad =
      run_command("train " + folder.path("bad.jsonl") + " -o " + folder.path("m.model"));
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.jsonl:"));
  const auto usage = run_command("train " + folder.path("data.jsonl") + " -o " +
                                 folder.path("m.model") + " --anomaly-class 7");
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(folder.text("m.model"), "precious");
  EXPECT_TRUE(folder.left_over({"m.model", "bad.jsonl"}).empty());
}

TEST(Train, TakesNegativeValuesAndSeveralWaysToWriteThem) {
  const TrainingFolder folder;
  std::string text;
  for (std::string line : lines_of(folder.text("data.jsonl"))) {
    const auto at = line.find("\"label\":0");
    if (at != std::string::npos) {
      line.replace(at, 9, "\"label\":-1");
    }
    text += line + "\n";
  }
  ASSERT_THAT(text, HasSubstr("\"label\":-1"));
  folder.write("data.jsonl", text);
  const json rare = folder.train("");
  EXPECT_EQ(rare["data"]["anomalous"], 40);
  const json turned = folder.train("--anomaly-class -1");
  EXPECT_EQ(turned["data"]["anomalous"], 160);
  EXPECT_EQ(folder.train("--anomaly-class=-1")["data"], turned["data"]);
}

TEST(Train, UnknownFlagsAndKeysNameTheNearestOne) {
  const TrainingFolder folder;
  const auto expect = [&](const std::string& flags, const std::string& words) {
    const auto result = long_run(folder, folder.path("m.model"), flags);
    EXPECT_EQ(result.exit_code, 2) << flags;
    EXPECT_THAT(result.err, HasSubstr(words));
  };
  expect("--batchsize 3", "unknown flag --batchsize, did you mean --batch-size?");
  expect("--gama 1", "did you mean --gamma?");
  expect("--model rqgn", "did you mean rqgnn?");
  expect("--select macrof1", "expected one of macro-f1, auc, average-precision");
  expect("--dropout 1", "--dropout: '1' is not valid, expected a number, 0 … 0.99");
  expect("--split 70/15/15 --split-files a b c", "cannot be given together with --split");
  expect("--split-files a b", "expected three files");
  expect("--isa sse9", "--isa: 'sse9' is not valid, expected one of auto, baseline, avx2, avx512");
  folder.write("c.toml", "[train]\nepochz = 3\n");
  expect("--config " + folder.path("c.toml"), "did you mean epochs?");
  folder.write("c.toml", "[train]\nmodel = 'gmtx'\n");
  expect("--config " + folder.path("c.toml"), "c.toml: model: 'gmtx' is unknown");
  expect("--split-files a b c --split-group duplicates", "together with --split-group");
  expect("--profile paper --scales 0.5 -1 2", "--scales: must be positive, got -1");
}

TEST(Train, AConfigFileSetsWhatFlagsDoNot) {
  const TrainingFolder folder;
  folder.write("c.toml", "[train]\nhidden = 5\nepochs = 77\nseed = 6\n");
  const auto result = run_command("train " + folder.path("data.jsonl") + " -o " +
                                  folder.path("m.model") + " --epochs 2 --quiet --format json " +
                                  "--profile published --config " + folder.path("c.toml"));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json settings = json::parse(result.out)["model"]["settings"];
  EXPECT_EQ(settings["hidden"], 5);
  EXPECT_EQ(settings["epochs"], 2);
  EXPECT_EQ(settings["seed"], 6);
}

TEST(Train, SplitFilesDecideThePartsAndTheirDefectsAreNamed) {
  const TrainingFolder folder;
  std::array<std::string, 3> parts;
  for (int g = 0; g < 200; ++g) {
    parts[static_cast<std::size_t>(g % 10 < 6   ? 0
                                   : g % 10 < 8 ? 1
                                                : 2)] += std::to_string(g) + "\r\n";
  }
  folder.write("a", parts[0]);
  folder.write("b", parts[1]);
  folder.write("c", parts[2]);
  const std::string files =
      " --split-files " + folder.path("a") + " " + folder.path("b") + " " + folder.path("c");
  const json out = folder.train(files);
  EXPECT_EQ(out["split"]["train"], 120);
  EXPECT_EQ(out["split"]["validation"], 40);
  folder.write("c", "8\n200\n");
  const auto range = long_run(folder, folder.path("n.model"), files);
  EXPECT_EQ(range.exit_code, 3);
  EXPECT_THAT(range.err, HasSubstr(folder.path("c") + ":2: '200' is not a graph"));
  folder.write("c", "8\n0\n");
  EXPECT_THAT(long_run(folder, folder.path("n.model"), files).err,
              HasSubstr(folder.path("c") + ":2: graph 0 stands in the split twice"));
}

TEST(Train, TheNameOfTheDataNeedNotBeText) {
  const TrainingFolder folder;
  const std::string name = "d\xff.jsonl";
  folder.write(name, folder.text("data.jsonl"));
  const auto trained = run_command("train " + folder.path(name) + " -o " + folder.path("m.model") +
                                   kQuick + "--quiet --format json");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(json::parse(trained.out)["data"]["name"], "d\\xff");
  for (const std::string& words :
       {"evaluate " + folder.path("m.model") + " ", std::string("inspect ")}) {
    const auto result = run_command(words + folder.path(name) + " --quiet --format json");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(json::accept(result.out)) << result.out;
  }
}

TEST(Models, AreListedWithTheirParameters) {
  const auto list = run_command("models --format json");
  ASSERT_EQ(list.exit_code, 0);
  EXPECT_EQ(json::parse(list.out)[0]["name"], "rqgnn");
  EXPECT_THAT(run_command("models").out, HasSubstr("rqgnn"));
  const auto one = json::parse(run_command("models rqgnn --format json").out);
  EXPECT_TRUE(std::ranges::any_of(one, [](const json& p) { return p["name"] == "gamma"; }));
  const auto unknown = run_command("models rqgn");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean rqgnn?"));
}

TEST(Train, AClosedStderrOrStdoutGetsNothingIntoTheModel) {
  const TrainingFolder folder;
  folder.train();
  const auto usual = folder.text("m.model");
  // A shell of its own closes what run_command() opens.
  const auto closed = [&](const std::string& which) {
    const std::string line = std::string(RAYLEIGH_COMMAND) + " train " + folder.path("data.jsonl") +
                             " -o " + folder.path("c.model") + kQuick + which;
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  for (const char* which : {"2>&- >/dev/null", "0<&- 2>&- >/dev/null"}) {
    EXPECT_EQ(closed(which), 0) << which;
    EXPECT_EQ(folder.text("c.model"), usual) << which;
  }
  EXPECT_EQ(closed(">&- 2>/dev/null"), 1) << "the result could not be printed";
  EXPECT_EQ(folder.text("c.model"), usual);
}

}  // namespace
}  // namespace rayleigh::test
