// Every defect of TU files: refused as bad data, with file and line, in one line.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;

void expect_bad_file(const std::string& name, const std::string& text, std::uint64_t line,
                     const std::vector<std::string>& words) {
  SCOPED_TRACE(name + ": " + text);
  expect_tu_defect(with(small_tu(), name, text), name, line, words);
}

TEST(TuBadInput, RefusesEmptyFiles) {
  for (const auto* name :
       {"X_A.txt", "X_graph_indicator.txt", "X_graph_labels.txt", "X_node_labels.txt",
        "X_node_attributes.txt", "X_edge_labels.txt", "X_edge_attributes.txt"}) {
    expect_bad_file(name, "", 0, {"empty", "expected"});
  }
  expect_bad_file("X_graph_indicator.txt", "\n\n", 0, {"empty"});
}

TEST(TuBadInput, RefusesAGraphOfNoNodesAtTheEnd) {
  expect_bad_file("X_graph_labels.txt", "1\n-1\n1\n1\n1\n", 4,
                  {"graph 4 has no nodes", "X_graph_indicator.txt"});
}

TEST(TuBadInput, RefusesNodeIdsThatDoNotExist) {
  expect_bad_file("X_A.txt", "1, 2\n0, 1\n", 2, {"node id 0", "from 1"});
  expect_bad_file("X_A.txt", "1, 2\n2, 0\n", 2, {"node id 0", "from 1"});
  expect_bad_file("X_A.txt", "1, 2\n2, 1\n-3, 2\n", 3, {"node id -3"});
  expect_bad_file("X_A.txt", "1, 2\n2, -9223372036854775808\n", 2, {"-9223372036854775808"});
  expect_bad_file("X_A.txt", "4, 5\n5, 7\n", 2, {"node id 7"});
  expect_defect([] { load_tu_files(with(small_tu(), "X_A.txt", "4, 5\n5, 7\n")); }, "X_A.txt", 2,
                {"node id 7", "X_graph_indicator.txt has 6 lines"});
  expect_bad_file("X_A.txt", "1, 2\n7, 5\n", 2, {"node id 7", "6 lines"});
  expect_bad_file("X_A.txt", "4, 5\n5, 2147483649\n", 2, {"node id 2147483649"});
  expect_bad_file("X_A.txt", "4, 5\n5, 4294967300\n", 2, {"node id 4294967300"});
  expect_bad_file("X_A.txt", "4, 5\n5, 9223372036854775807\n", 2, {"9223372036854775807"});
  expect_bad_file("X_A.txt", "1, 2\n2, 99999999999999999999\n", 2,
                  {"99999999999999999999", "out of range"});
}

TEST(TuBadInput, RefusesGraphIdsOutOfRange) {
  expect_bad_file("X_graph_indicator.txt", "0\n1\n1\n2\n2\n3\n", 1, {"graph id 0", "from 1"});
  expect_bad_file("X_graph_indicator.txt", "1\n-1\n1\n2\n2\n3\n", 2, {"graph id -1"});
  expect_bad_file("X_graph_indicator.txt", "1\n1\n1\n2\n2\n4\n", 6,
                  {"graph id 4", "X_graph_labels.txt", "3 lines"});
  expect_tu_defect(with(without(small_tu(), "X_graph_labels.txt"), "X_graph_indicator.txt",
                        "1\n1\n1\n2\n2\n2147483648\n"),
                   "X_graph_indicator.txt", 6, {"graph id 2147483648", "at most 2147483647"});
}

TEST(TuBadInput, RefusesAnIndicatorThatDecreases) {
  expect_bad_file("X_graph_indicator.txt", "1\n1\n2\n1\n2\n3\n", 4,
                  {"graph id 1 after 2", "never decrease"});
}

TEST(TuBadInput, RefusesAnEdgeBetweenTwoGraphs) {
  expect_bad_file("X_A.txt", "1, 2\n2, 4\n", 2, {"graph"});
  expect_bad_file("X_A.txt", "1, 2\n4, 3\n", 2, {"graph"});
  expect_defect([] { load_tu_files(with(small_tu(), "X_A.txt", "1, 2\n2, 4\n")); }, "X_A.txt", 2,
                {"edge 2, 4 joins graph 1 and graph 2"});
}

TEST(TuBadInput, RefusesNulBytes) {
  expect_bad_file("X_A.txt", std::string("1, 2\n2\0, 1\n", 11), 2, {"\\x00", "whole number"});
  expect_bad_file("X_graph_labels.txt", std::string("1\n\0\n1\n", 6), 2, {"\\x00"});
}

