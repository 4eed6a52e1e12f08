#include "plot/figure.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "core/text.h"
#include "plot/label_places.h"
#include "plot/scale.h"
#include "plot/svg.h"
#include "plot/ticks.h"

namespace rayleigh::plot {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = 16;
constexpr double kTop = 40;
constexpr double kBottom = 54;
constexpr double kLegendRow = 18;

std::string path_of(std::span<const double> x, std::span<const double> y, const Scale& sx,
                    const Scale& sy) {
  std::string path;
  bool pen_down = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      pen_down = false;
      continue;
    }
    path += fmt::format("{}{:.2f},{:.2f}", pen_down ? "L" : "M", sx(x[i]), sy(y[i]));
    pen_down = true;
  }
  return path;
}

std::string_view dash_array(Dash dash) {
  switch (dash) {
    case Dash::dashed:
      return " stroke-dasharray=\"7 4\"";
    case Dash::dotted:
      return " stroke-dasharray=\"2 3\"";
    default:
      return "";
  }
}

}  // namespace

Figure::Figure(std::string title, Axis x, Axis y, FigureSize size)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), size_(size) {}

Figure& Figure::histogram(std::span<const double> edges, std::span<const double> heights,
                          Colour colour, std::string label) {
  assert(edges.size() == heights.size() + 1);
  // A step curve: up at the first edge, along each bin, down at the last edge.
  Series series{Kind::histogram, {edges.front()}, {0}, {}, colour, std::move(label)};
  for (std::size_t i = 0; i < heights.size(); ++i) {
    series.x.insert(series.x.end(), {edges[i], edges[i + 1]});
    series.y.insert(series.y.end(), {heights[i], heights[i]});
  }
  series.x.push_back(edges.back());
  series.y.push_back(0);
  series_.push_back(std::move(series));
  return *this;
}

Figure& Figure::line(std::vector<double> x, std::vector<double> y, Colour colour, std::string label,
                     Dash dash, double width) {
  series_.push_back(
      {Kind::line, std::move(x), std::move(y), {}, colour, std::move(label), dash, width});
  return *this;
}

Figure& Figure::band(std::vector<double> x, std::vector<double> low, std::vector<double> high,
                     Colour colour, std::string label) {
  series_.push_back(
      {Kind::band, std::move(x), std::move(low), std::move(high), colour, std::move(label)});
  return *this;
}

Figure& Figure::points(std::vector<double> x, std::vector<double> y, Colour colour,
                       std::string label, double radius) {
  series_.push_back(
      {Kind::points, std::move(x), std::move(y), {}, colour, std::move(label), Dash::none, radius});
  return *this;
}

Figure& Figure::word(double x, double y, std::string text, bool above) {
  words_.push_back({x, y, std::move(text), above});
  return *this;
}

Figure& Figure::label(double x, double y, std::string text) {
  labels_.push_back({x, y, std::move(text), true});
  return *this;
}

Figure& Figure::legend_beside() {
  legend_beside_ = true;
  return *this;
}

Figure& Figure::marker(double x, std::string label) {
  markers_.emplace_back(x, std::move(label));
  return *this;
}

Figure& Figure::note(std::string text) {
  notes_.push_back(std::move(text));
  return *this;
}

/// Draws the inside of a figure, without the surrounding svg element.
class Painter {
 public:
  explicit Painter(const Figure& figure)
      : figure_(figure),
        legend_height_(
            figure.legend_beside_ ? 0 : kLegendRow * static_cast<double>(legend_rows(figure))),
        left_(kLeft),
        right_(figure.size_.width - kRight - (figure.legend_beside_ ? widest_entry(figure) : 0)),
        top_(kTop + legend_height_),
        bottom_(figure.size_.height - kBottom),
        sx_(figure.x_, bounds(true), left_, right_, false),
        sy_(figure.y_, bounds(false), bottom_, top_, true) {}

  std::string paint() {
    out_ += text_at(left_, 22, 14, "start", figure_.title_, " font-weight=\"bold\"");
    grid();
    for (const auto& series : figure_.series_) {
      draw(series);
    }
    frame();
    legend();
    return std::move(out_);
  }

 private:
  using Series = Figure::Series;
  using Kind = Figure::Kind;

