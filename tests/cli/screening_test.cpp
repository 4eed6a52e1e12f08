// `rayleigh score` into files: killed and resumed, the best rows only, every bad molecule.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "cli/child_process.h"
#include "cli/training_folder.h"
#include "core/random.h"
#include "core/resumable_file.h"
#include "io/byte_source.h"
#include "special_files.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kHeader = "index,id,score,probability,anomalous,status,reason,smiles";

std::string unpacked(const std::string& file) {
  const auto source = io::open_file(file);
  return io::read_all(*source, std::uint64_t{1} << 30U, std::uint64_t{1} << 24U);
}

/// Molecules that differ, some of them bad.
std::string library(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    const auto count = [&](int most) {
      const int some = i % most;
      return static_cast<std::size_t>(some) + 1;
    };
    text += std::string(count(7), 'C') + (i % 3 == 0 ? "c1cccnc1" : "C1CCCC1") +
            std::string(count(5), 'O') + std::string(count(11), 'N');
    text += i % 97 == 0 ? "C1 bad" : " mol";
    text += std::to_string(i) + "\n";
  }
  return text;
}

/// The words of a command line that kills find busy for a while.
using Words = std::vector<std::string>;

/// Kills the run some time after it saved its progress, twice, then lets it end. Returns how many
/// runs went on from where another was killed.
int run_with_kills(const TrainingFolder& folder, const Words& words) {
  auto random = core::RandomStream(std::random_device{}(), "kill").at(0);
  const std::string progress = words[4] + ".progress";
  const auto saved = [&] { return fs::exists(progress) ? read_text(progress) : std::string(); };
  constexpr int kKills = 2;
  int went_on = 0;
  for (int run = 0; run <= kKills; ++run) {
    const auto before = saved();
    ChildProcess child(words, folder.path("err"));
    bool ended = false;
    while (run < kKills && !ended && saved() == before) {
      ended = child.ends_within(std::chrono::milliseconds(1));
    }
    if (run < kKills && !ended &&
        !child.ends_within(std::chrono::milliseconds(random.below(100)))) {
      child.kill_now();
    } else {
      EXPECT_EQ(child.wait() & ~4, 0) << folder.text("err");
    }
    went_on += folder.text("err").find("going on after") != std::string::npos ? 1 : 0;
  }
  return went_on;
}

/// Runs the command whole and killed; the two files must be alike.
void expect_same_when_killed(const TrainingFolder& folder, const std::string& data,
                             const std::string& ending, const Words& flags) {
  const auto words = [&](const std::string& out) {
    Words all{"score", folder.path("m.model"), folder.path(data), "-o", folder.path(out + ending)};
    all.insert(all.end(), flags.begin(), flags.end());
    return all;
  };
  ASSERT_EQ(ChildProcess(words("whole"), folder.path("err")).wait() & ~4, 0) << folder.text("err");
  auto again = words("killed");
  again.emplace_back("--resume");
  EXPECT_GT(run_with_kills(folder, again), 0) << "no run went on: too short to be killed";
  EXPECT_TRUE(folder.text("killed" + ending) == folder.text("whole" + ending)) << data << ending;
  EXPECT_FALSE(fs::exists(folder.path("killed" + ending + ".part")));
  EXPECT_FALSE(fs::exists(folder.path("killed" + ending + ".progress")));
  EXPECT_EQ(ChildProcess(again, folder.path("err")).wait() & ~4, 0);
  EXPECT_THAT(folder.text("err"), HasSubstr("is finished"));
  fs::remove(folder.path("killed" + ending));
  fs::remove(folder.path("killed" + ending + ".finished"));
}

