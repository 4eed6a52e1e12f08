// What a ScoringSession promises, for every detector of the registry: the scores of
// Detector::score(), and no memory from the heap once graphs of their size have been scored.
#include "rayleigh/scoring_session.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "rayleigh/graph_set_builder.h"

#include "allocation_counter.h"
#include "core/random.h"
#include "fingerprints.h"
#include "learn/trained.h"

namespace rayleigh::learn {
namespace {

using test::allocations;

enum class Largest { usual, beyond_full_rows };

/// Random trees with edge labels and attributes, some directed; among them a node of many
/// neighbours and a graph of many labels; with beyond_full_rows also graphs whose label basis is
/// made the sparse way.
GraphSet mixed_graphs(Largest largest) {
  GraphSetBuilder builder;
  core::Generator generator = core::RandomStream(1, "mixed graphs").at(0);
  const auto add = [&](std::uint32_t nodes, std::uint32_t labels, bool star) {
    builder.begin_graph({}, generator.below(3) == 0 ? "1" : "0");
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const std::array attributes{static_cast<float>(generator.uniform()),
                                  static_cast<float>(generator.below(5))};
      builder.add_node(fmt::format("{}", i < labels ? i : generator.below(labels)), attributes);
    }
    for (std::uint32_t i = 1; i < nodes; ++i) {
      const std::array weight{static_cast<float>(i % 7)};
      builder.add_edge(star ? 0 : generator.below(i), i, generator.below(2) == 0 ? "s" : "d",
                       weight);
    }
    if (nodes % 2 == 0) {
      builder.set_directed();
    }
  };
  for (std::uint32_t g = 0; g < 90; ++g) {
    add(3 + generator.below(20), 3, false);
    if (g % 10 == 0) {
      add(40, 40, false);
      add(30, 3, true);
    }
  }
  for (int k = 0; k < 4 && largest == Largest::beyond_full_rows; ++k) {
    add(1500, 300, false);
  }
  return builder.build();
}

struct Case {
  std::string name;
  std::string model;
  test::Settings settings{};
  int threads = 1;
  Largest largest = Largest::usual;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const DetectorInfo& detector : detectors()) {
    std::string name = detector.name;
    std::ranges::replace(name, '-', '_');
    all.push_back({name, detector.name});
    all.push_back({name + "_on_two_threads", detector.name, {}, 2});
  }
  for (const char* profile : {"published", "paper", "rayleigh"}) {
    const std::string name = std::string("rqgnn_") + profile;
    all.push_back({name, "rqgnn", {{"profile", profile}}});
    all.push_back({name + "_beyond_full_rows",
                   "rqgnn",
                   {{"profile", profile}, {"hidden", "4"}},
                   2,
                   Largest::beyond_full_rows});
    if (std::string_view(profile) != "rayleigh") {
      all.push_back(
          {name + "_with_attributes", "rqgnn", {{"profile", profile}, {"features", "both"}}, 2});
    }
  }
  all.push_back({"rqgnn_with_refined_labels", "rqgnn", {{"labels", "wl2"}}});
  all.push_back({"ensemble", "rqgnn", {{"ensemble", "3"}}, 2});
  all.push_back({"ocgin_b", "ocgin", {{"version", "b"}}});
  return all;
}

class ScoringSessionOf : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    graphs_ = test::with_fingerprints(mixed_graphs(GetParam().largest));
    detector_ = test::detector_of(
        graphs_, test::with({{"epochs", "1"}, {"batch-size", "64"}}, GetParam().settings), 2,
        GetParam().model);
    for (std::uint32_t g = 0; g < graphs_.size(); ++g) {
      alone_.push_back(graphs_.subset(std::array{g}));
    }
  }

  RunOptions run() const { return {.threads = GetParam().threads}; }

  GraphSet graphs_;
  std::vector<GraphSet> alone_;  ///< a set for each graph
  std::optional<Detector> detector_;
};