TEST(TuBadInput, RefusesExtraAndMissingColumns) {
  expect_bad_file("X_A.txt", "1, 2\n2, 1, 1\n", 2, {"3 values", "expected 2"});
  expect_bad_file("X_A.txt", "1, 2\n2\n", 2, {"1 value", "expected 2"});
  expect_bad_file("X_A.txt", "1, 2\n2,\n", 2, {"missing after the comma"});
  expect_bad_file("X_A.txt", "1, 2\n2,,1\n", 2, {"not a whole number"});
  expect_bad_file("X_graph_indicator.txt", "1\n1, 1\n1\n2\n2\n3\n", 2, {"2 values"});
  expect_bad_file("X_graph_labels.txt", "1\n1\n1 1\n", 3, {"2 values"});
  expect_bad_file("X_node_labels.txt", "0\n1\n0\n2, 2\n2\n0\n", 4, {"2 values", "first line"});
  expect_bad_file("X_node_attributes.txt", "0, 1\n1, 1\n0\n2, 2\n2, 1\n0, 0\n", 3,
                  {"1 value", "expected 2", "first line"});
  expect_bad_file("X_edge_attributes.txt", "0, 1\n1, 1\n0\n2, 2\n2, 1\n0, 0\n", 3,
                  {"1 value", "expected 2", "first line"});
}

TEST(TuBadInput, RefusesEdgeAttributesThatFitNoEdge) {
  expect_bad_file("X_edge_attributes.txt", "0\n0\n0\n0\n0\n0\n0\n", 7,
                  {"no partner in X_A.txt", "per edge row"});
  expect_tu_defect(with(small_tu(), "X_edge_attributes.txt", "0\n0\n"), "X_A.txt", 3,
                   {"no partner in X_edge_attributes.txt"});
  expect_bad_file("X_edge_attributes.txt", "0\n0\nnan\n0\n0\n0\n", 3, {"nan"});
  expect_bad_file("X_edge_attributes.txt", "0\n1e39\n0\n0\n0\n0\n", 2, {"1e39"});
}

TEST(TuBadInput, NamesTheFirstRaggedLineEvenFarDownTheFile) {
  // The line lies just behind the place where the text is cut for the threads.
  std::string indicator;
  std::string labels;
  std::uint64_t bad_line = 0;
  for (int line = 1; line <= 400'000; ++line) {
    indicator += std::to_string(line) + "\n";
    if (bad_line == 0 && labels.size() > (std::size_t{1} << 20U)) {
      bad_line = static_cast<std::uint64_t>(line);
      labels += "1, 2, 3\n";
    } else {
      labels += "1, 2\n";
    }
  }
  expect_defect(
      [&] {
        load_tu_files({{"X_A.txt", "\n"},
                       {"X_graph_indicator.txt", indicator},
                       {"X_node_labels.txt", labels}});
      },
      "X_node_labels.txt", bad_line, {"3 values", "expected 2"});
}

TEST(TuBadInput, RefusesWhatIsNotANumber) {
  for (const auto* word : {"x", "1.5", "0x1", "1e3", "--1", "+-1", "++1", "+", "-", "1;2", "\"1\"",
                           "1,", ",1", "\xEF\xBC\x91", "\xC2\xA0"}) {
    expect_bad_file("X_graph_labels.txt", "1\n" + std::string(word) + "\n1\n", 2, {"expected"});
  }
}

TEST(TuBadInput, RefusesABlankLineInTheMiddle) {
  expect_bad_file("X_node_labels.txt", "0\n1\n\n0\n2\n2\n0\n", 3, {"blank line"});
  expect_bad_file("X_A.txt", "1, 2\n \r\n2, 1\n", 2, {"blank line"});
}

TEST(TuBadInput, NamesBothFilesWhereLineCountsDisagree) {
  expect_bad_file("X_node_labels.txt", "0\n1\n0\n2\n2\n0\n1\n1\n", 7,
                  {"X_graph_indicator.txt", "6 lines"});
  expect_tu_defect(with(small_tu(), "X_node_labels.txt", "0\n1\n0\n2\n"), "X_graph_indicator.txt",
                   5, {"X_node_labels.txt", "4 lines"});
  expect_bad_file("X_node_attributes.txt", "0\n1\n0\n2\n2\n0\n1\n", 7,
                  {"X_graph_indicator.txt", "6 lines"});
  expect_bad_file("X_edge_labels.txt", "0\n1\n0\n2\n2\n0\n1\n", 7, {"X_A.txt", "6 lines"});
  expect_tu_defect(with(small_tu(), "X_edge_labels.txt", "0\n1\n"), "X_A.txt", 3,
                   {"X_edge_labels.txt", "2 lines"});
  expect_bad_file("X_graph_names.txt", "a\nb\nc\nd\n", 4, {"X_graph_labels.txt", "3 lines"});
  expect_tu_defect(
      with(without(small_tu(), "X_graph_labels.txt"), "X_graph_names.txt", "a\nb\nc\nd\n"),
      "X_graph_names.txt", 4, {"graph 4 has no nodes", "X_graph_indicator.txt"});
  expect_tu_defect(with(without(small_tu(), "X_graph_labels.txt"), "X_graph_names.txt", "a\nb\n"),
                   "X_graph_indicator.txt", 6, {"X_graph_names.txt", "2 lines"});
}