/// Graphs; needs no RDKit.
struct ScoreFile : testing::Test {
  ScoreFile() { folder.train(); }
  CommandResult score(const std::string& flags, const std::string& data = "data.jsonl") const {
    return run_command("score " + folder.path("m.model") + " " + folder.path(data) + " " + flags);
  }
  std::string to(const std::string& name) const { return "-o " + folder.path(name) + " "; }
  /// Many rows from few.
  void repeat_data(int times) const {
    const auto once = folder.text("data.jsonl");
    std::string many;
    many.reserve(once.size() * static_cast<std::size_t>(times));
    for (int i = 0; i < times; ++i) {
      many += once;
      many += i % 7 == 0 ? "nonsense\n" : "";
    }
    folder.write("many.jsonl", many);
  }
  TrainingFolder folder;
};

TEST_F(ScoreFile, GoesThroughWhatIsNoRegularFile) {
  ASSERT_EQ(score(to("plain.csv")).exit_code, 0);
  const auto rows = folder.text("plain.csv");
  ReadFifo fifo(folder.path("fifo"));
  const auto through = score(to("fifo"));
  EXPECT_EQ(through.exit_code, 0) << through.err;
  ASSERT_TRUE(fifo.is_there());
  EXPECT_EQ(fifo.text(), rows);
  // Links of our own: a failure must not replace those in /dev.
  fs::create_symlink("/proc/self/fd/1", folder.path("stdout"));
  fs::create_symlink("/proc/self/fd/2", folder.path("stderr"));
  const auto out = score(to("stdout") + "--embeddings " + folder.path("stderr") + " --quiet");
  EXPECT_EQ(out.exit_code, 0);
  EXPECT_EQ(out.out, rows);
  EXPECT_THAT(out.err, StartsWith("index,id,e0"));
  EXPECT_EQ(folder.left_over({"m.model", "plain.csv", "fifo", "stdout", "stderr"}), Words{});
}

TEST_F(ScoreFile, LeavesADeviceADevice) {
  if (!make_null_device(folder.path("null"))) {
    GTEST_SKIP() << "skipped: no device can be made here";
  }
  for (const char* flags : {"", "--top 3 "}) {
    const auto result = score(flags + to("null") + "--embeddings " + folder.path("null"));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(fs::is_character_file(folder.path("null")));
  }
  const auto trained =
      run_command("train " + folder.path("data.jsonl") + " -o " + folder.path("null") + kQuick +
                  " --predictions " + folder.path("null"));
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(fs::is_character_file(folder.path("null")));
  EXPECT_EQ(folder.left_over({"m.model", "null"}), Words{});
}

TEST_F(ScoreFile, KeepsALinkAndWritesWhatItLeadsTo) {
  ASSERT_EQ(score(to("plain.csv")).exit_code, 0);
  fs::create_directory(folder.path("deep"));
  fs::create_symlink("deep/rows.csv", folder.path("link.csv"));
  for (const char* state : {"dangling", "there"}) {
    ASSERT_EQ(score(to("link.csv")).exit_code, 0) << state;
    EXPECT_TRUE(fs::is_symlink(folder.path("link.csv"))) << state;
    EXPECT_EQ(folder.text("deep/rows.csv"), folder.text("plain.csv")) << state;
  }
  fs::remove(folder.path("deep/rows.csv"));
  ASSERT_EQ(score(to("link.csv") + "--resume").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder.path("deep/rows.csv.finished")));
  const auto again = score(to("link.csv") + "--resume");
  EXPECT_THAT(again.err, HasSubstr("is finished"));
  EXPECT_EQ(folder.left_over({"m.model", "plain.csv", "deep", "link.csv"}), Words{});
}

TEST_F(ScoreFile, ResumesOnlyWhatCanBeReadBack) {
  ReadFifo fifo(folder.path("fifo"));
  const auto result = score(to("fifo") + "--resume");
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("is not a regular file"));
  EXPECT_TRUE(fifo.is_there());
}

