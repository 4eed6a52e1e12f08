#include "core/duration.h"

#include <gtest/gtest.h>
#include <string>

namespace rayleigh::core {
namespace {

TEST(Duration, IsReadAsPeopleWriteIt) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("5m"), 300);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("2h0m10s"), 7210);
  EXPECT_EQ(parse_duration("1m30"), 90);
}

TEST(Duration, RefusesWhatIsNotATime) {
  for (const char* text :
       {"", "0", "0s", "-5m", "m", "5x", "5m5m", "10s1h", "1e300", "nan", "inf", "5 m", "5mm"}) {
    EXPECT_THROW(parse_duration(text), std::string) << text;
  }
}

}  // namespace
}  // namespace rayleigh::core