TEST_P(ScoringSessionOf, GivesTheScoresOfTheDetector) {
  const auto expected = detector_->score(graphs_);
  ScoringSession session(*detector_, run());
  for (std::size_t g = 0; g < alone_.size(); ++g) {
    const Score score = session.score_one(alone_[g]);
    EXPECT_EQ(score.score, expected[g].score);
    EXPECT_EQ(score.unknown_label, expected[g].unknown_label);
  }
  const auto together = session.score(graphs_);
  for (std::size_t g = 0; g < expected.size(); ++g) {
    EXPECT_EQ(together[g].score, expected[g].score);
  }
}

TEST_P(ScoringSessionOf, TakesNoMemoryForGraphsLikeThoseBefore) {
  RAYLEIGH_NEEDS_COUNTS();
  ScoringSession session(*detector_, run());
  std::vector<double> before(alone_.size());
  for (std::size_t g = 0; g < alone_.size(); ++g) {
    before[g] = session.score_one(alone_[g]).score;
  }
  for (std::size_t g = 0; g < alone_.size(); ++g) {
    const std::size_t until_now = allocations;
    const double score = session.score_one(alone_[g]).score;
    EXPECT_EQ(allocations - until_now, 0U) << "graph " << g;
    EXPECT_EQ(score, before[g]);
  }
}

TEST_P(ScoringSessionOf, TakesNoMemoryForASetThatItScoredBefore) {
  RAYLEIGH_NEEDS_COUNTS();
  ScoringSession session(*detector_, run());
  session.score(graphs_);
  const std::size_t until_now = allocations;
  session.score(graphs_);
  EXPECT_EQ(allocations - until_now, 0U);
}

TEST(ScoringSession, TakesNoMemoryForALargeSetThatItScoredBefore) {
  RAYLEIGH_NEEDS_COUNTS();
  // More nodes than a first batch takes.
  const GraphSet graphs = test::molecules(1000);
  for (const char* model : {"rqgnn", "chebynet", "himnet"}) {
    const Detector detector =
        test::detector_of(test::molecules(100), {{"epochs", "1"}, {"hidden", "8"}}, 2, model);
    for (const int threads : {1, 2}) {
      ScoringSession session(detector, {.threads = threads});
      std::vector<std::uint32_t> fitting;
      for (std::uint32_t g = 0; g < graphs.size(); ++g) {
        if (graphs[g].nodes() <= detector.most_nodes()) {
          fitting.push_back(g);
        }
      }
      const GraphSet scored = graphs.subset(fitting);
      session.score(scored);
      const std::size_t until_now = allocations;
      session.score(scored);
      EXPECT_EQ(allocations - until_now, 0U) << model << ", " << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScoringSessionOf, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(AllocationCounter, SeesEveryWayToAskForMemory) {
  RAYLEIGH_NEEDS_COUNTS();
  const std::size_t before = allocations;
  struct alignas(128) Wide {
    int number = 0;
  };
  const auto one = std::make_unique<int>(1);
  const auto wide = std::make_unique<Wide>();
  const std::vector<int> many(100);
  std::free(std::aligned_alloc(4096, 4096));
  EXPECT_EQ(allocations - before, 4U);
}

TEST(Detector, GivesLargeSetsTheSameBitsInPiecesWithAnyNumberOfThreads) {
  const Detector detector = test::detector_of(test::molecules(), {{"epochs", "2"}}, 2, "rayleigh");
  const GraphSet many = test::molecules(2500, 0.2, 2);
  ScoringSession session(detector, {.threads = 1});
  const auto at_once = session.score(many);
  for (const int threads : {1, 2, 5}) {
    const auto by_pieces = detector.score(many, {.threads = threads});
    ASSERT_EQ(by_pieces.size(), at_once.size());
    for (std::size_t g = 0; g < at_once.size(); ++g) {
      EXPECT_EQ(by_pieces[g].score, at_once[g].score) << g;
      EXPECT_EQ(by_pieces[g].unknown_label, at_once[g].unknown_label) << g;
    }
  }
}

}  // namespace
}  // namespace rayleigh::learn