  static double entry_width(const Series& series) {
    return 38 + 5.9 * static_cast<double>(core::display_width(series.label));
  }

  static double widest_entry(const Figure& figure) {
    double widest = 0;
    for (const auto& series : figure.series_) {
      widest = std::max(widest, series.label.empty() ? 0 : entry_width(series));
    }
    return widest;
  }

  static std::size_t legend_rows(const Figure& figure) {
    double at = 0;
    std::size_t rows = 0;
    for (const auto& series : figure.series_) {
      if (series.label.empty()) {
        continue;
      }
      if (rows == 0 || at + entry_width(series) > figure.size_.width - kLeft - kRight) {
        ++rows;
        at = 0;
      }
      at += entry_width(series);
    }
    return rows;
  }

  Bounds bounds(bool of_x) const {
    Bounds bounds;
    for (const auto& series : figure_.series_) {
      bounds.include(of_x ? series.x : series.y);
      if (!of_x) {
        bounds.include(series.y2);
      }
    }
    return bounds;
  }

  void grid() {
    const auto ticks = [](const Axis& axis, const auto& scale, int about) {
      return axis.ticks.empty() ? scale.ticks(about, axis.whole_numbers) : axis.ticks;
    };
    const auto x_ticks = ticks(figure_.x_, sx_, 6);
    const auto y_ticks = ticks(figure_.y_, sy_, 5);
    const auto step = [](const std::vector<double>& t) {
      return t.size() > 1 ? t[1] - t[0] : std::max(1e-9, std::abs(t.empty() ? 1 : t[0]));
    };
    for (const double tick : y_ticks) {
      const double y = sy_(tick);
      out_ +=
          fmt::format("<path d=\"M{:.1f},{:.1f}H{:.1f}\" stroke=\"#e3e3e3\" stroke-width=\"1\"/>\n",
                      left_, y, right_);
      out_ += text_at(left_ - 8, y + 4, 11.5, "end",
                      tick_label(tick, figure_.y_.logarithmic ? tick : step(y_ticks)));
    }
    for (const double tick : x_ticks) {
      const double x = sx_(tick);
      out_ += fmt::format("<path d=\"M{:.1f},{:.1f}v5\" stroke=\"{}\"/>\n", x, bottom_, kInk);
      out_ += text_at(x, bottom_ + 19, 11.5, "middle",
                      tick_label(tick, figure_.x_.logarithmic ? tick : step(x_ticks)));
    }
  }

