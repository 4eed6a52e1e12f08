#include "learn/split.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "rayleigh/detector_options.h"

#include "expect_error.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

using Labels = std::vector<std::int8_t>;
using Part = std::vector<std::uint32_t>;

/// Every `period`-th graph is anomalous.
Labels labels_of(std::size_t graphs, std::size_t period) {
  Labels labels(graphs, 0);
  for (std::size_t g = 0; g < graphs; g += period) {
    labels[g] = 1;
  }
  return labels;
}

std::size_t count(const Part& part, const Labels& labels, std::int8_t cls) {
  return static_cast<std::size_t>(
      std::ranges::count_if(part, [&](std::uint32_t g) { return labels[g] == cls; }));
}

bool same(const Split& a, const Split& b) {
  return a.train == b.train && a.validation == b.validation && a.test == b.test;
}

/// All graphs of the split, sorted; a graph in two parts stands twice.
Part all_of(const Split& split) {
  Part all = split.train;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::ranges::sort(all);
  return all;
}

TEST(StratifiedSplit, CutsEveryClassByTheSharesRoundedDown) {
  // 13 anomalous: int(9.1) = 9 train, up to int(11.05) = 11 validate; 117 normal: 81, up to 99.
  const Labels labels = labels_of(130, 10);
  const Split split = stratified_split(labels, kUsualShares, 7);
  EXPECT_EQ(count(split.train, labels, 1), 9U);
  EXPECT_EQ(count(split.validation, labels, 1), 2U);
  EXPECT_EQ(count(split.test, labels, 1), 2U);
  EXPECT_EQ(count(split.train, labels, 0), 81U);
  EXPECT_EQ(count(split.validation, labels, 0), 18U);
  EXPECT_EQ(count(split.test, labels, 0), 18U);
}

TEST(StratifiedSplit, SharesThatShouldBeWholeAreNotCutShortByRounding) {
  // 0.7 + 0.15 is below 0.85 in binary; 0.29 * 100 is below 29.
  for (const auto& [shares, first, second] :
       {std::tuple(kUsualShares, 70U, 85U), std::tuple(SplitShares{0.29, 0.29, 0.42}, 29U, 58U),
        std::tuple(SplitShares{0.57, 0.01, 0.42}, 57U, 58U)}) {
    const Split split = stratified_split(Labels(100, 0), shares, 1);
    EXPECT_EQ(split.train.size(), first);
    EXPECT_EQ(split.train.size() + split.validation.size(), second);
  }
}

TEST(StratifiedSplit, HasEveryLabelledGraphOnceAndPartsAscend) {
  Labels labels = labels_of(200, 7);
  Part expected;
  for (std::uint32_t g = 0; g < 200; ++g) {
    if (g % 9 == 4) {
      labels[g] = -1;
    } else {
      expected.push_back(g);
    }
  }
  const Split split = stratified_split(labels, kUsualShares, 3);
  EXPECT_EQ(all_of(split), expected);
  for (const Part* part : {&split.train, &split.validation, &split.test}) {
    EXPECT_TRUE(std::ranges::is_sorted(*part));
  }
}

TEST(StratifiedSplit, DependsOnTheSeedAndOnNothingElse) {
  const Labels labels = labels_of(300, 10);
  const Split split = stratified_split(labels, kUsualShares, 5);
  EXPECT_TRUE(same(split, stratified_split(labels, kUsualShares, 5)));
  EXPECT_FALSE(same(split, stratified_split(labels, kUsualShares, 6)));
}

TEST(StratifiedSplit, UnlabelledGraphsDoNotChangeWhereTheOthersGo) {
  const Labels labels = labels_of(120, 6);
  Labels longer = labels;
  longer.insert(longer.end(), 30, -1);
  EXPECT_TRUE(
      same(stratified_split(labels, kUsualShares, 2), stratified_split(longer, kUsualShares, 2)));
}

TEST(StratifiedSplit, IsNotTheOrderOfTheData) {
  const Split split = stratified_split(Labels(1000, 0), kUsualShares, 1);
  // The first 700 in order would put nothing of the last tenth into training.
  EXPECT_GT(count(split.train, Labels(1000, 0), 0), 0U);
  EXPECT_GT(std::ranges::count_if(split.train, [](std::uint32_t g) { return g >= 900; }), 40);
}

