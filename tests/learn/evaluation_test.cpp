#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "rayleigh/metrics.h"

#include "core/random.h"
#include "learn/sample.h"

namespace rayleigh::learn {
namespace {

Sample noisy_sample(std::size_t size) {
  auto random = core::RandomStream(3, "evaluation test").at(0);
  Sample sample;
  for (std::size_t i = 0; i < size; ++i) {
    sample.labels.push_back(random.chance(0.2) ? 1 : 0);
    sample.scores.push_back(0.7 * random.uniform() + (sample.labels.back() == 1 ? 0.3 : 0));
  }
  return sample;
}

TEST(Metrics, CountsAndMeasuresWhatItWasGiven) {
  const Sample sample{{0, 0, 0, 1, 1}, {0.1, 0.2, 0.45, 0.4, 0.9}};
  const Metrics e = measure(sample.view(), 0.3);
  EXPECT_EQ(e.graphs, 5U);
  EXPECT_EQ(e.anomalous, 2U);
  EXPECT_DOUBLE_EQ(e.auc, 5.0 / 6);
  EXPECT_DOUBLE_EQ(e.average_precision, 0.5 * 1 + 0.5 * 2 / 3);
  // At 0.5 only the last is called: F1 of 2/3 and 6/7. At 0.3 the last three are: 4/5 and 4/5.
  EXPECT_DOUBLE_EQ(e.macro_f1, (2.0 / 3 + 6.0 / 7) / 2);
  EXPECT_DOUBLE_EQ(e.macro_f1_tuned, 0.8);
  EXPECT_DOUBLE_EQ(e.threshold, 0.3);
  EXPECT_DOUBLE_EQ(e.fpr_at_95, 1.0 / 3);
}

TEST(Metrics, JsonHasTheKeysOfTheContract) {
  const auto json = nlohmann::json::parse(to_json(measure(noisy_sample(100).view(), 0.4)));
  for (const char* key : {"auc", "average_precision", "macro_f1", "macro_f1_tuned", "threshold"}) {
    ASSERT_TRUE(json.contains(key)) << key;
    EXPECT_TRUE(json[key].is_number()) << key;
  }
  EXPECT_EQ(json["threshold"], 0.4);
  EXPECT_EQ(json["graphs"], 100);
}

TEST(Metrics, AMetricThatDoesNotExistIsNull) {
  const Sample normal{{0, 0}, {0.2, 0.6}};
  const auto json = nlohmann::json::parse(to_json(measure(normal.view(), 0.5)));
  EXPECT_TRUE(json["auc"].is_null());
  EXPECT_TRUE(json["average_precision"].is_null());
  EXPECT_TRUE(json["bedroc_20"].is_null());
  EXPECT_EQ(json["anomalous"], 0);
  const auto empty = nlohmann::json::parse(to_json(measure({}, 0.5)));
  EXPECT_EQ(empty["graphs"], 0);
  EXPECT_TRUE(empty["auc"].is_null());
}

TEST(MetricIntervals, HoldTheirMetricAndNarrowWithMoreGraphs) {
  const auto width = [](std::size_t graphs) {
    const Sample sample = noisy_sample(graphs);
    const auto intervals = metric_intervals(sample.view(), 0.5, 1, {.threads = 1});
    const Metrics e = measure(sample.view(), 0.5);
    const auto holds = [](const Interval& i, double value) {
      return i.low <= value && value <= i.high;
    };
    EXPECT_TRUE(holds(intervals.auc, e.auc));
    EXPECT_TRUE(holds(intervals.average_precision, e.average_precision));
    EXPECT_TRUE(holds(intervals.macro_f1, e.macro_f1));
    EXPECT_TRUE(holds(intervals.macro_f1_tuned, e.macro_f1_tuned));
    return intervals.auc.high - intervals.auc.low;
  };
  EXPECT_LT(width(1600), 0.7 * width(100));
}

TEST(MetricIntervals, AreTheSameForAnyNumberOfThreads) {
  const Sample sample = noisy_sample(150);
  const auto text = [&](int threads) {
    return to_json(metric_intervals(sample.view(), 0.4, 5, {.threads = threads}));
  };
  EXPECT_EQ(text(1), text(3));
}

TEST(MetricIntervals, AreNullWhereAClassIsMissing) {
  const Sample normal{{0, 0}, {0.2, 0.6}};
  const auto json =
      nlohmann::json::parse(to_json(metric_intervals(normal.view(), 0.5, 1, {.threads = 1})));
  EXPECT_EQ(json["auc"], nlohmann::json({nullptr, nullptr}));
}

TEST(MetricIntervals, AreThoseOfTheBootstrapOfEachMetric) {
  for (const int levels : {5, 1000}) {
    const Sample sample = random_sample(7, 300, levels);
    const auto all = metric_intervals(sample.view(), 0.4, 9, {.threads = 2});
    const auto one = [&](const std::function<double(const Scored&)>& metric) {
      return bootstrap_interval(sample.view(), metric, 0.95, 1000, 9, {.threads = 2});
    };
    const auto expect_same = [](const Interval& a, const Interval& b) {
      EXPECT_EQ(a.low, b.low);
      EXPECT_EQ(a.high, b.high);
    };
    expect_same(all.auc, one(roc_auc));
    expect_same(all.average_precision, one(average_precision));
    expect_same(all.macro_f1, one([](const Scored& s) { return macro_f1(s); }));
    expect_same(all.macro_f1_tuned, one([](const Scored& s) { return macro_f1(s, 0.4); }));
  }
}

}  // namespace
}  // namespace rayleigh::learn