  void draw(const Series& series) {
    const auto colour = hex(series.colour);
    switch (series.kind) {
      case Kind::histogram:
        out_ += fmt::format(
            "<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.22\" stroke=\"{}\" stroke-width=\"1.8\" "
            "stroke-linejoin=\"round\"/>\n",
            path_of(series.x, series.y, sx_, sy_), colour, colour);
        break;
      case Kind::line:
        out_ += fmt::format(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
            "stroke-linejoin=\"round\"{}/>\n",
            path_of(series.x, series.y, sx_, sy_), colour, series.size, dash_array(series.dash));
        break;
      case Kind::band: {
        auto x = series.x;
        auto y = series.y;
        x.insert(x.end(), series.x.rbegin(), series.x.rend());
        y.insert(y.end(), series.y2.rbegin(), series.y2.rend());
        out_ += fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.18\"/>\n",
                            path_of(x, y, sx_, sy_), colour);
        break;
      }
      case Kind::points:
        for (std::size_t i = 0; i < series.x.size(); ++i) {
          if (std::isfinite(series.x[i]) && std::isfinite(series.y[i])) {
            out_ += fmt::format(
                "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\" "
                "fill-opacity=\"0.75\"/>\n",
                sx_(series.x[i]), sy_(series.y[i]), series.size, colour);
          }
        }
        break;
    }
  }

  void frame() {
    for (const auto& [x, label] : figure_.markers_) {
      out_ += fmt::format(
          "<path d=\"M{:.1f},{:.1f}V{:.1f}\" stroke=\"#555555\" stroke-dasharray=\"3 3\"/>\n",
          sx_(x), bottom_, top_);
      const bool fits = sx_(x) + 10 + 6 * static_cast<double>(core::display_width(label)) < right_;
      out_ +=
          text_at(sx_(x) + (fits ? 4 : -4), top_ + 12, 11, fits ? "start" : "end", label, kHalo);
    }
    out_ += fmt::format("<path d=\"M{:.1f},{:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n",
                        left_, top_, bottom_, right_, kInk);
    out_ += text_at((left_ + right_) / 2, bottom_ + 42, 12.5, "middle", figure_.x_.title);
    const double middle = (top_ + bottom_) / 2;
    out_ += text_at(16, middle, 12.5, "middle", figure_.y_.title,
                    fmt::format(" transform=\"rotate(-90 16 {:.1f})\"", middle));
    for (const auto& [x, y, text, above] : figure_.words_) {
      out_ += text_at(sx_(x) + 7, std::min(sy_(y) + (above ? -5 : 13), bottom_ - 4), 10.5, "start",
                      text, kHalo);
    }
    labels();
    double y = top_ + 16;
    for (const auto& note : figure_.notes_) {
      out_ += text_at(right_ - 8, y, 11, "end", note, kHalo);
      y += 15;
    }
  }

  void labels() {
    std::vector<LabelPoint> points;
    for (const auto& label : figure_.labels_) {
      points.push_back(
          {sx_(label.x), sy_(label.y), 5.6 * static_cast<double>(core::display_width(label.text))});
    }
    const auto places = place_labels(points, {left_, top_, right_, bottom_});
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].far) {
        out_ += fmt::format(
            "<path d=\"M{:.1f},{:.1f}L{:.1f},{:.1f}\" stroke=\"#999999\" "
            "stroke-width=\"0.8\"/>\n",
            points[i].x, points[i].y, places[i].x + points[i].width / 2, places[i].y - 4);
      }
      out_ += text_at(places[i].x, places[i].y, 11, "start", figure_.labels_[i].text, kHalo);
    }
  }

  void legend() {
    const bool beside = figure_.legend_beside_;
    const double start = beside ? right_ + 14 : left_;
    double x = start;
    double y = beside ? top_ + 10 : kTop;
    for (const auto& series : figure_.series_) {
      if (series.label.empty()) {
        continue;
      }
      if (x > start && (beside || x + entry_width(series) > right_)) {
        x = start;
        y += kLegendRow;
      }
      const auto colour = hex(series.colour);
      if (series.kind == Kind::line) {
        out_ +=
            fmt::format("<path d=\"M{:.1f},{:.1f}h18\" stroke=\"{}\" stroke-width=\"2.4\"{}/>\n", x,
                        y - 4, colour, dash_array(series.dash));
      } else if (series.kind == Kind::points) {
        out_ += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.2\" fill=\"{}\" fill-opacity=\"0.75\"/>\n",
            x + 9, y - 4, colour);
      } else {
        out_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"18\" height=\"10\" fill=\"{}\" "
            "fill-opacity=\"0.22\" stroke=\"{}\"/>\n",
            x, y - 9, colour, series.kind == Kind::band ? "none" : colour);
      }
      out_ += text_at(x + 23, y, 11.5, "start", series.label);
      x += entry_width(series);
    }
  }

  const Figure& figure_;
  double legend_height_;
  double left_;
  double right_;
  double top_;
  double bottom_;
  Scale sx_;
  Scale sy_;
  std::string out_;
};

std::string Figure::svg() const {
  return open_svg(size_.width, size_.height, title_) + Painter(*this).paint() + "</svg>\n";
}

std::string side_by_side(const std::string& title, std::span<const Figure> figures) {
  constexpr double kTitle = 30;
  double width = 0;
  double height = 0;
  for (const auto& figure : figures) {
    width += figure.size_.width;
    height = std::max(height, figure.size_.height);
  }
  auto svg = open_svg(width, height + kTitle, title);
  svg += text_at(width / 2, 24, 16, "middle", title, " font-weight=\"bold\"");
  double x = 0;
  for (const auto& figure : figures) {
    svg += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n", x, kTitle);
    svg += Painter(figure).paint();
    svg += "</g>\n";
    x += figure.size_.width;
  }
  return svg + "</svg>\n";
}

}  // namespace rayleigh::plot
