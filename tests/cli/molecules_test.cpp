// The verbs on molecules. Skipped with a line where the module was not built.
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_command.h"
#include "support.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Chains with an oxygen are normal, rings are anomalous; some rows are bad or lack the class.
std::string screen() {
  std::string text = "name,smiles,activity,other\n";
  for (int i = 0; i < 160; ++i) {
    const std::string chain(static_cast<std::size_t>(1 + i % 9), 'C');
    const bool ring = i % 4 == 3;
    text += "m" + std::to_string(i) + ",";
    text += ring ? "c1ccc" + std::string(i % 8 == 3 ? "n" : "c") + "c1" + chain
                 : chain + "O" + std::string(static_cast<std::size_t>(i % 5), 'C');
    text += ring ? ",active,1\n" : ",inactive,0\n";
  }
  return text + "\n\"bad, one\",C1CC,active,1\nunknown,CCC,,\n";
}

class MoleculeVerbs : public testing::Test {
 protected:
  void SetUp() override {
    write_text(folder_ / "screen.csv", screen());
    const auto probe = run_command("inspect - --input smi --quiet", "CC\n");
    if (probe.exit_code == 1) {
      GTEST_SKIP() << "skipped, built without RDKit: " << probe.err;
    }
  }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  CommandResult train(const std::string& flags) const {
    return run_command("train " + path("screen.csv") + " -o " + path("m.model") +
                       " --format json --model label-counts " + flags);
  }

  TemporaryFolder folder_;
};

TEST_F(MoleculeVerbs, GiveAForestItsFingerprints) {
  const std::string table = path("screen.csv");
  const std::string reading = " --label-column activity --anomaly-class active --quiet ";
  const auto trained = run_command("train " + table + " --model ecfp-forest --trees 30 -o " +
                                   path("f.model") + reading + "--format json");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_EQ(json::parse(trained.out)["test"]["auc"], 1.0);
  const auto measured = run_command("evaluate " + path("f.model") + " " + table + reading +
                                    "--split test --format json");
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const auto scored =
      run_command("score " + path("f.model") + " - --input smi --quiet", "c1ccccc1CC\nCCO\n");
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("0,1,1,"));
  EXPECT_THAT(scored.out, HasSubstr("1,2,0,"));
  const auto compared =
      run_command("compare " + table + " --models size,ecfp-forest:trees=30 --seeds 1 -o " +
                  path("c") + " --label-column activity --anomaly-class active --quiet");
  EXPECT_EQ(compared.exit_code, 0) << compared.err;

  write_text(folder_ / "plain.jsonl", "{\"node_labels\":[\"C\"],\"edges\":[],\"label\":\"1\"}\n");
  const auto others = run_command("score " + path("f.model") + " " + path("plain.jsonl"));
  EXPECT_EQ(others.exit_code, 3);
  EXPECT_EQ(others.out, "");
  EXPECT_THAT(others.err, HasSubstr("plain.jsonl: ecfp-forest needs molecules (.smi, .csv"));
  const auto refused =
      run_command("train " + path("plain.jsonl") + " --model ecfp-forest -o " + path("x.model"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("ecfp-forest needs molecules (.smi, .csv"));
  const auto explained =
      run_command("explain " + path("f.model") + " " + table + " -o " + path("e"));
  EXPECT_EQ(explained.exit_code, 2);
  EXPECT_THAT(explained.err, HasSubstr("scores of ecfp-forest cannot be explained"));
}

TEST_F(MoleculeVerbs, TrainScoreAndEvaluateFromATable) {
  const auto trained = train("--label-column activity --anomaly-class active");
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("SMILES from column 'smiles'"));
  EXPECT_THAT(trained.err, HasSubstr("name from 'name'"));
  EXPECT_THAT(trained.err, HasSubstr("1 rows left out"));
  EXPECT_THAT(trained.err, HasSubstr("unclosed ring"));
  EXPECT_THAT(trained.err, HasSubstr("screen.csv:163"));
  EXPECT_THAT(trained.err, HasSubstr("1 molecules without a value in column 'activity'"));
  const json out = json::parse(trained.out);
  EXPECT_EQ(out["data"]["graphs"], 161);
  EXPECT_EQ(out["data"]["anomalous"], 40);

  const auto scored = run_command("score " + path("m.model") + " - --input csv --quiet", screen());
  EXPECT_EQ(scored.exit_code, 4) << scored.err;
  EXPECT_THAT(scored.out,
              HasSubstr("\n160,\"bad, one\",,,,parse-error,SMILES Parse Error: unclosed ring"));
  EXPECT_THAT(scored.out, HasSubstr("\n161,unknown,"));
  const auto evaluated = run_command("evaluate " + path("m.model") + " " + path("screen.csv") +
                                     " --task activity --split test --format json");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(json::parse(evaluated.out)["graphs"], out["split"]["test"]);
}

TEST_F(MoleculeVerbs, SplitByScaffold) {
  const auto trained =
      train("--label-column other --split scaffold/60/20/20 --predictions " + path("p.csv"));
  ASSERT_EQ(trained.exit_code, 2) << trained.out;  // three scaffolds: a part lacks a class
  EXPECT_THAT(trained.err, HasSubstr("part has no"));
  write_text(folder_ / "graphs.jsonl",
             "{\"nodes\":1,\"edges\":[],\"label\":1}\n"
             "{\"nodes\":1,\"edges\":[],\"label\":1}\n"
             "{\"nodes\":2,\"edges\":[],\"label\":0}\n"
             "{\"nodes\":2,\"edges\":[],\"label\":0}\n");
  const auto plain = run_command("train " + path("graphs.jsonl") + " -o " + path("x.model") +
                                 " --model size --split scaffold --anomaly-class 1");
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.err, HasSubstr("only molecules have"));
}

