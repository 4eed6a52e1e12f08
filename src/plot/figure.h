// One diagram as SVG: axes with titles, histograms, lines, quantile bands, points, a legend.
// Every picture of a report is made with this, so all look alike and print well.
// Text only, no scripts and no fonts to load; a few kilobytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plot/colour.h"

namespace rayleigh::plot {

struct Axis {
  std::string title;
  std::optional<double> low{};  ///< none = from the data
  std::optional<double> high{};
  bool logarithmic = false;
  bool whole_numbers = false;
  std::vector<double> ticks{};  ///< empty = round numbers
};

struct FigureSize {
  double width = 520;
  double height = 340;
};

enum class Dash { none, dashed, dotted };

class Figure {
 public:
  Figure(std::string title, Axis x, Axis y, FigureSize size = {});

  /// Steps over bins: edges has one more value than heights.
  Figure& histogram(std::span<const double> edges, std::span<const double> heights, Colour colour,
                    std::string label);
  Figure& line(std::vector<double> x, std::vector<double> y, Colour colour, std::string label,
               Dash dash = Dash::none, double width = 2);
  /// The area between two curves.
  Figure& band(std::vector<double> x, std::vector<double> low, std::vector<double> high,
               Colour colour, std::string label);
  Figure& points(std::vector<double> x, std::vector<double> y, Colour colour, std::string label,
                 double radius = 3.2);
  /// A small word to the right of a point, above or below it.
  Figure& word(double x, double y, std::string text, bool above);
  /// A word beside a point, wherever it covers no other such word and no point.
  Figure& label(double x, double y, std::string text);
  /// The legend right of the frame, one entry per line, instead of above it.
  Figure& legend_beside();
  /// A thin vertical line with a word at its top.
  Figure& marker(double x, std::string label);
  /// A remark inside the frame, upper right, on a line of its own.
  Figure& note(std::string text);

  std::string svg() const;

 private:
  friend std::string side_by_side(const std::string&, std::span<const Figure>);
  friend class Painter;

  enum class Kind { histogram, line, band, points };
  struct Series {
    Kind kind;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> y2;  ///< upper edge of a band
    Colour colour;
    std::string label;
    Dash dash = Dash::none;
    double size = 2;  ///< width of a line, radius of a point
  };

  std::string title_;
  Axis x_;
  Axis y_;
  FigureSize size_;
  std::vector<Series> series_;
  std::vector<std::pair<double, std::string>> markers_;
  std::vector<std::string> notes_;
  struct Word {
    double x;
    double y;
    std::string text;
    bool above;
  };
  std::vector<Word> words_;
  std::vector<Word> labels_;
  bool legend_beside_ = false;
};

/// Several figures in one picture under a common title.
std::string side_by_side(const std::string& title, std::span<const Figure> figures);

}  // namespace rayleigh::plot
