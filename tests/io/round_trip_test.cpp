// read(write(x)) = x for every format, over random sets; what cannot be written leaves nothing.
#include <bit>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "rayleigh/graph_set_builder.h"

#include "io/io_support.h"

namespace rayleigh::test {
namespace {

namespace fs = std::filesystem;

/// What a random set may contain.
struct Kind {
  bool missing_classes = false;  ///< TU cannot say that
  bool directed = false;         ///< nor that
};

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{"0",
                                            "1",
                                            "-1",
                                            "10",
                                            "9",
                                            "007",
                                            "+1",
                                            "C",
                                            "Cl",
                                            "a b",
                                            "a,b",
                                            "1,0",
                                            "0,1",
                                            "\"q\"",
                                            "\\",
                                            "-0",
                                            "1.5",
                                            " x ",
                                            "null",
                                            "\xC3\xA9",
                                            "true",
                                            "\xE2\x88\x9E",
                                            "-9223372036854775808",
                                            "18446744073709551616",
                                            "{}",
                                            "#"};
  return all;
}

/// Labels of a random set: only numbers, several columns of numbers, or any words.
std::vector<std::string> random_vocabulary() {
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return {"0", "7", "-3", "100000000000", "12"};
    case 1:
      return {"0,1", "1,1", "-5,0", "10,10"};
    default:
      return words();
  }
}

float random_float() {
  const auto value = std::bit_cast<float>(*rc::gen::arbitrary<std::uint32_t>());
  return std::isfinite(value) ? value : 0.5F;
}

class RandomSet {
 public:
  explicit RandomSet(Kind kind) : kind_(kind) {}

  GraphSet operator()() {
    labelled_ = *rc::gen::arbitrary<bool>();
    edge_labelled_ = *rc::gen::arbitrary<bool>();
    classes_ = *rc::gen::arbitrary<bool>();
    names_ = *rc::gen::arbitrary<bool>();
    attributes_ = *rc::gen::inRange<std::size_t>(0, 3);
    edge_attributes_ = *rc::gen::inRange<std::size_t>(0, 3);
    node_words_ = random_vocabulary();
    edge_words_ = random_vocabulary();
    class_words_ = random_vocabulary();
    GraphSetBuilder builder("random");
    const int graphs = *rc::gen::inRange(1, 8);
    for (int g = 0; g < graphs; ++g) {
      add_graph(builder);
    }
    return builder.build();
  }

 private:
  static const std::string& one_of(const std::vector<std::string>& choices) {
    return choices[*rc::gen::inRange<std::size_t>(0, choices.size())];
  }

  static std::vector<float> random_row(std::size_t length) {
    std::vector<float> row(length);
    for (auto& value : row) {
      value = random_float();
    }
    return row;
  }

  void add_graph(GraphSetBuilder& builder) {
    std::string name;
    if (names_ && *rc::gen::arbitrary<bool>()) {
      name = one_of(words()) + one_of(words());
    }
    const bool has_class = classes_ && (!kind_.missing_classes || *rc::gen::arbitrary<bool>());
    builder.begin_graph(
        name, has_class ? std::optional<std::string_view>(one_of(class_words_)) : std::nullopt);
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 7);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      builder.add_node(labelled_ ? one_of(node_words_) : "", random_row(attributes_));
    }
    if (kind_.directed && *rc::gen::arbitrary<bool>()) {
      builder.set_directed();
    }
    const int edges = *rc::gen::inRange(0, 12);
    for (int e = 0; e < edges; ++e) {
      const auto from = *rc::gen::inRange<std::uint32_t>(0, nodes);
      const auto to = *rc::gen::inRange<std::uint32_t>(0, nodes);
      builder.add_edge(from, to, edge_labelled_ ? one_of(edge_words_) : "",
                       random_row(edge_attributes_));
    }
  }

  Kind kind_;
  bool labelled_ = false;
  bool edge_labelled_ = false;
  bool classes_ = false;
  bool names_ = false;
  std::size_t attributes_ = 0;
  std::size_t edge_attributes_ = 0;
  std::vector<std::string> node_words_;
  std::vector<std::string> edge_words_;
  std::vector<std::string> class_words_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

