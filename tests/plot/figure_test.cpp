#include "plot/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "plot/bar_chart.h"
#include "plot/html_page.h"
#include "plot/ticks.h"
#include "xml.h"

namespace rayleigh::plot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_THAT(nice_ticks(0, 1, 5), ElementsAre(0, testing::DoubleEq(0.2), testing::DoubleEq(0.4),
                                               testing::DoubleNear(0.6, 1e-12), 0.8, 1));
  EXPECT_THAT(nice_ticks(0, 230, 5), ElementsAre(0, 50, 100, 150, 200));
  EXPECT_EQ(nice_ticks(3, 3).size(), 1U);
  EXPECT_THAT(log_ticks(1, 10'000), ElementsAre(1, 10, 100, 1000, 10'000));
  EXPECT_EQ(tick_label(0.25, 0.05), "0.25");
  EXPECT_EQ(tick_label(0.2, 0.2), "0.2");
  EXPECT_EQ(tick_label(1500, 500), "1,500");
  EXPECT_EQ(tick_label(-0.5, 0.5), "−0.5");
}

Figure example() {
  Figure figure("Quotients <of> \"things\" & more", {"Rayleigh quotient"}, {"share of graphs"});
  const std::vector<double> edges{0, 0.5, 1};
  const std::vector<double> heights{0.25, 0.75};
  figure.histogram(edges, heights, Colour::normal, "normal")
      .line({0, 0.5, 1}, {0, NAN, 1}, Colour::anomalous, "anomalous", Dash::dashed)
      .band({0, 1}, {0, 0.2}, {0.3, 0.9}, Colour::third, "quartiles")
      .points({0.1, 0.9}, {0.2, INFINITY}, Colour::fourth, "points")
      .marker(0.4, "mean")
      .note("n = 2");
  return figure;
}

TEST(Figure, IsWellFormedAndEscaped) {
  const auto svg = example().svg();
  EXPECT_EQ(test::xml_defect(svg), "");
  EXPECT_THAT(svg, HasSubstr("Quotients &lt;of&gt; &quot;things&quot; &amp; more"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Figure, NamesBothAxesAndEverySeries) {
  const auto svg = example().svg();
  for (const char* word : {"Rayleigh quotient", "share of graphs", ">normal<", ">anomalous<",
                           ">quartiles<", ">points<", ">mean<", ">n = 2<"}) {
    EXPECT_THAT(svg, HasSubstr(word));
  }
}

TEST(Figure, SurvivesEmptyAndConstantData) {
  EXPECT_EQ(test::xml_defect(Figure("empty", {"x"}, {"y"}).svg()), "");
  Figure constant("constant", {"x"}, {"y"});
  constant.line({1, 1}, {2, 2}, Colour::normal, "");
  EXPECT_EQ(test::xml_defect(constant.svg()), "");
  EXPECT_EQ(constant.svg().find("nan"), std::string::npos);
}

TEST(Figure, PutsEmptyBinsOnALogarithmicAxis) {
  Figure figure("counts", {"score"}, {"graphs", 0.7, 100.0, true});
  const std::vector<double> edges{0, 1, 2, 3};
  const std::vector<double> heights{10, 0, 1};
  figure.histogram(edges, heights, Colour::normal, "");
  const auto svg = figure.svg();
  EXPECT_EQ(test::xml_defect(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // The bottom of the frame: 340 high, 54 below the axis.
  EXPECT_THAT(svg, HasSubstr("L212.00,286.00L358.00,286.00"));
}

TEST(Figure, TurnsTheWordOfAMarkerInwardsAtTheRightEdge) {
  Figure figure("marked", {"x", 0.0, 1.0}, {"y"});
  figure.marker(0.1, "left").marker(0.99, "a longer word").word(0.5, 0.5, "42", true);
  const auto svg = figure.svg();
  EXPECT_EQ(test::xml_defect(svg), "");
  EXPECT_THAT(svg, testing::ContainsRegex("text-anchor=\"start\"[^>]*>left<"));
  EXPECT_THAT(svg, testing::ContainsRegex("text-anchor=\"end\"[^>]*>a longer word<"));
  EXPECT_THAT(svg, HasSubstr(">42<"));
}

TEST(Figure, StandsSideBySideAndAsBars) {
  const std::vector<Figure> figures{example(), example()};
  EXPECT_EQ(test::xml_defect(side_by_side("both", figures)), "");
  const std::vector<Bar> bars{{"C", 0.7, "0.70"}, {"N & O", 0.4, "0.40", Colour::anomalous}};
  EXPECT_EQ(test::xml_defect(bar_chart("AUC", "AUC of the quotient", bars, 0.5, 0.3, 0.8)), "");
}

TEST(HtmlPage, HoldsEverythingInOneFile) {
  HtmlPage page("A & B", "about");
  page.heading("H<1>");
  page.figure(example().svg(), "what it shows");
  page.table({{"label", "AUC"}, {"C", "0.7"}}, "a table");
  page.facts({{"12", "graphs"}});
  const auto html = page.html();
  EXPECT_THAT(html, HasSubstr("<h1>A &amp; B</h1>"));
  EXPECT_THAT(html, HasSubstr("<b>Figure 1.</b> what it shows"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">0.7</td>"));
  for (const char* outside : {"src=", "href=", "url(", "<script", "@import"}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
}

TEST(HtmlPage, AlignsAColumnRightOnlyWhenAllOfItIsNumbers) {
  HtmlPage page("A", "");
  page.table({{"setting", "value", "n"}, {"seed", "1", "2"}, {"kernel", "heat", "< 0.1"}}, "");
  EXPECT_THAT(page.html(), HasSubstr("<td>seed</td><td>1</td><td class=\"number\">2</td>"));
  EXPECT_THAT(page.html(), HasSubstr("<th>value</th><th class=\"number\">n</th>"));
}

TEST(HtmlPage, NumbersTheFiguresOfARow) {
  HtmlPage page("A", "");
  page.figures({{"<svg/>", "one"}, {"<svg/>", "two"}});
  EXPECT_THAT(page.html(), HasSubstr("<b>Figure 2.</b> two"));
}

}  // namespace
}  // namespace rayleigh::plot
