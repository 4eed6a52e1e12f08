#include "models/quotient_features.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

#include "rayleigh/graph_set_builder.h"

namespace rayleigh::models {
namespace {

/// C-C-O with bonds 1 and 2, three times, so that every label occurs often enough.
GraphSet three_paths() {
  GraphSetBuilder builder;
  for (int graph = 0; graph < 3; ++graph) {
    builder.begin_graph();
    builder.add_node("C");
    builder.add_node("C");
    builder.add_node("O");
    builder.add_edge(0, 1, "1");
    builder.add_edge(1, 2, "2");
  }
  return builder.build();
}

std::vector<LabelEncoder> fitted(const GraphSet& graphs, const QuotientOptions& options,
                                 core::ThreadPool& pool) {
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<LabelEncoder> encoders;
  for (const EncoderOptions& encoder : quotient_encoders(options)) {
    encoders.push_back(LabelEncoder::fit(graphs, all, encoder, pool));
  }
  return encoders;
}

/// "level:word" or "form:word" with its value, of the first graph.
std::map<std::string, float> row_in_words(const GraphSet& graphs,
                                          const std::vector<LabelEncoder>& encoders,
                                          core::ThreadPool& pool) {
  std::vector<EncodedLabels> encoded;
  std::vector<spectral::NodeLabels> views;
  encoded.reserve(encoders.size());
  views.reserve(encoders.size());
  for (const LabelEncoder& encoder : encoders) {
    encoded.push_back(encoder.encode(graphs, pool));
  }
  for (const EncodedLabels& labels : encoded) {
    views.push_back(labels.view());
  }
  const QuotientColumns columns(encoders);
  const auto features = quotient_features(columns, graphs, views, nn::Mode::scoring, pool);
  std::map<std::string, float> row;
  for (const auto& entry : features->row(0)) {
    const auto meaning = columns.meaning(entry.column);
    const LabelEncoder& encoder = encoders[meaning.vocabulary];
    const std::string word = meaning.label < encoder.size() ? encoder.word(meaning.label) : "other";
    row[(meaning.form ? "form" : std::string(encoder.level_name())) + ":" + word] = entry.value;
  }
  return row;
}

TEST(QuotientFeatures, CountLabelsBondsAndRefinedLabels) {
  core::ThreadPool pool(2);
  const GraphSet graphs = three_paths();
  const auto row = row_in_words(graphs, fitted(graphs, {.rounds = 1}, pool), pool);
  EXPECT_EQ(row.at("plain:C"), 2);
  EXPECT_EQ(row.at("plain:O"), 1);
  EXPECT_EQ(row.at("edge:1"), 1);
  EXPECT_EQ(row.at("edge:2"), 1);
  EXPECT_EQ(row.at("degree:C d1"), 1);
  EXPECT_EQ(row.at("degree:C d2"), 1);
  EXPECT_EQ(row.at("degree-wl1:C(1:C d2)"), 1);
  // x = (1, 1, 0), L normalised with degrees 1, 2, 1: x'Lx = 2 - 2 / sqrt(2).
  EXPECT_NEAR(row.at("form:C"), 2 - std::sqrt(2.0F), 1e-6);
  EXPECT_NEAR(row.at("form:O"), 1, 1e-6);
  EXPECT_FALSE(row.contains("plain:other"));
}

TEST(QuotientFeatures, CountWhatTrainingNeverSaw) {
  core::ThreadPool pool(1);
  const auto encoders = fitted(three_paths(), {.rounds = 1}, pool);
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("N");
  builder.add_node("C");
  builder.add_edge(0, 1, "3");
  const auto row = row_in_words(builder.build(), encoders, pool);
  EXPECT_EQ(row.at("plain:other"), 1);
  EXPECT_EQ(row.at("edge:other"), 1);
  EXPECT_EQ(row.at("degree:C d1"), 1);
  EXPECT_EQ(row.at("degree-wl1:other"), 2);
}

TEST(QuotientFeatures, LeaveOutLabelsOfTooFewGraphs) {
  core::ThreadPool pool(1);
  const auto encoders = fitted(three_paths(), {.rounds = 3, .least_graphs = 4}, pool);
  ASSERT_EQ(encoders.size(), 6U);
  EXPECT_EQ(encoders[0].size(), 2U);  // plain ones are always kept
  for (std::size_t v = 2; v < encoders.size(); ++v) {
    EXPECT_EQ(encoders[v].size(), 0U);
  }
}

/// The two ends of C-C-C and of C-C(-C)-C have the same neighbours' labels, but not their degrees.
TEST(DegreeRefinement, SaysMoreThanRefinementOfPlainLabels) {
  GraphSetBuilder builder;
  builder.begin_graph();
  for (int i = 0; i < 3; ++i) {
    builder.add_node("C");
  }
  builder.add_edge(0, 1);
  builder.add_edge(1, 2);
  builder.begin_graph();
  for (int i = 0; i < 4; ++i) {
    builder.add_node("C");
  }
  builder.add_edge(0, 1);
  builder.add_edge(1, 2);
  builder.add_edge(1, 3);
  const GraphSet graphs = builder.build();
  core::ThreadPool pool(1);
  graph::LabelKeys keys(graphs, pool);
  using graph::LabelLevel;
  EXPECT_EQ(keys.of(LabelLevel::wl1)[0], keys.of(LabelLevel::wl1)[3]);
  EXPECT_NE(keys.of(LabelLevel::degree_wl1)[0], keys.of(LabelLevel::degree_wl1)[3]);
  EXPECT_EQ(keys.of(LabelLevel::degree_wl3)[0], keys.of(LabelLevel::degree_wl3)[2]);
}

}  // namespace
}  // namespace rayleigh::models