RC_GTEST_PROP(RoundTrip, TuFolderKeepsEverything, ()) {
  const auto set = RandomSet({})();
  const TemporaryFolder folder;
  io::save_tu(set, folder / "X");
  RC_ASSERT(io::load((folder / "X").string()) == set);
  RC_ASSERT(names_in(folder.path()) == std::vector<std::string>{"X"});
  const auto reader = io::open((folder / "X").string());
  RC_ASSERT(stream_all(*reader, 2).graphs == words_of(set));
}

RC_GTEST_PROP(RoundTrip, JsonlKeepsEverything, ()) {
  const auto set = RandomSet({.missing_classes = true, .directed = true})();
  const TemporaryFolder folder;
  io::save_jsonl(set, folder / "x.jsonl");
  RC_ASSERT(io::load((folder / "x.jsonl").string()) == set);
  io::save_jsonl(set, folder / "x.jsonl.gz");
  RC_ASSERT(io::load((folder / "x.jsonl.gz").string()) == set);
  RC_ASSERT(read_text(folder / "x.jsonl.gz").starts_with("\x1f\x8b"));
  RC_ASSERT(names_in(folder.path()) == (std::vector<std::string>{"x.jsonl", "x.jsonl.gz"}));
}

RC_GTEST_PROP(RoundTrip, TuToJsonlToTuKeepsEverything, ()) {
  const auto set = RandomSet({})();
  const TemporaryFolder folder;
  io::save_tu(set, folder / "X");
  io::save_jsonl(io::load((folder / "X").string()), folder / "x.jsonl.gz");
  io::save_tu(io::load((folder / "x.jsonl.gz").string()), folder / "Y");
  RC_ASSERT(io::load((folder / "Y").string()) == set);
  for (const auto& name : names_in(folder / "X")) {
    const auto other = "Y" + name.substr(1);
    RC_ASSERT(read_text(folder.path() / "X" / name) == read_text(folder.path() / "Y" / other));
  }
}

TEST(RoundTrip, KeepsFloatsThatDoNotSurviveADouble) {
  // The shortest text of this float, read as a double and rounded again, is its neighbour.
  GraphSetBuilder builder;
  builder.begin_graph();
  const float value = 7.038531e-26F;
  builder.add_node("", std::span(&value, 1));
  const auto set = builder.build();
  const TemporaryFolder folder;
  io::save_jsonl(set, folder / "x.jsonl");
  EXPECT_EQ(io::load((folder / "x.jsonl").string()), set);
  io::save_tu(set, folder / "X");
  EXPECT_EQ(io::load((folder / "X").string()), set);
}

TEST(TuWriter, RefusesDirectedGraphs) {
  GraphSetBuilder builder;
  builder.begin_graph();
  builder.add_node("C");
  builder.add_node("C");
  builder.set_directed();
  builder.add_edge(0, 1);
  const auto set = builder.build();
  const TemporaryFolder folder;
  EXPECT_THROW(io::save_tu(set, folder / "X"), UsageError);
  EXPECT_FALSE(fs::exists(folder / "X"));
}

TEST(TuWriter, WritesPlainNumbersWithoutNamesFiles) {
  const auto set = load_tu_files(
      with(with(small_tu(), "X_node_labels.txt", "0, 1\n1, 1\n0, 1\n2, 0\n2, 0\n0, 1\n"),
           "X_edge_labels.txt", "1\n1\n2\n2\n3\n3\n"));
  const TemporaryFolder folder;
  io::save_tu(set, folder / "D");
  EXPECT_EQ(names_in(folder / "D"),
            (std::vector<std::string>{"D_A.txt", "D_edge_labels.txt", "D_graph_indicator.txt",
                                      "D_graph_labels.txt", "D_node_labels.txt"}));
  EXPECT_EQ(read_text(folder.path() / "D" / "D_A.txt"), small_tu()[0].second);
  EXPECT_EQ(read_text(folder.path() / "D" / "D_graph_labels.txt"), "1\n-1\n1\n");
  EXPECT_EQ(io::load((folder / "D").string()), set);
}

TEST(TuWriter, TakesAPathThatEndsInASlash) {
  const TemporaryFolder folder;
  io::save_tu(load_tu_files(small_tu()), (folder / "D").string() + "/");
  EXPECT_EQ(io::load((folder / "D").string() + "/"), load_tu_files(small_tu()));
}

