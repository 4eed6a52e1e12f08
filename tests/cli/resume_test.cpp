#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "cli/child_process.h"
#include "cli/training_folder.h"
#include "core/random.h"
#include "special_files.h"

namespace rayleigh::test {
namespace {

using testing::HasSubstr;

CommandResult train(const TrainingFolder& folder, const std::string& model,
                    const std::string& flags) {
  return run_command("train " + folder.path("data.jsonl") + " -o " + folder.path(model) + kQuick +
                     flags);
}

std::string checkpoint(const TrainingFolder& folder) {
  return "--checkpoint " + folder.path("run.ckpt") + " ";
}

TEST(Resume, AKilledRunEndsInTheBitsOfOneThatWasNeverKilled) {
  const TrainingFolder folder;
  const auto words = [&](const char* model) {
    return std::vector<std::string>{"train",
                                    folder.path("data.jsonl"),
                                    "-o",
                                    folder.path(model),
                                    "--profile",
                                    "rayleigh",
                                    "--epochs",
                                    "150",
                                    "--patience",
                                    "0",
                                    "--hidden",
                                    "8",
                                    "--ensemble",
                                    "2",
                                    "--form-labels",
                                    "50",
                                    "--threads",
                                    "2"};
  };
  ASSERT_EQ(ChildProcess(words("whole.model"), folder.path("err")).wait(), 0) << folder.text("err");
  auto again = words("killed.model");
  for (const std::string& word :
       {std::string("--checkpoint"), folder.path("run.ckpt"), std::string("--resume"),
        std::string("--log"), folder.path("log")}) {
    again.push_back(word);
  }
  auto random = core::RandomStream(std::random_device{}(), "kill").at(0);
  int killed = 0;
  int went_on = 0;
  constexpr int kMostKills = 6;
  bool done = false;
  while (!done) {
    ChildProcess child(again, folder.path("err"));
    // Later each time, so that on a slow machine too some kill comes after a checkpoint.
    const std::chrono::milliseconds patience(30 + 400 * killed +
                                             static_cast<int>(random.below(250)));
    if (killed < kMostKills && !child.ends_within(patience)) {
      child.kill_now();
      ++killed;
      // Killed between the rename and the last line of output: there is a model, a whole one.
      if (std::filesystem::exists(folder.path("killed.model"))) {
        EXPECT_EQ(folder.text("killed.model"), folder.text("whole.model"));
      }
    } else {
      EXPECT_EQ(child.wait(), 0) << folder.text("err");
      done = true;
    }
    went_on += folder.text("err").find("going on after epoch") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(killed, 0) << "the run was too short to be killed";
  EXPECT_GT(went_on, 0) << "no run went on from a checkpoint";
  EXPECT_EQ(folder.text("killed.model"), folder.text("whole.model"));
  const auto log = lines_of(folder.text("log"));
  ASSERT_EQ(log.size(), 300U) << "a line an epoch, of runs before the kill too";
  for (std::size_t i = 0; i < log.size(); ++i) {
    const auto line = nlohmann::json::parse(log[i]);
    EXPECT_EQ(line["member"], i / 150);
    EXPECT_EQ(line["epoch"], i % 150 + 1);
  }
}

TEST(Resume, OtherParametersAreAUsageErrorThatNamesTheDifference) {
  const TrainingFolder folder;
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder)).exit_code, 0);
  const auto expect = [&](const std::string& flags, const std::string& words) {
    const auto result = train(folder, "n.model", checkpoint(folder) + "--resume " + flags);
    EXPECT_EQ(result.exit_code, 2) << flags;
    EXPECT_THAT(result.err, HasSubstr("checkpoint: belongs to another run: " + words));
    EXPECT_FALSE(std::filesystem::exists(folder.path("n.model")));
  };
  expect("--lr 0.25", "lr was 0.005, is 0.25");
  expect("--seed 4", "seed was 1, is 4");
  expect("--split-seed 4", "split-seed was 1, is 4");
  expect("--ensemble 2", "ensemble was 1, is 2");
  // Other graphs under the same name.
  io::save_jsonl(generate::molecules({.seed = 2, .graphs = 200, .anomalous = 0.2}),
                 folder.path("data.jsonl"));
  expect("", "nodes was");
}

TEST(Resume, AnotherSplitByFilesIsAnotherRun) {
  const TrainingFolder folder;
  const auto numbers = [&](const std::string& name, int begin, int end) {
    std::string text;
    for (int g = begin; g < end; ++g) {
      text += std::to_string(g) + "\n";
    }
    folder.write(name, text);
    return " " + folder.path(name);
  };
  const auto files = [&](int border) {
    return " --split-files" + numbers("train", 0, border) + numbers("val", border, 170) +
           numbers("test", 170, 200);
  };
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder) + files(120)).exit_code, 0);
  EXPECT_EQ(train(folder, "n.model", checkpoint(folder) + "--resume" + files(120)).exit_code, 0);
  EXPECT_EQ(folder.text("m.model"), folder.text("n.model"));
  const auto result = train(folder, "n.model", checkpoint(folder) + "--resume" + files(121));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("split was"));
}