TEST_F(ScoreFile, HasTheRowsOfStdoutPlainAndPacked) {
  const auto out = score("").out;
  EXPECT_EQ(score(to("s.csv")).exit_code, 0);
  EXPECT_EQ(folder.text("s.csv"), out);
  EXPECT_EQ(score(to("s.csv.gz") + "--threads 1").exit_code, 0);
  EXPECT_EQ(unpacked(folder.path("s.csv.gz")), out);
  EXPECT_EQ(score(to("t.csv.gz") + "--threads 3").exit_code, 0);
  EXPECT_EQ(folder.text("t.csv.gz"), folder.text("s.csv.gz"));
  EXPECT_THAT(folder.left_over({"m.model", "s.csv", "s.csv.gz", "t.csv.gz"}), testing::IsEmpty());
}

TEST_F(ScoreFile, SaysHowManyAndHowFast) {
  const auto result = score(to("s.csv"));
  EXPECT_THAT(result.err, HasSubstr("scored 200 graphs in "));
  EXPECT_THAT(result.err, HasSubstr(" graphs/s\n"));
  EXPECT_EQ(score(to("s.csv") + "--quiet").err, "");
  folder.write("bad.jsonl", "x\n{\"nodes\":7,\"edges\":[]}\n");
  const auto bad = score("--max-nodes 6", "bad.jsonl");
  EXPECT_THAT(bad.err, HasSubstr("; 2 failed (parse-error 1, too-large 1)"));
  EXPECT_THAT(bad.out, HasSubstr("\n1,2,,,,too-large,"));
}

TEST_F(ScoreFile, FailsBeforeScoringWhereItCannotBeWritten) {
  const auto nowhere = score(to("missing/s.csv"));
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("missing/s.csv: cannot write"));
  fs::create_directory(folder.path("folder"));
  EXPECT_EQ(score(to("folder")).exit_code, 1);
  EXPECT_EQ(score(to("s.csv"), "missing.jsonl").exit_code, 3);
  EXPECT_THAT(folder.left_over({"m.model", "folder"}), testing::IsEmpty());
}

TEST_F(ScoreFile, TwoRunsDoNotWriteTheSameFile) {
  const core::ResumableFile held(folder.path("s.csv"));
  const auto result = score(to("s.csv"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("another run is writing this file"));
}

TEST_F(ScoreFile, AKilledRunOfGraphsGoesOnToTheSameBytes) {
  repeat_data(1000);
  expect_same_when_killed(folder, "many.jsonl", ".csv", {"--threads", "2"});
  expect_same_when_killed(folder, "many.jsonl", ".json",
                          {"--threads", "2", "--top", "500", "--format", "jsonl"});
}

TEST_F(ScoreFile, ResumeNamesWhatDiffers) {
  repeat_data(1000);
  const Words words{"score", folder.path("m.model"), folder.path("many.jsonl"), "-o",
                    folder.path("s.csv")};
  while (!fs::exists(folder.path("s.csv.progress"))) {
    ChildProcess child(words, folder.path("err"));
    for (int i = 0; i < 2000 && !fs::exists(folder.path("s.csv.progress")); ++i) {
      ASSERT_FALSE(child.ends_within(std::chrono::milliseconds(2))) << "too short to be killed";
    }
    child.kill_now();
  }
  const auto expect = [&](const std::string& flags, const std::string& reason) {
    const auto result = score(to("s.csv") + "--resume " + flags, "many.jsonl");
    EXPECT_EQ(result.exit_code, 2) << flags;
    EXPECT_THAT(result.err, HasSubstr("belongs to another run: " + reason));
    EXPECT_TRUE(fs::exists(folder.path("s.csv.part")));
  };
  expect("--threshold 0.25", "threshold was not given, is 0.25");
  expect("--format json", "format was csv, is json");
  expect("--unknown-label error", "unknown-label was other, is error");
  expect("--top 3", "top was not given, is 3");
  expect("--max-nodes 7", "max-nodes was 100000, is 7");
  folder.write("many.jsonl", folder.text("many.jsonl") + "\n");
  expect("", "bytes of data was");
  EXPECT_EQ(score(to("s.csv") + "--resume").exit_code, 2) << "other DATA";
  folder.write("s.csv.progress", "{");
  EXPECT_EQ(score(to("s.csv") + "--resume", "many.jsonl").exit_code, 3);
  const auto anew = score(to("s.csv"));
  EXPECT_EQ(anew.exit_code, 0) << "without --resume what was left is overwritten";
  EXPECT_EQ(folder.text("s.csv"), score("").out);
  EXPECT_FALSE(fs::exists(folder.path("s.csv.progress")));
}

TEST_F(ScoreFile, ResumeWithoutAKilledRunStartsAnewAndSaysSo) {
  const auto result = score(to("s.csv") + "--resume");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("scoring starts anew"));
  EXPECT_EQ(folder.text("s.csv"), score("").out);
  EXPECT_EQ(score("--resume").exit_code, 2);
  const auto both = score(to("t.csv") + "--resume --embeddings " + folder.path("e.csv"));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--embeddings"));
}

