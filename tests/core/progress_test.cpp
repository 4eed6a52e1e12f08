#include "core/progress.h"

#include <gtest/gtest.h>

#include "core/text.h"

namespace rayleigh::core {
namespace {

TEST(ProgressLine, TellsShareRateAndTimeLeft) {
  const auto line = progress_line("Training", "graphs", 500, 2000, 5, 120);
  EXPECT_NE(line.find("25 %"), std::string::npos) << line;
  EXPECT_NE(line.find("100 graphs/s"), std::string::npos) << line;
  EXPECT_NE(line.find("15 s left"), std::string::npos) << line;
  EXPECT_NE(line.find("█"), std::string::npos) << line;
}

TEST(ProgressLine, DropsTheBarWhereTheTerminalIsNarrow) {
  const auto line = progress_line("Training", "graphs", 500, 2000, 5, 50);
  EXPECT_EQ(line.find("█"), std::string::npos) << line;
  EXPECT_LE(display_width(line), 50U);
}

TEST(ProgressLine, CountsWhereTheTotalIsUnknown) {
  const auto line = progress_line("Reading", "graphs", 1500, 0, 3, 80);
  EXPECT_NE(line.find("1,500 graphs"), std::string::npos) << line;
  EXPECT_NE(line.find("500 graphs/s"), std::string::npos) << line;
  EXPECT_EQ(line.find("left"), std::string::npos) << line;
}

TEST(ProgressLine, ShowsBytesInMultiples) {
  const auto line = progress_line("X.zip", kBytes, 3'000'000, 12'000'000, 2, 120);
  EXPECT_NE(line.find("25 %  1.5 MB/s  6.0 s left"), std::string::npos) << line;
  const auto unknown = progress_line("X.zip", kBytes, 3'000'000, 0, 2, 120);
  EXPECT_NE(unknown.find("3.0 MB  1.5 MB/s"), std::string::npos) << unknown;
}

TEST(ProgressLine, NeverShowsMoreThanEverything) {
  const auto line = progress_line("Training", "graphs", 30, 20, 1, 120);
  EXPECT_NE(line.find("100 %"), std::string::npos) << line;
  EXPECT_NE(line.find("0.0 s left"), std::string::npos) << line;
}

TEST(ProgressBar, IsSilentWhenNotShown) {
  testing::internal::CaptureStderr();
  {
    ProgressBar bar("Training", "graphs", 10, false);
    bar.advance(10);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rayleigh::core
