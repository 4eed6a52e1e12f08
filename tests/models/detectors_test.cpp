#include "rayleigh/graph_set_builder.h"

#include "core/option_set.h"
#include "models/made_model.h"
#include "models/model_checks.h"
#include "models/recipe.h"

namespace rayleigh::models {
namespace {

std::size_t largest_of(const GraphSet& graphs) {
  std::size_t largest = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    largest = std::max<std::size_t>(largest, graphs[g].nodes());
  }
  return largest;
}

struct Candidate {
  std::string name;
  std::string detector;
  Settings settings{};
  std::size_t largest_graph = 0;  ///< 0 = two nodes more than the largest of check_graphs() has
};

/// Every detector of the registry as it comes, and what more of it is worth a look.
std::vector<Candidate> all_candidates() {
  std::vector<Candidate> all;
  for (const auto& recipe : all_recipes()) {
    if (recipe->parts().empty()) {  // a blend is as good as its parts
      all.push_back({.name = recipe->name(), .detector = recipe->name()});
    }
  }
  const std::vector<Candidate> more = {
      {"chebynet_cb_sum", "chebynet", {{"depth", "2"}, {"pool", "sum"}, {"loss", "cb-focal"}}},
      {"bernnet_hidden", "bernnet", {{"depth", "4"}, {"filtered", "hidden"}}},
      {"igad_small",
       "igad",
       {{"walk-hidden", "7"},
        {"walk-out", "4"},
        {"hidden-graphs", "3"},
        {"hidden-nodes", "5"},
        {"steps", "3"}}},
      {"gmt_over_keys", "gmt", {{"heads", "2"}, {"seeds", "3"}, {"softmax-over-keys", "true"}}},
      {"gmt_norm",
       "gmt",
       {{"hidden", "6"}, {"heads", "1"}, {"seeds", "3"}, {"layer-norm", "true"}}},
      {"tvgnn_small", "tvgnn", {{"hidden", "7"}, {"pool-hidden", "5"}}, 18},
      {"tvgnn_cb_more_clusters_than_nodes",
       "tvgnn",
       {{"pool-hidden", "6"}, {"own-balance", "true"}, {"loss", "cb-focal"}},
       70},
      {"tvgnn_one_cluster", "tvgnn", {{"hidden", "4"}, {"pool-hidden", "3"}}, 2},
      {"ocgin_a", "ocgin", {{"version", "a"}, {"hidden", "7"}, {"layers", "2"}}},
      {"label_counts_small", "label-counts", {{"rounds", "5"}, {"least-graphs", "2"}}},
      {"glocalkd_own_rows", "glocalkd", {{"empty-rows", "ignore"}}},
      {"glocalkd_repaired", "glocalkd", {{"norm", "node"}, {"empty-rows", "ignore"}}},
      {"himnet_repaired", "himnet", {{"norm", "node"}, {"empty-rows", "ignore"}}},
  };
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Narrow layers, nothing dropped, and gradients that are those of the loss; then the candidate's
/// own settings.
Settings small_settings(const Candidate& candidate) {
  core::OptionSet options;
  const auto recipe = make_recipe(candidate.detector);
  declare_all(*recipe, options);
  Settings settings;
  for (const std::string& name : options.names()) {
    if (name == "hidden" || name == "out") {
      settings.emplace_back(name, name == "out" ? "6" : "8");
    } else if (name.ends_with("dropout")) {
      settings.emplace_back(name, "0");
    } else if (name == "squared-loss") {
      settings.emplace_back(name, "false");
    }
  }
  settings.insert(settings.end(), candidate.settings.begin(), candidate.settings.end());
  return settings;
}

class EveryDetector : public ::testing::TestWithParam<Candidate> {
 protected:
  static ModelCheck make_check() {
    GraphSet graphs = check_graphs();
    core::ThreadPool pool(1);
    std::vector<std::uint32_t> all(graphs.size());
    std::iota(all.begin(), all.end(), 0U);
    const auto recipe = recipe_with(GetParam().detector, small_settings(GetParam()));
    std::vector<LabelEncoder> encoders;
    for (const EncoderOptions& options : recipe->encoders()) {
      encoders.push_back(LabelEncoder::fit(graphs, all, options, pool));
    }
    const std::size_t largest = GetParam().largest_graph;
    auto model =
        recipe->make_double({.labels = encoders,
                             .class_counts = {17, 7},
                             .largest_graph = largest > 0 ? largest : largest_of(graphs) + 2,
                             .mean_nodes = graphs.nodes() / graphs.size()});
    return {std::move(model), std::move(encoders), std::move(graphs)};
  }

  /// Biases of GLocalKD begin at zero, where the unit vectors of empty rows jump.
  static void leave_zero(nn::Weights<double>& weights) {
    for (const nn::WeightInfo& info : weights.all()) {
      if (info.name.starts_with("student.") && info.name.ends_with(".bias")) {
        core::Generator generator = core::RandomStream(2, info.name).at(0);
        for (double& bias : weights.value(weights.find(info.name).value()).flat()) {
          bias = generator.uniform() - 0.5;
        }
      }
    }
  }
};

TEST_P(EveryDetector, GradientsAgreeWithFiniteDifferences) {
  ModelCheck check = make_check();
  leave_zero(check.model().weights());
  check.expect_gradients(1e-5);
}

TEST_P(EveryDetector, ScoresDependNeitherOnNodeOrderNorOnTheBatch) {
  ModelCheck check = make_check();
  leave_zero(check.model().weights());
  check.step();  // moves running statistics
  if (!make_recipe(GetParam().detector)->knows_node_order()) {
    check.expect_node_order_does_not_matter(1e-9);
  }
  check.expect_batches_do_not_matter();
}

INSTANTIATE_TEST_SUITE_P(All, EveryDetector, ::testing::ValuesIn(all_candidates()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// GLocalKD or HimNet, small and without dropout, for graphs of up to `size` nodes.
std::unique_ptr<Model<double>> make_padded(const std::string& detector, const std::string& norm,
                                           const std::string& empty_rows, std::size_t labels,
                                           std::size_t size) {
  return make_model<double>(
      detector,
      small_settings({.name = detector,
                      .detector = detector,
                      .settings = {{"norm", norm}, {"empty-rows", empty_rows}}}),
      labels, {.largest_graph = size});
}

/// Scores of graphs by models with weights of seed 1, and the loss of a training pass.
struct Passed {
  std::vector<double> scores;
  double loss = 0;
};
Passed pass(Model<double>& model, const GraphSet& graphs) {
  model.initialise(1);
  core::ThreadPool pool(2);
  nn::Tape<double> tape(pool);
  const std::vector labels{spectral::NodeLabels(graphs)};
  const auto features = model.prepare(graphs, labels, nn::Mode::training, pool);
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  Passed passed;
  passed.scores.resize(all.size());
  const nn::StepRandom random{core::RandomStream(1, "dropout")};
  tape.start_scoring();
  model.scores(tape, model.forward(tape, *features, all, random).result, passed.scores);
  nn::Gradients<double> gradients(model.weights());
  tape.start_training(model.weights(), gradients);
  const nn::Value loss = model.loss(tape, model.forward(tape, *features, all, random),
                                    std::vector<float>(all.size(), 0.0F));
  tape.backward(loss);
  passed.loss = tape.value(loss)(0, 0);
  for (const double gradient : gradients.values()) {
    EXPECT_TRUE(std::isfinite(gradient));
  }
  return passed;
}

TEST(Glocalkd, TrainsOnWhatItScoresWhereNodesAreStandardisedByThemselves) {
  const GraphSet graphs = check_graphs();
  for (const char* empty : {"count", "ignore"}) {
    const auto model =
        make_padded("glocalkd", "node", empty, graphs.node_labels().size(), largest_of(graphs) + 2);
    const auto passed = pass(*model, graphs);
    const double mean = std::accumulate(passed.scores.begin(), passed.scores.end(), 0.0) /
                        static_cast<double>(graphs.size());
    EXPECT_NEAR(passed.loss, mean, 1e-12);
  }
}

TEST(Glocalkd, DoesNotKnowTheSizeOfOtherGraphsWhereEmptyRowsAreIgnored) {
  const GraphSet graphs = check_graphs();
  const auto scores_for = [&](const std::string& empty, std::size_t size) {
    const auto model =
        make_padded("glocalkd", "position", empty, graphs.node_labels().size(), size);
    EXPECT_EQ(model->most_nodes() == size, empty == "count");
    return pass(*model, graphs).scores;
  };
  EXPECT_EQ(scores_for("ignore", 60), scores_for("ignore", 90));
  EXPECT_NE(scores_for("count", 60), scores_for("count", 90));
}

TEST(Glocalkd, HalvesItsRateAsOftenAsToldTo) {
  const auto factor = [](const char* decay, std::uint64_t step) {
    const auto recipe = recipe_with("glocalkd", {{"rate-decay", decay}});
    return recipe->rate_factor({.step = step, .steps_per_epoch = 10, .epochs = 100});
  };
  EXPECT_EQ(factor("batch", 49), 1);
  EXPECT_EQ(factor("batch", 50), 0.5);
  EXPECT_EQ(factor("epoch", 499), 1);
  EXPECT_EQ(factor("epoch", 1000), 0.25);
  EXPECT_EQ(factor("none", 1000), 1);
}

/// Positions are those of the memory, so that the same graph with other numbers is another one.
TEST(Himnet, KnowsPositions) {
  const GraphSet graphs = check_graphs();
  const auto model = make_padded("himnet", "position", "count", graphs.node_labels().size(),
                                 largest_of(graphs) + 2);
  EXPECT_NE(pass(*model, graphs).scores, pass(*model, test::permuted(graphs, 9).graphs).scores);
}

/// One row: a graph of one node, one without edges, and one that fills all rows.
TEST(PaddedModels, TakeGraphsOfOneNodeAndWithoutEdges) {
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("C");
  builder.begin_graph();
  builder.add_node("C");
  builder.add_node("O");
  builder.add_node("O");
  const GraphSet graphs = builder.build();
  for (const char* empty : {"count", "ignore"}) {
    for (const char* norm : {"position", "node"}) {
      for (const std::size_t size : {3U, 5U}) {
        for (const char* detector : {"glocalkd", "himnet"}) {
          const auto passed = pass(*make_padded(detector, norm, empty, 2, size), graphs);
          EXPECT_TRUE(std::isfinite(passed.loss));
          for (const double score : passed.scores) {
            EXPECT_TRUE(std::isfinite(score));
          }
        }
      }
    }
  }
}

/// A graph is anomalous where label "O" occurs at least twice and "N" at most once: two questions.
TEST(LabelCounts, LearnsARuleOnCounts) {
  const GraphSet graphs = generate::molecules({.seed = 2, .graphs = 300, .anomalous = 0.5});
  const auto label_of = [&](const char* word) {
    for (std::uint32_t label = 0; label < graphs.node_labels().size(); ++label) {
      if (graphs.node_labels()[label] == word) {
        return label;
      }
    }
    ADD_FAILURE() << word;
    return 0U;
  };
  std::vector<std::int8_t> truth;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    std::size_t oxygen = 0;
    std::size_t nitrogen = 0;
    for (std::uint32_t i = 0; i < graphs[g].nodes(); ++i) {
      oxygen += graphs[g].label(i) == label_of("O") ? 1 : 0;
      nitrogen += graphs[g].label(i) == label_of("N") ? 1 : 0;
    }
    truth.push_back(oxygen >= 2 && nitrogen <= 1 ? 1 : 0);
  }
  auto model = make_model<double>("label-counts",
                                  {{"rounds", "40"}, {"tree-depth", "2"}, {"least-graphs", "3"}},
                                  graphs.node_labels().size());
  model->initialise(1);
  core::ThreadPool pool(2);
  nn::Tape<double> tape(pool);
  const std::vector labels{spectral::NodeLabels(graphs)};
  const auto features = model->prepare(graphs, labels, nn::Mode::training, pool);
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  model->begin_training(tape, *features, all, truth);
  tape.start_scoring();
  const auto out = model->forward(tape, *features, all, {core::RandomStream(1, "")});
  std::vector<double> scores(all.size());
  model->scores(tape, out.result, scores);
  for (std::size_t g = 0; g < scores.size(); ++g) {
    EXPECT_EQ(scores[g] > 0.5 ? 1 : 0, truth[g]) << "graph " << g << " scores " << scores[g];
  }
}

/// Graphs of the given sizes, with edges or without.
GraphSet paths(std::initializer_list<std::uint32_t> sizes, bool edges) {
  GraphSetBuilder builder;
  for (const std::uint32_t nodes : sizes) {
    builder.begin_graph();
    for (std::uint32_t i = 0; i < nodes; ++i) {
      builder.add_node(i % 2 == 0 ? "C" : "O");
      if (edges && i > 0) {
        builder.add_edge(i - 1, i);
      }
    }
  }
  return builder.build();
}

TEST(Tvgnn, LearnsFromGraphsWithoutEdges) {
  const auto model = make_model<double>("tvgnn", {{"hidden", "5"}}, 2, {.largest_graph = 8});
  EXPECT_TRUE(std::isfinite(pass(*model, paths({1, 3, 1, 8}, false)).loss));
}

/// Padding to the largest graph of the batch is the authors' way; --own-balance is ours.
TEST(Tvgnn, BalanceDependsOnTheBatchOnlyWhenPadded) {
  const auto change = [](bool padded) {
    const Settings settings{{"hidden", "5"}, {"own-balance", padded ? "false" : "true"}};
    const auto model = make_model<double>("tvgnn", settings, 2, {.largest_graph = 8});
    const double small = pass(*model, paths({4}, true)).loss;
    const double large = pass(*model, paths({20}, true)).loss;
    return 2 * pass(*model, paths({4, 20}, true)).loss - small - large;
  };
  EXPECT_NEAR(change(false), 0, 1e-12);
  EXPECT_GT(std::abs(change(true)), 1e-3);
}

/// θ = 1 makes the filter the identity, so a graph's logits are the mean of its nodes'.
TEST(Bernnet, StartsAsTheIdentity) {
  const GraphSet graphs = check_graphs();
  auto model = make_model<double>("bernnet", {{"hidden", "6"}}, graphs.node_labels().size());
  model->initialise(1);
  auto& p = model->weights();
  core::ThreadPool pool(1);
  nn::Tape<double> tape(pool);
  const std::vector labels{spectral::NodeLabels(graphs)};
  const auto features = model->prepare(graphs, labels, nn::Mode::scoring, pool);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  tape.start_scoring();
  const auto out =
      tape.value(model->forward(tape, *features, all, {core::RandomStream(1, "")}).result);
  const auto w1 = p.value(p.find("lin1.weight").value());
  const auto b1 = p.value(p.find("lin1.bias").value());
  const auto w2 = p.value(p.find("lin2.weight").value());
  const auto b2 = p.value(p.find("lin2.bias").value());
  for (const std::uint32_t g : all) {
    for (std::size_t c = 0; c < 2; ++c) {
      double mean = 0;
      for (std::uint32_t i = 0; i < graphs[g].nodes(); ++i) {
        double logit = b2(0, c);
        for (std::size_t h = 0; h < w1.rows; ++h) {
          logit += w2(c, h) * std::max(0.0, w1(h, graphs[g].label(i)) + b1(0, h));
        }
        mean += logit / static_cast<double>(graphs[g].nodes());
      }
      EXPECT_NEAR(out(g, c), mean, 1e-12);
    }
  }
}

}  // namespace
}  // namespace rayleigh::models
