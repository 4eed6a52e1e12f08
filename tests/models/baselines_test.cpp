#include "models/baselines.h"

#include "rayleigh/graph_set_builder.h"

#include "core/option_set.h"
#include "models/model_checks.h"
#include "models/recipe.h"

namespace rayleigh::models {
namespace {

struct Candidate {
  std::string name;
  std::unique_ptr<Model<double>> (*make)(std::size_t labels);
  double gradient_tolerance = 1e-5;
  bool knows_positions = false;  ///< the order of nodes is meant to matter
};

std::size_t largest_of(const GraphSet& graphs) {
  std::size_t largest = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    largest = std::max<std::size_t>(largest, graphs[g].nodes());
  }
  return largest;
}

/// Two more rows than the largest graph of check_graphs() has.
PaddingOptions padding_of_check(NormOver norm, EmptyRows empty) {
  static const std::size_t largest = largest_of(check_graphs());
  return {.norm = norm, .empty = empty, .size = largest + 2};
}

GlocalkdOptions small_glocalkd(NormOver norm, EmptyRows empty) {
  return {.hidden = 9,
          .out = 6,
          .dropout = 0,
          .padding = padding_of_check(norm, empty),
          .squared_loss = false};
}

HimnetOptions small_himnet(NormOver norm, EmptyRows empty) {
  return {.hidden = 9, .out = 6, .padding = padding_of_check(norm, empty)};
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = {
      {"chebynet",
       [](std::size_t labels) {
         return make_chebynet<double>({.hidden = 9, .depth = 3, .dropout = 0}, labels);
       }},
      {"chebynet_cb_sum",
       [](std::size_t labels) {
         return make_chebynet<double>({.hidden = 9,
                                       .depth = 2,
                                       .dropout = 0,
                                       .readout = Readout::sum,
                                       .loss = {.class_counts = {17, 7}}},
                                      labels);
       }},
      {"bernnet",
       [](std::size_t labels) {
         return make_bernnet<double>({.hidden = 9, .depth = 5, .dropout = 0, .filter_dropout = 0},
                                     labels);
       }},
      {"bernnet_hidden",
       [](std::size_t labels) {
         return make_bernnet<double>({.hidden = 9,
                                      .depth = 4,
                                      .dropout = 0,
                                      .filter_dropout = 0,
                                      .filtered = Filtered::hidden},
                                     labels);
       }},
      {"igad",
       [](std::size_t labels) {
         return make_igad<double>({.hidden = 8,
                                   .out = 6,
                                   .walk_hidden = 7,
                                   .walk_out = 4,
                                   .hidden_graphs = 3,
                                   .hidden_nodes = 5,
                                   .steps = 3,
                                   .class_counts = {17, 7}},
                                  labels);
       }},
      {"gmt",
       [](std::size_t labels) {
         return make_gmt<double>(
             {.hidden = 8, .heads = 2, .seeds = 3, .dropout = 0, .cluster = false}, labels);
       }},
      {"gmt_cluster_norm",
       [](std::size_t labels) {
         return make_gmt<double>(
             {.hidden = 6, .heads = 1, .seeds = 3, .dropout = 0, .layer_norm = true}, labels);
       }},
      {"tvgnn",
       [](std::size_t labels) {
         return make_tvgnn<double>({.hidden = 7, .pool_hidden = 5, .clusters = {9, 4}}, labels);
       }},
      {"tvgnn_cb_more_clusters_than_nodes",
       [](std::size_t labels) {
         return make_tvgnn<double>({.hidden = 9,
                                    .pool_hidden = 6,
                                    .clusters = {40, 17},
                                    .padded_balance = false,
                                    .loss = {.class_counts = {17, 7}}},
                                   labels);
       }},
      {"tvgnn_one_cluster",
       [](std::size_t labels) {
         return make_tvgnn<double>({.hidden = 4, .pool_hidden = 3, .clusters = {1, 1}}, labels);
       }},
      {"ocgin_a",
       [](std::size_t labels) {
         return make_ocgin<double>({.version = OcginVersion::a, .hidden = 7, .layers = 2}, labels);
       }},
      {"ocgin_b",
       [](std::size_t labels) {
         return make_ocgin<double>({.version = OcginVersion::b, .hidden = 6, .layers = 2}, labels);
       }},
      {"size", [](std::size_t) { return make_size<double>(); }},
      {"label_counts",
       [](std::size_t labels) {
         return make_label_counts<double>({.rounds = 5, .least_graphs = 2}, labels);
       }},
      {"ocgtl",
       [](std::size_t labels) {
         return make_ocgtl<double>({.hidden = 5, .layers = 2, .views = 3}, labels);
       }},
      {"glocalkd",
       [](std::size_t labels) {
         return make_glocalkd<double>(small_glocalkd(NormOver::position, EmptyRows::count), labels);
       }},
      {"glocalkd_own_rows",
       [](std::size_t labels) {
         return make_glocalkd<double>(small_glocalkd(NormOver::position, EmptyRows::ignored),
                                      labels);
       }},
      {"glocalkd_repaired",
       [](std::size_t labels) {
         return make_glocalkd<double>(small_glocalkd(NormOver::node, EmptyRows::ignored), labels);
       }},
      {"himnet",
       [](std::size_t labels) {
         return make_himnet<double>(small_himnet(NormOver::position, EmptyRows::count), labels);
       },
       1e-5, true},
      {"himnet_repaired",
       [](std::size_t labels) {
         return make_himnet<double>(small_himnet(NormOver::node, EmptyRows::ignored), labels);
       },
       1e-5, true},
  };
  return all;
}

class Baselines : public ::testing::TestWithParam<std::size_t> {
 protected:
  static const Candidate& candidate() { return candidates()[GetParam()]; }