TEST_F(ScoreFile, AFinishedFileIsTrustedOnlyForTheRunThatWroteIt) {
  folder.train("--seed 7", "other.model");
  folder.write("data.jsonl", folder.text("data.jsonl") + "nonsense\n");
  const auto resume = [&](const std::string& flags = {}) {
    return score(to("s.csv") + "--resume " + flags);
  };
  ASSERT_EQ(resume().exit_code, 4);
  const auto rows = folder.text("s.csv");
  const auto again = resume();
  EXPECT_EQ(again.exit_code, 4) << "a row failed, and still does";
  EXPECT_THAT(again.err, HasSubstr("s.csv is finished with 201 rows"));
  const auto refused = [&](const CommandResult& result, int exit_code, const std::string& reason) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(folder.text("s.csv"), rows);
  };
  refused(resume("--threshold 0.25"), 2,
          "s.csv belongs to another run: threshold was not given, is 0.25");
  refused(score(to("s.csv") + "--resume", "missing.jsonl"), 3, "missing.jsonl");
  const auto model = folder.text("m.model");
  folder.write("m.model", folder.text("other.model"));
  refused(resume(), 2, "s.csv belongs to another run: model was");
  folder.write("m.model", model);
  const auto data = folder.text("data.jsonl");
  auto changed = data;
  changed.replace(changed.find("nonsense"), 8, "baloney!");
  folder.write("data.jsonl", changed);
  refused(resume(), 2, "s.csv belongs to another run: content of data was");
  folder.write("data.jsonl", data);
  EXPECT_EQ(resume().exit_code, 4) << "all is as it was";
  fs::remove(folder.path("s.csv.finished"));
  refused(resume(), 2, "s.csv is there, but nothing tells which run wrote it");
  EXPECT_EQ(score(to("s.csv")).exit_code, 4);
  EXPECT_FALSE(fs::exists(folder.path("s.csv.finished"))) << "only --resume asks for it";
}

TEST_F(ScoreFile, AnotherFileInThePlaceOfAFinishedOneIsNotTakenForIt) {
  ASSERT_EQ(score(to("s.csv") + "--resume").exit_code, 0);
  folder.write("s.csv", "index,id\n");
  const auto result = score(to("s.csv") + "--resume");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("nothing tells which run wrote it"));
  EXPECT_EQ(folder.text("s.csv"), "index,id\n");
}

TEST_F(ScoreFile, DataChangedAtEqualSizeAreOtherData) {
  repeat_data(1000);
  const Words words{"score", folder.path("m.model"), folder.path("many.jsonl"), "-o",
                    folder.path("s.csv")};
  while (!fs::exists(folder.path("s.csv.progress"))) {
    ChildProcess child(words, folder.path("err"));
    for (int i = 0; i < 2000 && !fs::exists(folder.path("s.csv.progress")); ++i) {
      ASSERT_FALSE(child.ends_within(std::chrono::milliseconds(2))) << "too short to be killed";
    }
    child.kill_now();
  }
  auto data = folder.text("many.jsonl");
  data.replace(data.rfind("nonsense"), 8, "baloney!");
  folder.write("many.jsonl", data);
  const auto result = score(to("s.csv") + "--resume", "many.jsonl");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("s.csv.part belongs to another run: content of data was"));
}

