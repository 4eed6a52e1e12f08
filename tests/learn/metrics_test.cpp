#include "rayleigh/metrics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "io/safetensors.h"
#include "learn/sample.h"
#include "learn/ties.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

TEST(GoldenMetrics, AgreeWithTheAuthorsRoutine) {
  RAYLEIGH_NEEDS_SHARED("golden/metrics.safetensors");
  const auto file = io::Safetensors::read(test::shared_folder() / "golden" / "metrics.safetensors");
  std::set<std::string> cases;
  for (const auto& tensor : file.tensors()) {
    cases.insert(tensor.name.substr(0, tensor.name.find('/')));
  }
  ASSERT_FALSE(cases.empty());
  for (const auto& name : cases) {
    SCOPED_TRACE(name);
    Sample sample;
    for (const auto label : file.values<std::int64_t>(name + "/label")) {
      sample.labels.push_back(static_cast<std::int8_t>(label));
    }
    sample.scores = file.values<double>(name + "/score");
    EXPECT_NEAR(roc_auc(sample.view()), file.value<double>(name + "/roc_auc"), 1e-12);
    EXPECT_NEAR(macro_f1(sample.view()), file.value<double>(name + "/macro_f1"), 1e-12);
  }
}

TEST(AveragePrecision, IsOneForPerfectOrderAndTheShareForNoOrder) {
  EXPECT_DOUBLE_EQ(average_precision(Sample{{0, 0, 1, 1}, {0.1, 0.2, 0.8, 0.9}}.view()), 1);
  EXPECT_DOUBLE_EQ(average_precision(Sample{{0, 0, 1, 0}, {1, 1, 1, 1}}.view()), 0.25);
  // Ranks of the positives: 1 and 3.
  EXPECT_DOUBLE_EQ(average_precision(Sample{{1, 0, 1, 0}, {4, 3, 2, 1}}.view()),
                   0.5 * 1 + 0.5 * 2 / 3);
  EXPECT_TRUE(std::isnan(average_precision(Sample{{0, 0}, {1, 2}}.view())));
}

TEST(MacroF1, IsTheMeanOfBothClasses) {
  // Predicted anomalous: rows 0 and 1; one of the two anomalies found.
  const Sample sample{{1, 0, 1, 0, 0}, {0.9, 0.8, 0.3, 0.2, 0.5}};
  EXPECT_DOUBLE_EQ(macro_f1(sample.view()), (0.5 + 2.0 / 3) / 2);
  // All called normal: (1 - h) / (2 - h) with h the share of anomalies.
  EXPECT_DOUBLE_EQ(macro_f1(sample.view(), 1), 0.6 / 1.6);
}

TEST(BestThreshold, IsNeverBeatenByAnyOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto sample = random_sample(seed, 40, 12);
    const auto best = best_threshold(sample.view());
    EXPECT_DOUBLE_EQ(macro_f1(sample.view(), best.value), best.macro_f1);
    for (int step = -51; step < 150; ++step) {
      const double t = 0.01 * step;
      EXPECT_LE(macro_f1(sample.view(), t), best.macro_f1 + 1e-12) << t;
    }
  }
}

TEST(FalsePositiveRate, CountsWhatMustBeAccepted) {
  const Sample sample{{1, 0, 1, 0, 0, 0}, {6, 5, 4, 3, 2, 1}};
  EXPECT_DOUBLE_EQ(false_positive_rate_at(sample.view(), 0.5), 0);
  EXPECT_DOUBLE_EQ(false_positive_rate_at(sample.view(), 0.95), 0.25);
}

TEST(EnrichmentFactor, ComparesTheTopWithTheWhole) {
  Sample sample;
  for (int i = 0; i < 1000; ++i) {
    sample.labels.push_back(i < 5 || i >= 980 ? 1 : 0);
    sample.scores.push_back(-i);
  }
  // Top 1 % = 10 graphs with 5 of 25 anomalies: 0.5 / 0.025.
  EXPECT_DOUBLE_EQ(enrichment_factor(sample.view()), 20);
  std::ranges::fill(sample.scores, 7.0);
  EXPECT_NEAR(enrichment_factor(sample.view()), 1, 1e-12) << "no order, no enrichment";
}

