#include "paper/tasks.h"

#include <gtest/gtest.h>
#include <map>

#include "rayleigh/error.h"
#include "rayleigh/generators.h"

namespace rayleigh::paper {
namespace {

std::map<std::string, std::size_t> class_counts(const GraphSet& graphs) {
  std::map<std::string, std::size_t> counts;
  for (const std::int32_t number : graphs.graph_class()) {
    ++counts[graphs.classes()[static_cast<std::size_t>(number)]];
  }
  return counts;
}

TEST(Tasks, ThinnedSetsKeepTheSharesOfTheirClasses) {
  const GraphSet all = generate::molecules({.seed = 1, .graphs = 2000, .anomalous = 0.1});
  const GraphSet some = thinned(all, 500);
  EXPECT_EQ(some.size(), 500U);
  EXPECT_EQ(class_counts(some)["1"], 50U);
  EXPECT_TRUE(some == thinned(all, 500));
  EXPECT_TRUE(thinned(all, 5000) == all);
}

TEST(Tasks, ARareClassIsDrawnFromOneOfTwo) {
  const GraphSet all = generate::molecules({.seed = 1, .graphs = 1000, .anomalous = 0.5});
  const auto counts = class_counts(rare_class(all, 0.05, 1));
  EXPECT_EQ(counts.at("0"), 500U);
  EXPECT_EQ(counts.at("1"), 25U);
  EXPECT_THROW(rare_class(generate::colors3({.graphs = 100}), 0.05, 1), DataError);
}

}  // namespace
}  // namespace rayleigh::paper