TEST_F(ScoreFile, TopKeepsTheBestRowsAndOfEqualsTheFirst) {
  // Three copies of everything: ties all over.
  folder.write("thrice.jsonl",
               folder.text("data.jsonl") + folder.text("data.jsonl") + folder.text("data.jsonl"));
  auto rows = lines_of(score("", "thrice.jsonl").out);
  rows.erase(rows.begin());
  std::ranges::stable_sort(rows, [](const std::string& a, const std::string& b) {
    return std::stod(cells_of(a)[2]) > std::stod(cells_of(b)[2]);
  });
  for (const std::size_t count : {1U, 10U, 100U}) {
    for (const char* threads : {"--threads 1", "--threads 3"}) {
      const auto top =
          lines_of(score("--top " + std::to_string(count) + " " + threads, "thrice.jsonl").out);
      ASSERT_EQ(top.size(), count + 1);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(top[i + 1], rows[i]);
      }
    }
  }
  EXPECT_EQ(lines_of(score("--top 10000").out).size(), 201U) << "there are no more";
  EXPECT_EQ(score("--top 0").exit_code, 2);
  folder.write("bad.jsonl", "x\n" + folder.text("data.jsonl"));
  const auto bad = score("--top 500", "bad.jsonl");
  EXPECT_EQ(bad.exit_code, 4);
  EXPECT_EQ(lines_of(bad.out).size(), 201U);
  EXPECT_THAT(bad.err, HasSubstr("1 of 201 rows failed"));
}

TEST_F(ScoreFile, SdfIsForMolecules) {
  const auto result = score("--format sdf");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--format: sdf is for molecules"));
}

TEST_F(ScoreFile, ATornInputLeavesTheRowsBeforeIt) {
  repeat_data(200);
  const auto packed = core::gzip_member(folder.text("many.jsonl"));
  folder.write("torn.jsonl.gz", packed.substr(0, packed.size() / 2));
  const auto result = score(to("s.csv"), "torn.jsonl.gz");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("truncated"));
  EXPECT_THAT(result.err, HasSubstr("rows before it are in " + folder.path("s.csv.part")));
  const auto whole = score("", "many.jsonl").out;
  const auto part = folder.text("s.csv.part");
  EXPECT_GT(part.size(), whole.size() / 4);
  EXPECT_TRUE(part.ends_with('\n') && whole.starts_with(part));
}

/// Molecules, where the module is there.
class Screening : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = run_command("inspect - --input smi --quiet", "CC\n");
    if (probe.exit_code == 1) {
      GTEST_SKIP() << "skipped, built without RDKit: " << probe.err;
    }
    std::string table = "smiles,label\n";
    for (int i = 0; i < 120; ++i) {
      const std::string chain(static_cast<std::size_t>(1 + i % 9), 'C');
      table += (i % 4 == 3 ? "c1ccncc1" + chain + ",1\n" : chain + "O,0\n");
    }
    folder.write("train.csv", table);
    const auto trained = run_command("train " + folder.path("train.csv") + " -o " +
                                     folder.path("m.model") + kQuick + "--anomaly-class 1 --quiet");
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  CommandResult score(const std::string& data, const std::string& flags = {},
                      const std::string& input = {}) const {
    return run_command("score " + folder.path("m.model") + " " +
                           (data == "-" ? data : folder.path(data)) + " " + flags,
                       input);
  }

  TrainingFolder folder;
};

TEST_F(Screening, RowsHaveTheSmilesOfTheInput) {
  const auto csv = score("-", "--input smi", "OCC one\nc1ccncc1 two, too\n");
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  const auto rows = lines_of(csv.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], kHeader);
  EXPECT_THAT(rows[1], StartsWith("0,one,"));
  EXPECT_THAT(rows[1], testing::EndsWith(",ok,,OCC"));
  EXPECT_THAT(rows[2], StartsWith("1,\"two, too\","));
  const auto lines = lines_of(score("-", "--input smi --format jsonl", "OCC one\nX two\n").out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(json::parse(lines[0])["smiles"], "OCC");
  EXPECT_EQ(json::parse(lines[1])["smiles"], "X");
  EXPECT_EQ(json::parse(lines[1])["status"], "parse-error");
}

