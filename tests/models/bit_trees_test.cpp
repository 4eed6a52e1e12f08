#include "models/bit_trees.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "models/forest.h"
#include "models/made_model.h"

namespace rayleigh::models {
namespace {

constexpr std::size_t kColumns = 40;

struct Sample {
  GraphRows<float> rows;
  std::vector<std::uint32_t> all;
  std::vector<std::uint8_t> labels;

  bool has(std::size_t row, std::uint32_t column) const {
    for (std::size_t e = rows.row_ptr[row]; e < rows.row_ptr[row + 1]; ++e) {
      if (rows.entries[e].column == column) {
        return true;
      }
    }
    return false;
  }
};

/// Random bits, a third of them set; anomalous is who has one of bits 3 and 5, but not both.
Sample random_bits(std::size_t rows, std::uint64_t seed = 1) {
  Sample sample;
  core::Generator generator = core::RandomStream(seed, "random bits").at(0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < kColumns; ++column) {
      if (generator.below(3) == 0) {
        sample.rows.entries.push_back({column, 1.0F});
      }
    }
    sample.rows.row_ptr.push_back(static_cast<std::uint32_t>(sample.rows.entries.size()));
    sample.all.push_back(static_cast<std::uint32_t>(row));
    sample.labels.push_back(sample.has(row, 3) != sample.has(row, 5) ? 1 : 0);
  }
  return sample;
}

float value_of(const Tree& tree, const Sample& sample, std::size_t row) {
  std::uint32_t at = 0;
  while (tree[at].child != 0) {
    at = tree[at].child + (sample.has(row, tree[at].column) ? 1U : 0U);
  }
  return tree[at].value;
}

TEST(BitTrees, GrowUntilTheirLeavesArePure) {
  const Sample sample = random_bits(500);
  const BitTreeGrower grower(sample.rows, sample.all, sample.labels, kColumns);
  for (std::uint64_t t = 0; t < 20; ++t) {
    const Tree tree = grower.grow(core::RandomStream(1, "test").at(t), 6);
    EXPECT_GT(tree.size(), 3U);
    for (const TreeNode& node : tree) {
      if (node.child == 0) {
        EXPECT_TRUE(node.value == 0 || node.value == 1) << node.value;
      }
    }
  }
}

/// A bootstrap leaves out a share of 1/e of the rows; those of the others that it has are right.
TEST(BitTrees, KnowTheRowsOfTheirBootstrap) {
  const Sample sample = random_bits(2000);
  const BitTreeGrower grower(sample.rows, sample.all, sample.labels, kColumns);
  const Tree tree = grower.grow(core::RandomStream(1, "test").at(0), 1);
  std::size_t right = 0;
  for (std::size_t row = 0; row < sample.all.size(); ++row) {
    right += value_of(tree, sample, row) == static_cast<float>(sample.labels[row]) ? 1 : 0;
  }
  EXPECT_GT(right, 1264U);  // 1 - 1/e of them
  EXPECT_LT(right, 2000U);
}

TEST(BitTrees, GiveTheShareOfRowsThatAreAlike) {
  Sample sample;
  for (std::uint32_t row = 0; row < 400; ++row) {
    sample.rows.entries.push_back({row % 2, 1.0F});
    sample.rows.row_ptr.push_back(row + 1);
    sample.all.push_back(row);
    sample.labels.push_back(row % 2 == 0 || row % 8 == 1 ? 1 : 0);
  }
  const BitTreeGrower grower(sample.rows, sample.all, sample.labels, kColumns);
  double sum = 0;
  for (std::uint64_t t = 0; t < 50; ++t) {
    // One look is enough: where it meets nothing but constants it goes on.
    const Tree tree = grower.grow(core::RandomStream(1, "test").at(t), 1);
    ASSERT_EQ(tree.size(), 3U);
    EXPECT_EQ(value_of(tree, sample, 0), 1.0F);
    sum += static_cast<double>(value_of(tree, sample, 1));
  }
  EXPECT_NEAR(sum / 50, 0.25, 0.02);
}

/// The same tree in the plainest way: every count goes over all rows.
Tree plain_tree(const Sample& sample, core::Generator random, std::size_t looks) {
  const auto rows = static_cast<std::uint32_t>(sample.all.size());
  std::vector<double> times(rows, 0);
  for (std::uint32_t i = 0; i < rows; ++i) {
    times[random.below(rows)] += 1;
  }
  std::vector<std::uint32_t> columns(kColumns);
  std::iota(columns.begin(), columns.end(), 0U);
  std::vector<std::uint32_t> node_of(rows, 0);
  Tree tree(1);
  for (std::uint32_t node = 0; node < tree.size(); ++node) {
    // Of rows without the bit and with it: normal and anomalous.
    const auto count = [&](std::uint32_t column) {
      std::array<std::array<double, 2>, 2> counts{};
      for (std::uint32_t row = 0; row < rows; ++row) {
        if (node_of[row] == node) {
          counts[sample.has(row, column) ? 1 : 0][sample.labels[row]] += times[row];
        }
      }
      return counts;
    };
    const auto first = count(0);
    const double normal = first[0][0] + first[1][0];
    const double anomalous = first[0][1] + first[1][1];
    tree[node].value = static_cast<float>(anomalous / (normal + anomalous));
    double best = -1;
    for (std::uint32_t i = 0;
         i < kColumns && normal > 0 && anomalous > 0 && (i < looks || best < 0); ++i) {
      std::swap(columns[i], columns[i + random.below(kColumns - i)]);
      double pure = 0;
      for (const auto& [a, b] : count(columns[i])) {
        pure += a + b > 0 ? (a * a + b * b) / (a + b) : -1e9;
      }
      if (pure > std::max(best, 0.0)) {
        best = pure;
        tree[node].column = columns[i];
      }
    }
    if (best < 0) {
      continue;
    }
    tree[node].child = static_cast<std::uint32_t>(tree.size());
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (node_of[row] == node) {
        node_of[row] = tree[node].child + (sample.has(row, tree[node].column) ? 1 : 0);
      }
    }
    tree.resize(tree.size() + 2);
  }
  return tree;
}

