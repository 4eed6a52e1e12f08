// Models of earlier versions: they load, score as they did, and what was trained then is trained
// again to the same bits. Made by scripts/archive_models.sh.
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "rayleigh/error.h"
#include "rayleigh/generators.h"
#include "rayleigh/training.h"

#include "fingerprints.h"
#include "model_parts.h"
#include "support.h"

namespace rayleigh {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> archived_models() {
  std::vector<fs::path> files;
  const fs::path archive = fs::path(RAYLEIGH_SOURCE_DIR) / "tests" / "archive";
  for (const auto& entry : fs::recursive_directory_iterator(archive)) {
    if (entry.path().extension() == ".model") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string test_name(const fs::path& file) {
  std::string name = file.parent_path().filename().string() + "_" + file.stem().string();
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

/// Where a multiplication and an addition can be one instruction, sanitizers change which of them
/// are, and so the last bits.
bool rounds_otherwise([[maybe_unused]] const Detector& detector) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return detector.options().value("isa") != "\"baseline\"";
#else
  return false;
#endif
}

/// What the archive's models were trained on.
GraphSet known_graphs() {
  return test::with_fingerprints(generate::molecules({.seed = 7, .graphs = 300, .anomalous = 0.2}));
}
/// What its scores belong to.
GraphSet new_graphs() {
  return test::with_fingerprints(generate::molecules({.seed = 8, .graphs = 20, .anomalous = 0.2}));
}

class Archive : public ::testing::TestWithParam<fs::path> {};

TEST_P(Archive, ScoresAsItDid) {
  const Detector detector = Detector::load(GetParam());
  const auto scores = detector.score(new_graphs());
  std::istringstream rows(test::read_text(fs::path(GetParam()).replace_extension(".csv")));
  std::string row;
  std::getline(rows, row);
  for (std::size_t g = 0; g < scores.size(); ++g) {
    ASSERT_TRUE(std::getline(rows, row));
    std::istringstream cells(row);
    std::string cell;
    std::getline(cells, cell, ',');
    std::getline(cells, cell, ',');
    std::getline(cells, cell, ',');
    if (rounds_otherwise(detector)) {
      EXPECT_NEAR(scores[g].score, std::stod(cell), 1e-5) << "graph " << g;
    } else {
      EXPECT_EQ(fmt::format("{}", scores[g].score), cell) << "graph " << g;
    }
  }
}

TEST_P(Archive, IsSavedAsItWas) {
  const auto without_hash = [](const std::string& file) { return test::ModelParts(file).bytes(); };
  EXPECT_EQ(without_hash(Detector::load(GetParam()).bytes()),
            without_hash(test::read_text(GetParam())));
}

TEST_P(Archive, IsTrainedAgainToTheSameBits) {
  const Detector then = Detector::load(GetParam());
  if (rounds_otherwise(then)) {
    GTEST_SKIP() << "a build with sanitizers rounds otherwise: its bits are not compared";
  }
  TrainingRequest request;
  request.options = then.options();
  request.run.threads = 2;
  request.intervals = false;
  try {
    request.options.check();
    GraphSetData data = known_graphs().data();
    data.name = then.trained_on().name;
    EXPECT_EQ(train(GraphSet(std::move(data)), request).detector.bytes(), then.bytes());
  } catch (const UsageError& error) {
    GTEST_SKIP() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Archive, ::testing::ValuesIn(archived_models()),
                         [](const auto& test) { return test_name(test.param); });

/// What scripts/archive_models.sh cannot make with the command, which takes fingerprints from
/// chemistry only. Into the folder RAYLEIGH_ARCHIVE.
TEST(ArchiveOfDetectors, DISABLED_MakesThoseThatNeedFingerprints) {
  const char* folder = std::getenv("RAYLEIGH_ARCHIVE");
  ASSERT_NE(folder, nullptr) << "RAYLEIGH_ARCHIVE is not set";
  TrainingRequest request;
  request.options = DetectorOptions("ecfp-forest");
  request.options.set("trees", 20).set("epochs", 3).set("seed", 3).set("isa", "baseline");
  GraphSetData data = known_graphs().data();
  data.name = "known";
  const Detector detector = train(GraphSet(std::move(data)), request).detector;
  detector.save(fs::path(folder) / "ecfp-forest.model");
  std::string rows = "index,id,score\n";
  const auto scores = detector.score(new_graphs());
  for (std::size_t g = 0; g < scores.size(); ++g) {
    rows += fmt::format("{},{},{}\n", g, g + 1, scores[g].score);
  }
  test::write_text(fs::path(folder) / "ecfp-forest.csv", rows);
}

TEST(ArchiveOfDetectors, HasOneOfEach) {
  std::set<std::string> names;
  for (const fs::path& file : archived_models()) {
    names.insert(Detector::load(file).options().detector());
  }
  for (const DetectorInfo& detector : detectors()) {
    EXPECT_TRUE(names.contains(detector.name)) << detector.name;
  }
}

}  // namespace
}  // namespace rayleigh