TEST_F(Screening, SdfComesBackAsItWasAndSmilesAreDrawn) {
  const auto sdf = score("-", "--input smi --format sdf", "C[C@H](N)O one\nC1CC two\n");
  EXPECT_EQ(sdf.exit_code, 4) << sdf.err;
  EXPECT_THAT(sdf.out, StartsWith("one\n     RDKit          2D\n"));
  EXPECT_THAT(sdf.out, HasSubstr("$$$$\ntwo\n  rayleigh\n\n  0  0  0"));
  EXPECT_THAT(sdf.out, HasSubstr(">  <id>\none\n\n>  <score>\n0."));
  EXPECT_THAT(sdf.out, HasSubstr(">  <status>\nparse-error\n\n>  <reason>\nSMILES Parse Error"));
  folder.write("drawn.sdf", sdf.out);
  const auto again = score("drawn.sdf", "--format sdf");
  EXPECT_EQ(again.exit_code, 4) << again.err;
  const auto block = [](const std::string& text) { return text.substr(0, text.find("M  END")); };
  EXPECT_EQ(block(again.out), block(sdf.out)) << "the input's own block";
  const auto csv = lines_of(score("drawn.sdf").out);
  ASSERT_EQ(csv.size(), 3U);
  EXPECT_THAT(csv[1], testing::EndsWith(",ok,,C[C@H](N)O")) << "with its stereochemistry";
  EXPECT_THAT(csv[2], HasSubstr("1,two,,,,parse-error,the molecule has no atoms,"));
}