TEST(Bedroc, RunsFromWorstToBestOrder) {
  Sample sample{{1, 1, 0, 0, 0, 0, 0, 0}, {8, 7, 6, 5, 4, 3, 2, 1}};
  EXPECT_NEAR(bedroc(sample.view()), 1, 1e-12);
  for (double& score : sample.scores) {
    score = -score;
  }
  EXPECT_NEAR(bedroc(sample.view()), 0, 1e-12);
}

// The closed form of Truchon and Bayly, equation 36, for one hand-made ranking.
TEST(Bedroc, AgreesWithThePublishedFormula) {
  const int all = 50;
  const std::set<int> ranks{1, 4, 17, 40};
  Sample sample;
  double sum = 0;
  for (int rank = 1; rank <= all; ++rank) {
    sample.labels.push_back(ranks.contains(rank) ? 1 : 0);
    sample.scores.push_back(-rank);
  }
  const double alpha = 20;
  const double ra = static_cast<double>(ranks.size()) / all;
  for (const int rank : ranks) {
    sum += std::exp(-alpha * rank / all);
  }
  const double rie = sum / (ra * (1 - std::exp(-alpha)) / (std::exp(alpha / all) - 1));
  const double expected =
      rie * ra * std::sinh(alpha / 2) / (std::cosh(alpha / 2) - std::cosh(alpha / 2 - alpha * ra)) +
      1 / (1 - std::exp(alpha * (1 - ra)));
  EXPECT_NEAR(bedroc(sample.view(), alpha), expected, 1e-12);
}

TEST(Metrics, DoNotDependOnTheOrderOfRows) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto sample = random_sample(seed, 60, 6);
    std::vector<std::size_t> order(sample.labels.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    auto random = core::RandomStream(seed, "order").at(0);
    random.shuffle(std::span<std::size_t>(order));
    Sample other;
    for (const std::size_t i : order) {
      other.labels.push_back(sample.labels[i]);
      other.scores.push_back(sample.scores[i]);
    }
    for (const auto& metric :
         {roc_auc, average_precision, +[](const Scored& s) { return enrichment_factor(s, 0.1); },
          +[](const Scored& s) { return bedroc(s); },
          +[](const Scored& s) { return best_threshold(s).value; },
          +[](const Scored& s) { return false_positive_rate_at(s); }}) {
      EXPECT_DOUBLE_EQ(metric(sample.view()), metric(other.view()));
    }
  }
}

TEST(Ties, AreInOrderAlsoWhereSomeScoresAreNoNumbers) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  core::Generator random = core::RandomStream(1, "scores").at(0);
  std::vector<double> scores;
  scores.reserve(3000);
  for (int i = 0; i < 3000; ++i) {
    scores.push_back(random.chance(0.3) ? kNone : random.uniform());
  }
  const std::vector<std::int8_t> labels(scores.size(), 0);
  double last = 2;
  for (const Tie& tie : ties_of({labels, scores})) {
    if (!std::isnan(tie.score)) {
      ASSERT_LT(tie.score, last);
      last = tie.score;
    }
  }
}

TEST(Bootstrap, CoversTheTruthAboutAsOftenAsItSays) {
  // Scores of both classes are uniform on shifted intervals; AUC = 1 - (1-d)^2/2 with d = 0.25.
  const double truth = 1 - 0.75 * 0.75 / 2;
  int covered = 0;
  constexpr int kTrials = 200;
  for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
    auto random = core::RandomStream(trial, "coverage").at(0);
    Sample sample;
    for (int i = 0; i < 150; ++i) {
      sample.labels.push_back(i < 50 ? 1 : 0);
      sample.scores.push_back(random.uniform() + (i < 50 ? 0.25 : 0));
    }
    const auto interval =
        bootstrap_interval(sample.view(), roc_auc, 0.9, 200, trial, {.threads = 2});
    covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(covered) / kTrials, 0.9, 0.07);
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const auto sample = random_sample(3, 100, 50);
  const auto a = bootstrap_interval(sample.view(), roc_auc, 0.95, 100, 1, {.threads = 1});
  const auto b = bootstrap_interval(sample.view(), roc_auc, 0.95, 100, 1, {.threads = 4});
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

}  // namespace
}  // namespace rayleigh::learn
