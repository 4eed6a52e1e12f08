#include "plot/graph_layout.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "rayleigh/graph_set_builder.h"

namespace rayleigh::plot {
namespace {

GraphSet graph_of(int nodes, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  GraphSetBuilder builder("test");
  builder.begin_graph("g", "0");
  for (int i = 0; i < nodes; ++i) {
    builder.add_node("C");
  }
  for (const auto& [from, to] : edges) {
    builder.add_edge(from, to);
  }
  return builder.build();
}

double apart(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

TEST(GraphLayout, PathIsAStraightLineOfUnitSteps) {
  const auto set = graph_of(8, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}});
  const auto points = graph_layout(set[0]);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    EXPECT_NEAR(apart(points[i], points[i + 1]), 1, 0.03);
  }
  EXPECT_NEAR(apart(points.front(), points.back()), 7, 0.1);
}

TEST(GraphLayout, RingIsRound) {
  const auto set = graph_of(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {0, 5}});
  const auto points = graph_layout(set[0]);
  Point middle;
  for (const Point& p : points) {
    middle.x += p.x / 6;
    middle.y += p.y / 6;
  }
  const double radius = apart(points[0], middle);
  EXPECT_GT(radius, 0.8);
  for (const Point& p : points) {
    EXPECT_NEAR(apart(p, middle), radius, 0.02);
  }
}

TEST(GraphLayout, RingsAtTheEndsOfAChainAreNotTwisted) {
  const auto set = graph_of(17, {{0, 1},
                                 {1, 2},
                                 {2, 3},
                                 {3, 4},
                                 {4, 5},
                                 {0, 5},
                                 {3, 6},
                                 {6, 7},
                                 {7, 8},
                                 {8, 9},
                                 {9, 10},
                                 {10, 11},
                                 {11, 12},
                                 {12, 13},
                                 {13, 14},
                                 {14, 15},
                                 {10, 15},
                                 {12, 16}});
  const auto points = graph_layout(set[0]);
  for (const auto& ring : {std::vector<std::size_t>{0, 1, 2, 3, 4, 5},
                           std::vector<std::size_t>{10, 11, 12, 13, 14, 15}}) {
    // Round the ring every corner turns the same way.
    int left = 0;
    for (std::size_t k = 0; k < ring.size(); ++k) {
      const Point& a = points[ring[k]];
      const Point& b = points[ring[(k + 1) % ring.size()]];
      const Point& c = points[ring[(k + 2) % ring.size()]];
      left += (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) > 0 ? 1 : 0;
    }
    EXPECT_TRUE(left == 0 || left == 6) << left;
  }
}

TEST(GraphLayout, NodesWithTheSameNeighboursDoNotCoverEachOther) {
  // A star: classical scaling alone cannot tell its rays apart.
  const auto set = graph_of(7, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}});
  const auto points = graph_layout(set[0]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(apart(points[i], points[j]), 0.5);
    }
  }
}

TEST(GraphLayout, PartsLieBesideEachOther) {
  const auto set = graph_of(7, {{4, 5}, {5, 6}, {0, 1}});
  const auto points = graph_layout(set[0]);
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_TRUE(std::isfinite(points[i].x) && std::isfinite(points[i].y));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(apart(points[i], points[j]), 0.5) << i << " and " << j;
    }
  }
}

TEST(GraphLayout, IsAlwaysTheSame) {
  const auto set = graph_of(5, {{0, 1}, {0, 2}, {1, 2}, {2, 3}});
  const auto once = graph_layout(set[0]);
  const auto again = graph_layout(set[0]);
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].x, again[i].x);
    EXPECT_EQ(once[i].y, again[i].y);
  }
}

TEST(GraphLayout, OneNodeHasAPlace) {
  const auto points = graph_layout(graph_of(1, {})[0]);
  ASSERT_EQ(points.size(), 1U);
  EXPECT_TRUE(std::isfinite(points[0].x) && std::isfinite(points[0].y));
}

}  // namespace
}  // namespace rayleigh::plot
