// Trees on sparse rows: binning, growing, scoring, and stored trees that are none.
#include "models/boosting.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "core/random.h"

namespace rayleigh::models {
namespace {

/// Rows with counts in a few of many columns.
GraphRows<float> random_rows(std::size_t rows, std::uint32_t columns, std::uint64_t seed) {
  GraphRows<float> out;
  for (std::size_t i = 0; i < rows; ++i) {
    core::Generator generator = core::RandomStream(seed, "rows").at(i);
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (generator.chance(0.4)) {
        out.entries.push_back({column, static_cast<float>(1 + generator.below(3))});
      }
    }
    out.row_ptr.push_back(static_cast<std::uint32_t>(out.entries.size()));
  }
  return out;
}

float value_at(const GraphRows<float>& rows, std::size_t row, std::uint32_t column) {
  for (std::size_t e = rows.row_ptr[row]; e < rows.row_ptr[row + 1]; ++e) {
    if (rows.entries[e].column == column) {
      return rows.entries[e].value;
    }
  }
  return 0;
}

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// One where exactly one of the first two columns is there: no single column tells.
std::vector<float> either_or(const GraphRows<float>& rows) {
  std::vector<float> targets;
  for (std::size_t i = 0; i + 1 < rows.row_ptr.size(); ++i) {
    targets.push_back((value_at(rows, i, 0) > 0) != (value_at(rows, i, 1) > 0) ? 1.0F : 0.0F);
  }
  return targets;
}

BoostingOptions quick_options() {
  BoostingOptions options;
  options.tree.shrinkage = 0.3;
  options.columns = 0.5;
  return options;
}

TEST(BinnedRows, CutsBetweenTheNumbersOfAColumn) {
  core::ThreadPool pool(1);
  const auto rows = random_rows(200, 12, 3);
  const auto all = numbers_below(200);
  const BinnedRows binned = bin_rows(rows, 12, all, 200, 31, pool);
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t e = binned.row_ptr[i]; e < binned.row_ptr[i + 1]; ++e) {
      const std::uint32_t bin = binned.bins[e];
      const float value = value_at(rows, i, binned.column_of_bin[bin]);
      EXPECT_GT(value, binned.limit[bin]);
      if (bin + 1 < binned.first_bin[binned.column_of_bin[bin] + 1]) {
        EXPECT_LE(value, binned.limit[bin + 1]);
      }
    }
  }
}

TEST(BinnedRows, MakesFewBinsOfManyNumbersAndLosesNoRow) {
  core::ThreadPool pool(1);
  GraphRows<float> rows;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    rows.entries.push_back({0, 1 + static_cast<float>(i) / 7});
    rows.row_ptr.push_back(i + 1);
  }
  const auto all = numbers_below(1000);
  const BinnedRows binned = bin_rows(rows, 1, all, 1000, 31, pool);
  EXPECT_LE(binned.limit.size(), 31U);
  EXPECT_GE(binned.limit.size(), 25U);
  EXPECT_EQ(binned.bins.size(), 1000U);
  EXPECT_TRUE(std::ranges::is_sorted(binned.bins));
}

TEST(Boosting, FindsWhatNoSingleColumnTells) {
  core::ThreadPool pool(2);
  const auto rows = random_rows(600, 8, 1);
  const auto targets = either_or(rows);
  Boosting boosting(rows, 8, numbers_below(600), 400, targets, quick_options(), 1, pool);
  for (std::uint32_t round = 0; round < 40; ++round) {
    boosting.grow_round(round);
  }
  std::size_t right = 0;
  for (std::size_t i = 400; i < 600; ++i) {
    right += (boosting.margin(i) > 0) == (targets[i] > 0.5F) ? 1 : 0;
  }
  EXPECT_GE(right, 195U);  // of 200 that it was not fitted to
}

StoredTrees stored(const std::vector<Tree>& trees) {
  StoredTrees out;
  for (const Tree& tree : trees) {
    out.sizes.push_back(tree.size());
    out.nodes.insert(out.nodes.end(), tree.begin(), tree.end());
  }
  return out;
}

