// What the public headers promise beyond training and scoring: options by name, splits as values,
// sessions, streams, references, evaluation, stopping.
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stop_token>

#include "rayleigh/error.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/graph_set_builder.h"
#include "rayleigh/reference_set.h"
#include "rayleigh/score_stream.h"
#include "rayleigh/scoring_session.h"

#include "expect_error.h"
#include "fingerprints.h"
#include "io/molecule_toolkit.h"
#include "learn/trained.h"
#include "support.h"

namespace rayleigh {
namespace {

using test::detector_of;
using test::molecules;
using test::quick;
using test::request_of;
using testing::HasSubstr;

TEST(DetectorOptions, TakeNumbersWordsAndListsAndCheckThemAtOnce) {
  DetectorOptions options;
  options.set("epochs", 20).set("lr", 0.25).set("profile", "paper").set("no-rql", true);
  options.set("scales", std::vector<double>{0.5, 2});
  EXPECT_EQ(options.value("epochs"), "20");
  EXPECT_EQ(options.value("lr"), "0.25");
  EXPECT_EQ(options.value("no-rql"), "true");
  EXPECT_EQ(options.value("scales"), "[0.5,2.0]");
  EXPECT_TRUE(options.given("epochs"));
  EXPECT_FALSE(options.given("hidden"));
  try {
    options.set("epochs", 0);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "epochs");
    EXPECT_THAT(error.message(), HasSubstr("'0' is not valid, expected a whole number"));
  }
  EXPECT_EQ(options.value("epochs"), "20") << "a bad value changes nothing";
  test::expect_usage_error(
      [&] {
        options.set("scales", std::vector<std::string>{"1", "x"});
      },
      {"scales: 'x' is not valid"});
  EXPECT_EQ(options.value("scales"), "[0.5,2.0]") << "nor does a bad item of a list";
  EXPECT_EQ(options.set("scales", {1.5, 3.0}).value("scales"), "[1.5,3.0]");
  static_assert(!std::constructible_from<OptionValue, int*>, "a pointer is not a toggle");
  test::expect_usage_error([&] { options.set("epoch", 3); }, {"did you mean epochs?"});
}

TEST(DetectorOptions, AnOptionOfAnotherProfileIsRefused) {
  DetectorOptions options;
  options.set("scales", {0.5, 2.0});
  test::expect_usage_error([&] { options.check(); }, {"scales: counts only with `profile` paper"});
  EXPECT_NO_THROW(options.set("profile", "paper").check());
  DetectorOptions published;
  published.set("profile", "published").set("form-dropout", 0.5);
  EXPECT_NO_THROW(published.check()) << "said, but nothing else than what it is anyway";
  published.set("form-dropout", 0.25);
  test::expect_usage_error([&] { published.check(); }, {"form-dropout: counts only with"});
}

TEST(DetectorOptions, ACopyIsAnObjectOfItsOwn) {
  DetectorOptions first;
  first.set("epochs", 7);
  DetectorOptions second = first;
  second.set("epochs", 8).set("profile", "published");
  EXPECT_EQ(first.value("epochs"), "7");
  EXPECT_EQ(second.value("epochs"), "8");
  EXPECT_EQ(second.value("patience"), "50") << "defaults follow the profile";
  EXPECT_EQ(first.value("patience"), "15");
}

TEST(DetectorOptions, EveryDetectorDeclaresItsOptionsForPrograms) {
  for (const DetectorInfo& detector : detectors()) {
    for (const OptionInfo& option : DetectorOptions(detector.name).all()) {
      EXPECT_FALSE(option.help.empty()) << detector.name << " " << option.name;
      EXPECT_EQ(option.kind == OptionKind::choice, !option.choices.empty()) << option.name;
    }
  }
}

TEST(SplitRequest, IsTheSplitOfTheOptionsThatSayTheSame) {
  const GraphSet graphs = molecules(120);
  TrainingRequest by_value = request_of(quick({{"epochs", "1"}}));
  by_value.split = StratifiedSplit{.shares = {0.6, 0.2, 0.2}, .seed = 9};
  const auto named =
      test::train_on(graphs, quick({{"epochs", "1"}, {"split", "60/20/20"}, {"split-seed", "9"}}));
  const auto valued = train(graphs, by_value);
  EXPECT_EQ(valued.split, named.split);
  EXPECT_EQ(valued.detector.bytes(), named.detector.bytes()) << "the file records it alike";
}

TEST(SplitRequest, MayBeThePartsOrGroupsThemselves) {
  const GraphSet graphs = molecules(120);
  TrainingRequest request = request_of(quick({{"epochs", "1"}}));
  std::vector<std::uint64_t> groups;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    groups.push_back(g / 3);
  }
  request.split = GroupedSplit{.groups = groups};
  const auto grouped = train(graphs, request);
  for (const auto* part : {&grouped.split.train, &grouped.split.validation, &grouped.split.test}) {
    EXPECT_EQ(part->size() % 3, 0U) << "groups stay whole";
  }
  request.split = grouped.split;
  const auto given = train(graphs, request);
  EXPECT_TRUE(given.split_given);
  EXPECT_EQ(given.split, grouped.split);
  const EvaluationRequest test_part{.part = Part::test, .split = grouped.split, .intervals = false};
  EXPECT_EQ(given.detector.evaluate(graphs, test_part).metrics.auc, given.test.auc);
  EXPECT_THROW(given.detector.evaluate(graphs, {.part = Part::test}), UsageError)
      << "a rule that was not used finds other parts";
  request.split = Split{.train = {0, 500}, .validation = {1}, .test = {}};
  test::expect_usage_error([&] { train(graphs, request); }, {"split: 500 is not a graph"});
}

