#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/training_folder.h"

namespace rayleigh::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kHeader = "index,id,score,probability,anomalous,status,reason";

CommandResult score(const TrainingFolder& folder, const std::string& data,
                    const std::string& flags = {}, const std::string& input = {}) {
  return run_command("score " + folder.path("m.model") + " " +
                         (data == "-" ? data : folder.path(data)) + " " + flags,
                     input);
}

/// A folder with a model, trained once a test.
struct Score : testing::Test {
  Score() { folder.train("--predictions " + folder.path("p.csv")); }
  TrainingFolder folder;
};

TEST_F(Score, PrintsARowAGraphInOrderWithTheScoresOfTraining) {
  const auto result = score(folder, "data.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto rows = lines_of(result.out);
  const auto predictions = lines_of(folder.text("p.csv"));
  ASSERT_EQ(rows.size(), 201U);
  ASSERT_EQ(predictions.size(), 201U);
  EXPECT_EQ(rows[0], kHeader);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto row = cells_of(rows[i]);
    const auto trained = cells_of(predictions[i]);
    ASSERT_EQ(row.size(), 7U);
    EXPECT_EQ(row[0], std::to_string(i - 1));
    EXPECT_EQ(row[1], trained[1]) << "id";
    EXPECT_EQ(row[2], trained[4]) << "score";
    EXPECT_EQ(row[3], trained[5]) << "probability";
    EXPECT_EQ(row[4], trained[6]) << "anomalous";
    EXPECT_EQ(row[5], "ok");
    EXPECT_EQ(row[6], "");
  }
}

TEST_F(Score, IsTheSameForAnyNumberOfThreadsAndFromStdin) {
  const auto one = score(folder, "data.jsonl", "--threads 1").out;
  EXPECT_EQ(one, score(folder, "data.jsonl", "--threads 3").out);
  const auto piped = score(folder, "-", "", folder.text("data.jsonl"));
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_EQ(piped.out, one);
}

TEST_F(Score, ModelAndDataInTheWrongOrderAreRecognised) {
  const auto turned =
      run_command("score " + folder.path("data.jsonl") + " " + folder.path("m.model"));
  EXPECT_EQ(turned.exit_code, 3);
  EXPECT_THAT(turned.err, HasSubstr("MODEL comes first, then DATA"));
  const auto models = score(folder, "m.model");
  EXPECT_EQ(models.exit_code, 3);
  EXPECT_THAT(models.err, HasSubstr("this is a model, expected graphs or molecules"));
  const auto data =
      run_command("score " + folder.path("data.jsonl") + " " + folder.path("data.jsonl"));
  EXPECT_EQ(data.exit_code, 3);
  EXPECT_THAT(data.err, HasSubstr("this is not a model, expected a file that training wrote"));
}

TEST_F(Score, BadRowsKeepTheirPlaceAndTheExitCodeSaysSo) {
  const auto good = lines_of(folder.text("data.jsonl"));
  const auto result =
      score(folder, "-", "",
            good[0] + "\nnonsense\n" + good[1] + "\n{\"node_labels\":[],\"edges\":[]}\n" + good[2] +
                "\n{\"node_labels\":[\"C\"],\"edges\":[[0,5]],\"edge_labels\":[1],"
                "\"id\":\"b,\\\"d\"}\n");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  const auto rows = lines_of(result.out);
  const auto alone = lines_of(score(folder, "data.jsonl").out);
  ASSERT_EQ(rows.size(), 7U);
  for (const std::size_t i : {0U, 1U, 2U}) {
    const auto row = cells_of(rows[1 + 2 * i]);
    EXPECT_EQ(row[0], std::to_string(2 * i));
    EXPECT_EQ(row[2], cells_of(alone[1 + i])[2]) << "its score does not depend on its neighbours";
    EXPECT_EQ(row[5], "ok");
  }
  EXPECT_THAT(rows[2], testing::StartsWith("1,2,,,,parse-error,"));
  EXPECT_THAT(rows[4], testing::StartsWith("3,4,,,,parse-error,"));
  EXPECT_THAT(rows[4], HasSubstr("no nodes"));
  EXPECT_THAT(rows[6], testing::StartsWith("5,\"b,\"\"d\",,,,parse-error,"));
  EXPECT_THAT(result.err, HasSubstr("3 of 6 rows failed"));
}

TEST_F(Score, AllRowsMayBeBad) {
  const auto result = score(folder, "-", "", "x\ny\n");
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(lines_of(result.out).size(), 3U);
}

constexpr const char* kStrange =
    "{\"node_labels\":[\"C\",\"O\"],\"edges\":[[0,1]],\"edge_labels\":[1]}\n"
    "{\"node_labels\":[\"C\",\"Xx\"],\"edges\":[[0,1]],\"edge_labels\":[1]}\n";

