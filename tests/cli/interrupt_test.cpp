// Ctrl-C and SIGTERM: the work ends within a second, says what is kept, and leaves no temporary
// file.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "cli/child_process.h"
#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Milliseconds = std::chrono::milliseconds;

// A second is promised; machines that test may be busy, and sanitizers are slow.
constexpr Milliseconds kSoon{15'000};

class Interrupted : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::string said() const { return folder_.text("err"); }

  /// Waits for a file that shows that the work is under way.
  void wait_for(const std::string& name, ChildProcess& child) const {
    while (!fs::exists(path(name)) && !child.ends_within(Milliseconds(2))) {
    }
  }

  void expect_no_temporary_files() const {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(path("data.jsonl")).parent_path())) {
      EXPECT_EQ(entry.path().filename().string().find("tmp-"), std::string::npos) << entry.path();
    }
  }

  TrainingFolder folder_{3000};
};

TEST_F(Interrupted, TrainingKeepsItsCheckpointAndGoesOnToTheSameModel) {
  const std::string flags = " --epochs 25 --patience 0 --threads 1 --quiet ";
  ChildProcess child(
      {"train", path("data.jsonl"), "-o", path("m.model"), "--epochs", "25", "--patience", "0",
       "--threads", "1", "--checkpoint", path("run.ckpt"), "--report", path("report")},
      path("err"));
  wait_for("run.ckpt", child);
  child.interrupt();
  ASSERT_TRUE(child.ends_within(kSoon));
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  EXPECT_THAT(said(), HasSubstr("training was stopped after epoch"));
  EXPECT_THAT(said(), HasSubstr("--resume goes on from there"));
  EXPECT_FALSE(fs::exists(path("m.model")));
  expect_no_temporary_files();

  const std::string train = "train " + path("data.jsonl") + flags;
  ASSERT_EQ(
      run_command(train + "-o " + path("m.model") + " --resume --checkpoint " + path("run.ckpt"))
          .exit_code,
      0);
  ASSERT_EQ(run_command(train + "-o " + path("whole.model")).exit_code, 0);
  EXPECT_EQ(folder_.text("m.model"), folder_.text("whole.model"));
}

TEST_F(Interrupted, TrainingInFoldsKeepsThoseThatAreDone) {
  const auto words = [&](const char* model, const char* predictions) {
    return std::vector<std::string>{"train",
                                    path("data.jsonl"),
                                    "-o",
                                    path(model),
                                    "--profile",
                                    "published",
                                    "--hidden",
                                    "8",
                                    "--epochs",
                                    "12",
                                    "--patience",
                                    "0",
                                    "--threads",
                                    "1",
                                    "--folds",
                                    "3",
                                    "--predictions",
                                    path(predictions)};
  };
  auto kept = words("m.model", "p.csv");
  kept.insert(kept.end(), {"--checkpoint", path("run.ckpt"), "--resume"});
  ChildProcess child(kept, path("err"));
  wait_for("run.ckpt.fold-2-of-3", child);
  child.interrupt();
  ASSERT_TRUE(child.ends_within(kSoon));
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  EXPECT_THAT(said(), HasSubstr("fold 2 of 3: training was stopped after epoch"));
  EXPECT_FALSE(fs::exists(path("p.csv")));
  expect_no_temporary_files();
  ASSERT_EQ(ChildProcess(kept, path("err")).wait(), 0) << said();
  EXPECT_THAT(said(), HasSubstr("fold 1 of 3: "));
  ASSERT_EQ(ChildProcess(words("whole.model", "whole.csv"), path("err")).wait(), 0) << said();
  EXPECT_EQ(folder_.text("m.model"), folder_.text("whole.model"));
  EXPECT_EQ(folder_.text("p.csv"), folder_.text("whole.csv"));
}

TEST_F(Interrupted, GeneratingLeavesNoTemporaryFile) {
  ChildProcess child({"generate", "molecules", "-o", path("many"), "--graphs", "400000"},
                     path("err"));
  const auto folder = fs::path(path("data.jsonl")).parent_path();
  const auto begun = [&] {
    return std::ranges::any_of(fs::directory_iterator(folder), [](const fs::directory_entry& e) {
      return e.path().filename().string().find("tmp-") != std::string::npos;
    });
  };
  while (!begun() && !child.ends_within(Milliseconds(2))) {
  }
  child.interrupt(SIGTERM);
  ASSERT_TRUE(child.ends_within(2 * kSoon));
  EXPECT_EQ(child.wait(), 128 + SIGTERM);
  expect_no_temporary_files();
}

TEST_F(Interrupted, ScoringStopsWhileItWaitsForInput) {
  folder_.train();
  ASSERT_EQ(mkfifo(path("pipe.jsonl").c_str(), 0600), 0);
  // Held open by us, so that nothing comes and nothing ends.
  const int held = open(path("pipe.jsonl").c_str(), O_RDWR | O_CLOEXEC);
  for (const int signal : {SIGINT, SIGTERM}) {
    ChildProcess child({"score", path("m.model"), path("pipe.jsonl"), "-o", path("s.csv")},
                       path("err"));
    EXPECT_FALSE(child.ends_within(Milliseconds(300)));
    child.interrupt(signal);
    ASSERT_TRUE(child.ends_within(kSoon));
    EXPECT_EQ(child.wait(), 128 + signal);
    EXPECT_THAT(said(), HasSubstr("stopped"));
  }
  close(held);
  expect_no_temporary_files();
}

TEST_F(Interrupted, ComparingSaysThatTheSameCommandGoesOn) {
  ChildProcess child({"compare", path("data.jsonl"), "-o", path("c"), "--models",
                      "rqgnn:profile=published", "--seeds", "20", "--epochs", "50"},
                     path("err"));
  wait_for("c/cells", child);
  EXPECT_FALSE(child.ends_within(Milliseconds(200)));
  child.interrupt();
  ASSERT_TRUE(child.ends_within(kSoon));
  EXPECT_EQ(child.wait(), 128 + SIGINT);
  EXPECT_THAT(said(), HasSubstr("the same command goes on"));
  expect_no_temporary_files();
}

TEST_F(Interrupted, ASignalThatIsIgnoredStaysIgnored) {
  // As under nohup.
  const auto result =
      run_command("inspect " + path("data.jsonl") + " --quiet >/dev/null; trap '' INT; " +
                  RAYLEIGH_COMMAND + " train " + path("data.jsonl") + " -o " + path("m.model") +
                  " --epochs 2 --quiet & child=$!; sleep 0.2; kill -INT $child; wait $child");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(path("m.model")));
}

}  // namespace
}  // namespace rayleigh::test
