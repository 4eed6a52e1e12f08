#include "core/json_document.h"

#include <gtest/gtest.h>

#include "core/strict_json.h"

namespace rayleigh::core {
namespace {

using Json = nlohmann::ordered_json;

/// Why the text is refused.
std::string refusal(const std::string& text) {
  try {
    JsonDocument(text).without("");
  } catch (const std::string& wrong) {
    return wrong;
  }
  return "";
}

TEST(JsonDocument, GivesTheSameValuesAsTheOtherParser) {
  const std::string text =
      R"({"z":[1,-1,0,18446744073709551615,-9223372036854775808,0.1,1e300,-0.0],)"
      R"("a":{"empty":{},"none":[],"nothing":null,"yes":true},"word":"a\n\u00e9\"\\","z2":"x"})";
  const Json all = JsonDocument(text).without("");
  EXPECT_EQ(all, parse_json(text));
  EXPECT_EQ(all.dump(), parse_json(text).dump()) << "order and types of numbers";
}

TEST(JsonDocument, LeavesOutAKeyOfTheOutermostObjectAlone) {
  JsonDocument document(R"({"a":1,"big":[["x"]],"inner":{"big":2}})");
  const JsonDocument moved = std::move(document);
  EXPECT_EQ(moved.without("big").dump(), R"({"a":1,"inner":{"big":2}})");
  EXPECT_EQ(json_array(json_at(moved.root(), "big"), "big").size(), 1U);
}

TEST(JsonDocument, RefusesWhatIsNoJsonWithThePlace) {
  for (const char* text : {"", "{", "[1,]", "{} {}", "nul", "\"\x01\"", "{\"a\":1"}) {
    EXPECT_TRUE(refusal(text).starts_with("no JSON")) << text << ": " << refusal(text);
  }
  EXPECT_EQ(refusal("[1,]"), "no JSON at byte 4");
  EXPECT_NE(refusal("1e999"), "");
  EXPECT_NE(refusal("123456789012345678901234567890"), "");
}

TEST(JsonDocument, RefusesDeepNestingAsTheOtherParserDoes) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(refusal(nested(33)), "");
  for (const std::size_t depth : {34U, 100U, 1'000'000U}) {
    EXPECT_EQ(refusal(nested(depth)), "JSON nested more than 32 deep") << depth;
  }
}

TEST(JsonDocument, ValuesMustBeWhatTheyAreTakenFor) {
  const JsonDocument document(R"({"n":7,"minus":-7,"half":0.5,"text":"7","yes":true,"list":[]})");
  const auto at = [&](std::string_view key) { return json_at(document.root(), key); };
  EXPECT_EQ(whole_number(at("n"), 7, "n"), 7U);
  EXPECT_EQ(json_text(at("text"), "text"), "7");
  EXPECT_TRUE(json_bool(at("yes"), "yes"));
  for (const char* key : {"minus", "half", "text", "yes", "list"}) {
    EXPECT_THROW(whole_number(at(key), 7, key), std::string) << key;
  }
  EXPECT_THROW(whole_number(at("n"), 6, "n"), std::string);
  for (const char* key : {"n", "yes", "list"}) {
    EXPECT_THROW(json_text(at(key), key), std::string) << key;
  }
  EXPECT_THROW(json_bool(at("n"), "n"), std::string);
  EXPECT_THROW(json_array(at("text"), "text"), std::string);
  EXPECT_THROW(at("missing"), std::string);
  EXPECT_THROW(json_at(at("n"), "n"), std::string);
}

}  // namespace
}  // namespace rayleigh::core
