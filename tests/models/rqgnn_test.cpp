#include "models/rqgnn.h"

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

class RqgnnProfiles : public ::testing::TestWithParam<Profile> {};

TEST_P(RqgnnProfiles, GradientsAgreeWithFiniteDifferences) {
  for (const nn::Pool pool : {nn::Pool::attention, nn::Pool::mean}) {
    RqgnnOptions options = small_options(GetParam());
    options.pool = pool;
    make_check(options).expect_gradients(1e-5);
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
  auto& parameters = check.model().parameters();
  for (int step = 0; step < 400; ++step) {
    check.step();  // without moving weights: running statistics become those of the batch
  }
  const auto make_biased = [&](const std::string& norm, std::size_t count) {
    const auto n = static_cast<double>(count);
    for (double& variance :
         parameters.value(parameters.find(norm + ".running_var").value()).flat()) {
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
