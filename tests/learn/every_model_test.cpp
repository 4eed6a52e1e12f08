// What training promises, for every detector of the registry.
#include <array>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>

#include "rayleigh/error.h"
#include "rayleigh/graph_set_builder.h"

#include "learn/detector_state.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& recipe : models::all_recipes()) {
    names.push_back(recipe->name());
  }
  return names;
}

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

class EveryModel : public ::testing::TestWithParam<std::string> {
 protected:
  std::string bytes_of(const TrainingHooks& hooks) {
    auto plan = test::plan_of({{"epochs", "4"}, {"batch-size", "64"}}, GetParam());
    const Detector detector(train(graphs_, std::move(plan), hooks).detector);
    detector.save(folder_ / "model");
    return test::read_text(folder_ / "model");
  }

  GraphSet graphs_ = test::molecules(160);
  test::TemporaryFolder folder_;
};

TEST_P(EveryModel, EndsInTheSameBytesAfterAnInterruption) {
  const std::string whole = bytes_of({.threads = 1});
  TrainingHooks hooks{.threads = 1, .checkpoint = folder_ / "checkpoint"};
  hooks.after_epoch = [](const TrainProgress& progress, const EpochMetrics&) {
    if (progress.epoch == 2) {
      throw Interrupted();
    }
  };
  EXPECT_THROW(bytes_of(hooks), Interrupted);
  int restored = 0;
  TrainingHooks resume{.threads = 2, .checkpoint = folder_ / "checkpoint", .resume = true};
  resume.restored_epoch = [&](int, const EpochRecord&) { ++restored; };
  EXPECT_EQ(bytes_of(resume), whole);
  EXPECT_GE(restored, 1);
}

TEST_P(EveryModel, LosesWhatItTrainsFor) {
  if (GetParam() == "size" || GetParam() == "label-counts") {
    GTEST_SKIP() << "is not trained step by step";
  }
  auto plan = test::plan_of({{"epochs", "12"}, {"batch-size", "32"}}, GetParam());
  const auto result = train(graphs_, std::move(plan), {.threads = 2});
  const auto& history = result.histories.front();
  EXPECT_LT(history.back().loss, history.front().loss);
}

TEST_P(EveryModel, ScoresTheSameFromSeveralThreadsAtOnce) {
  auto plan = test::plan_of({{"epochs", "1"}}, GetParam());
  const Detector detector(train(graphs_, std::move(plan), {.threads = 2}).detector);
  const auto alone = detector.score(graphs_, 1);
  std::array<std::vector<Score>, 3> scores;
  std::vector<std::thread> threads;
  for (auto& of_thread : scores) {
    threads.emplace_back([&] { of_thread = detector.score(graphs_, 1); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const auto& of_thread : scores) {
    EXPECT_TRUE(std::ranges::equal(of_thread, alone, {}, &Score::score, &Score::score));
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
        Detector::train(graphs, {.model = model,
                                 .parameters = {{"epochs", "1"}, {"hidden", "8"}, {"out", "4"}},
                                 .threads = 1});
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