TEST(StratifiedSplit, GroupsStayTogether) {
  const Labels labels = labels_of(400, 8);
  std::vector<std::uint64_t> groups;
  for (std::uint64_t g = 0; g < 400; ++g) {
    groups.push_back(1'000'000 + g % 61);  // members are far apart and of both classes
  }
  const Split split = stratified_split(labels, kUsualShares, 4, groups);
  EXPECT_EQ(all_of(split).size(), 400U);
  std::map<std::uint64_t, std::set<int>> parts;
  int number = 0;
  for (const Part* part : {&split.train, &split.validation, &split.test}) {
    EXPECT_FALSE(part->empty());
    for (const std::uint32_t g : *part) {
      parts[groups[g]].insert(number);
    }
    ++number;
  }
  EXPECT_EQ(parts.size(), 61U);
  for (const auto& [group, where] : parts) {
    EXPECT_EQ(where.size(), 1U) << group;
  }
}

TEST(StratifiedSplit, GroupsOfOneAreNoGroups) {
  const Labels labels = labels_of(150, 5);
  std::vector<std::uint64_t> groups;
  for (std::uint64_t g = 0; g < 150; ++g) {
    groups.push_back(g * 77);
  }
  EXPECT_TRUE(same(stratified_split(labels, kUsualShares, 9),
                   stratified_split(labels, kUsualShares, 9, groups)));
}

TEST(StratifiedSplit, AnEmptySetHasEmptyParts) {
  EXPECT_TRUE(all_of(stratified_split({}, kUsualShares, 1)).empty());
}

TEST(ThinTraining, KeepsTheSharesOfTheClassesAndTheOtherParts) {
  const Labels labels = labels_of(1000, 20);
  const Split whole = stratified_split(labels, kUsualShares, 3);
  Split thin = whole;
  thin_training(thin, labels, 100, 3);
  EXPECT_EQ(thin.train.size(), 100U);
  EXPECT_EQ(count(thin.train, labels, 1), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(thin.train));
  EXPECT_TRUE(std::ranges::includes(whole.train, thin.train));
  EXPECT_EQ(thin.validation, whole.validation);
  EXPECT_EQ(thin.test, whole.test);
  Split again = whole;
  thin_training(again, labels, 100, 3);
  EXPECT_TRUE(same(thin, again));
  Split other = whole;
  thin_training(other, labels, 100, 4);
  EXPECT_FALSE(same(thin, other));
}

TEST(ThinTraining, LeavesSmallPartsAloneAndBothClassesInside) {
  const Labels labels = labels_of(1000, 20);
  const Split whole = stratified_split(labels, kUsualShares, 3);
  Split same_size = whole;
  thin_training(same_size, labels, whole.train.size(), 3);
  EXPECT_TRUE(same(same_size, whole));
  Split tiny = whole;
  thin_training(tiny, labels, 4, 3);
  EXPECT_EQ(count(tiny.train, labels, 1), 2U);
  EXPECT_EQ(count(tiny.train, labels, 0), 4U);
}

TEST(ParseShares, ReadsPercentages) {
  EXPECT_EQ(parse_split("70/15/15").shares, (SplitShares{0.7, 0.15, 0.15}));
  EXPECT_EQ(parse_split("80/20/0").shares, (SplitShares{0.8, 0.2, 0.0}));
  EXPECT_EQ(parse_split("33.5/33.5/33").shares, (SplitShares{0.335, 0.335, 0.33}));
  EXPECT_FALSE(parse_split("70/15/15").by_scaffold);
  EXPECT_TRUE(parse_split("scaffold").by_scaffold);
  EXPECT_EQ(parse_split("scaffold").shares, kUsualShares);
  EXPECT_TRUE(parse_split("scaffold/80/10/10").by_scaffold);
  EXPECT_EQ(parse_split("scaffold/80/10/10").shares, (SplitShares{0.8, 0.1, 0.1}));
}

TEST(ParseShares, WritesWhatItReads) {
  for (const char* text :
       {"70/15/15", "80/20/0", "33.5/33.5/33", "29/29/42", "scaffold", "scaffold/80/10/10"}) {
    EXPECT_EQ(to_text(parse_split(text)), text);
  }
}