TEST(Resume, WithoutACheckpointItStartsAnewAndSaysSo) {
  const TrainingFolder folder;
  const auto result = train(folder, "m.model", checkpoint(folder) + "--resume");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("no checkpoint at " + folder.path("run.ckpt") + ": training starts anew"));
  folder.train("", "plain.model");
  EXPECT_EQ(folder.text("m.model"), folder.text("plain.model"));
}

TEST(Resume, WithAFinishedCheckpointItWritesTheSameFileAgain) {
  const TrainingFolder folder;
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder) + "--ensemble 2").exit_code, 0);
  const auto before = folder.text("run.ckpt");
  const auto result =
      train(folder, "n.model", checkpoint(folder) + "--ensemble 2 --resume --threads 2");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("going on after epoch 3 of model 2"));
  EXPECT_EQ(folder.text("m.model"), folder.text("n.model"));
  EXPECT_EQ(folder.text("run.ckpt"), before);
}

TEST(Resume, WithoutTheFlagTheCheckpointIsReplaced) {
  const TrainingFolder folder;
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder) + "--seed 9").exit_code, 0);
  const auto result = train(folder, "m.model", checkpoint(folder));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(train(folder, "n.model", checkpoint(folder) + "--resume").exit_code, 0);
}

TEST(Resume, ADamagedCheckpointIsAnErrorAndNeverACrash) {
  const TrainingFolder folder;
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder)).exit_code, 0);
  const std::string whole = folder.text("run.ckpt");
  const auto expect = [&](const std::string& bytes, const std::string& words) {
    folder.write("run.ckpt", bytes);
    const auto result = train(folder, "n.model", checkpoint(folder) + "--resume");
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr(folder.path("run.ckpt") + ": "));
    EXPECT_THAT(result.err, HasSubstr(words));
    EXPECT_EQ(folder.text("run.ckpt"), bytes) << "a damaged checkpoint is not replaced";
  };
  /// The text behind `mark`, overwritten: the length of the file stays.
  const auto overwritten = [&](const std::string& mark, const std::string& text) {
    std::string bytes = whole;
    const auto at = bytes.find(mark);
    EXPECT_NE(at, std::string::npos) << mark;
    return bytes.replace(at + mark.size(), text.size(), text);
  };
  expect("", "has 0 bytes");
  expect("no checkpoint, just text", "header");
  expect(whole.substr(0, whole.size() / 2), "");
  expect(folder.text("m.model"), "is not a checkpoint");
  expect(overwritten("epochs_done\\\":", "4"), "history is not as long");
  expect(overwritten("epochs_done\\\":", "-"), "no JSON");
  expect(overwritten("best_epoch\\\":", "9"), "best_epoch is not a whole number");
  expect(overwritten("not_improved\\\":", "9"), "not_improved is not a whole number");
  expect(overwritten("adam_st", "o"), "damaged");
  expect(overwritten("member.0/b", "u"), "has no tensor 'member.0/best'");
}

TEST(Resume, AFlippedBitOfACheckpointGivesNoOtherModel) {
  const TrainingFolder folder;
  ASSERT_EQ(train(folder, "m.model", checkpoint(folder)).exit_code, 0);
  const std::string whole = folder.text("run.ckpt");
  const std::string usual = folder.text("m.model");
  constexpr std::size_t kFlips = 60;
  int refused = 0;
  for (std::size_t flip = 0; flip < kFlips; ++flip) {
    std::string bytes = whole;
    const std::size_t at = flip * whole.size() / kFlips + flip % 8;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << flip % 7));
    folder.write("run.ckpt", bytes);
    const auto result = train(folder, "n.model", checkpoint(folder) + "--resume");
    if (result.exit_code == 0) {
      EXPECT_EQ(folder.text("n.model"), usual) << "byte " << at;
    } else {
      EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 3) << result.err;
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Resume, NeedsTheNameOfTheCheckpoint) {
  const TrainingFolder folder;
  const auto result = train(folder, "m.model", "--resume");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--resume: needs --checkpoint FILE"));
}

TEST(Resume, ACheckpointMustBeAFileThatCanBeReadBack) {
  const TrainingFolder folder;
  ReadFifo fifo(folder.path("run.ckpt"));
  for (const char* flags : {"", "--resume "}) {
    const auto result = train(folder, "m.model", checkpoint(folder) + flags);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("--checkpoint: " + folder.path("run.ckpt") +
                                      " is not a regular file, expected one"));
    EXPECT_TRUE(fifo.is_there());
  }
}

}  // namespace
}  // namespace rayleigh::test