TEST_F(MoleculeVerbs, KeepWholeScaffoldsInOnePart) {
  std::string text = "smiles,label\n";
  for (int ring = 3; ring < 23; ++ring) {
    for (int tail = 0; tail < 10; ++tail) {
      text += "C1" + std::string(static_cast<std::size_t>(ring - 2), 'C') + "C1" +
              std::string(static_cast<std::size_t>(tail), 'C') + (tail < 3 ? "O,1\n" : "N,0\n");
    }
  }
  write_text(folder_ / "screen.csv", text);
  const auto trained = train("--split scaffold --predictions " + path("p.csv"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json out = json::parse(trained.out);
  EXPECT_EQ(out["split"]["train"], 140);
  EXPECT_EQ(out["split"]["validation"], 30);
  EXPECT_EQ(out["split"]["test"], 30);
  const auto evaluated = run_command("evaluate " + path("m.model") + " " + path("screen.csv") +
                                     " --split test --format json");
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_EQ(json::parse(evaluated.out)["graphs"], 30);
  const auto csv = read_text(folder_ / "p.csv");
  EXPECT_THAT(csv, HasSubstr("0,1,train"));
  EXPECT_THAT(csv, HasSubstr("139,140,train"));
  EXPECT_THAT(csv, HasSubstr("140,141,validation"));
  EXPECT_THAT(csv, HasSubstr("199,200,test"));
}

TEST_F(MoleculeVerbs, ModelsRememberHowAtomsWereLabelled) {
  write_text(folder_ / "screen.csv",
             "smiles,label\nC[NH3+],1\nCC[NH3+],1\nCCC[NH3+],1\nCCCC[NH3+],1\nCN,0\nCCN,0\nCCCN,0\n"
             "CCCCN,0\n");
  ASSERT_EQ(train("--atoms element+charge --split 50/50/0 --anomaly-class 1").exit_code, 0);
  const auto inspected = run_command("score " + path("m.model") + " - --input smi", "C[NH3+]\n");
  EXPECT_EQ(inspected.exit_code, 0) << inspected.out << inspected.err;
  const auto other =
      run_command("score " + path("m.model") + " - --input smi --atoms detailed", "C[NH3+]\n");
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_THAT(other.out, HasSubstr("unknown-label")) << "labels the model never saw";
}

TEST_F(MoleculeVerbs, SayWhatToDoAboutColumns) {
  const auto missing = run_command("inspect " + path("screen.csv") + " --label-column activty");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("did you mean activity?"));
  const auto empty = run_command("inspect - --input csv", "smiles,label\n");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.err, HasSubstr("no molecules"));
}

/// What the command says in `folder`, started by its bare name through PATH.
CommandResult run_through_path(const std::filesystem::path& folder, const std::string& arguments,
                               const std::string& input) {
  write_text(folder / "in", input);
  const auto bin = std::filesystem::path(RAYLEIGH_COMMAND).parent_path();
  const std::string line = "cd '" + folder.string() + "' && PATH='" + bin.string() +
                           "':$PATH exec rayleigh " + arguments + " <in >out 2>err";
  const int status = std::system(("bash -c \"" + line + "\"").c_str());
  return {WEXITSTATUS(status), read_text(folder / "out"), read_text(folder / "err")};
}

TEST_F(MoleculeVerbs, LoadNoCodeFromTheWorkingFolder) {
  for (const char* place : {"", "rayleigh/", "lib/rayleigh/"}) {
    const TemporaryFolder folder;
    write_text(folder / (place + std::string("librayleigh_molecules.so")), "not a library\n");
    if (!std::filesystem::exists(folder / "rayleigh")) {
      write_text(folder / "rayleigh", "not the program\n");
    }
    const auto result = run_through_path(folder.path(), "inspect - --input smi --quiet", "CC\n");
    EXPECT_EQ(result.exit_code, 0) << place << ": " << result.err;
  }
}

TEST_F(MoleculeVerbs, WorkBesideAFolderOfTheProgramsName) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "rayleigh");
  const auto result = run_through_path(folder.path(), "inspect - --input smi --quiet", "CC\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(MoleculeModule, SaysHowToGetItWhereItIsMissing) {
  setenv("RAYLEIGH_MODULES", "/nowhere", 1);
  const auto molecules = run_command("inspect - --input smi", "CC\n");
  const auto graphs = run_command("inspect -", "{\"nodes\":1,\"edges\":[]}\n");
  unsetenv("RAYLEIGH_MODULES");
  EXPECT_EQ(molecules.exit_code, 1);
  EXPECT_THAT(molecules.err, HasSubstr("librdkit-dev"));
  EXPECT_THAT(molecules.err, HasSubstr("RAYLEIGH_MODULES"));
  EXPECT_EQ(graphs.exit_code, 0) << "nothing else needs it";
}

}  // namespace
}  // namespace rayleigh::test
