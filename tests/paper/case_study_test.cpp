#include "paper/case_study.h"

#include <cmath>
#include <gtest/gtest.h>

#include "rayleigh/generators.h"
#include "rayleigh/spectral/label_forms.h"

namespace rayleigh::paper {
namespace {

/// Every third graph tests. Which of those are called wrong is up to `is_wrong`.
template <typename IsWrong>
CaseStudy study_of(const GraphSet& graphs, const IsWrong& is_wrong) {
  Split split;
  std::vector<std::int8_t> labels;
  std::vector<double> scores;
  for (std::uint32_t g = 0; g < graphs.size(); ++g) {
    const bool anomalous = g % 2 == 1;
    const bool test = g % 3 == 0;
    (test ? split.test : split.train).push_back(g);
    labels.push_back(anomalous ? 1 : 0);
    scores.push_back(anomalous != (test && is_wrong(g)) ? 0.9 : 0.1);
  }
  return study_case(graphs, split, labels, scores, 1);
}

TEST(CaseStudy, ErrorsFarFromTheTrainingGraphsBearTheClaimOut) {
  const GraphSet graphs = generate::molecules({.seed = 5, .graphs = 1200});
  const auto forms = spectral::label_forms(graphs, {}, {.threads = 0}, spectral::LabelPairs::none);
  const auto study =
      study_of(graphs, [&](std::uint32_t g) { return forms.scalar_quotient(g) > 0.6; });
  ASSERT_EQ(study.groups.size(), 2U);
  for (const CaseGroup& group : study.groups) {
    ASSERT_FALSE(group.wrong.empty());
    EXPECT_EQ(group.training.size(), 400U);
    EXPECT_EQ(group.right.size() + group.wrong.size(), 200U);
    EXPECT_LT(group.wasserstein_wrong.by_chance, 0.01);
    EXPECT_LT(group.ks_wrong.by_chance, 0.01);
    EXPECT_GT(group.ks_wrong.value, group.ks_right.value);
    EXPECT_LE(group.wasserstein_wrong.low, group.wasserstein_wrong.value);
    EXPECT_GE(group.wasserstein_wrong.high, group.wasserstein_wrong.value);
  }
}

TEST(CaseStudy, ErrorsByChanceDoNot) {
  const GraphSet graphs = generate::molecules({.seed = 5, .graphs = 1200});
  const auto study = study_of(graphs, [](std::uint32_t g) { return g % 15 == 0; });
  for (const CaseGroup& group : study.groups) {
    ASSERT_FALSE(group.wrong.empty());
    EXPECT_EQ(group.bears_out_the_paper(), std::optional(false));
    // Few graphs are far from the training graphs all the same.
    EXPECT_GT(group.ks_wrong.value, group.ks_right.value);
    EXPECT_GT(group.ks_wrong.by_chance, 0.01);
  }
}

TEST(CaseStudy, NothingWrongIsNoEvidence) {
  const GraphSet graphs = generate::molecules({.seed = 5, .graphs = 60});
  const auto study = study_of(graphs, [](std::uint32_t /*g*/) { return false; });
  EXPECT_EQ(study.groups[0].bears_out_the_paper(), std::nullopt);
  EXPECT_TRUE(std::isnan(study.groups[0].ks_wrong.value));
}

}  // namespace
}  // namespace rayleigh::paper
