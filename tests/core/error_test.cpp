#include "rayleigh/error.h"

#include <gtest/gtest.h>

namespace rayleigh {
namespace {

TEST(Error, PutsThePlaceInFront) {
  EXPECT_STREQ(DataError({"a.txt", 7}, "no").what(), "a.txt:7: no");
  EXPECT_STREQ(DataError({"a.txt", 0}, "no").what(), "a.txt: no");
  EXPECT_STREQ(UsageError("no").what(), "no");
  EXPECT_EQ(DataError({"a.txt", 7}, "no").place().line, 7U);
}

TEST(Error, KeepsOptionAndMessageApart) {
  const UsageError error("split-seed", "-1 is not valid");
  EXPECT_STREQ(error.what(), "split-seed: -1 is not valid");
  EXPECT_EQ(error.option(), "split-seed");
  EXPECT_EQ(error.message(), "-1 is not valid");
  EXPECT_EQ(DataError({"a.txt", 7}, "no").message(), "no");
  EXPECT_EQ(UsageError("no").option(), "");
}

TEST(Error, CancelledIsAKindOfItsOwn) {
  EXPECT_EQ(Cancelled().kind(), ErrorKind::cancelled);
  EXPECT_EQ(Cancelled("the checkpoint is whole").message(), "the checkpoint is whole");
}

}  // namespace
}  // namespace rayleigh