TEST_F(Screening, EveryBadRowKeepsItsPlaceAndSaysWhy) {
  const std::string longest(10'000, 'C');
  const std::string huge(100'001, 'C');
  const auto result =
      score("-", "--input smi --max-nodes 50",
            "CCO good\r\nC1CC ring\n\nC methane\nC* dummy\n" + longest + " long\n" + huge +
                " huge\n\xff\xfe odd\nCCO \"q\", quoted\r\n"
                "CN(C)(C)(C)C valence\n[Na+].[Cl-] salt\nCCN last");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  const auto rows = lines_of(result.out);
  ASSERT_EQ(rows.size(), 13U);
  const auto expect = [&](std::size_t row, const std::string& begin, const std::string& words) {
    EXPECT_THAT(rows[row + 1].substr(0, 200), StartsWith(std::to_string(row) + "," + begin));
    EXPECT_THAT(rows[row + 1], HasSubstr(words));
  };
  expect(0, "good,0.", ",ok,,CCO");
  expect(1, "ring,,,,parse-error,", "unclosed ring");
  expect(2, "3,,,,parse-error,", "there is no SMILES here");
  expect(3, "methane,0.", ",ok,,C");
  expect(4, "dummy,,,,parse-error,", "dummy atom");
  expect(5, "long,,,,too-large,", "10,000 nodes");
  expect(6, "huge,,,,parse-error,", "100001 characters");
  expect(7, "odd,,,,parse-error,", "");
  expect(8, R"("""q"", quoted",0.)", ",ok,,CCO");
  expect(9, "valence,,,,parse-error,", "valence");
  expect(10, "salt,0.", ",unknown-label,");
  expect(11, "last,0.", ",ok,,CCN");
  EXPECT_THAT(result.err, HasSubstr("7 of 12 rows failed"));
  EXPECT_THAT(result.err, HasSubstr("7 failed (parse-error 6, too-large 1)"));
  // The long one is a molecule like others where it may be.
  const auto allowed = score("-", "--input smi", longest + " long\n");
  EXPECT_EQ(allowed.exit_code, 0) << allowed.out.substr(0, 300);
}

/// A molecule whose atoms are all bonded to each other; uranium has no usual valence.
std::string complete_molecule(int atoms) {
  std::string bonds;
  for (int i = 1; i <= atoms; ++i) {
    for (int j = i + 1; j <= atoms; ++j) {
      bonds += "M  V30 " + std::to_string(i) + " 1 " + std::to_string(i) + " " + std::to_string(j) +
               "\n";
    }
  }
  std::string block = "all\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n";
  block += "M  V30 COUNTS " + std::to_string(atoms) + " " +
           std::to_string(atoms * (atoms - 1) / 2) + " 0 0 0\nM  V30 BEGIN ATOM\n";
  for (int i = 1; i <= atoms; ++i) {
    block += "M  V30 " + std::to_string(i) + " U 0 0 0 0\n";
  }
  return block + "M  V30 END ATOM\nM  V30 BEGIN BOND\n" + bonds +
         "M  V30 END BOND\nM  V30 END CTAB\nM  END\n$$$$\n";
}

TEST_F(Screening, HugeMoleculesHoldUpNothing) {
  folder.write("huge.smi", std::string(3000, 'C') + " chain\nC1" + std::string(2998, 'C') +
                               "C1 ring\n" + std::string(400, 'C') + " drawn\n");
  const auto begin = std::chrono::steady_clock::now();
  const auto sdf = score("huge.smi", "--format sdf");
  EXPECT_EQ(sdf.exit_code, 0) << sdf.err;
  folder.write("huge.sdf", sdf.out);
  const auto rows = lines_of(score("huge.sdf").out);
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    EXPECT_THAT(rows[r], HasSubstr(",ok,,")) << "what is written can be read";
  }
  folder.write("dense.sdf", complete_molecule(100));
  const auto dense = score("dense.sdf");
  EXPECT_EQ(dense.exit_code, 4);
  EXPECT_THAT(dense.out, HasSubstr("4950 bonds between 100 atoms, expected at most 330"));
  folder.write("ring.smi",
               "C1" + std::string(19'000, 'C') + "C1 ring\n" + std::string(3000, 'C') + " chain\n");
  const auto explained = run_command("explain " + folder.path("m.model") + " " +
                                     folder.path("ring.smi") + " -o " + folder.path("why"));
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(folder.text("why/report.html"), HasSubstr("19,002 nodes, too many to draw"));
  // Minutes before; sanitizers are slow.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(Screening, ANameCannotEndItsSdfRecord) {
  const auto sdf = score("-", "--input smi --format sdf",
                         "CCO $$$$\nCCN \x1b[2J\nC1 $$$$ bad\nCC >  <score>\nCC M  END\n");
  EXPECT_EQ(sdf.exit_code, 4) << sdf.err;
  EXPECT_EQ(sdf.out.find('\x1b'), std::string::npos);
  folder.write("names.sdf", sdf.out);
  const auto rows = lines_of(score("names.sdf").out);
  ASSERT_EQ(rows.size(), 6U) << sdf.out;
  EXPECT_THAT(rows[1], StartsWith("0,$$$$,"));
  EXPECT_THAT(rows[2], StartsWith("1,\\x1b[2J,"));
  EXPECT_THAT(rows[3], StartsWith("2,$$$$ bad,,,,parse-error,"));
  EXPECT_THAT(rows[4], StartsWith("3,>  <score>,0."));
  EXPECT_THAT(rows[5], StartsWith("4,M  END,0."));
  EXPECT_EQ(sdf.out.find("\n>  <score>\n\n"), std::string::npos)
      << "a property of the name's making";
}

TEST_F(Screening, BadTablesAndSdfLoseNoRow) {
  const auto header = score("-", "--input csv", "smiles,name\n");
  EXPECT_EQ(header.exit_code, 0) << header.err;
  EXPECT_EQ(header.out, std::string(kHeader) + "\n");
  EXPECT_THAT(header.err, HasSubstr("has no rows"));
  const auto table = score("-", "--input csv",
                           "name,smiles,label\r\n\"a, \"\"b\"\"\",CCO,0.5\nc,CC\n\r\n"
                           "\"open,CCC,1\nd,,1\ne,CCCO,words\n");
  EXPECT_EQ(table.exit_code, 4) << table.err;
  const auto rows = lines_of(table.out);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_THAT(rows[1], StartsWith("0,\"a, \"\"b\"\"\",0.")) << "nobody asked for its class";
  EXPECT_THAT(rows[2], HasSubstr(",,,,parse-error,\"the row has 2 columns, expected 3"));
  EXPECT_THAT(rows[3], HasSubstr("parse-error,a quote is opened"));
  EXPECT_THAT(rows[4], StartsWith("3,d,,,,parse-error,there is no SMILES"));
  EXPECT_THAT(rows[5], StartsWith("4,e,0."));
  const auto asked =
      score("-", "--input csv --label-column label", "name,smiles,label\na,CCO,0.5\nb,CCO,words\n");
  EXPECT_EQ(asked.exit_code, 4);
  EXPECT_THAT(asked.out, HasSubstr("0,a,,,,parse-error,\"column 'label' is '0.5'"));
  const auto block = lines_of(score("-", "--input smi --format sdf", "CCO one\nCCC two\n").out);
  std::string torn;
  for (std::size_t i = 0; i + 1 < block.size(); ++i) {
    torn += block[i] + "\n";
  }
  const auto sdf = score("-", "--input sdf", torn);
  EXPECT_EQ(sdf.exit_code, 4);
  EXPECT_THAT(sdf.out, HasSubstr("\n0,one,0."));
  EXPECT_THAT(sdf.out, HasSubstr("\n1,two,,,,parse-error,\"the record ends without $$$$"));
  folder.write("torn.smi.gz", core::gzip_member(library(30'000)).substr(0, 40'000));
  const auto gz = score("torn.smi.gz", "-o " + folder.path("s.csv"));
  EXPECT_EQ(gz.exit_code, 3);
  EXPECT_THAT(gz.err, HasSubstr("truncated"));
  EXPECT_GT(lines_of(folder.text("s.csv.part")).size(), 100U);
}

TEST_F(Screening, IsTheSameForAnyNumberOfThreads) {
  folder.write("l.smi", library(5000));
  for (const char* format : {"csv", "jsonl", "sdf"}) {
    const auto flags = std::string("--format ") + format;
    const auto one = score("l.smi", flags + " --threads 1").out;
    EXPECT_TRUE(score("l.smi", flags + " --threads 3").out == one) << format;
  }
  const auto rows = lines_of(score("l.smi", "--threads 2").out);
  ASSERT_EQ(rows.size(), 5001U);
  for (std::size_t i = 0; i < 5000; ++i) {
    ASSERT_THAT(rows[i + 1], StartsWith(std::to_string(i) + ","));
  }
}

TEST_F(Screening, AKilledRunGoesOnToTheSameBytes) {
  const auto text = library(25'000);
  folder.write("l.smi", text);
  expect_same_when_killed(folder, "l.smi", ".csv", {"--threads", "2"});
  expect_same_when_killed(folder, "l.smi", ".csv", {"--threads", "2", "--top", "1000"});
  std::string table = "id,smiles\n";
  for (const auto& line : lines_of(text)) {
    const auto blank = line.find(' ');
    table += line.substr(blank + 1) + "," + line.substr(0, blank) + "\n";
  }
  folder.write("l.csv.gz", core::gzip_member(table));
  expect_same_when_killed(folder, "l.csv.gz", ".csv.gz", {"--threads", "2"});
  folder.write("few.smi", library(4'000));
  expect_same_when_killed(folder, "few.smi", ".sdf", {"--threads", "2", "--format", "sdf"});
}

}  // namespace
}  // namespace rayleigh::test