TEST(ParseShares, RefusesWhatIsNotThreeSharesOfAWhole) {
  for (const char* text :
       {"",           "/",        "//",           "70",        "70/30",       "70/15/15/",
        "70/15/15/0", "70/15/14", "70/15/16",     "a/b/c",     "70/15/15x",   " 70/15/15",
        "70/15/ 15",  "0/50/50",  "50/0/50",      "-10/55/55", "120/-10/-10", "nan/50/50",
        "inf/1/1",    "70,15,15", "0.7/0.15/0.15"}) {
    SCOPED_TRACE(text);
    test::expect_usage_error([&] { DetectorOptions().set("split", text); },
                             {"split: '", text, "such as 70/15/15"});
  }
  test::expect_usage_error([] { DetectorOptions().set("split", std::string("70/15\0/15", 9)); },
                           {"\\x00"});
}

TEST(ScaffoldSplit, KeepsFamiliesWholeAndPutsTheLargestIntoTraining) {
  // Families of 4, 2, 2, 1 and 1; the fourth graph has no label.
  const std::vector<std::int8_t> labels{0, 1, 0, -1, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<std::uint64_t> scaffolds{7, 9, 5, 7, 5, 9, 3, 5, 5, 2, 3};
  const Split split = scaffold_split(labels, {0.6, 0.2, 0.2}, scaffolds);
  EXPECT_EQ(split.train, (Part{1, 2, 4, 5, 7, 8}));  // 5 and, of two equals, 9
  EXPECT_EQ(split.validation, (Part{6, 10}));        // 3
  EXPECT_EQ(split.test, (Part{0, 9}));               // 7 and 2
}

class ReadSplit : public testing::Test {
 protected:
  Split read(const std::string& train, const std::string& validation, const std::string& test,
             std::size_t graphs = 10) {
    test::write_text(folder_ / "train", train);
    test::write_text(folder_ / "validation", validation);
    test::write_text(folder_ / "test", test);
    return read_split(files(), graphs);
  }
  std::array<std::filesystem::path, 3> files() const {
    return {folder_ / "train", folder_ / "validation", folder_ / "test"};
  }
  void expect_defect(const std::function<void()>& action, const std::string& place,
                     const std::string& words) {
    test::expect_data_error(action, {(folder_ / place).string() + ": ", words});
  }

  test::TemporaryFolder folder_;
};

TEST_F(ReadSplit, TakesNumbersInAnyOrderWithBlankLinesAndCarriageReturns) {
  const Split split = read("3\n1\n", "\n0\r\n\r\n5 \r\n", "9");
  EXPECT_EQ(split.train, (Part{1, 3}));
  EXPECT_EQ(split.validation, (Part{0, 5}));
  EXPECT_EQ(split.test, (Part{9}));
}

TEST_F(ReadSplit, AnEmptyTestPartIsAllowed) { EXPECT_TRUE(read("1\n", "2\n", "").test.empty()); }

TEST_F(ReadSplit, NamesTheLineThatIsNoGraph) {
  expect_defect([&] { read("1\n\nx\n", "", ""); }, "train:3",
                "'x' is not a graph, expected a number from 0 to 9");
  expect_defect([&] { read("1\n", "2\n10\n", ""); }, "validation:2", "'10' is not a graph");
  expect_defect([&] { read("", "", "-1\n"); }, "test:1", "'-1' is not a graph");
  expect_defect([&] { read("1.5\n", "", ""); }, "train:1", "'1.5' is not a graph");
  expect_defect([&] { read("1 2\n", "", ""); }, "train:1", "'1 2' is not a graph");
  expect_defect([&] { read("99999999999999999999\n", "", ""); }, "train:1", "is not a graph");
  expect_defect([&] { read("\x01\x02\n", "", ""); }, "train:1", "\\x01");
}

TEST_F(ReadSplit, SaysWhenThereIsNoGraphAtAll) {
  expect_defect([&] { read("0\n", "", "", 0); }, "train:1", "the data has no graph");
}

TEST_F(ReadSplit, NamesTheGraphThatStandsTwice) {
  expect_defect([&] { read("1\n2\n1\n", "", ""); }, "train:3", "graph 1 stands in the split twice");
  expect_defect([&] { read("1\n2\n", "4\n", "3\n2\n"); }, "test:2",
                "graph 2 stands in the split twice");
}

TEST_F(ReadSplit, AFileThatCannotBeReadIsNamed) {
  read("1\n", "2\n", "3\n");
  std::filesystem::remove(folder_ / "validation");
  expect_defect([&] { read_split(files(), 10); }, "validation", "cannot be read");
  std::filesystem::create_directory(folder_ / "validation");
  expect_defect([&] { read_split(files(), 10); }, "validation", "cannot be read");
}

}  // namespace
}  // namespace rayleigh::learn
