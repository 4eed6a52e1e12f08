#include "plot/label_places.h"

#include <cmath>
#include <gtest/gtest.h>

namespace rayleigh::plot {
namespace {

TEST(LabelPlaces, NamesOfCloseOnesDoNotCoverEachOther) {
  std::vector<LabelPoint> points;
  points.reserve(10);
  for (int i = 0; i < 10; ++i) {
    points.push_back({200 + 3.0 * i, 150 + 2.0 * (i % 3), 80});
  }
  const auto places = place_labels(points, {50, 20, 500, 300});
  ASSERT_EQ(places.size(), points.size());
  for (std::size_t a = 0; a < places.size(); ++a) {
    EXPECT_GE(places[a].x, 50);
    EXPECT_LE(places[a].x + 80, 500);
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_TRUE(std::abs(places[a].x - places[b].x) >= 80 ||
                  std::abs(places[a].y - places[b].y) >= 11)
          << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace rayleigh::plot
