#include "core/parameters.h"

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

  void declare(ParameterSet& set) {
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

std::string message_of(ParameterSet& set, const char* name, const char* text) {
  try {
    ParameterSet::assign(*set.find(name), text, std::string("--") + name);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Parameters, TakeTheirDefaultFromTheBoundVariable) {
  Options options;
  ParameterSet set;
  options.declare(set);
  EXPECT_EQ(set.find("epochs")->default_text, "100");
  EXPECT_EQ(set.find("epochs")->range, "1 … 1000");
  EXPECT_EQ(set.find("pool")->default_text, "rq");
  EXPECT_EQ(set.find("pool")->range, "rq|mean");
  EXPECT_EQ(set.find('o'), set.find("output"));
  EXPECT_EQ(set.find("nothing"), nullptr);
}

TEST(Parameters, AssignToTheBoundVariable) {
  Options options;
  ParameterSet set;
  options.declare(set);
  ParameterSet::assign(*set.find("epochs"), "7", "--epochs");
  ParameterSet::assign(*set.find("beta"), "1e-3", "--beta");
  ParameterSet::assign(*set.find("pool"), "mean", "--pool");
  ParameterSet::assign(*set.find("anomaly-class"), "-1", "--anomaly-class");
  ParameterSet::assign(*set.find("files"), "a", "--files");
  ParameterSet::assign(*set.find("files"), "b", "--files");
  EXPECT_EQ(options.epochs, 7);
  EXPECT_DOUBLE_EQ(options.beta, 1e-3);
  EXPECT_EQ(options.pool, Pool::mean);
  EXPECT_EQ(options.anomaly_class, "-1");
  EXPECT_THAT(options.files, testing::ElementsAre("a", "b"));
  EXPECT_TRUE(set.find("epochs")->given);
  EXPECT_FALSE(set.find("seed")->given);
}

TEST(Parameters, SayWhatWasExpected) {
  Options options;
  ParameterSet set;
  options.declare(set);
  EXPECT_EQ(message_of(set, "epochs", "0"),
            "--epochs: '0' is not valid, expected a whole number, 1 … 1000");
  EXPECT_EQ(message_of(set, "epochs", "1.5"),
            "--epochs: '1.5' is not valid, expected a whole number, 1 … 1000");
  EXPECT_EQ(message_of(set, "seed", "-1"),
            "--seed: '-1' is not valid, expected a whole number, not negative");
  EXPECT_EQ(message_of(set, "beta", "nan"), "--beta: 'nan' is not valid, expected a number, 0 … 1");
  EXPECT_EQ(message_of(set, "pool", "maen"),
            "--pool: 'maen' is not valid, expected one of rq, mean, did you mean mean?");
  EXPECT_EQ(options.epochs, 100) << "a bad value changes nothing";
}

TEST(Parameters, GiveMetadataOfWhatChangesTheResultOnly) {
  Options options;
  ParameterSet set;
  options.declare(set);
  const auto values = set.values();
  EXPECT_EQ(values["epochs"], 100);
  EXPECT_EQ(values["pool"], "rq");
  EXPECT_TRUE(values["anomaly-class"].is_null());
  EXPECT_FALSE(values.contains("quiet"));
  EXPECT_FALSE(values.contains("output"));
}

}  // namespace
}  // namespace rayleigh::core
