#include "core/text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rayleigh::core {
namespace {

TEST(EditDistance, CountsInsertionDeletionSubstitutionAndSwap) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("abc", "acb"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, FindsTypingErrorsAndBeginningsOnly) {
  const std::vector<std::string> names{"epochs", "batch-size", "lr", "threads"};
  EXPECT_EQ(nearest_name("epoch", names), "epochs");
  EXPECT_EQ(nearest_name("bach-size", names), "batch-size");
  EXPECT_EQ(nearest_name("batch", names), "batch-size");
  EXPECT_EQ(nearest_name("zzzzzz", names), "");
  EXPECT_EQ(did_you_mean("thread", names), ", did you mean threads?");
}

TEST(Numbers, AreShownAsPeopleReadThem) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(25'100'000), "25.1 MB");
  EXPECT_EQ(human_seconds(0.84), "0.8 s");
  EXPECT_EQ(human_seconds(187), "3:07");
  EXPECT_EQ(human_seconds(8100), "2:15:00");
  EXPECT_EQ(counted(1, "graph"), "1 graph");
  EXPECT_EQ(counted(2, "graph"), "2 graphs");
}

TEST(Utf8, IsCheckedByTheStandardsTable) {
  EXPECT_EQ(find_invalid_utf8("plain"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("λ∈ℝ 🜁"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xc0\x80"), 0U) << "overlong";
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0U) << "surrogate";
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U) << "beyond U+10FFFF";
  EXPECT_EQ(find_invalid_utf8("a\xce"), 1U) << "cut off";
}

TEST(Printable, MakesHiddenBytesVisibleAndCutsLongText) {
  EXPECT_EQ(printable(std::string_view("a\0b\n", 4)), "a\\x00b\\x0a");
  EXPECT_EQ(printable("λ\xff"), "λ\\xff");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

TEST(Visible, IsWhateverCouldActOnATerminal) {
  EXPECT_EQ(visible("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(visible("\xc2\x9b"
                    "31m"),
            "\\u009b31m")
      << "a control character of C1";
  // NOLINTNEXTLINE(misc-misleading-bidirectional): escaped, nothing is turned here
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b"),
            "a\\u202eb")
      << "turns the order of letters";
  EXPECT_EQ(visible("\x9b"
                    "1m"),
            "\\x9b1m")
      << "the same of C1, not as UTF-8";
  EXPECT_EQ(visible("é λ\t\n"), "é λ\\x09\\x0a");
  EXPECT_EQ(visible("é λ\t\n", "\t\n"), "é λ\t\n");
  EXPECT_EQ(visible("\xff\x1b", {}, BadBytes::kept), "\xff\\x1b");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u009b");
}

TEST(CanonicalInteger, AcceptsOneSpellingOnly) {
  EXPECT_EQ(canonical_integer("0"), 0);
  EXPECT_EQ(canonical_integer("-12"), -12);
  for (const char* word : {"", "+1", "01", "-0", "-01", "1.0", "x", "1 ", "9223372036854775808"}) {
    EXPECT_FALSE(canonical_integer(word)) << word;
  }
}

}  // namespace
}  // namespace rayleigh::core