/// Many rows are counted column by column, few bit by bit.
TEST(BitTrees, AreThoseOfThePlainestWay) {
  for (const std::size_t rows : {10U, 200U, 1500U}) {
    const Sample sample = random_bits(rows, rows);
    const BitTreeGrower grower(sample.rows, sample.all, sample.labels, kColumns);
    for (const std::size_t looks : {1U, 6U, 20U, 40U}) {
      const auto random = core::RandomStream(rows, "test").at(looks);
      const Tree tree = grower.grow(random, looks);
      const Tree plain = plain_tree(sample, random, looks);
      ASSERT_EQ(tree.size(), plain.size()) << rows << " rows, " << looks << " looks";
      for (std::size_t i = 0; i < tree.size(); ++i) {
        EXPECT_EQ(tree[i].child, plain[i].child);
        EXPECT_EQ(tree[i].column, plain[i].column);
        EXPECT_EQ(tree[i].value, plain[i].value);
      }
    }
  }
}

TEST(BitTrees, AreStoredAsTheForestWantsThem) {
  const Sample sample = random_bits(300);
  const BitTreeGrower grower(sample.rows, sample.all, sample.labels, kColumns);
  const Tree tree = grower.grow(core::RandomStream(1, "test").at(0), 6);
  std::vector<double> numbers;
  for (const TreeNode& node : tree) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(node.column), static_cast<double>(node.limit),
                    static_cast<double>(node.child), static_cast<double>(node.value)});
  }
  const std::vector<double> sizes{static_cast<double>(tree.size())};
  const nn::Matrix<const double> nodes{numbers.data(), tree.size(), kTreeNodeNumbers};
  EXPECT_FALSE(forest_defect<double>("t", {sizes.data(), 1, 1}, nodes, kColumns));
}

TEST(EcfpForest, RefusesNumbersThatAreNoTrees) {
  const auto model = make_model<float>("ecfp-forest", {}, 3);
  model->initialise(1);
  auto& weights = model->weights();
  const auto sizes = weights.find("trees.sizes").value();
  const auto nodes = weights.find("trees.nodes").value();
  weights.set_rows(sizes, 1);
  weights.set_rows(nodes, 3);
  weights.value(sizes)(0, 0) = 3;
  const auto set = [&](std::size_t node, std::size_t number, float value) {
    weights.value(nodes)(node, number) = value;
  };
  set(0, 0, 2047);
  set(0, 1, 0.5F);
  set(0, 2, 1);
  set(1, 3, 0.25F);
  set(2, 3, 1);
  EXPECT_FALSE(model->defect());
  set(0, 0, 2048);
  EXPECT_EQ(model->defect().value().expected, "a column below 2048");
  set(0, 0, 7);
  set(0, 2, 0);
  EXPECT_TRUE(model->defect());
  set(0, 2, 2);
  EXPECT_TRUE(model->defect());
  set(0, 2, 1);
  for (const float value : {-0.5F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
    set(2, 3, value);
    EXPECT_EQ(model->defect().value().expected, "a share from 0 to 1");
  }
}

}  // namespace
}  // namespace rayleigh::models
