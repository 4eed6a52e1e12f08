// Scoring takes a bounded amount of memory, whatever few bytes of input claim.
#include <cstdlib>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "cli/training_folder.h"
#include "scarce_memory.h"

namespace rayleigh::test {
namespace {

using testing::HasSubstr;

struct Measured {
  int exit_code = -1;
  long megabytes = 0;  ///< at most at a time
  std::string err;
};

/// `rayleigh score MODEL DATA` on two threads. It cannot take more than four gigabytes, so that a
/// failure does no harm.
Measured score(const TrainingFolder& folder, const std::string& data,
               const std::string& flags = {}) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string line =
        fmt::format("ulimit -v 4000000; exec {} score {} {} --threads 2 -o {} --quiet {} 2>{}",
                    RAYLEIGH_COMMAND, folder.path("m.model"), folder.path(data),
                    folder.path("scores.csv"), flags, folder.path("err"));
    execl("/bin/bash", "bash", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), usage.ru_maxrss / 1024,
          folder.text("err")};
}

void train(const TrainingFolder& folder, const std::string& flags) {
  const auto trained = run_command("train " + folder.path("data.jsonl") + " -o " +
                                   folder.path("m.model") + " --epochs 1 --quiet " + flags);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
}

class ScoreMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!kMemoryCanBeLimited) {
      GTEST_SKIP() << "skipped: sanitizers need all memory";
    }
  }
  std::size_t rows() const {
    const auto text = folder_.text("scores.csv");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) - 1;
  }

  TrainingFolder folder_;
};

TEST_F(ScoreMemory, IsBoundedHoweverManyNodesAFewBytesClaim) {
  train(folder_, "--hidden 8");
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "{\"nodes\":100000,\"edges\":[]}\n";
  }
  folder_.write("claims.jsonl", text);
  const auto measured = score(folder_, "claims.jsonl");
  EXPECT_EQ(measured.exit_code & ~4, 0) << measured.err;
  EXPECT_EQ(rows(), 100U);
  EXPECT_LT(measured.megabytes, 250) << "MB";
}

TEST_F(ScoreMemory, IsBoundedForLargeGraphsAndWideModels) {
  std::string chain = "[0,1]";
  for (int i = 1; i < 1999; ++i) {
    chain += fmt::format(",[{},{}]", i, i + 1);
  }
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += R"({"nodes":2000,"edges":[)" + chain + "]}\n";
  }
  folder_.write("large.jsonl", text);
  for (const char* model : {"--model ocgtl", "--model gmt", "--model igad", "--model chebynet"}) {
    SCOPED_TRACE(model);
    train(folder_, model);
    const auto measured = score(folder_, "large.jsonl");
    EXPECT_EQ(measured.exit_code & ~4, 0) << measured.err;
    EXPECT_EQ(rows(), 200U);
    EXPECT_LT(measured.megabytes, 900) << "MB";
  }
}

TEST_F(ScoreMemory, IsBoundedHoweverManyAtomsARecordClaims) {
  const auto probe = run_command("inspect - --input smi --quiet", "CC\n");
  if (probe.exit_code == 1) {
    GTEST_SKIP() << "skipped, built without RDKit: " << probe.err;
  }
  train(folder_, "--hidden 8");
  folder_.write("lie.sdf",
                "lie\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
                "M  V30 COUNTS 999999999 0 0 0 0\nM  V30 BEGIN ATOM\nM  V30 END ATOM\n"
                "M  V30 END CTAB\nM  END\n$$$$\n");
  const auto measured = score(folder_, "lie.sdf");
  EXPECT_EQ(measured.exit_code, 4) << measured.err;
  EXPECT_THAT(folder_.text("scores.csv"), HasSubstr("the counts line claims 999999999 atoms"));
  EXPECT_LT(measured.megabytes, 250) << "MB";
}

}  // namespace
}  // namespace rayleigh::test