TEST(TuBadInput, RefusesAttributesThatAreNotFinite) {
  for (const auto* word : {"nan", "NaN", "-nan", "inf", "-Inf", "infinity", "nan(1)", "1e39",
                           "-1e400", "1e-50x", "1e-50+3"}) {
    expect_bad_file("X_node_attributes.txt", "0\n1\n" + std::string(word) + "\n2\n2\n0\n", 3,
                    {word, "expected"});
  }
}

TEST(TuBadInput, RefusesInvalidUtf8) {
  expect_bad_file("X_graph_names.txt", "a\n\xC3(\nc\n", 2, {"UTF-8"});
  expect_bad_file("X_node_label_names.txt", "a\nb\n\xED\xA0\x80\n", 3, {"UTF-8"});
  expect_bad_file("X_node_labels.txt", "0\n1\n0\n\xFF\n2\n0\n", 4, {"\\xff"});
}

TEST(TuBadInput, RefusesNamesThatDoNotFit) {
  expect_tu_defect(with(small_tu(), "X_node_label_names.txt", "a\nb\n"), "X_node_labels.txt", 4,
                   {"label 2 has no name", "2 lines"});
  expect_tu_defect(with(small_tu(), "X_graph_label_names.txt", "a\nb\n"), "X_graph_labels.txt", 2,
                   {"label -1 has no name"});
  expect_bad_file("X_node_label_names.txt", "a\n\nc\n", 2, {"name is empty"});
}

Files one_graph(std::size_t nodes) {
  std::string indicator = "1\n1\n";
  for (std::size_t i = 0; i < nodes; ++i) {
    indicator += "2\n";
  }
  return {{"X_A.txt", "1, 2\n3, 4\n4, 5\n"},
          {"X_graph_indicator.txt", indicator + "3\n"},
          {"X_edge_labels.txt", "1\n2\n3\n"}};
}

TEST(TuBadInput, RefusesAMillionNodesUnlessAllowed) {
  const auto files = one_graph(1'000'000);
  expect_defect([&] { load_tu_files(files); }, "X_graph_indicator.txt", 100'003,
                {"graph 2 has 1,000,000 nodes", "at most 100,000", "`max-nodes`"});
  const auto set = load_tu_files(files, {.max_nodes = 1'000'000});
  EXPECT_EQ(set.size(), 3U);
  EXPECT_EQ(set[1].nodes(), 1'000'000U);
  EXPECT_EQ(set[1].edges(), 2U);
}

TEST(TuBadInput, FailsOnlyTheRowOfAGraphThatIsTooLargeInAStream) {
  auto files = one_graph(1'000'000);
  files[0].second += "1000003, 1000003\n";
  files[2].second += "4\n";
  for (const std::size_t rows : {1U, 2U, 10U}) {
    const auto all = stream_all(*open_tu_files(files), rows);
    ASSERT_EQ(all.rows.size(), 3U);
    EXPECT_TRUE(all.rows[0].ok);
    EXPECT_FALSE(all.rows[1].ok);
    EXPECT_EQ(all.rows[1].id, "2");
    EXPECT_EQ(all.rows[1].place.line, 3U);
    EXPECT_NE(all.rows[1].reason.find("1,000,000 nodes"), std::string::npos);
    EXPECT_TRUE(all.rows[2].ok);
    EXPECT_EQ(all.rows[2].id, "3");
    ASSERT_EQ(all.graphs.size(), 2U);
    EXPECT_EQ(std::get<3>(all.graphs[0].edges.at(0)), "1");
    EXPECT_EQ(all.graphs[1].labels.size(), 1U);
  }
}

TEST(TuBadInput, SaysWhichFileIsMissing) {
  expect_tu_defect(without(small_tu(), "X_graph_indicator.txt"), "X", 0,
                   {"X_graph_indicator.txt is missing", "X_A.txt"});
  expect_tu_defect(without(small_tu(), "X_A.txt"), "X", 0,
                   {"X_A.txt is missing", "X_graph_indicator.txt"});
  expect_tu_defect({{"README", "hello"}}, "X", 0,
                   {"expected NAME_A.txt and NAME_graph_indicator.txt"});
}