TEST(Boosting, GrowsTheSameTreesOnOneThreadOnThreeAndAfterARestore) {
  const auto rows = random_rows(500, 20, 2);
  const auto targets = either_or(rows);
  const auto grown = [&](int threads, std::uint32_t restored) {
    core::ThreadPool pool(threads);
    std::vector<Tree> trees;
    const auto go_on = [&](std::uint32_t begin, std::uint32_t end) {
      Boosting boosting(rows, 20, numbers_below(500), 400, targets, quick_options(), 7, pool);
      boosting.restore(stored(trees));
      for (std::uint32_t round = begin; round < end; ++round) {
        for (Tree& tree : boosting.grow_round(round)) {
          trees.push_back(std::move(tree));
        }
      }
      return boosting.margin(450);
    };
    go_on(0, restored);
    const double margin = go_on(restored, 12);
    return std::pair(stored(trees), margin);
  };
  const auto [one, margin] = grown(1, 0);
  EXPECT_GT(one.nodes.size(), 100U);
  for (const auto& [trees, other] : {grown(3, 0), grown(2, 5)}) {
    EXPECT_EQ(other, margin);
    EXPECT_EQ(trees.sizes, one.sizes);
    ASSERT_EQ(trees.nodes.size(), one.nodes.size());
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      EXPECT_EQ(trees.nodes[i].column, one.nodes[i].column);
      EXPECT_EQ(trees.nodes[i].limit, one.nodes[i].limit);
      EXPECT_EQ(trees.nodes[i].child, one.nodes[i].child);
      EXPECT_EQ(trees.nodes[i].value, one.nodes[i].value);
    }
  }
}

TEST(Forest, GivesWhatBoostingHadAndWhatPathsAddUpTo) {
  core::ThreadPool pool(1);
  const auto rows = random_rows(300, 10, 4);
  const auto targets = either_or(rows);
  const auto options = quick_options();
  const auto all = numbers_below(300);
  Boosting boosting(rows, 10, all, 300, targets, options, 1, pool);
  std::vector<Tree> trees;
  for (std::uint32_t round = 0; round < 10; ++round) {
    for (Tree& tree : boosting.grow_round(round)) {
      trees.push_back(std::move(tree));
    }
  }
  const StoredTrees kept = stored(trees);
  const Forest forest(kept, 10);
  std::vector<std::uint8_t> scratch(forest.scratch_bytes(all.size()));
  std::vector<double> sums(all.size(), 0.0);
  forest.run(rows, all, scratch,
             [&](std::size_t, std::size_t i, double value) { sums[i] += value; });
  const auto chains = static_cast<double>(options.chains);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(boosting.start()) + sums[i] / chains, boosting.margin(i), 1e-9);
    std::vector<double> shares(10, 0.0);
    const double roots = path_shares(kept, rows, i, shares);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), roots), sums[i], 1e-9);
  }
}

/// As the stored nodes say, one graph and tree at a time.
std::vector<double> sums_of_paths(const StoredTrees& trees, const GraphRows<float>& rows,
                                  std::span<const std::uint32_t> graphs) {
  std::vector<double> sums;
  for (const std::uint32_t graph : graphs) {
    std::map<std::uint32_t, float> row;
    for (std::size_t e = rows.row_ptr[graph]; e < rows.row_ptr[graph + 1]; ++e) {
      row[rows.entries[e].column] = rows.entries[e].value;
    }
    double sum = 0;
    std::size_t first = 0;
    for (const std::size_t size : trees.sizes) {
      std::size_t at = first;
      while (trees.nodes[at].child != 0) {
        const TreeNode& node = trees.nodes[at];
        at = first + node.child + (row[node.column] > node.limit ? 1 : 0);
      }
      sum += static_cast<double>(trees.nodes[at].value);
      first += size;
    }
    sums.push_back(sum);
  }
  return sums;
}

TEST(Forest, GivesTheSameBitsForAnyNumberOfGraphsAtOnce) {
  core::ThreadPool pool(1);
  const auto rows = random_rows(300, 10, 4);
  const auto all = numbers_below(300);
  Boosting boosting(rows, 10, all, 300, either_or(rows), quick_options(), 1, pool);
  // A tree that is a leaf, one that asks about zero, and trees as they are grown.
  std::vector<Tree> trees = {{{.value = 0.125F}},
                             {{.column = 3, .limit = -0.5F, .child = 1},
                              {.value = -1.0F / 3},
                              {.column = 4, .limit = 0, .child = 3, .value = 0.7F},
                              {.value = 0.1F},
                              {.value = 0.3F}}};
  for (std::uint32_t round = 0; round < 10; ++round) {
    for (Tree& tree : boosting.grow_round(round)) {
      trees.push_back(std::move(tree));
    }
  }
  const StoredTrees kept = stored(trees);
  const Forest forest(kept, 10);
  for (const std::size_t count : {0U, 1U, 6U, 7U, 64U, 65U, 128U, 129U, 192U, 256U, 257U, 300U}) {
    const auto some = std::span(all).last(count);
    const auto expected = sums_of_paths(kept, rows, some);
    std::vector<std::uint8_t> scratch(forest.scratch_bytes(count), 0xff);
    std::vector<double> sums(count, 0.0);
    std::vector<std::size_t> next(count, 0);
    forest.run(rows, some, scratch, [&](std::size_t tree, std::size_t i, double value) {
      EXPECT_EQ(tree, next[i]++);
      sums[i] += value;
    });
    EXPECT_EQ(sums, expected) << count;
    EXPECT_EQ(next, std::vector<std::size_t>(count, trees.size()));
  }
}

