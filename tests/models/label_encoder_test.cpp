#include "models/label_encoder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "rayleigh/generators.h"
#include "rayleigh/graph_set_builder.h"

#include "core/json_document.h"
#include "graph/permuted.h"

namespace rayleigh::models {
namespace {

using graph::LabelLevel;
using Json = nlohmann::ordered_json;

LabelEncoder fit(const GraphSet& graphs, const EncoderOptions& options,
                 std::vector<std::uint32_t> chosen = {}) {
  core::ThreadPool pool(1);
  if (chosen.empty()) {
    chosen.resize(graphs.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
  }
  return LabelEncoder::fit(graphs, chosen, options, pool);
}

EncodedLabels encode(const LabelEncoder& encoder, const GraphSet& graphs, int threads = 1) {
  core::ThreadPool pool(threads);
  return encoder.encode(graphs, pool);
}

/// One path a list of labels, without edge labels.
GraphSet paths_of(const std::vector<std::vector<std::string>>& paths) {
  GraphSetBuilder builder;
  for (const auto& labels : paths) {
    builder.begin_graph();
    for (std::uint32_t i = 0; i < labels.size(); ++i) {
      builder.add_node(labels[i]);
      if (i > 0) {
        builder.add_edge(i - 1, i);
      }
    }
  }
  return builder.build();
}

std::vector<std::string> words_of(const LabelEncoder& encoder) {
  std::vector<std::string> words;
  for (std::size_t label = 0; label < encoder.size(); ++label) {
    words.push_back(encoder.word(label));
  }
  return words;
}

/// What the nodes count as, in words.
std::vector<std::string> spelled(const LabelEncoder& encoder, const GraphSet& graphs) {
  std::vector<std::string> words;
  for (const std::uint32_t label : encode(encoder, graphs).of_node) {
    words.push_back(label < encoder.size() ? encoder.word(label) : "other");
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(LabelEncoder, PlainLabelsKeepTheOrderOfTheVocabulary) {
  const auto graphs = generate::molecules({.seed = 1, .graphs = 200, .anomalous = 0.1});
  const auto encoder = fit(graphs, {});
  EXPECT_EQ(words_of(encoder),
            Words(graphs.node_labels().words().begin(), graphs.node_labels().words().end()));
  const auto labels = encode(encoder, graphs);
  EXPECT_TRUE(std::ranges::equal(labels.of_node, graphs.node_label()));
  EXPECT_EQ(labels.count, encoder.size() + 1);
  EXPECT_TRUE(std::ranges::none_of(labels.unknown, [](auto flag) { return flag != 0; }));
}

TEST(LabelEncoder, SortsNumbersByValue) {
  EXPECT_EQ(words_of(fit(paths_of({{"10", "9", "2", "-1"}}), {})), (Words{"-1", "2", "9", "10"}));
}

TEST(LabelEncoder, LearnsOnlyFromTheChosenGraphs) {
  const auto graphs = paths_of({{"a", "b"}, {"c", "a"}, {"b", "b"}});
  const auto encoder = fit(graphs, {}, {0, 2});
  EXPECT_EQ(words_of(encoder), (Words{"a", "b"}));
  EXPECT_EQ(spelled(encoder, graphs), (Words{"a", "b", "other", "a", "b", "b"}));
}

TEST(LabelEncoder, AnUnknownPlainLabelIsOtherAndFlagsItsGraphOnly) {
  const auto encoder = fit(paths_of({{"a", "b"}}), {});
  const auto labels = encode(encoder, paths_of({{"a"}, {"b", "z"}, {"b"}}));
  EXPECT_EQ(labels.of_node, (core::Vector<std::uint32_t>{0, 1, 2, 1}));
  EXPECT_EQ(labels.unknown, (core::Vector<std::uint8_t>{0, 1, 0}));
}

TEST(LabelEncoder, KeepsTheMostFrequentLabelsOfEachLevel) {
  const auto graphs = paths_of({{"a", "b", "b", "c", "c", "c"}});
  const auto encoder = fit(graphs, {.level = LabelLevel::plain, .max_labels = 2});
  EXPECT_EQ(words_of(encoder), (Words{"b", "c"}));
  const auto labels = encode(encoder, graphs);
  EXPECT_EQ(labels.of_node[0], encoder.size());
  EXPECT_EQ(labels.unknown[0], 1) << "a label that was cut off is not known";
  const auto degrees = fit(paths_of({{"a", "a", "a", "a"}, {"a", "a"}}),
                           {.level = LabelLevel::degree, .max_labels = 1});
  EXPECT_EQ(words_of(degrees), (Words{"a", "a d1"})) << "four end points, two inner nodes";
}

TEST(LabelEncoder, WhoIsKeptDoesNotDependOnTheOrderOfGraphsOrNodes) {
  const auto graphs = generate::molecules({.seed = 2, .graphs = 150, .anomalous = 0.1});
  const EncoderOptions options{.level = LabelLevel::wl2, .max_labels = 40};
  std::vector<std::uint32_t> backwards(graphs.size());
  std::iota(backwards.rbegin(), backwards.rend(), 0U);
  const auto encoder = fit(graphs, options);
  EXPECT_EQ(encoder.size(), fit(graphs.subset(backwards), options).size());
  EXPECT_EQ(encoder.to_json(), fit(graphs.subset(backwards), options).to_json());
  EXPECT_EQ(encoder.to_json(), fit(test::permuted(graphs, 3).graphs, options).to_json());
}

TEST(LabelEncoder, FallsBackLevelByLevel) {
  // Known of wl1: ends b(-:a), a(-:b) … of path a-b-a and a single node c.
  const auto encoder =
      fit(paths_of({{"a", "b", "a"}, {"c"}, {"c", "c"}}), {.level = LabelLevel::wl1});
  EXPECT_EQ(spelled(encoder, paths_of({{"a", "b", "a"}})),
            (Words{"a(-:b)", "b(-:a,-:a)", "a(-:b)"}));
  // b between a and c: unknown as wl1, known by its two edges. Its neighbour a is known as a(-:b).
  EXPECT_EQ(spelled(encoder, paths_of({{"a", "b", "c"}})), (Words{"a(-:b)", "b(-,-)", "c(-)"}));
  // b at an end has one edge, which b never had: plain. z is not known at all.
  EXPECT_EQ(spelled(encoder, paths_of({{"b", "z"}})), (Words{"b", "other"}));
  const auto labels = encode(encoder, paths_of({{"b"}, {"b", "z"}}));
  EXPECT_EQ(labels.unknown, (core::Vector<std::uint8_t>{0, 1})) << "a coarser label is a known one";
}

TEST(LabelEncoder, WithoutFallBackAnUnknownRefinedLabelIsOther) {
  const auto encoder =
      fit(paths_of({{"a", "b", "a"}}), {.level = LabelLevel::wl1, .fall_back = false});
  EXPECT_EQ(words_of(encoder).size(), 2U);
  EXPECT_EQ(spelled(encoder, paths_of({{"a", "b", "c"}})), (Words{"a(-:b)", "other", "other"}));
}

TEST(LabelEncoder, ParentsAreTheCoarserLabelOfTheSameNode) {
  const auto graphs = generate::molecules({.seed = 5, .graphs = 100, .anomalous = 0.1});
  const auto encoder = fit(graphs, {.level = LabelLevel::wl2, .max_labels = 30});
  const auto chain = graph::fallback_chain(LabelLevel::wl2);
  std::size_t orphans = 0;
  for (std::size_t label = 0; label < encoder.size(); ++label) {
    const std::uint32_t parent = encoder.parent(label);
    if (encoder.level(label) == LabelLevel::plain) {
      EXPECT_EQ(parent, encoder.size());
      continue;
    }
    if (parent == encoder.size()) {
      ++orphans;  // its coarser label was cut off
      continue;
    }
    const auto at = std::ranges::find(chain, encoder.level(label));
    EXPECT_EQ(encoder.level(parent), *(at + 1));
    EXPECT_TRUE(encoder.word(label).starts_with(
        encoder.word(parent).substr(0, encoder.word(parent).find('('))));
  }
  EXPECT_LT(orphans, encoder.size() / 2);
}

TEST(LabelEncoder, EncodesAlikeForAnyNumberOfThreads) {
  const auto graphs = generate::molecules({.seed = 6, .graphs = 1100, .anomalous = 0.1});
  const auto encoder = fit(graphs, {.level = LabelLevel::wl1, .max_labels = 20});
  const auto one = encode(encoder, graphs, 1);
  const auto three = encode(encoder, graphs, 3);
  EXPECT_EQ(one.of_node, three.of_node);
  EXPECT_EQ(one.unknown, three.unknown);
}

TEST(LabelEncoder, ComesBackFromJsonAsItWas) {
  const auto graphs = generate::molecules({.seed = 7, .graphs = 100, .anomalous = 0.1});
  const auto others = generate::molecules({.seed = 8, .graphs = 50, .anomalous = 0.1});
  for (const EncoderOptions& options :
       {EncoderOptions{}, EncoderOptions{.level = LabelLevel::degree, .max_labels = 3},
        EncoderOptions{.level = LabelLevel::wl2, .max_labels = 25},
        EncoderOptions{.level = LabelLevel::wl1, .max_labels = 25, .fall_back = false}}) {
    const auto encoder = fit(graphs, options);
    const auto text = encoder.to_json().dump();
    const auto again = LabelEncoder::from_json(core::JsonDocument(text).root());
    EXPECT_EQ(again.to_json().dump(), text);
    EXPECT_EQ(encode(again, others).of_node, encode(encoder, others).of_node);
    EXPECT_EQ(encode(again, others).unknown, encode(encoder, others).unknown);
  }
}

/// Why the JSON is refused.
std::string refusal(const Json& json) {
  try {
    LabelEncoder::from_json(core::JsonDocument(json.dump()).root());
  } catch (const std::string& wrong) {
    return wrong;
  }
  return "";
}

TEST(LabelEncoder, DamagedJsonIsRefused) {
  const auto whole =
      fit(paths_of({{"a", "b", "a"}, {"b"}}), {.level = LabelLevel::degree}).to_json();
  ASSERT_EQ(refusal(whole), "");
  ASSERT_EQ(whole["entries"].size(), 5U);
  for (const auto& [key, value] : whole.items()) {
    Json json = whole;
    json.erase(key);
    EXPECT_NE(refusal(json), "") << key << " is missing";
    for (const Json& other :
         {Json(nullptr), Json("x"), Json(-1), Json(1.5), Json::object(), Json({1, 2})}) {
      json[key] = other;
      EXPECT_NE(refusal(json), "") << key << " is " << other.dump();
    }
  }
  const auto expect_entry = [&](std::size_t field, const Json& value) {
    Json json = whole;
    json["entries"][4][field] = value;
    EXPECT_NE(refusal(json), "") << json["entries"][4].dump();
  };
  for (const Json& level : {Json("wl7"), Json("wl2"), Json("pla\nin"), Json(0), Json(nullptr)}) {
    expect_entry(0, level);
  }
  for (const Json& key : {Json(""), Json("xyz"), Json("0x1"), Json("12345678123456781"), Json(7),
                          Json("-1"), whole["entries"][3][1]}) {
    expect_entry(1, key);
  }
  // Not a coarser entry before it, not a whole number, or one that only looks right after wrapping.
  for (const Json& parent : {Json(-1), Json(4), Json(3), Json(6), Json(4294967296),
                             Json(4294967301), Json(0.5), Json("0"), Json(nullptr)}) {
    expect_entry(2, parent);
  }
  expect_entry(3, Json(1));
  Json json = whole;
  json["entries"][1].erase(3);
  EXPECT_NE(refusal(json), "") << "an entry that is too short";
  json = whole;
  json["entries"][1].push_back(0);
  EXPECT_NE(refusal(json), "") << "an entry that is too long";
  json = whole;
  std::swap(json["entries"][0], json["entries"][4]);
  EXPECT_NE(refusal(json), "") << "finer labels before coarser ones";
  json = whole;
  json["entries"] = Json::array();
  EXPECT_NE(refusal(json), "") << "no label at all";
}

}  // namespace
}  // namespace rayleigh::models
