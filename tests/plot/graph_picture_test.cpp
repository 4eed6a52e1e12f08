#include "plot/graph_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "rayleigh/graph_set_builder.h"

#include "plot/graph_layout.h"
#include "xml.h"

namespace rayleigh::plot {
namespace {

using testing::HasSubstr;

DrawnGraph star(int nodes) {
  GraphSetBuilder builder("test");
  builder.begin_graph("g", "0");
  for (int i = 0; i < nodes; ++i) {
    builder.add_node(i == 0 ? "<1>" : "2");
  }
  for (int i = 1; i < nodes; ++i) {
    builder.add_edge(0, static_cast<std::uint32_t>(i));
  }
  return {.graph = builder.build()};
}

TEST(ShareColour, TellsMoreFromLessAndGrowsWithSize) {
  const auto none = share_colour(0);
  EXPECT_EQ(none.red, 1);
  EXPECT_EQ(none.blue, 1);
  EXPECT_GT(share_colour(0.5).red, share_colour(0.5).blue);
  EXPECT_LT(share_colour(-0.5).red, share_colour(-0.5).blue);
  EXPECT_LT(share_colour(1).blue, share_colour(0.5).blue);
  EXPECT_EQ(share_colour(5).blue, share_colour(1).blue);
}

TEST(GraphPicture, IsXmlWithACirclePerNode) {
  const std::vector<double> shares{1, -1, 0, 0.5};
  const std::string svg = graph_picture(star(4), shares, 1, {});
  EXPECT_EQ(test::xml_defect(svg), "");
  std::size_t circles = 0;
  for (auto at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) {
    ++circles;
  }
  EXPECT_EQ(circles, 4U);
  EXPECT_THAT(svg, HasSubstr("label &lt;1&gt;"));
}

TEST(GraphPicture, SaysWhenAGraphIsTooLargeToDraw) {
  const std::string svg = graph_picture(star(static_cast<int>(kMostDrawnNodes) + 1), {}, 1, {});
  EXPECT_THAT(svg, HasSubstr("401 nodes, too many to draw"));
}

}  // namespace
}  // namespace rayleigh::plot