TEST(TuWriter, ReplacesAnOlderSetInTheSameFolder) {
  const TemporaryFolder folder;
  const auto labelled =
      load_tu_files(with(with(small_tu(), "X_edge_labels.txt", "1\n1\n2\n2\n3\n3\n"),
                         "X_graph_names.txt", "a\nb\nc\n"));
  const auto bare = load_tu_files({small_tu()[0], small_tu()[1]});
  io::save_tu(labelled, folder / "D");
  write_text(folder.path() / "D" / "README", "stays");
  write_text(folder.path() / "D" / "D_node_attributes.txt.gz", "of another set");
  io::save_tu(bare, folder / "D");
  EXPECT_EQ(io::load((folder / "D").string()), bare);
  EXPECT_EQ(names_in(folder / "D"),
            (std::vector<std::string>{"D_A.txt", "D_graph_indicator.txt", "README"}));
}

TEST(TuWriter, RefusesWhatTheFormatCannotSayAndLeavesNothing) {
  const TemporaryFolder folder;
  GraphSetBuilder partly;
  partly.begin_graph("", "1");
  partly.add_node();
  partly.begin_graph();
  partly.add_node();
  EXPECT_THROW(io::save_tu(partly.build(), folder / "D"), UsageError);

  GraphSetBuilder line_break;
  line_break.begin_graph("two\nlines", "1");
  line_break.add_node();
  EXPECT_THROW(io::save_tu(line_break.build(), folder / "D"), UsageError);

  EXPECT_THROW(io::save_tu(GraphSet(), folder / "D"), UsageError);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(JsonlWriter, KeepsLineBreaksInNames) {
  GraphSetBuilder builder;
  builder.begin_graph("two\nlines \x01 \x7F");
  builder.add_node("tab\there");
  const auto set = builder.build();
  const TemporaryFolder folder;
  io::save_jsonl(set, folder / "x.jsonl");
  EXPECT_EQ(io::load((folder / "x.jsonl").string()), set);
}

TEST(JsonlWriter, GivesTheSameBytesEveryTime) {
  const auto set = load_tu_files(small_tu());
  const TemporaryFolder folder;
  for (const auto* name : {".jsonl", ".jsonl.gz"}) {
    io::save_jsonl(set, folder / (std::string("a") + name));
    io::save_jsonl(set, folder / (std::string("b") + name));
    EXPECT_EQ(read_text(folder / (std::string("a") + name)),
              read_text(folder / (std::string("b") + name)));
  }
}

/// While it lives, no file can grow beyond this many bytes: the disk seems full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : previous_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &previous_);
    const rlimit limit{bytes, previous_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &previous_);
    std::signal(SIGXFSZ, previous_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit previous_{};
  void (*previous_handler_)(int);
};

TEST(GraphWriters, LeaveNothingWhenTheDiskIsFull) {
  GraphSetBuilder builder;
  for (int g = 0; g < 3000; ++g) {
    builder.begin_graph();
    builder.add_node(std::to_string(g * 7919));
    builder.add_node("1");
    builder.add_edge(0, 1);
  }
  const auto set = builder.build();
  const TemporaryFolder folder;
  write_text(folder / "old.jsonl", "before");
  {
    const FullDisk disk(1000);
    EXPECT_THROW(io::save_tu(set, folder / "D"), Error);
    EXPECT_THROW(io::save_jsonl(set, folder / "x.jsonl"), Error);
    EXPECT_THROW(io::save_jsonl(set, folder / "x.jsonl.gz"), Error);
    EXPECT_THROW(io::save_jsonl(set, folder / "old.jsonl"), Error);
  }
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"old.jsonl"}));
  EXPECT_EQ(read_text(folder / "old.jsonl"), "before");
}

TEST(GraphWriters, FailWhereTheTargetCannotBe) {
  const auto set = load_tu_files(small_tu());
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  write_text(folder.path() / "dir.jsonl" / "inside", "");
  EXPECT_THROW(io::save_tu(set, folder / "file"), Error);
  EXPECT_THROW(io::save_tu(set, folder.path() / "file" / "below"), Error);
  EXPECT_THROW(io::save_tu(set, folder.path() / ".."), UsageError);
  EXPECT_THROW(io::save_jsonl(set, folder / "dir.jsonl"), Error);
  EXPECT_THROW(io::save_jsonl(set, folder.path() / "absent" / "x.jsonl"), Error);
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"dir.jsonl", "file"}));
}

}  // namespace
}  // namespace rayleigh::test
