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

TEST(Error, KindsAreTheExitCodes) {
  EXPECT_EQ(static_cast<int>(Error(ErrorKind::failed, "x").kind()), 1);
  EXPECT_EQ(static_cast<int>(UsageError("x").kind()), 2);
  EXPECT_EQ(static_cast<int>(DataError({}, "x").kind()), 3);
}

}  // namespace
}  // namespace rayleigh
