#include "core/option_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "rayleigh/error.h"

namespace rayleigh::core {
namespace {

enum class Pool { rq, mean };

struct Options {
  int epochs = 100;
  double beta = 0.999;
  std::uint64_t seed = 1;
  bool quiet = false;
  Pool pool = Pool::rq;
  std::string output;
  std::optional<std::string> anomaly_class;
  std::vector<std::string> files;

  void declare(OptionSet& set) {
    set.add("epochs", epochs, "passes over the training graphs", {1, 1000});
    set.add("beta", beta, "class balance", {0, 1});
    set.add("seed", seed, "seed");
    set.add("quiet", quiet, "say nothing").without_effect();
    set.add("pool", pool, "pooling", {{"rq", Pool::rq}, {"mean", Pool::mean}});
    set.add("output", output, "FILE", "where to").shortcut('o').without_effect();
    set.add("anomaly-class", anomaly_class, "LABEL", "class");
    set.add("files", files, "FILE", "several");
  }
};

std::string message_of(OptionSet& set, const char* name, const char* text) {
  try {
    OptionSet::assign(*set.find(name), std::string_view(text));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionSet, TakeTheirDefaultFromTheBoundVariable) {
  Options options;
  OptionSet set;
  options.declare(set);
  EXPECT_EQ(set.find("epochs")->info.default_text, "100");
  EXPECT_EQ(set.find("epochs")->info.range, "1 … 1000");
  EXPECT_EQ(set.find("pool")->info.default_text, "rq");
  EXPECT_EQ(set.find("pool")->info.range, "rq|mean");
  EXPECT_EQ(set.find('o'), set.find("output"));
  EXPECT_EQ(set.find("nothing"), nullptr);
}

TEST(OptionSet, AssignToTheBoundVariable) {
  Options options;
  OptionSet set;
  options.declare(set);
  OptionSet::assign(*set.find("epochs"), std::string_view("7"));
  OptionSet::assign(*set.find("beta"), std::string_view("1e-3"));
  OptionSet::assign(*set.find("pool"), std::string_view("mean"));
  OptionSet::assign(*set.find("anomaly-class"), std::string_view("-1"));
  OptionSet::assign(*set.find("files"), std::string_view("a"));
  OptionSet::assign(*set.find("files"), std::string_view("b"));
  EXPECT_EQ(options.epochs, 7);
  EXPECT_DOUBLE_EQ(options.beta, 1e-3);
  EXPECT_EQ(options.pool, Pool::mean);
  EXPECT_EQ(options.anomaly_class, "-1");
  EXPECT_THAT(options.files, testing::ElementsAre("a", "b"));
  EXPECT_TRUE(set.find("epochs")->given);
  EXPECT_FALSE(set.find("seed")->given);
}

TEST(OptionSet, SayWhatWasExpected) {
  Options options;
  OptionSet set;
  options.declare(set);
  EXPECT_EQ(message_of(set, "epochs", "0"),
            "epochs: '0' is not valid, expected a whole number, 1 … 1000");
  EXPECT_EQ(message_of(set, "epochs", "1.5"),
            "epochs: '1.5' is not valid, expected a whole number, 1 … 1000");
  EXPECT_EQ(message_of(set, "seed", "-1"),
            "seed: '-1' is not valid, expected a whole number, not negative");
  EXPECT_EQ(message_of(set, "beta", "nan"), "beta: 'nan' is not valid, expected a number, 0 … 1");
  EXPECT_EQ(message_of(set, "pool", "maen"),
            "pool: 'maen' is not valid, expected one of rq, mean, did you mean mean?");
  EXPECT_EQ(options.epochs, 100) << "a bad value changes nothing";
}

TEST(OptionSet, GiveMetadataOfWhatChangesTheResultOnly) {
  Options options;
  OptionSet set;
  options.declare(set);
  const auto values = set.values();
  EXPECT_EQ(values["epochs"], 100);
  EXPECT_EQ(values["pool"], "rq");
  EXPECT_TRUE(values["anomaly-class"].is_null());
  EXPECT_FALSE(values.contains("quiet"));
  EXPECT_FALSE(values.contains("output"));
}

TEST(OptionSet, TakesListsAndOptionalNumbersAsTheirTypes) {
  std::vector<double> scales;
  std::optional<double> threshold;
  OptionSet set;
  set.add("scales", scales, "several", {0, 10});
  set.add("threshold", threshold, "one");
  EXPECT_TRUE(set.values()["threshold"].is_null());
  OptionSet::assign(set.at("scales"), OptionValue(std::vector<double>{0.1, 2}));
  OptionSet::assign(set.at("threshold"), OptionValue(0.3));
  EXPECT_THAT(scales, testing::ElementsAre(0.1, 2.0));
  EXPECT_EQ(threshold, 0.3);
  OptionSet::assign(set.at("scales"), OptionValue(std::vector<double>{4}));
  EXPECT_THAT(scales, testing::ElementsAre(4.0)) << "a new list replaces the old one";
  EXPECT_EQ(message_of(set, "scales", "x"), "scales: 'x' is not valid, expected a number, 0 … 10");
}

TEST(OptionSet, RefusesAListForOneValue) {
  Options options;
  OptionSet set;
  options.declare(set);
  try {
    OptionSet::assign(set.at("epochs"), OptionValue(std::vector<double>{1, 2}));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "epochs");
    EXPECT_EQ(error.message(), "expected one value, not a list");
  }
}

TEST(OptionSet, AsksForADerivedDefaultWhenItIsNeeded) {
  bool fast = false;
  Derived<int> epochs([&fast] { return fast ? 5 : 100; });
  OptionSet set;
  set.add("epochs", epochs, "passes", {1, 1000});
  EXPECT_EQ(epochs(), 100);
  fast = true;
  EXPECT_EQ(epochs(), 5);
  EXPECT_EQ(set.values()["epochs"], 5);
  OptionSet::assign(set.at("epochs"), OptionValue(7));
  fast = false;
  EXPECT_EQ(epochs(), 7);
}

TEST(OptionSet, RefusesTwoOptionsThatSayTheSame) {
  std::optional<std::string> label;
  OptionSet set;
  set.add("label-column", label, "NAME", "classes");
  set.add("task", label, "NAME", "classes").instead_of("label-column");
  OptionSet::assign(set.at("task"), OptionValue("a"));
  set.check();  // one alone is fine
  EXPECT_EQ(label, "a");
  OptionSet::assign(set.at("label-column"), OptionValue("b"));
  try {
    set.check();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(error.option(), "task");
    EXPECT_THAT(error.message(), testing::HasSubstr("`label-column`"));
  }
}

}  // namespace
}  // namespace rayleigh::core
