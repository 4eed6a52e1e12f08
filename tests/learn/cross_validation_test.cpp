#include "rayleigh/cross_validation.h"

#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rayleigh/error.h"

#include "expect_error.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh {
namespace {

std::vector<double> scores_of(const CrossValidation& result) {
  std::vector<double> scores;
  for (const OutOfFold& graph : result.graphs) {
    scores.push_back(graph.score);
  }
  return scores;
}

TEST(CrossValidation, EveryGraphHasTheScoreOfTheDetectorThatDidNotSeeIt) {
  const auto graphs = test::molecules(160);
  const auto request = test::request_of(test::quick());
  const auto all = cross_validate(graphs, request, 4);
  ASSERT_EQ(all.folds.size(), 4U);
  for (std::size_t fold = 0; fold < 4; ++fold) {
    auto alone = request;
    alone.split = fold_of(request.options.split(), 4, fold);
    const auto direct = train(graphs, alone);
    EXPECT_EQ(all.folds[fold].split, direct.split);
    EXPECT_EQ(to_json(all.folds[fold].test), to_json(direct.test));
    for (const std::uint32_t g : direct.split.test) {
      EXPECT_EQ(all.graphs[g].fold, static_cast<std::int32_t>(fold));
      EXPECT_EQ(all.graphs[g].score, direct.scores[g]);
      EXPECT_EQ(all.graphs[g].probability, direct.detector.probability(direct.scores[g]));
      EXPECT_EQ(all.graphs[g].anomalous, direct.scores[g] > direct.detector.threshold());
    }
  }
  const auto mean = all.mean(&Metrics::auc);
  EXPECT_EQ(mean.count, 4U);
  EXPECT_LT(mean.low, mean.mean);
  EXPECT_GT(mean.high, mean.mean);
}

TEST(CrossValidation, DoesNotDependOnThreads) {
  const auto graphs = test::molecules(160);
  EXPECT_EQ(scores_of(cross_validate(graphs, test::request_of(test::quick(), 1), 3)),
            scores_of(cross_validate(graphs, test::request_of(test::quick(), 4), 3)));
}

TEST(CrossValidation, AStoppedOneGoesOnToTheSameScores) {
  const auto graphs = test::molecules(160);
  const test::TemporaryFolder folder;
  const auto whole = cross_validate(graphs, test::request_of(test::quick()), 3);

  std::stop_source stop;
  auto request = test::request_of(test::quick());
  request.checkpoint = folder / "run.ckpt";
  request.run.stop = stop.get_token();
  request.progress = [&](const TrainingProgress& progress) {
    EXPECT_EQ(progress.folds, 3);
    if (progress.fold == 2 && progress.epoch.epoch == 2) {
      stop.request_stop();
    }
  };
  test::expect_error(ErrorKind::cancelled, [&] { cross_validate(graphs, request, 3); },
                     {"fold 2 of 3: training was stopped after epoch 2", "run.ckpt.fold-2-of-3"});
  int epochs = 0;
  request.run.stop = {};
  request.resume = Resume::yes;
  request.progress = [&](const TrainingProgress& progress) { epochs += progress.restored ? 0 : 1; };
  EXPECT_EQ(scores_of(cross_validate(graphs, request, 3)), scores_of(whole));
  EXPECT_EQ(epochs, 1 + 3) << "the rest of the second fold, and the third";
}

TEST(CrossValidation, NeedsARuleAndEnoughGraphs) {
  const auto graphs = test::molecules(60);
  auto request = test::request_of(test::quick());
  test::expect_usage_error([&] { cross_validate(graphs, request, 1); }, {"folds: expected at"});
  test::expect_usage_error([&] { cross_validate(graphs, request, 50); }, {"anomalous graph"});
  request.split = Split{};
  test::expect_usage_error([&] { cross_validate(graphs, request, 2); }, {"the parts are given"});
}

TEST(ResampledMean, IsStudentsTWithTheCorrectionOfNadeauAndBengio) {
  // Tables of Student's t.
  EXPECT_NEAR(student_t_quantile(0.05, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t_quantile(0.05, 4), 2.77645, 1e-5);
  EXPECT_NEAR(student_t_quantile(0.01, 10), 3.16927, 1e-5);
  EXPECT_NEAR(student_t_p_value(2.0, 9), 0.0765528, 1e-7);
  EXPECT_NEAR(student_t_p_value(0, 3), 1, 1e-12);
  EXPECT_NEAR(student_t_p_value(30, 2), 0.00110926, 1e-7);

  const std::vector<double> values{0.01, 0.03, 0.02, 0.04};
  const auto plain = resampled_mean(values, 0);
  EXPECT_DOUBLE_EQ(plain.mean, 0.025);
  EXPECT_NEAR(plain.deviation, 0.0129099, 1e-7);
  EXPECT_NEAR(plain.low, 0.025 - 3.182446 * 0.0129099 / 2, 1e-7);
  const auto corrected = resampled_mean(values, 0.25);
  EXPECT_NEAR(corrected.high - corrected.mean, (plain.high - plain.mean) * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(corrected.p_value, student_t_p_value(0.025 / (0.0129099 * std::sqrt(0.5)), 3), 1e-5);
}

TEST(ResampledMean, OfFewOrEqualValues) {
  EXPECT_EQ(resampled_mean({}, 0.2).count, 0U);
  const std::vector<double> one{0.5, std::nan("")};
  EXPECT_EQ(resampled_mean(one, 0.2).mean, 0.5);
  EXPECT_TRUE(std::isnan(resampled_mean(one, 0.2).low));
  EXPECT_TRUE(std::isnan(resampled_mean(one, 0.2).p_value));
  const std::vector<double> zeros(3, 0.0);
  EXPECT_EQ(resampled_mean(zeros, 0.2).p_value, 1);
  const std::vector<double> ones(3, 1.0);
  EXPECT_EQ(resampled_mean(ones, 0.2).p_value, 0);
  EXPECT_EQ(resampled_mean(ones, 0.2).low, 1);
}

}  // namespace
}  // namespace rayleigh
