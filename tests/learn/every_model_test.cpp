// What training promises, for every detector of the registry.
#include <algorithm>
#include <gtest/gtest.h>
#include <stop_token>
#include <thread>

#include "rayleigh/error.h"
#include "rayleigh/graph_set_builder.h"
#include "rayleigh/scoring_session.h"

#include "fingerprints.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const DetectorInfo& detector : detectors()) {
    names.push_back(detector.name);
  }
  return names;
}

class EveryModel : public ::testing::TestWithParam<std::string> {
 protected:
  TrainingRequest request(int threads) const {
    return test::request_of({{"epochs", "4"}, {"batch-size", "64"}}, threads, GetParam());
  }
  std::string bytes_of(const TrainingRequest& request) {
    return train(graphs_, request).detector.bytes();
  }

  GraphSet graphs_ = test::with_fingerprints(test::molecules(160));
  test::TemporaryFolder folder_;
};

TEST_P(EveryModel, EndsInTheSameBytesAfterAStop) {
  const std::string whole = bytes_of(request(1));
  std::stop_source source;
  TrainingRequest stopped = request(1);
  stopped.checkpoint = folder_ / "checkpoint";
  stopped.run.stop = source.get_token();
  stopped.progress = [&](const TrainingProgress& progress) {
    if (progress.epoch.epoch == 2) {
      source.request_stop();
    }
  };
  EXPECT_THROW(bytes_of(stopped), Cancelled);
  int restored = 0;
  TrainingRequest resumed = request(2);
  resumed.checkpoint = stopped.checkpoint;
  resumed.resume = Resume::yes;
  resumed.progress = [&](const TrainingProgress& progress) {
    restored += progress.restored ? 1 : 0;
  };
  EXPECT_EQ(bytes_of(resumed), whole);
  EXPECT_EQ(restored, 2);
}

TEST_P(EveryModel, LosesWhatItTrainsFor) {
  if (detector_info(GetParam()).yardstick) {
    GTEST_SKIP() << "is not trained step by step";
  }
  const auto result =
      test::train_on(graphs_, {{"epochs", "12"}, {"batch-size", "32"}}, 2, GetParam());
  const auto& history = result.members.front().history;
  EXPECT_LT(history.back().loss, history.front().loss);
}

TEST_P(EveryModel, ScoresTheSameInASessionAndFromSeveralThreads) {
  const Detector detector = train(graphs_, request(1)).detector;
  const auto expected = detector.score(graphs_);
  ScoringSession session(detector);
  for (std::uint32_t g = 0; g < 20; ++g) {
    EXPECT_EQ(session.score_one(graphs_.subset(std::vector{g})).score, expected[g].score);
  }
  std::vector<std::vector<Score>> found(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(found.size());
    for (auto& scores : found) {
      threads.emplace_back([&] { scores = detector.score(graphs_, {.threads = 1}); });
    }
  }
  for (const auto& scores : found) {
    for (std::size_t g = 0; g < scores.size(); ++g) {
      EXPECT_EQ(scores[g].score, expected[g].score);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel, ::testing::ValuesIn(model_names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(ModelOfOneSize, RefusesAGraphThatIsTooLarge) {
  const GraphSet graphs = test::molecules(120);
  for (const char* model : {"glocalkd", "himnet"}) {
    const Detector detector =
        test::detector_of(graphs, {{"epochs", "1"}, {"hidden", "8"}, {"out", "4"}}, 1, model);
    std::size_t largest = 0;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      largest = std::max<std::size_t>(largest, graphs[g].nodes());
    }
    EXPECT_EQ(detector.most_nodes(), largest);
    const auto of_size = [](std::size_t nodes) {
      GraphSetBuilder builder;
      builder.begin_graph();
      for (std::size_t i = 0; i < nodes; ++i) {
        builder.add_node("C");
      }
      return builder.build();
    };
    EXPECT_EQ(detector.score(of_size(largest)).size(), 1U);
    EXPECT_THROW(detector.score(of_size(largest + 1)), UsageError);
  }
}

}  // namespace
}  // namespace rayleigh::learn
