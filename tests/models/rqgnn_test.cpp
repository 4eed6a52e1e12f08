#include "models/rqgnn.h"

#include "rayleigh/graph_set_builder.h"

#include "models/model_checks.h"

namespace rayleigh::models {
namespace {

std::vector<LabelEncoder> encoders_of(Profile profile, const GraphSet& graphs) {
  std::vector<EncoderOptions> wanted = {{}};
  if (profile == Profile::rayleigh) {
    wanted[0].level = graph::LabelLevel::wl1;
    for (const auto level : {graph::LabelLevel::plain, graph::LabelLevel::wl1}) {
      wanted.push_back({.level = level, .max_labels = 40, .fall_back = false});
    }
  }
  core::ThreadPool pool(1);
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<LabelEncoder> encoders;
  encoders.reserve(wanted.size());
  for (const EncoderOptions& options : wanted) {
    encoders.push_back(LabelEncoder::fit(graphs, all, options, pool));
  }
  return encoders;
}

RqgnnOptions small_options(Profile profile) {
  RqgnnOptions options;
  options.profile = profile;
  options.hidden = 12;
  options.dropout = 0;
  options.label_dropout = 0;
  options.form_dropout = 0;
  options.loss.class_counts = {17, 7};
  return options;
}

ModelCheck make_check(const RqgnnOptions& options) {
  GraphSet graphs = check_graphs();
  auto encoders = encoders_of(options.profile, graphs);
  auto model = make_rqgnn<double>(options, encoders);
  return {std::move(model), std::move(encoders), std::move(graphs)};
}

/// Rings of equal atoms of two lengths.
GraphSet graph_of_rings() {
  GraphSetBuilder builder;
  for (const std::uint32_t length : {4U, 6U, 4U, 6U}) {
    builder.begin_graph("", length == 4 ? "1" : "0");
    for (std::uint32_t i = 0; i < length; ++i) {
      builder.add_node("C");
    }
    for (std::uint32_t i = 0; i < length; ++i) {
      builder.add_edge(i, (i + 1) % length);
    }
  }
  return builder.build();
}

class RqgnnProfiles : public ::testing::TestWithParam<Profile> {};

TEST_P(RqgnnProfiles, GradientsAgreeWithFiniteDifferences) {
  for (const nn::Pool pool : {nn::Pool::attention, nn::Pool::mean}) {
    RqgnnOptions options = small_options(GetParam());
    options.pool = pool;
    make_check(options).expect_gradients(1e-5);
  }
}

/// Everything that adds up to the margin, and how large it is.
struct Sum {
  double all = 0;
  double size = 0;
};
Sum sum_of(const MarginShares& e) {
  Sum sum{.all = e.constant, .size = std::abs(e.constant)};
  const auto add = [&](double share) {
    sum.all += share;
    sum.size += std::abs(share);
  };
  std::ranges::for_each(e.nodes, add);
  for (const LabelShare& label : e.labels) {
    add(label.share);
  }
  return sum;
}

TEST_P(RqgnnProfiles, SharesAddUpToTheMargin) {
  for (const nn::Pool pool : {nn::Pool::attention, nn::Pool::mean, nn::Pool::sum}) {
    for (const bool explicit_branch : {true, false}) {
      RqgnnOptions options = small_options(GetParam());
      options.pool = pool;
      options.explicit_branch = explicit_branch;
      ModelCheck check = make_check(options);
      for (int step = 0; step < 3; ++step) {
        check.step();  // moves the running statistics
      }
      for (std::uint32_t g = 0; g < check.graphs().size(); ++g) {
        const auto explanation = check.explain(g);
        ASSERT_TRUE(explanation.has_value());
        ASSERT_EQ(explanation->nodes.size(), check.graphs()[g].nodes());
        EXPECT_EQ(explanation->labels.empty(), !explicit_branch);
        const Sum sum = sum_of(*explanation);
        EXPECT_NEAR(sum.all, explanation->margin, 1e-12 * sum.size) << "graph " << g;
        const double score = 1 / (1 + std::exp(-explanation->margin));
        EXPECT_NEAR(check.raw_scores()[g], score, 1e-12);
      }
    }
  }
}

TEST_P(RqgnnProfiles, SharesBelongToNodesWhateverTheirOrder) {
  ModelCheck check = make_check(small_options(GetParam()));
  for (int step = 0; step < 3; ++step) {
    check.step();
  }
  for (std::uint32_t g = 0; g < check.graphs().size(); ++g) {
    auto before = check.explain(g)->nodes;
    auto after = check.explain_turned(g)->nodes;
    std::ranges::sort(before);
    std::ranges::sort(after);
    for (std::size_t j = 0; j < before.size(); ++j) {
      EXPECT_NEAR(after[j], before[j], 1e-9 * (1 + std::abs(before[j])));
    }
  }
}

TEST_P(RqgnnProfiles, EqualNodesHaveEqualShares) {
  RqgnnOptions options = small_options(GetParam());
  options.pool = nn::Pool::mean;
  GraphSet rings = graph_of_rings();
  auto encoders = encoders_of(options.profile, rings);
  auto model = make_rqgnn<double>(options, encoders);
  ModelCheck check(std::move(model), std::move(encoders), std::move(rings));
  check.step();
  for (std::uint32_t g = 0; g < check.graphs().size(); ++g) {
    const auto nodes = check.explain(g)->nodes;
    for (const double share : nodes) {
      EXPECT_NEAR(share, nodes.front(), 1e-9 * (1 + std::abs(share)));
    }
  }
}

TEST_P(RqgnnProfiles, ScoresDependNeitherOnNodeOrderNorOnTheBatch) {
  ModelCheck check = make_check(small_options(GetParam()));
  for (int step = 0; step < 3; ++step) {
    check.step();  // moves the running statistics
  }
  check.expect_node_order_does_not_matter(1e-9);
  check.expect_batches_do_not_matter();
}

std::string profile_name(const ::testing::TestParamInfo<Profile>& info) {
  return info.param == Profile::published ? "published"
         : info.param == Profile::paper   ? "paper"
                                          : "rayleigh";
}
INSTANTIATE_TEST_SUITE_P(All, RqgnnProfiles,
                         ::testing::Values(Profile::published, Profile::paper, Profile::rayleigh),
                         profile_name);

/// Scoring folds the norms of the nodes into the layers before them; with the statistics of the
/// batch as running ones that must be what training computes.
TEST(RqgnnRayleigh, ScoringEqualsTrainingWithTheSameStatistics) {
  ModelCheck check = make_check(small_options(Profile::rayleigh));
  auto& weights = check.model().weights();
  for (int step = 0; step < 400; ++step) {
    check.step();  // without moving weights: running statistics become those of the batch
  }
  const auto make_biased = [&](const std::string& norm, std::size_t count) {
    const auto n = static_cast<double>(count);
    for (double& variance : weights.value(weights.find(norm + ".running_var").value()).flat()) {
      variance *= (n - 1) / n;
    }
  };
  make_biased("node_norm1", check.graphs().nodes());
  make_biased("node_norm2", check.graphs().nodes());
  make_biased("bn", check.graphs().size());
  const auto scores = check.raw_scores();
  for (std::size_t g = 0; g < scores.size(); ++g) {
    const double margin = check.result()[2 * g + 1] - check.result()[2 * g];
    EXPECT_NEAR(scores[g], 1 / (1 + std::exp(-margin)), 1e-9);
  }
}

}  // namespace
}  // namespace rayleigh::models