TEST(SplitRequest, IsFoundAgainWhenItsSharesHaveManyDigits) {
  // A third of 30,000 is 10,000 by the shares and 9,999 by twelve digits of them.
  const GraphSet graphs = molecules(37'500);
  TrainingRequest request = request_of({}, 1, "size");
  request.split = StratifiedSplit{.shares = {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  const auto result = train(graphs, request);
  const EvaluationRequest test_part{.part = Part::test, .intervals = false};
  EXPECT_EQ(result.detector.evaluate(graphs, test_part).graphs, result.split.test);
}

TEST(SplitRequest, OfGroupsHasCheckedSharesAndARecordedSeed) {
  const GraphSet graphs = molecules(120);
  TrainingRequest request = request_of(quick({{"epochs", "1"}}));
  const std::vector<std::uint64_t> groups(graphs.size(), 1);
  request.split = GroupedSplit{.groups = groups, .shares = {0.5, 0.1, 0.1}};
  test::expect_usage_error([&] { train(graphs, request); }, {"split: ", "sum to 100"});
  std::vector<std::uint64_t> pairs;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    pairs.push_back(g / 2);
  }
  request.split = GroupedSplit{.groups = pairs, .seed = 77};
  const auto result = train(graphs, request);
  EXPECT_TRUE(result.split_given);
  EXPECT_EQ(result.detector.options().value("split-seed"), "77");
}

TEST(TrainingRequest, ToResumeNeedsACheckpoint) {
  TrainingRequest request = request_of(quick());
  request.resume = Resume::yes;
  test::expect_usage_error([&] { train(molecules(80), request); },
                           {"resume: needs a `checkpoint`"});
}

TEST(TrainingResult, EvaluatesEveryPartWithIntervals) {
  const GraphSet graphs = molecules(200);
  TrainingRequest request = request_of(quick());
  request.intervals = true;
  const auto result = train(graphs, request);
  for (const Metrics* part : {&result.train, &result.validation, &result.test}) {
    ASSERT_TRUE(part->intervals);
    EXPECT_LE(part->intervals->auc.low, part->auc);
    EXPECT_GE(part->intervals->auc.high, part->auc);
  }
  EXPECT_EQ(result.train.graphs + result.validation.graphs + result.test.graphs, 200U);
  const auto again = result.detector.evaluate(graphs, {.part = Part::test});
  EXPECT_EQ(again.metrics.auc, result.test.auc);
  EXPECT_EQ(again.metrics.intervals->auc.low, result.test.intervals->auc.low);
}

TEST(Embeddings, AreThoseOfAllMembers) {
  const GraphSet graphs = molecules(60);
  const auto one = detector_of(graphs, quick()).embed(graphs);
  const auto two = detector_of(graphs, quick({{"ensemble", "2"}})).embed(graphs);
  EXPECT_EQ(two.width, 2 * one.width);
  EXPECT_EQ(two.rows(), graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_TRUE(std::ranges::equal(two.row(g).first(one.width), one.row(g)));
  }
}

TEST(ReferenceSet, FindsAGraphItselfFirst) {
  const GraphSet graphs = molecules(80);
  const Detector detector = detector_of(graphs, quick());
  ReferenceSet reference(detector);
  reference.add(graphs.subset(std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  reference.add(graphs.subset(std::vector<std::uint32_t>{5, 6, 7}));
  const auto embeddings = detector.embed(graphs);
  const auto near = reference.nearest(embeddings.row(6), 3);
  ASSERT_EQ(near.size(), 3U);
  EXPECT_EQ(near[0].index, 6U);
  EXPECT_EQ(near[0].distance, 0);
  EXPECT_EQ(near[0].score, detector.score(graphs)[6].score);
  EXPECT_LE(near[1].distance, near[2].distance);
  test::expect_usage_error([&] { reference.nearest(embeddings.row(6).first(2), 3); },
                           {"an embedding of 2 numbers"});
}

/// Rows of every kind: good ones, one that cannot be read, one without nodes, one never seen.
std::string mixed_rows(const GraphSet& graphs, const std::filesystem::path& file) {
  io::save_jsonl(graphs, file);
  std::ofstream more(file, std::ios::app);
  more << "this is not JSON\n"
       << R"({"node_labels":[],"edges":[],"edge_labels":[]})"
       << "\n"
       << R"({"node_labels":["unheard-of"],"edges":[],"edge_labels":[]})"
       << "\n";
  return file.string();
}

TEST(ScoreStream, GivesOneRowPerInputRowInOrderAndKeepsTheBadOnes) {
  const test::TemporaryFolder folder;
  const GraphSet graphs = molecules(2500, 0.2, 5);
  const Detector detector = detector_of(molecules(), quick());
  const auto expected = detector.score(graphs);
  const std::string file = mixed_rows(graphs, folder / "rows.jsonl");
  for (const int threads : {1, 3}) {
    std::vector<ScoredRow> rows;
    std::string text;
    StreamOptions options;
    options.run.threads = threads;
    options.render = [](std::span<const ScoredRow> piece) {
      return std::to_string(piece.front().index) + ";";
    };
    const auto reader = io::open(file);
    score_stream(detector, *reader, options, [&](ScoredPiece&& piece) {
      text += piece.text;
      std::ranges::move(piece.rows, std::back_inserter(rows));
    });
    ASSERT_EQ(rows.size(), graphs.size() + 3);
    EXPECT_TRUE(text.starts_with("0;"));
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      EXPECT_EQ(rows[i].index, i);
      EXPECT_EQ(rows[i].score->score, expected[i].score);
    }
    EXPECT_EQ(rows[2500].status, RowStatus::parse_error);
    EXPECT_EQ(rows[2501].status, RowStatus::parse_error);
    EXPECT_THAT(rows[2501].reason, HasSubstr("has no nodes"));
    EXPECT_EQ(rows[2502].status, RowStatus::unknown_label);
    EXPECT_TRUE(rows[2502].score);
  }
}

TEST(ScoreStream, AStopComesOutAfterThePiecesBeforeIt) {
  const test::TemporaryFolder folder;
  const GraphSet graphs = molecules(4000, 0.2, 5);
  io::save_jsonl(graphs, folder / "rows.jsonl");
  const Detector detector = detector_of(molecules(), quick());
  std::stop_source source;
  StreamOptions options;
  options.run = {.threads = 2, .stop = source.get_token()};
  const auto reader = io::open((folder / "rows.jsonl").string());
  std::size_t next = 0;
  EXPECT_THROW(score_stream(detector, *reader, options,
                            [&](ScoredPiece&& piece) {
                              for (const ScoredRow& row : piece.rows) {
                                EXPECT_EQ(row.index, next++);
                              }
                              source.request_stop();
                            }),
               Cancelled);
  EXPECT_GT(next, 0U);
  EXPECT_LT(next, graphs.size());
}

TEST(Stop, EndsScoringExplainingAndEvaluating) {
  const GraphSet graphs = molecules();
  const Detector detector = detector_of(graphs, quick());
  std::stop_source source;
  source.request_stop();
  const RunOptions stopped{.threads = 2, .stop = source.get_token()};
  EXPECT_THROW(detector.score(graphs, stopped), Cancelled);
  EXPECT_THROW(detector.embed(graphs, stopped), Cancelled);
  EXPECT_THROW(detector.explain(graphs, ExplainMethod::leave_one_out, stopped), Cancelled);
  EXPECT_THROW(detector.evaluate(graphs, {}, stopped), Cancelled);
}

TEST(Stop, BeforeTheFirstEpochLeavesACheckpointAlone) {
  const test::TemporaryFolder folder;
  std::stop_source source;
  source.request_stop();
  TrainingRequest request = request_of(quick());
  request.checkpoint = folder / "run.ckpt";
  request.run.stop = source.get_token();
  try {
    train(molecules(), request);
    FAIL();
  } catch (const Cancelled& stop) {
    EXPECT_THAT(stop.message(), HasSubstr("before the first epoch"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Reading, SettingsTravelWithTheGraphsIntoTheModelAndBack) {
  GraphSetData data = molecules(80).data();
  data.reading = {{"atoms", "detailed"}, {"fragments", "all"}};
  const test::TemporaryFolder folder;
  detector_of(GraphSet(std::move(data)), quick({{"epochs", "1"}})).save(folder / "m.model");
  const auto reading = Detector::load(folder / "m.model").reading();
  EXPECT_EQ(reading.molecules.atoms, io::AtomLabels::detailed);
  EXPECT_EQ(reading.molecules.fragments, io::Fragments::all);
  EXPECT_EQ(detector_of(molecules(80), quick({{"epochs", "1"}})).reading().molecules.atoms,
            io::AtomLabels::element);
}

TEST(Fingerprints, AreAskedForByTheDetectorThatNeedsThem) {
  const GraphSet plain = molecules(120);
  EXPECT_TRUE(detector_info("ecfp-forest").needs_fingerprints);
  EXPECT_FALSE(detector_info("rqgnn").needs_fingerprints);
  const TrainingRequest request = request_of({{"epochs", "2"}, {"trees", "20"}}, 1, "ecfp-forest");
  const std::vector<std::string> lacking{"ecfp-forest needs molecules (.smi, .csv, .tsv or .sdf)"};
  test::expect_usage_error([&] { train(plain, request); }, lacking);
  const Detector detector = train(test::with_fingerprints(plain), request).detector;
  EXPECT_TRUE(detector.reading().molecules.fingerprints);
  test::expect_usage_error([&] { detector.score(plain); }, lacking);
  test::expect_usage_error([&] { detector.embed(plain); }, lacking);
  test::expect_usage_error([&] { detector.evaluate(plain); }, lacking);
  test::expect_usage_error([&] { ScoringSession(detector).score(plain); }, lacking);
  test::expect_usage_error([&] { detector.explain(test::with_fingerprints(plain)); },
                           {"scores of ecfp-forest cannot be explained"});
  const test::TemporaryFolder folder;
  io::save_jsonl(plain, folder / "plain.jsonl");
  const auto reader = io::open((folder / "plain.jsonl").string());
  test::expect_usage_error([&] { score_stream(detector, *reader, {}, [](ScoredPiece&&) {}); },
                           lacking);
}

TEST(Fingerprints, AreComputedForAStreamThatWasOpenedWithoutThem) {
  if (!io::has_molecule_toolkit()) {
    GTEST_SKIP() << "skipped, built without RDKit";
  }
  std::string text = "smiles,label\n";
  for (std::size_t i = 0; i < 60; ++i) {
    text += (i % 3 == 0 ? "c1ccccc1" : "OC") + std::string(1 + i % 7, 'C') +
            (i % 3 == 0 ? ",1\n" : ",0\n");
  }
  const test::TemporaryFolder folder;
  test::write_text(folder / "m.csv", text);
  const std::string path = (folder / "m.csv").string();
  io::ReadOptions options;
  options.molecules.label = "label";
  options.molecules.fingerprints = true;
  const GraphSet graphs = io::load(path, options);
  const Detector detector = train(graphs, request_of({{"trees", "20"}}, 1, "ecfp-forest")).detector;
  const auto expected = detector.score(graphs);
  const auto reader = io::open(path);
  std::size_t rows = 0;
  score_stream(detector, *reader, {}, [&](ScoredPiece&& piece) {
    for (const ScoredRow& row : piece.rows) {
      EXPECT_EQ(row.score.value().score, expected[rows++].score);
    }
  });
  EXPECT_EQ(rows, 60U);
}

}  // namespace
}  // namespace rayleigh
