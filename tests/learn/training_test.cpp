#include "rayleigh/training.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <gtest/gtest.h>
#include <numeric>

#include "rayleigh/error.h"
#include "rayleigh/graph_set_builder.h"

#include "expect_error.h"
#include "graph/permuted.h"
#include "learn/detector_parts.h"
#include "learn/trained.h"
#include "model_parts.h"
#include "support.h"

namespace rayleigh::learn {
namespace {

using test::detector_of;
using test::expect_usage_error;
using test::molecules;
using test::quick;
using test::Settings;
using test::train_on;

constexpr std::array kProfiles = {"published", "paper", "rayleigh"};

// --- same bits ------------------------------------------------------------------------------

TEST(Training, GivesTheSameModelFileForAnyNumberOfThreads) {
  const auto graphs = molecules();
  for (const char* profile : kProfiles) {
    for (const char* ensemble : {"1", "2"}) {
      SCOPED_TRACE(std::string(profile) + ", ensemble " + ensemble);
      const Settings settings = quick({{"profile", profile}, {"ensemble", ensemble}});
      const std::string one = train_on(graphs, settings, 1).detector.bytes();
      EXPECT_EQ(one, train_on(graphs, settings, 2).detector.bytes());
      EXPECT_EQ(one, train_on(graphs, settings, 4).detector.bytes());
    }
  }
}

TEST(Training, AnotherSeedGivesAnotherModel) {
  const auto graphs = molecules();
  EXPECT_NE(train_on(graphs, quick()).detector.bytes(),
            train_on(graphs, quick({{"seed", "2"}, {"split-seed", "1"}})).detector.bytes());
}

TEST(Training, SplitSeedDefaultsToSeed) {
  const auto graphs = molecules();
  const auto first = train_on(graphs, quick({{"epochs", "1"}, {"seed", "5"}}));
  const auto same = train_on(graphs, quick({{"epochs", "1"}, {"seed", "7"}, {"split-seed", "5"}}));
  const auto other = train_on(graphs, quick({{"epochs", "1"}, {"seed", "7"}}));
  EXPECT_EQ(split_hash(first.split), split_hash(same.split));
  EXPECT_NE(split_hash(first.split), split_hash(other.split));
}

// --- learning -------------------------------------------------------------------------------

TEST(Training, LearnsWhatTellsTheClassesApart) {
  const auto graphs = molecules(400);
  for (const char* profile : kProfiles) {
    SCOPED_TRACE(profile);
    const auto result =
        train_on(graphs, quick({{"profile", profile}, {"epochs", "20"}, {"hidden", "16"}}), 2);
    EXPECT_GT(result.test.auc, 0.8);
    EXPECT_LT(result.members[0].history.back().loss, result.members[0].history.front().loss);
    EXPECT_GT(result.validation.macro_f1_tuned, 0.7);
  }
}

TEST(Training, ScoresOfChanceAreNotBetterThanChance) {
  // The same graphs with labels that have nothing to do with them.
  GraphSetBuilder builder;
  auto random = core::RandomStream(1, "labels of chance").at(0);
  for (int g = 0; g < 400; ++g) {
    builder.begin_graph({}, g < 320 ? "0" : "1");
    for (std::uint32_t i = 0; i < 8; ++i) {
      builder.add_node(random.chance(0.5) ? "a" : "b");
      if (i > 0) {
        builder.add_edge(random.below(i), i);
      }
    }
  }
  const auto result = train_on(builder.build(), quick({{"epochs", "10"}}), 2);
  EXPECT_NEAR(result.test.auc, 0.5, 0.25) << "better would mean that the test leaks";
}

TEST(Training, ALastBatchOfOneGraphIsNoDefect) {
  const auto graphs = molecules(200);
  for (const char* profile : kProfiles) {
    for (const char* batch : {"1", "139"}) {
      const auto result =
          train_on(graphs, quick({{"profile", profile}, {"epochs", "1"}, {"batch-size", batch}}));
      ASSERT_EQ(result.split.train.size(), 140U);
      EXPECT_TRUE(std::ranges::all_of(result.scores, [](double s) { return std::isfinite(s); }));
    }
  }
}

TEST(Training, UnlabelledGraphsTakeNoPartButAreScored) {
  const auto labelled = molecules(200);
  GraphSetBuilder builder("mixed");
  for (std::size_t g = 0; g < labelled.size(); ++g) {
    const auto cls = static_cast<std::size_t>(labelled.graph_class()[g]);
    builder.begin_graph({}, g % 10 == 0 ? "" : labelled.classes()[cls]);
    for (std::size_t i = 0; i < labelled[g].nodes(); ++i) {
      builder.add_node(labelled.node_labels()[labelled[g].label(i)]);
    }
  }
  const auto result = train_on(builder.build(), quick());
  for (const auto* part : {&result.split.train, &result.split.validation, &result.split.test}) {
    for (const std::uint32_t g : *part) {
      EXPECT_NE(g % 10, 0U);
    }
  }
  EXPECT_EQ(result.labels[10], -1);
  EXPECT_GT(result.scores[10], 0);
}

TEST(Training, OurVocabularyIsThatOfTheTrainingPart) {
  // The label z occurs in one graph; whether it is known depends on the part of that graph.
  for (const char* seed : {"1", "2", "3", "4", "5", "6", "7", "8"}) {
    GraphSetBuilder builder;
    for (int g = 0; g < 60; ++g) {
      builder.begin_graph({}, g % 5 == 0 ? "1" : "0");
      builder.add_node(g == 7 ? "z" : "a");
      builder.add_node(g % 2 == 0 ? "a" : "b");
      builder.add_edge(0, 1);
    }
    const auto graphs = builder.build();
    const auto known = [&](const TrainingResult& result) {
      return std::ranges::any_of(result.detector.vocabularies().front().words,
                                 [](const std::string& word) { return word.starts_with("z"); });
    };
    const auto ours =
        train_on(graphs, quick({{"profile", "rayleigh"}, {"seed", seed}, {"epochs", "1"}}));
    const bool trains = std::ranges::binary_search(ours.split.train, 7U);
    EXPECT_EQ(known(ours), trains) << seed;
    EXPECT_TRUE(known(train_on(graphs, quick({{"seed", seed}, {"epochs", "1"}}))));
  }
}

// --- stopping and selecting -----------------------------------------------------------------

double selected(const std::string& select, const EpochMetrics& m) {
  return select == "auc" ? m.auc : select == "macro-f1" ? m.macro_f1 : m.average_precision;
}

TEST(Training, KeepsTheBestEpochByMetricThenAucThenTheLaterOne) {
  const auto graphs = molecules(200);
  std::size_t ties = 0;
  for (const std::string select : {"macro-f1", "auc", "average-precision"}) {
    for (const char* rate : {"0", "0.02"}) {
      SCOPED_TRACE(select + ", lr " + rate);
      const auto result = train_on(
          graphs, quick({{"epochs", "15"}, {"patience", "0"}, {"select", select}, {"lr", rate}}));
      const auto& history = result.members[0].history;
      ASSERT_EQ(history.size(), 15U);
      std::size_t best = 0;
      for (std::size_t e = 1; e < history.size(); ++e) {
        const auto now =
            std::pair(selected(select, history[e].validation), history[e].validation.auc);
        const auto before =
            std::pair(selected(select, history[best].validation), history[best].validation.auc);
        ties += now == before ? 1 : 0;
        best = now >= before ? e : best;
      }
      EXPECT_EQ(result.members[0].best_epoch, static_cast<int>(best) + 1);
      EXPECT_EQ(result.validation.auc, history[best].validation.auc)
          << "the model must be that of the best epoch";
      EXPECT_EQ(result.validation.macro_f1, history[best].validation.macro_f1);
    }
  }
  EXPECT_GT(ties, 0U) << "no tie was tested";
}

TEST(Training, StopsWhenMoreEpochsThanPatienceWereWorse) {
  const auto graphs = molecules(200);
  const Settings settings = quick({{"epochs", "40"}, {"lr", "0.05"}, {"select", "auc"}});
  const auto whole = train_on(graphs, test::with(settings, {{"patience", "0"}}));
  ASSERT_EQ(whole.members[0].history.size(), 40U);
  bool stopped_early = false;
  for (const int patience : {1, 2, 4}) {
    std::size_t expected = 40;
    double best = -1;
    int worse = 0;
    for (std::size_t e = 0; e < 40; ++e) {
      const double now = whole.members[0].history[e].validation.auc;
      worse = now >= best ? 0 : worse + 1;
      best = std::max(best, now);
      if (worse > patience) {
        expected = e + 1;
        break;
      }
    }
    stopped_early = stopped_early || expected < 40;
    const auto result =
        train_on(graphs, test::with(settings, {{"patience", std::to_string(patience)}}));
    ASSERT_EQ(result.members[0].history.size(), expected) << "patience " << patience;
    EXPECT_EQ(result.epochs_run, static_cast<int>(expected));
    for (std::size_t e = 0; e < expected; ++e) {
      EXPECT_EQ(result.members[0].history[e].loss, whole.members[0].history[e].loss);
    }
  }
  EXPECT_TRUE(stopped_early) << "no early stop was tested";
}

TEST(Training, ThresholdIsTunedOnValidationAndNowhereElse) {
  const auto result = train_on(molecules(), quick());
  std::vector<std::int8_t> labels;
  std::vector<double> scores;
  for (const std::uint32_t g : result.split.validation) {
    labels.push_back(result.labels[g]);
    scores.push_back(result.scores[g]);
  }
  EXPECT_EQ(result.detector.threshold(), best_threshold({labels, scores}).value);
  EXPECT_EQ(result.test.threshold, result.detector.threshold());
  EXPECT_EQ(result.test.graphs, result.split.test.size());
}

TEST(Training, AnEmptyTestPartHasNoFigures) {
  const auto result = train_on(molecules(100), quick({{"split", "80/20/0"}}));
  EXPECT_TRUE(result.split.test.empty());
  EXPECT_TRUE(std::isnan(result.test.auc));
  EXPECT_NE(to_json(result.test).find("\"auc\":null"), std::string::npos);
  const test::TemporaryFolder folder;
  result.detector.save((folder / "model").string());
  EXPECT_EQ(Detector::load((folder / "model").string()).bytes(), result.detector.bytes());
}

// --- what cannot be learned from ------------------------------------------------------------

/// Graphs of one node, one per class name; "" = no label.
GraphSet nodes_of_classes(const std::vector<std::string>& classes) {
  GraphSetBuilder builder("nodes");
  for (const std::string& cls : classes) {
    builder.begin_graph({}, cls);
    builder.add_node("a");
  }
  return builder.build();
}

TEST(Training, SaysWhatToDoAboutDataItCannotLearnFrom) {
  const auto fails = [](const GraphSet& graphs, const std::vector<std::string>& words,
                        const Settings& more = {}) {
    expect_usage_error([&] { train_on(graphs, quick(more)); }, words);
  };
  fails(GraphSet{}, {"no graph with a node"});
  fails(nodes_of_classes({"", "", ""}), {"no graph labels", "learns from labelled graphs"});
  fails(nodes_of_classes({"0", "0", "0"}), {"1 classes", "which one is anomalous: 0"});
  fails(nodes_of_classes({"0", "0", "0"}), {"0 normal graphs and 3 anomalous graphs"},
        {{"anomaly-class", "0"}});
  fails(nodes_of_classes({"0", "0", "1", "1"}), {"equal size", "which one is anomalous: 0|1"});
  fails(nodes_of_classes({"0", "1", "2"}), {"3 classes", "which one is anomalous: 0|1|2"});
  fails(nodes_of_classes({"0", "0", "1"}),
        {"2 normal graphs and 1 anomalous graph", "at least two of each"});
  fails(nodes_of_classes({"0", "0", "0", "1", "1"}),
        {"the validation part has no", "split: the validation part has no normal graph"});
  fails(molecules(100), {"anomaly-class: molecules has no class '7'", "expected one of 0, 1"},
        {{"anomaly-class", "7"}});
  fails(molecules(100), {"split: '1/2/3'"}, {{"split", "1/2/3"}});
}

TEST(Training, RefusesParametersThatDoNotExistOrDoNotFit) {
  const auto graphs = molecules(40);
  const auto fails = [&](const Settings& settings, const std::vector<std::string>& words) {
    expect_usage_error([&] { detector_of(graphs, settings); }, words);
  };
  fails({{"epoch", "3"}}, {"epoch: is not an option, did you mean epochs?"});
  fails({{"epochs", "0"}}, {"epochs: '0' is not valid", "1 … 1000000"});
  fails({{"lr", "nan"}}, {"lr: 'nan'"});
  fails({{"profile", "papper"}}, {"did you mean paper?"});
  fails({{"isa", "z80"}}, {"isa: 'z80'"});
  fails({{"profile", "paper"}, {"scales", "x"}}, {"scales: 'x'"});
  fails({{"profile", "paper"}, {"scales", "-1"}}, {"scale"});
  fails({{"profile", "paper"}, {"width", "17"}}, {"width: ", "at most 16"});
  expect_usage_error([&] { DetectorOptions("rqgn"); },
                     {"'rqgn' is unknown", "did you mean rqgnn?"});
}

// --- diverging ------------------------------------------------------------------------------

/// A model with its inputs, to be trained with options no plan allows.
struct Bench {
  explicit Bench(const GraphSet& graphs)
      : pool(1), result(train_on(graphs, quick({{"epochs", "1"}}))) {
    const DetectorParts& parts = Inside::parts(result.detector);
    set = encode(parts, graphs, pool);
    model =
        parts.plan().recipe().make({.labels = parts.labels, .class_counts = parts.class_counts});
    features = model->prepare(graphs, set.views, nn::Mode::training, pool);
    model->initialise(1);
    targets.assign(result.labels.begin(), result.labels.end());
  }