/// Graphs with an attribute whose sign tells their class.
std::string with_attributes(int graphs) {
  std::string text;
  for (int i = 0; i < graphs; ++i) {
    text += fmt::format(R"({{"label":{},"edges":[[0,1],[1,2]],"node_attributes":[{},{},{}]}})"
                        "\n",
                        i % 4 == 0 ? 1 : 0, (i % 4 == 0 ? 1 : -1) * (i % 7), i % 3, i % 5);
  }
  return text;
}

constexpr const char* kOverflow =
    R"({"label":0,"edges":[[0,1],[1,2]],"node_attributes":[3e38,-3e38,3e38]})"
    "\n";

TEST_F(Score, NumbersThatOverflowAreAFailedRow) {
  folder.write("with.jsonl", with_attributes(120));
  for (const char* model :
       {"--profile published --features both", "--profile paper --features attributes"}) {
    const auto trained = run_command("train " + folder.path("with.jsonl") + " -o " +
                                     folder.path("a.model") + " --epochs 3 --hidden 8 " + model);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto rows_of = [&](const std::string& flags) {
      const auto result = run_command("score " + folder.path("a.model") + " - " + flags,
                                      with_attributes(1) + kOverflow);
      EXPECT_EQ(result.exit_code, 4) << result.err;
      EXPECT_THAT(result.err, HasSubstr("1 of 2 rows failed"));
      return lines_of(result.out);
    };
    const auto csv = rows_of("");
    ASSERT_EQ(csv.size(), 3U);
    EXPECT_EQ(cells_of(csv[1])[5], "ok");
    EXPECT_THAT(csv[2], testing::StartsWith("1,2,,,,error,the score is not a finite number"));
    const auto row = json::parse(rows_of("--format jsonl")[1]);
    EXPECT_TRUE(row["score"].is_null() && row["anomalous"].is_null());
    EXPECT_EQ(row["status"], "error");
    EXPECT_EQ(rows_of("--top 2").size(), 2U);
    folder.write("overflow.jsonl", with_attributes(20) + kOverflow);
    const auto measured =
        run_command("evaluate " + folder.path("a.model") + " " + folder.path("overflow.jsonl"));
    EXPECT_EQ(measured.exit_code, 3);
    EXPECT_THAT(measured.err, HasSubstr("graph 21 has no score"));
    const auto explained = run_command("explain " + folder.path("a.model") + " " +
                                       folder.path("overflow.jsonl") + " -o " + folder.path("why"));
    EXPECT_EQ(explained.exit_code, 4);
    EXPECT_THAT(explained.err, HasSubstr("21 has no score"));
  }
}

TEST_F(Score, TrainingNamesTheColumnThatOverflows) {
  // Column 2 is constant but for a graph that may be in any part.
  std::string text;
  for (int i = 0; i < 60; ++i) {
    text += fmt::format(R"({{"label":{},"edges":[[0,1]],"node_attributes":[[{},{}],[1,0.5]]}})"
                        "\n",
                        i % 3 == 0 ? 1 : 0, i % 7,
                        i == 31      ? "3e38"
                        : i % 2 == 0 ? "0.25"
                                     : "0.75");
  }
  folder.write("column.jsonl", text);
  int named = 0;
  for (const char* seed : {"3", "5", "6", "7", "8"}) {
    const auto result = run_command(
        "train " + folder.path("column.jsonl") + " -o " + folder.path("c.model") +
        " --profile published --features attributes --epochs 1 --hidden 4 --seed " + seed);
    // In the training part it is one of the numbers that the scale comes from.
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
    named += result.err.find("column 2 of the node attributes overflows: 3e+38 in graph 32") !=
                     std::string::npos
                 ? 1
                 : 0;
  }
  EXPECT_GT(named, 0);
  EXPECT_EQ(run_command("train " + folder.path("column.jsonl") + " -o " + folder.path("c.model") +
                        " --profile published --epochs 1 --hidden 4")
                .exit_code,
            0)
      << "who does not look at the numbers is not concerned";
}

