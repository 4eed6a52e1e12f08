#include "learn/folds.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "expect_error.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

using Labels = std::vector<std::int8_t>;

/// Every `period`-th graph is anomalous.
Labels labels_with(std::size_t graphs, std::size_t period) {
  Labels labels(graphs, 0);
  for (std::size_t g = 0; g < graphs; g += period) {
    labels[g] = 1;
  }
  return labels;
}

/// Graphs and anomalous graphs of each fold.
std::vector<std::pair<int, int>> counts_of(const std::vector<std::int32_t>& folds,
                                           const Labels& labels, std::size_t count) {
  std::vector<std::pair<int, int>> counts(count);
  for (std::size_t g = 0; g < folds.size(); ++g) {
    if (folds[g] >= 0) {
      ++counts[static_cast<std::size_t>(folds[g])].first;
      counts[static_cast<std::size_t>(folds[g])].second += labels[g];
    }
  }
  return counts;
}

std::vector<Split> splits_of(const GraphSet& graphs, const SplitRequest& rule, std::size_t folds) {
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    splits.push_back(make_split(fold_of(rule, folds, fold), graphs, anomaly_labels(graphs)));
  }
  return splits;
}

TEST(Folds, HoldEveryLabelledGraphOnceAndAsManyOfEachClass) {
  Labels labels = labels_with(203, 9);  // 23 anomalous
  labels[5] = -1;
  const auto folds = make_folds(labels, 5, 7);
  EXPECT_EQ(folds[5], -1);
  for (const auto& [graphs, anomalous] : counts_of(folds, labels, 5)) {
    EXPECT_TRUE(graphs == 40 || graphs == 41) << graphs;
    EXPECT_TRUE(anomalous == 4 || anomalous == 5) << anomalous;
  }
  EXPECT_EQ(folds, make_folds(labels, 5, 7));
  EXPECT_NE(folds, make_folds(labels, 5, 8));
}

TEST(Folds, GroupsStayTogetherAndAreSpreadEvenly) {
  const Labels labels = labels_with(400, 8);
  std::vector<std::uint64_t> groups;
  for (std::uint64_t g = 0; g < 400; ++g) {
    groups.push_back(g < 80 ? 1'000 : g % 61);  // one group of a fifth of all graphs
  }
  for (const auto& seed : {std::optional<std::uint64_t>(3), std::optional<std::uint64_t>()}) {
    const auto folds = make_folds(labels, 4, seed, groups);
    std::map<std::uint64_t, std::set<std::int32_t>> of_group;
    for (std::size_t g = 0; g < 400; ++g) {
      of_group[groups[g]].insert(folds[g]);
    }
    for (const auto& [group, in] : of_group) {
      EXPECT_EQ(in.size(), 1U) << group;
    }
    for (const auto& [graphs, anomalous] : counts_of(folds, labels, 4)) {
      EXPECT_NEAR(graphs, 100, 20);
      EXPECT_NEAR(anomalous, 12.5, 4);
    }
  }
}

TEST(Folds, SplitsTestEveryGraphOnceAndCutTheOthersByTheShares) {
  const auto graphs = test::molecules(240);
  const auto labels = anomaly_labels(graphs);
  const auto splits = splits_of(graphs, StratifiedSplit{.shares = {0.6, 0.2, 0.2}, .seed = 4}, 6);
  std::vector<int> tested(graphs.size(), 0);
  for (const Split& split : splits) {
    std::set<std::uint32_t> all;
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      EXPECT_TRUE(std::ranges::is_sorted(*part));
      all.insert(part->begin(), part->end());
    }
    EXPECT_EQ(all.size(), 240U) << "no graph is left out";
    EXPECT_EQ(split.test.size(), 40U);
    EXPECT_EQ(split.train.size(), 150U);
    EXPECT_EQ(split.validation.size(), 50U);
    for (const std::uint32_t g : split.test) {
      ++tested[g];
    }
  }
  EXPECT_EQ(tested, std::vector<int>(graphs.size(), 1));
  // Graphs that are in neither test part validate in one fold and train in another.
  EXPECT_NE(splits[0].validation, splits[1].validation);
}

TEST(Folds, DuplicatesStayInOneFold) {
  const auto graphs = test::molecules(200);
  std::vector<std::uint64_t> pairs;
  for (std::uint64_t g = 0; g < 200; ++g) {
    pairs.push_back(g / 2);
  }
  for (const Split& split : splits_of(graphs, GroupedSplit{.groups = pairs, .seed = 1}, 5)) {
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      for (const std::uint32_t g : *part) {
        EXPECT_TRUE(std::ranges::binary_search(*part, g ^ 1U)) << g;
      }
    }
  }
}

TEST(Folds, WithoutTestHasTheSameProportions) {
  const auto rule = std::get<StratifiedSplit>(without_test(StratifiedSplit{.seed = 3}));
  EXPECT_NEAR(rule.shares[0], 0.70 / 0.85, 1e-12);
  EXPECT_EQ(rule.shares[0] + rule.shares[1], 1);
  EXPECT_EQ(rule.shares[2], 0);
  EXPECT_EQ(rule.seed, 3U);
}

TEST(Folds, WhatCannotBeCutIsAUsageError) {
  const auto graphs = test::molecules(60);
  const auto labels = anomaly_labels(graphs);
  const auto anomalous = static_cast<std::size_t>(std::ranges::count(labels, std::int8_t{1}));
  test::expect_usage_error([&] { make_folds(labels, 1, 1); }, {"folds: expected at least 2"});
  test::expect_usage_error([&] { make_folds(labels, anomalous + 1, 1); },
                           {"folds", "cannot each have an anomalous graph to test on"});
  test::expect_usage_error([&] { make_folds(Labels(3, 0), 4, 1); },
                           {"folds", "cannot each have a graph to test on"});
  EXPECT_NO_THROW(make_folds(labels, anomalous, 1));
  test::expect_usage_error([&] { fold_of(Split{}, 2, 0); }, {"folds", "the parts are given"});
  test::expect_usage_error([&] { make_split(FoldSplit{.folds = 3, .fold = 3}, graphs, labels); },
                           {"there is no fold 3 of 3"});
  test::expect_usage_error([&] { make_split(FoldSplit{.rule = ScaffoldSplit{}}, graphs, labels); },
                           {"no scaffolds"});
}

}  // namespace
}  // namespace rayleigh::learn