  core::ThreadPool pool;
  TrainingResult result;
  EncodedSet set;
  std::unique_ptr<models::Model<float>> model;
  std::unique_ptr<models::Features> features;
  std::vector<float> targets;
};

TEST(Trainer, StopsWithEpochAndStepWhenTheLossIsNoNumber) {
  Bench bench(molecules(200));
  Trainer trainer(*bench.model, *bench.features, bench.targets, bench.result.split,
                  {.epochs = 5, .batch_size = 70, .adam = {.rate = 1e30}}, bench.pool);
  test::expect_error(ErrorKind::failed, [&] { trainer.run(); },
                     {"training diverged", "in epoch 1, step 2", "a smaller `lr` may help"});
  EXPECT_EQ(trainer.state().epochs_done, 0) << "the state is that of the last whole epoch";
  EXPECT_TRUE(
      std::ranges::all_of(trainer.state().parameters, [](float w) { return std::isfinite(w); }));
}

TEST(Trainer, StopsWhenOnlyTheLastStepOfAnEpochDiverged) {
  // One step per epoch: its loss is fine, but the scores after it are not.
  Bench bench(molecules(200));
  Trainer trainer(*bench.model, *bench.features, bench.targets, bench.result.split,
                  {.epochs = 5, .batch_size = 1000, .adam = {.rate = 1e30}}, bench.pool);
  test::expect_error(ErrorKind::failed, [&] { trainer.run(); },
                     {"training diverged", "epoch 1", "a smaller `lr` may help"});
  EXPECT_EQ(trainer.state().epochs_done, 0);
  EXPECT_TRUE(trainer.state().history.empty());
}

TEST(Trainer, GoesOnFromItsStateToTheSameBits) {
  const auto graphs = molecules(200);
  Bench bench(graphs);
  const TrainerOptions options{.epochs = 6, .batch_size = 50, .adam = {}, .patience = 0};
  const auto make = [&] {
    bench.model->initialise(3);
    return std::make_unique<Trainer>(*bench.model, *bench.features, bench.targets,
                                     bench.result.split, options, bench.pool);
  };
  auto whole = make();
  whole->run();
  for (const int stop : {1, 3, 5}) {
    auto first = make();
    first->run(
        [stop](const EpochRecord& epoch, const TrainerSeconds&) { return epoch.epoch < stop; });
    EXPECT_EQ(first->state().epochs_done, stop);
    const TrainerState state = first->state();
    auto second = make();
    second->restore(state);
    second->run();
    EXPECT_EQ(second->state().parameters, whole->state().parameters);
    EXPECT_EQ(second->state().best, whole->state().best);
    EXPECT_EQ(second->state().best_epoch, whole->state().best_epoch);
  }
}

// --- scoring --------------------------------------------------------------------------------

std::vector<double> raw(const std::vector<Score>& scores) {
  std::vector<double> numbers;
  numbers.reserve(scores.size());
  for (const Score& score : scores) {
    numbers.push_back(score.score);
  }
  return numbers;
}

bool operator==(const Score& a, const Score& b) {
  return a.score == b.score && a.probability == b.probability && a.anomalous == b.anomalous &&
         a.unknown_label == b.unknown_label;
}

TEST(Detector, ScoresTheSameBitsAfterSavingAndLoading) {
  const test::TemporaryFolder folder;
  const auto graphs = molecules();
  const auto others = molecules(100, 0.2, 2);
  for (const char* profile : kProfiles) {
    SCOPED_TRACE(profile);
    const Detector detector = detector_of(graphs, quick({{"profile", profile}, {"ensemble", "2"}}));
    detector.save(folder / "m.model");
    const Detector again = Detector::load(folder / "m.model");
    EXPECT_TRUE(std::ranges::equal(detector.score(others), again.score(others),
                                   [](const Score& a, const Score& b) { return a == b; }));
    EXPECT_EQ(detector.embed(others).values, again.embed(others).values);
    EXPECT_EQ(detector.metadata(), again.metadata());
    EXPECT_EQ(detector.threshold(), again.threshold());
    again.save(folder / "again.model");
    EXPECT_EQ(test::read_text(folder / "m.model"), test::read_text(folder / "again.model"));
  }
}

TEST(Detector, ScoresDependOnTheGraphAlone) {
  const auto graphs = molecules(240);
  for (const char* profile : kProfiles) {
    SCOPED_TRACE(profile);
    const Detector detector = detector_of(graphs, quick({{"profile", profile}, {"hidden", "64"}}));
    const auto together = raw(detector.score(graphs, {.threads = 1}));
    EXPECT_EQ(raw(detector.score(graphs, {.threads = 3})), together) << "threads";
    for (const std::size_t piece : {1U, 2U, 7U, 100U}) {
      std::vector<double> apart;
      for (std::size_t begin = 0; begin < graphs.size(); begin += piece) {
        std::vector<std::uint32_t> chosen(std::min(piece, graphs.size() - begin));
        std::iota(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(begin));
        const auto some = raw(detector.score(graphs.subset(chosen), {.threads = 1}));
        apart.insert(apart.end(), some.begin(), some.end());
      }
      EXPECT_EQ(apart, together) << piece << " at a time";
    }
  }
}

TEST(Detector, ScoresDoNotDependOnTheOrderOfNodes) {
  const auto graphs = molecules();
  for (const char* profile : kProfiles) {
    SCOPED_TRACE(profile);
    const Detector detector = detector_of(graphs, quick({{"profile", profile}}));
    const auto scores = raw(detector.score(graphs));
    const auto moved = raw(detector.score(test::permuted(graphs, 5).graphs));
    for (std::size_t g = 0; g < scores.size(); ++g) {
      EXPECT_NEAR(scores[g], moved[g], 1e-5) << g;
    }
  }
}

TEST(Detector, ScoresNothingForNothing) {
  EXPECT_TRUE(detector_of(molecules(), quick()).score(GraphSet{}).empty());
}

TEST(Detector, MayScoreFromSeveralThreadsAtOnce) {
  const auto graphs = molecules();
  const Detector detector = detector_of(graphs, quick({{"profile", "rayleigh"}}));
  const auto alone = raw(detector.score(graphs, {.threads = 1}));
  std::vector<std::future<std::vector<double>>> runs;
  runs.reserve(4);
  for (int i = 0; i < 4; ++i) {
    runs.push_back(std::async(std::launch::async,
                              [&] { return raw(detector.score(graphs, {.threads = 2})); }));
  }
  for (auto& run : runs) {
    EXPECT_EQ(run.get(), alone);
  }
}

TEST(Detector, AnEnsembleScoresTheMeanOfItsMembers) {
  const auto graphs = molecules();
  const auto mean =
      raw(detector_of(graphs, quick({{"ensemble", "2"}, {"seed", "4"}})).score(graphs));
  const auto first = raw(detector_of(graphs, quick({{"seed", "4"}})).score(graphs));
  const auto second =
      raw(detector_of(graphs, quick({{"seed", "5"}, {"split-seed", "4"}})).score(graphs));
  ASSERT_NE(first, second);
  for (std::size_t g = 0; g < mean.size(); ++g) {
    EXPECT_EQ(mean[g], first[g] / 2 + second[g] / 2);
  }
}

TEST(Detector, ProbabilityRisesWithTheScoreAndTheThresholdDecides) {
  const auto graphs = molecules();
  const Detector detector = detector_of(graphs, quick({{"epochs", "10"}}));
  auto scores = detector.score(graphs);
  std::ranges::sort(scores, {}, &Score::score);
  for (std::size_t g = 0; g < scores.size(); ++g) {
    EXPECT_EQ(scores[g].anomalous, scores[g].score > detector.threshold());
    EXPECT_TRUE(scores[g].probability >= 0 && scores[g].probability <= 1);
    EXPECT_GE(scores[g].probability, scores[g == 0 ? 0 : g - 1].probability);
  }
  const Detector strict = detector.with_threshold(2);
  EXPECT_TRUE(std::ranges::none_of(strict.score(graphs), &Score::anomalous));
  EXPECT_NE(detector.threshold(), 2) << "the first one stays as it was";
}

TEST(Detector, TrainingTellsItsProgress) {
  std::vector<TrainingProgress> seen;
  TrainingRequest request = test::request_of(quick({{"ensemble", "2"}}));
  request.progress = [&](const TrainingProgress& p) { seen.push_back(p); };
  train(molecules(100), request);
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[0].epoch.epoch, 1);
  EXPECT_EQ(seen[5].epoch.epoch, 3);
  EXPECT_EQ(seen[5].members, 2);
  EXPECT_EQ(seen[5].member, 1);
  EXPECT_EQ(seen[5].epochs, 3);
  EXPECT_GT(seen[5].graphs_per_second, 0);
}

TEST(Detector, TrainingTellsARateOfGraphsOnlyOfPassesOverThem) {
  const auto graphs = molecules(100);
  for (const char* model : {"trees", "rayleigh"}) {
    std::vector<TrainingProgress> seen;
    TrainingRequest request = test::request_of({{"epochs", "2"}}, 1, model);
    request.progress = [&](const TrainingProgress& p) { seen.push_back(p); };
    const TrainingResult result = train(graphs, request);
    double passing = 0;  // seconds
    for (const TrainingProgress& p : seen) {
      EXPECT_GT(p.epochs_per_second, 0);
      EXPECT_EQ(p.graphs_per_second > 0, std::string(model) == "rayleigh" && p.member == 0);
      passing += p.graphs_per_second > 0 ? 1 / p.epochs_per_second : 0;
    }
    const auto passed = static_cast<double>(result.split.train.size()) * 2;
    EXPECT_NEAR(result.train_graphs_per_second, passing > 0 ? passed / passing : 0,
                1e-6 * result.train_graphs_per_second);
  }
}

TEST(Detector, FlagsGraphsWithALabelItNeverSaw) {
  const auto graphs = molecules();
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node(graphs.node_labels()[0]);
  builder.begin_graph();
  builder.add_node("unheard-of");
  const auto strange = builder.build();
  for (const char* profile : kProfiles) {
    const auto scores = detector_of(graphs, quick({{"profile", profile}})).score(strange);
    EXPECT_FALSE(scores[0].unknown_label);
    EXPECT_TRUE(scores[1].unknown_label);
    EXPECT_TRUE(std::isfinite(scores[1].score));
  }
}

TEST(Training, RefusesACheckpointWhoseTreesAskForALabelThatIsNotThere) {
  const test::TemporaryFolder folder;
  const auto graphs = test::molecules(60, 0.4);
  TrainingRequest request =
      test::request_of({{"rounds", "3"}, {"least-graphs", "2"}}, 1, "label-counts");
  request.checkpoint = folder / "checkpoint";
  train(graphs, request);
  // All numbers of the checkpoint become 99, among them the labels.
  test::ModelParts parts(test::read_text(folder / "checkpoint"));
  for (std::size_t at = 0; at + 4 <= parts.data.size(); at += 4) {
    const float bad = 99;
    std::memcpy(parts.data.data() + at, &bad, sizeof bad);
  }
  test::write_text(folder / "checkpoint", parts.bytes());
  request.resume = Resume::yes;
  test::expect_data_error([&] { train(graphs, request); },
                          {"checkpoint is damaged", "trees.label"});
}

}  // namespace
}  // namespace rayleigh::learn
