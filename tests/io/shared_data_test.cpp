// The real datasets beside the project, where they are: sizes, classes, memory.
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

std::string data(const std::string& name) { return (shared_folder() / "data" / name).string(); }

std::map<std::string, std::size_t> class_sizes(const GraphSet& set) {
  std::map<std::string, std::size_t> sizes;
  for (const auto id : set.graph_class()) {
    ++sizes[id == kNoClass ? "?" : set.classes()[static_cast<std::size_t>(id)]];
  }
  return sizes;
}

struct Expected {
  std::string file;
  std::size_t graphs;
  std::size_t rarer;  ///< graphs of the rarer class
};

class SharedData : public testing::TestWithParam<Expected> {};

TEST_P(SharedData, HasTheGraphsAndAnomaliesItIsKnownFor) {
  const auto& expected = GetParam();
  RAYLEIGH_NEEDS_SHARED("data/" + expected.file);
  const auto set = io::load(data(expected.file));
  EXPECT_EQ(set.size(), expected.graphs);
  const auto sizes = class_sizes(set);
  ASSERT_EQ(sizes.size(), 2U);
  EXPECT_EQ(std::min(sizes.begin()->second, sizes.rbegin()->second), expected.rarer);
}

INSTANTIATE_TEST_SUITE_P(
    Zips, SharedData,
    testing::Values(Expected{"NCI-H23.zip", 37'348, 1'792}, Expected{"SN12C.zip", 37'841, 1'641},
                    Expected{"MOLT-4.zip", 37'841, 2'715}, Expected{"MCF-7.zip", 20'626, 1'959},
                    Expected{"Tox21_p53.zip", 8'634, 537}, Expected{"Tox21_HSE.zip", 8'150, 428},
                    Expected{"DBLP_v1.zip", 19'456, 9'530}),
    [](const auto& parameter) {
      std::string name = parameter.param.file;
      std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
      return name;
    });

TEST(SharedClassics, Load) {
  RAYLEIGH_NEEDS_SHARED("data/MUTAG.zip");
  struct Classic {
    std::string name;
    std::size_t graphs;  ///< Fingerprint: without those that have no nodes
    std::size_t classes;
    bool labels;
  };
  for (const Classic& known :
       {Classic{"Mutagenicity", 4337, 2, true}, Classic{"MUTAG", 188, 2, true},
        Classic{"PROTEINS", 1113, 2, true}, Classic{"ENZYMES", 600, 6, true},
        Classic{"IMDB-BINARY", 1000, 2, false}, Classic{"Fingerprint", 2149, 15, false}}) {
    SCOPED_TRACE(known.name);
    const auto set = io::load(data(known.name + ".zip"));
    EXPECT_EQ(set.name(), known.name);
    EXPECT_EQ(set.size(), known.graphs);
    EXPECT_EQ(set.classes().size(), known.classes);
    EXPECT_EQ(set.label_source() == LabelSource::degree, !known.labels);
  }
}

TEST(SharedClassics, FingerprintHasGapsThatAreReported) {
  RAYLEIGH_NEEDS_SHARED("data/Fingerprint.zip");
  const auto set = io::load(data("Fingerprint.zip"));
  const auto* gaps = find_finding(set, "graphs_without_nodes");
  ASSERT_NE(gaps, nullptr);
  EXPECT_EQ(set.size() + gaps->count, 2800U);
  EXPECT_TRUE(set.has_names());
  EXPECT_EQ(set.graph_name(set.size() - 1), "2800");
  const auto reader = io::open(data("Fingerprint.zip"));
  const auto all = stream_all(*reader, 256);
  EXPECT_EQ(all.rows.size(), 2800U);
  EXPECT_TRUE(all.graphs == words_of(set));
}

TEST(SharedClassics, StreamLikeTheyLoad) {
  RAYLEIGH_NEEDS_SHARED("data/DBLP_v1.zip");
  for (const auto* file : {"DBLP_v1.zip", "ENZYMES.zip", "MUTAG.zip"}) {
    const auto reader = io::open(data(file));
    EXPECT_TRUE(stream_all(*reader, 1000).graphs == words_of(io::load(data(file)))) << file;
  }
}

TEST(SharedClassics, SurviveARoundTrip) {
  RAYLEIGH_NEEDS_SHARED("data/MUTAG.zip");
  const TemporaryFolder folder;
  for (const auto* name : {"Fingerprint", "ENZYMES", "MUTAG"}) {
    const auto set = io::load(data(std::string(name) + ".zip"));
    io::save_tu(set, folder / name);
    EXPECT_EQ(io::load((folder / name).string()), set) << name;
    io::save_jsonl(set, folder / "x.jsonl.gz");
    EXPECT_EQ(io::load((folder / "x.jsonl.gz").string()), set) << name;
  }
}

TEST(SharedMemory, NciH23FitsIn40MegabytesAndTheStatedFormula) {
  RAYLEIGH_NEEDS_SHARED("data/NCI-H23.zip");
  const auto set = io::load(data("NCI-H23.zip"));
  EXPECT_LE(set.memory_bytes(), std::size_t{40'000'000});
  const std::size_t entry =
      4U + (set.edge_label().empty() ? 0U : 4U) + (set.multiplicity().empty() ? 0U : 4U);
  const std::size_t stated =
      8 * set.size() + (8 + 4 * set.attribute_count()) * set.nodes() + entry * set.directed_edges();
  EXPECT_NEAR(static_cast<double>(set.memory_bytes()), static_cast<double>(stated),
              0.01 * static_cast<double>(stated));
}

}  // namespace
}  // namespace rayleigh::test