TEST(TuBadInput, RefusesTwoDatasetsInOneFolder) {
  expect_tu_defect({{"Y_A.txt", ""}, {"Z_A.txt", ""}}, "X", 0, {"several datasets", "Y, Z"});
}

TEST(TuBadInput, RefusesAFileThatIsThereTwice) {
  expect_tu_defect(with(small_tu(), "X_A.txt.gz", gzip_bytes("1, 2\n")), "X", 0,
                   {"X_A.txt is there twice", "X_A.txt.gz"});
}

TEST(TuBadInput, RefusesDamagedGzip) {
  const auto whole = gzip_bytes(small_tu()[0].second);
  const auto files = without(small_tu(), "X_A.txt");
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{5}, whole.size() / 2, whole.size() - 1}) {
    expect_tu_defect(with(files, "X_A.txt.gz", whole.substr(0, size)), "X_A.txt.gz", 0,
                     {"truncated"});
  }
  auto damaged = whole;
  damaged[damaged.size() - 6] ^= 1;
  expect_tu_defect(with(files, "X_A.txt.gz", damaged), "X_A.txt.gz", 0, {"corrupt"});
  expect_tu_defect(with(files, "X_A.txt.gz", "1, 2\n2, 1\n"), "X_A.txt.gz", 0, {"corrupt"});
}

TEST(TuBadInput, RefusesFilesBeyondTheLimit) {
  expect_defect([] { load_tu_files(small_tu(), {.max_expanded_bytes = 10}); }, "X_A.txt", 0,
                {"limit"});
}

TEST(TuBadInput, KeepsTheMessageOnOneLineWhateverTheFileIsCalled) {
  expect_tu_defect({{"a\nb_A.txt", "1, 2\n"}, {"a\nb_graph_indicator.txt", "x\n"}},
                   "a\\x0ab_graph_indicator.txt", 1, {"not a whole number"});
}

TEST(TuBadInput, RefusesPathsThatCannotBeRead) {
  const TemporaryFolder folder;
  write_text(folder / "file", "hello");
  const auto expect = [&](const std::string& path, const std::vector<std::string>& words) {
    expect_defect([&] { io::load(path); }, path, 0, words);
    expect_defect([&] { io::open(path); }, path, 0, words);
  };
  expect((folder / "absent").string(), {"no such file or directory", "expected a TU folder"});
  expect((folder / "absent.zip").string(), {"no such file or directory"});
  expect((folder / "absent.jsonl").string(), {"no such file or directory"});
  expect((folder / "file").string(), {"not a known kind of file", "expected"});
  expect((folder.path() / "file" / "below").string(), {"Not a directory"});
  fs::create_symlink("nowhere", folder / "link.jsonl");
  expect((folder / "link.jsonl").string(), {"no such file or directory"});
  fs::create_symlink("loop.zip", folder / "loop.zip");
  expect((folder / "loop.zip").string(), {"cannot be read"});
}

TEST(TuBadInput, RefusesADanglingLinkAsAMissingFile) {
  const TemporaryFolder folder;
  write_text(folder.path() / "X" / "X_graph_indicator.txt", "1\n");
  fs::create_symlink("nowhere", folder.path() / "X" / "X_A.txt");
  expect_defect([&] { io::load((folder / "X").string()); }, (folder / "X").string(), 0,
                {"X_A.txt is missing"});
}

TEST(TuBadInput, RefusesABlankFirstLine) {
  expect_bad_file("X_node_labels.txt", "\n0\n1\n0\n2\n2\n0\n", 1, {"blank line"});
  expect_bad_file("X_graph_indicator.txt", "\n1\n1\n1\n2\n2\n3\n", 1, {"blank line"});
}

/// Root may read everything, so a test of permissions gives that up for a while.
class WithoutPrivileges {
 public:
  WithoutPrivileges() : was_root_(geteuid() == 0 && seteuid(kNobody) == 0) {}
  ~WithoutPrivileges() {
    if (was_root_ && seteuid(0) != 0) {
      std::abort();
    }
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool was_root_;
};

TEST(TuBadInput, RefusesADirectoryWithoutPermission) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::all);
  const auto closed = folder / "X";
  for (const auto& [name, text] : small_tu()) {
    write_text(closed / name, text);
  }
  fs::permissions(closed / "X_A.txt", fs::perms::none);
  {
    const WithoutPrivileges nobody;
    expect_defect([&] { io::load(closed.string()); }, (closed / "X_A.txt").string(), 0,
                  {"Permission denied"});
  }
  fs::permissions(closed, fs::perms::none);
  {
    const WithoutPrivileges nobody;
    expect_defect([&] { io::load(closed.string()); }, closed.string(), 0, {"Permission denied"});
  }
  fs::permissions(closed, fs::perms::owner_all);
}

}  // namespace
}  // namespace rayleigh::test
