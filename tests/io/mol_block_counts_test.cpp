#include "io/mol_block_counts.h"

#include <gtest/gtest.h>
#include <string>

namespace rayleigh::io {
namespace {

std::string later(const std::string& counts) {
  return "title\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n" + counts +
         "M  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\nM  V30 END ATOM\nM  V30 END CTAB\nM  END\n";
}

TEST(MolBlockCounts, AreReadInBothVersions) {
  const auto first = claimed_counts("t\n\n\n 12 13  0  0  0            999 V2000\nM  END\n");
  EXPECT_EQ(first.atoms, 12U);
  EXPECT_EQ(first.bonds, 13U);
  EXPECT_EQ(first.lines, 5U);
  EXPECT_FALSE(first.fit());
  const auto second = claimed_counts(later("M  V30 COUNTS 1 0 0 0 0\n"));
  EXPECT_EQ(second.atoms, 1U);
  EXPECT_EQ(second.bonds, 0U);
  EXPECT_TRUE(second.fit());
}

TEST(MolBlockCounts, LiesAreNotBelievedHoweverTheyAreWritten) {
  for (const char* line :
       {"M  V30 COUNTS 999999999 0 0 0 0\n", "M  V30 COUNTS 1 999999999 0 0 0\n",
        "M  V30 counts 999999999 0\r\n", "M  V30   COUNTS   +999999999 0\n",
        "M  V30 COUNTS 999-\nM  V30 999999 0 0\n", "M  V30 COUN-\nM  V30 TS 999999999 0\n",
        "M  V30 COUNTS -1 0 0\n", "M  V30 COUNTS 99999999999999999999999 0\n",
        "M  V30 COUNTS 1 0\nM  V30 COUNTS 999999999 0\n"}) {
    EXPECT_FALSE(claimed_counts(later(line)).fit()) << line;
  }
}

TEST(MolBlockCounts, OfATitleAreNone) {
  EXPECT_TRUE(claimed_counts("M  V30 COUNTS 999999999 0\n\n\n  1  0\n C\nM  END\n").fit());
}

TEST(MolBlockCounts, OfTornBlocksAreZero) {
  for (const char* block : {"", "\n", "a\nb\nc", "a\nb\nc\n", "a\nb\nc\nx", "a\nb\nc\n 1",
                            "M  V30 ", "a\nb\nc\n\nM  V30 COUNTS"}) {
    EXPECT_TRUE(claimed_counts(block).fit()) << block;
  }
}

}  // namespace
}  // namespace rayleigh::io
