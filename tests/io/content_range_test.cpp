// What a server may say of the bytes it sends.
#include "io/content_range.h"

#include <gtest/gtest.h>

namespace rayleigh::io {
namespace {

TEST(ContentRange, TellsFirstLastAndWhole) {
  const auto range = parse_content_range("bytes 10-19/20");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 10U);
  EXPECT_EQ(range->last, 19U);
  EXPECT_EQ(range->whole, 20U);
  const auto open = parse_content_range("bytes 0-0/*");
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->whole);
}

TEST(ContentRange, RefusesEverythingElse) {
  for (const char* text :
       {"", "bytes", "bytes */20", "bytes 10-19", "bytes 10-9/20", "bytes 10-20/20",
        "bytes 10-19/20 ", "bytes -1-19/20", "items 10-19/20", "bytes 10-19/x",
        "bytes 10-18446744073709551615/*", "bytes 1-99999999999999999999/*"}) {
    EXPECT_FALSE(parse_content_range(text)) << text;
  }
}

}  // namespace
}  // namespace rayleigh::io