TEST(Forest, WithoutTreesGivesNoValues) {
  const auto rows = random_rows(300, 10, 4);
  for (const Forest& forest : {Forest(), Forest(StoredTrees{}, 10)}) {
    for (const std::size_t count : {1U, 70U, 257U}) {
      const auto some = numbers_below(count);
      std::vector<std::uint8_t> scratch(forest.scratch_bytes(count));
      forest.run(rows, some, scratch, [](std::size_t, std::size_t, double) { ADD_FAILURE(); });
    }
  }
}

/// Two trees of three nodes and of one, sound unless changed.
struct StoredNumbers {
  std::vector<float> sizes{3, 1};
  std::vector<float> nodes{
      2, 0.5F, 1, 0,   //
      0, 0,    0, -1,  //
      0, 0,    0, 1,   //
      0, 0,    0, 3,
  };

  std::optional<NumberDefect> defect() const {
    return forest_defect<float>("trees", {sizes.data(), sizes.size(), 1},
                                {nodes.data(), nodes.size() / kTreeNodeNumbers, kTreeNodeNumbers},
                                5);
  }
};

TEST(ForestDefect, FindsNoneInSoundTreesAndInNone) {
  EXPECT_FALSE(StoredNumbers().defect());
  EXPECT_FALSE((StoredNumbers{.sizes = {}, .nodes = {}}).defect());
}

TEST(ForestDefect, NamesTheNumberThatMakesNoTree) {
  struct Case {
    std::string tensor;
    std::size_t at;
    float value;
    std::string reported;  ///< tensor
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Case& c :
       {Case{"nodes", 0, 5, "nodes"}, Case{"nodes", 0, -1, "nodes"},
        Case{"nodes", 0, 0.5F, "nodes"}, Case{"nodes", 0, nan, "nodes"},
        Case{"nodes", 2, 0, "sizes"}, Case{"nodes", 2, 2, "nodes"}, Case{"nodes", 2, -1, "nodes"},
        Case{"nodes", 2, 1e30F, "nodes"}, Case{"nodes", 2, nan, "nodes"},
        Case{"nodes", 6, 1, "nodes"}, Case{"nodes", 6, 3, "nodes"}, Case{"nodes", 14, 1, "nodes"},
        Case{"sizes", 0, 0, "sizes"}, Case{"sizes", 0, 4, "sizes"}, Case{"sizes", 0, 1, "nodes"},
        Case{"sizes", 0, 2.5F, "sizes"}, Case{"sizes", 0, 1e30F, "sizes"},
        Case{"sizes", 1, 2, "sizes"}, Case{"sizes", 1, nan, "sizes"}}) {
    StoredNumbers numbers;
    (c.tensor == "nodes" ? numbers.nodes : numbers.sizes)[c.at] = c.value;
    const auto defect = numbers.defect();
    ASSERT_TRUE(defect) << c.tensor << " " << c.at << " " << c.value;
    EXPECT_EQ(defect->parameter, "trees." + c.reported) << c.at << " " << c.value;
  }
  StoredNumbers short_of_sizes;
  short_of_sizes.sizes.pop_back();
  EXPECT_TRUE(short_of_sizes.defect());
}

TEST(ForestDefect, RefusesMoreLimitsOfAColumnThanARankCanTell) {
  StoredNumbers numbers{.sizes = {}, .nodes = {}};
  for (int tree = 0; tree < 256; ++tree) {
    numbers.sizes.push_back(3);
    for (const float number : {1.0F, static_cast<float>(tree), 1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F,
                               0.0F, 0.0F, 0.0F, 1.0F}) {
      numbers.nodes.push_back(number);
    }
  }
  EXPECT_TRUE(numbers.defect());
  numbers.nodes[numbers.nodes.size() - 11] = 7;
  EXPECT_FALSE(numbers.defect()) << "the last tree asks what another one asks";
}

}  // namespace
}  // namespace rayleigh::models