  static ModelCheck make_check() {
    GraphSet graphs = check_graphs();
    core::ThreadPool pool(1);
    std::vector<std::uint32_t> all(graphs.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<LabelEncoder> encoders = {LabelEncoder::fit(graphs, all, {}, pool)};
    auto model = candidate().make(encoders[0].size());
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

TEST_P(Baselines, GradientsAgreeWithFiniteDifferences) {
  ModelCheck check = make_check();
  leave_zero(check.model().weights());
  check.expect_gradients(candidate().gradient_tolerance);
}

TEST_P(Baselines, ScoresDependNeitherOnNodeOrderNorOnTheBatch) {
  ModelCheck check = make_check();
  leave_zero(check.model().weights());
  check.step();  // moves running statistics
  if (!candidate().knows_positions) {
    check.expect_node_order_does_not_matter(1e-9);
  }
  check.expect_batches_do_not_matter();
}

INSTANTIATE_TEST_SUITE_P(All, Baselines, ::testing::Range(std::size_t{0}, candidates().size()),
                         [](const auto& test) { return candidates()[test.param].name; });

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
  for (const EmptyRows empty : {EmptyRows::count, EmptyRows::ignored}) {
    const auto passed = pass(
        *make_glocalkd<double>(small_glocalkd(NormOver::node, empty), graphs.node_labels().size()),
        graphs);
    const double mean = std::accumulate(passed.scores.begin(), passed.scores.end(), 0.0) /
                        static_cast<double>(graphs.size());
    EXPECT_NEAR(passed.loss, mean, 1e-12);
  }
}

TEST(Glocalkd, DoesNotKnowTheSizeOfOtherGraphsWhereEmptyRowsAreIgnored) {
  const GraphSet graphs = check_graphs();
  const auto scores_for = [&](EmptyRows empty, std::size_t size) {
    GlocalkdOptions options = small_glocalkd(NormOver::position, empty);
    options.padding.size = size;
    const auto model = make_glocalkd<double>(options, graphs.node_labels().size());
    EXPECT_EQ(model->most_nodes() == size, empty == EmptyRows::count);
    return pass(*model, graphs).scores;
  };
  EXPECT_EQ(scores_for(EmptyRows::ignored, 60), scores_for(EmptyRows::ignored, 90));
  EXPECT_NE(scores_for(EmptyRows::count, 60), scores_for(EmptyRows::count, 90));
}

TEST(Glocalkd, HalvesItsRateAsOftenAsToldTo) {
  const auto factor = [](const char* decay, std::uint64_t step) {
    const auto recipe = make_recipe("glocalkd");
    core::OptionSet parameters;
    recipe->declare(parameters);
    core::OptionSet::assign(*parameters.find("rate-decay"), std::string_view(decay));
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
  const auto model = make_himnet<double>(small_himnet(NormOver::position, EmptyRows::count),
                                         graphs.node_labels().size());
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
  for (const EmptyRows empty : {EmptyRows::count, EmptyRows::ignored}) {
    for (const NormOver norm : {NormOver::position, NormOver::node}) {
      for (const std::size_t size : {3U, 5U}) {
        GlocalkdOptions student = small_glocalkd(norm, empty);
        student.padding.size = size;
        HimnetOptions memory = small_himnet(norm, empty);
        memory.padding.size = size;
        for (const auto& passed : {pass(*make_glocalkd<double>(student, 2), graphs),
                                   pass(*make_himnet<double>(memory, 2), graphs)}) {
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
  auto model = make_label_counts<double>({.rounds = 40, .tree_depth = 2, .least_graphs = 3},
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
  const auto model = make_tvgnn<double>({.hidden = 5, .clusters = {4, 2}}, 2);
  EXPECT_TRUE(std::isfinite(pass(*model, paths({1, 3, 1, 8}, false)).loss));
}

/// Padding to the largest graph of the batch is the authors' way; --own-balance is ours.
TEST(Tvgnn, BalanceDependsOnTheBatchOnlyWhenPadded) {
  const auto change = [](bool padded) {
    const TvgnnOptions options{.hidden = 5, .clusters = {3, 2}, .padded_balance = padded};
    const auto model = make_tvgnn<double>(options, 2);
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
  auto model = make_bernnet<double>({.hidden = 6}, graphs.node_labels().size());
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
