#include <gtest/gtest.h>

#include "rayleigh/generators.h"

#include "paper/theory.h"

namespace rayleigh::paper {
namespace {

TEST(TheoryMargins, AllHoldButThePapersGeneralForm) {
  const auto margins = measure_theory(generate::molecules({.seed = 3, .graphs = 60}),
                                      {.seed = 1, .most_graphs = 40});
  ASSERT_EQ(margins.size(), 13U);
  for (const TheoryMargin& margin : margins) {
    EXPECT_GT(margin.cases, 0U) << margin.claim;
    if (margin.claim == "Theorem 2, first order, any δ") {
      EXPECT_FALSE(margin.holds());
      EXPECT_GT(margin.worst, 0.05);
    } else {
      EXPECT_TRUE(margin.holds()) << margin.claim << ": " << margin.worst << " > " << margin.bound;
    }
  }
  // Bounds are met, but not by miles: the measure is alive.
  EXPECT_GT(margins[1].worst, 0.3);
}

TEST(TheoryMargins, AreTheSameForTheSameSeed) {
  const GraphSet graphs = generate::molecules({.seed = 3, .graphs = 20});
  const auto once = measure_theory(graphs);
  const auto again = measure_theory(graphs);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].worst, again[i].worst);
  }
}

}  // namespace
}  // namespace rayleigh::paper