TEST_F(Score, ALabelNeverSeenCountsAsOtherAndIsSaid) {
  const auto result = score(folder, "-", "", kStrange);
  EXPECT_EQ(result.exit_code, 0) << "it is a finding, and all rows have scores";
  const auto rows = lines_of(result.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(cells_of(rows[1])[5], "ok");
  const auto strange = cells_of(rows[2]);
  EXPECT_EQ(strange[5], "unknown-label");
  EXPECT_EQ(strange[6], "a node label was never seen in training");
  EXPECT_TRUE(std::isfinite(std::stod(strange[2])));
  EXPECT_THAT(result.err, HasSubstr("1 with labels the model never saw"));
}

TEST_F(Score, OrFailsItsRowWhenAskedTo) {
  const auto result = score(folder, "-", "--unknown-label error", kStrange);
  EXPECT_EQ(result.exit_code, 4);
  const auto rows = lines_of(result.out);
  EXPECT_EQ(cells_of(rows[1])[5], "ok");
  EXPECT_EQ(rows[2], "1,2,,,,error,a node label was never seen in training");
  EXPECT_EQ(score(folder, "-", "--unknown-label fail", kStrange).exit_code, 2);
}

TEST_F(Score, ThresholdDecidesWhatIsAnomalousAndNothingElse) {
  const auto anomalous = [&](const std::string& threshold) {
    const auto result = score(folder, "data.jsonl", "--threshold " + threshold);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::size_t count = 0;
    const auto rows = lines_of(result.out);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto row = cells_of(rows[i]);
      EXPECT_EQ(row[4], std::stod(row[2]) > std::stod(threshold) ? "1" : "0");
      count += row[4] == "1" ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(anomalous("-1"), 200U);
  EXPECT_EQ(anomalous("1"), 0U);
  const auto some = cells_of(lines_of(score(folder, "data.jsonl").out)[7])[2];
  const auto at = anomalous(some);
  EXPECT_GT(at, 0U);
  EXPECT_LT(at, 200U);
  for (const char* bad : {"x", "nan", "inf", "0.5x", "''"}) {
    const auto result = score(folder, "data.jsonl", std::string("--threshold ") + bad);
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_THAT(result.err, HasSubstr("--threshold")) << bad;
    EXPECT_EQ(result.out, "") << bad;
  }
}

TEST_F(Score, JsonHasTheSameNumbers) {
  const auto csv = lines_of(score(folder, "-", "", kStrange + std::string("nonsense\n")).out);
  const auto result = score(folder, "-", "--format json", kStrange + std::string("nonsense\n"));
  EXPECT_EQ(result.exit_code, 4);
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    const json row = json::parse(lines[i]);
    const auto cells = cells_of(csv[i + 1]);
    EXPECT_EQ(row["index"], i);
    EXPECT_EQ(row["score"].get<double>(), std::stod(cells[2]));
    EXPECT_EQ(row["probability"].get<double>(), std::stod(cells[3]));
    EXPECT_EQ(row["anomalous"], cells[4] == "1");
    EXPECT_EQ(row["status"], cells[5]);
  }
  const json bad = json::parse(lines[2]);
  EXPECT_TRUE(bad["score"].is_null());
  EXPECT_EQ(bad["status"], "parse-error");
  EXPECT_NE(bad["reason"], "");
}

TEST_F(Score, EmbeddingsHaveARowForEveryScoredGraph) {
  const auto good = lines_of(folder.text("data.jsonl"));
  const auto result = score(folder, "-", "--embeddings " + folder.path("e.csv"),
                            good[0] + "\nnonsense\n" + good[1] + "\n");
  EXPECT_EQ(result.exit_code, 4);
  const auto rows = lines_of(folder.text("e.csv"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0], testing::StartsWith("index,id,e0,e1,"));
  EXPECT_EQ(cells_of(rows[1])[0], "0");
  EXPECT_EQ(cells_of(rows[2])[0], "2");
  EXPECT_EQ(cells_of(rows[0]).size(), 2U + 16U) << "twice the hidden width";
  EXPECT_EQ(cells_of(rows[1]).size(), cells_of(rows[0]).size());
  EXPECT_NE(rows[1].substr(4), rows[2].substr(4));
}

TEST_F(Score, RowsAreTheSameOnBothSidesOfAChunk) {
  const auto line = lines_of(folder.text("data.jsonl"))[0] + "\n";
  std::string many;
  constexpr std::size_t kRows = 4100;  // more than a chunk
  for (std::size_t i = 0; i < kRows; ++i) {
    many += line;
  }
  const auto rows = lines_of(score(folder, "-", "", many).out);
  ASSERT_EQ(rows.size(), kRows + 1);
  const auto first = cells_of(rows[1]);
  for (std::size_t i = 1; i <= kRows; ++i) {
    const auto row = cells_of(rows[i]);
    ASSERT_EQ(row[0], std::to_string(i - 1));
    ASSERT_EQ(row[2], first[2]) << i;
  }
}

TEST_F(Score, FailsBeforeTheFirstRowWhereItCannot) {
  const auto nowhere = score(folder, "data.jsonl", "--embeddings " + folder.path("missing/e.csv"));
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_EQ(nowhere.out, "");
  EXPECT_EQ(score(folder, "missing.jsonl").exit_code, 3);
  const auto swapped =
      run_command("score " + folder.path("data.jsonl") + " " + folder.path("m.model"));
  EXPECT_EQ(swapped.exit_code, 3);
  EXPECT_THAT(swapped.err, HasSubstr(folder.path("data.jsonl") + ": "));
}

}  // namespace
}  // namespace rayleigh::test
