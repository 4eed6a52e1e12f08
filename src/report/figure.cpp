#include "report/figure.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "core/text.h"
#include "report/label_places.h"
#include "report/ticks.h"

namespace rayleigh::report {
namespace {

constexpr double kLeft = 66;
constexpr double kRight = 16;
constexpr double kTop = 40;
constexpr double kBottom = 54;
constexpr double kLegendRow = 18;
constexpr std::string_view kFont =
    "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\"";
constexpr std::string_view kInk = "#222222";
/// Keeps words readable that lie on a curve.
constexpr std::string_view kHalo = R"( stroke="#ffffff" stroke-width="3" paint-order="stroke")";

struct Bounds {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  void include(std::span<const double> values) {
    for (const double value : values) {
      include(value);
    }
  }
  bool empty() const { return !(low <= high); }
};

/// From data to the frame, straight or logarithmic.
class Scale {
 public:
  Scale(const Axis& axis, Bounds data, double from, double to, bool from_zero)
      : logarithmic_(axis.logarithmic), from_(from), to_(to) {
    if (data.empty()) {
      data = {0, 1};
    }
    if (from_zero && !logarithmic_) {
      data.include(0);
    }
    low_ = axis.low.value_or(data.low);
    high_ = axis.high.value_or(data.high);
    if (!axis.high && from_zero && !logarithmic_) {
      high_ += 0.06 * (high_ - low_);
    }
    if (!(high_ > low_)) {
      const double half = logarithmic_ ? low_ / 2 : std::max(0.5, std::abs(low_) / 2);
      low_ -= axis.low ? 0 : half;
      high_ += half;
    }
  }

  double operator()(double value) const {
    // Zero has no logarithm: an empty bin of a histogram lies on the axis.
    const double share = !logarithmic_ ? (value - low_) / (high_ - low_)
                         : value > 0   ? std::log(value / low_) / std::log(high_ / low_)
                                       : 0;
    return from_ + std::clamp(share, -0.02, 1.02) * (to_ - from_);
  }
  double low() const { return low_; }
  double high() const { return high_; }

  std::vector<double> ticks(int wanted, bool whole_numbers) const {
    auto ticks = logarithmic_ ? log_ticks(low_, high_) : nice_ticks(low_, high_, wanted);
    if (whole_numbers) {
      std::erase_if(ticks, [](double t) { return t != std::round(t); });
    }
    return ticks;
  }

 private:
  bool logarithmic_;
  double from_;
  double to_;
  double low_ = 0;
  double high_ = 1;
};

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

std::string text_at(double x, double y, double size, std::string_view anchor, std::string_view text,
                    std::string_view more = "") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\" "
      "fill=\"{}\"{}>{}</text>\n",
      x, y, size, anchor, kInk, more, escape(text));
}

std::string open_svg(double width, double height, std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" {2} role=\"img\">\n<title>{3}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height, kFont, escape(title));
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

std::string hex(Colour colour) {
  constexpr std::array<std::string_view, 7> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                     "#56B4E9", "#E69F00", "#7F7F7F"};
  return std::string(kColours[static_cast<std::size_t>(colour)]);
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // Control characters are not allowed in XML at all.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

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
    const auto x_ticks = sx_.ticks(6, figure_.x_.whole_numbers);
    const auto y_ticks = sy_.ticks(5, figure_.y_.whole_numbers);
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

std::string bar_chart(const std::string& title, const std::string& value_title,
                      std::span<const Bar> bars, double origin, double low, double high) {
  constexpr double kRow = 24;
  constexpr double kWidth = 640;
  constexpr double kTextRoom = 150;
  std::size_t longest = 4;
  for (const auto& bar : bars) {
    longest = std::max(longest, core::display_width(bar.label));
  }
  const double left = 24 + 7.2 * static_cast<double>(std::min<std::size_t>(longest, 28));
  const double right = kWidth - kTextRoom;
  const double bottom = 40 + kRow * static_cast<double>(bars.size());
  const auto at = [&](double value) {
    return left + (std::clamp(value, low, high) - low) / (high - low) * (right - left);
  };
  auto svg = open_svg(kWidth, bottom + 54, title);
  svg += text_at(12, 22, 14, "start", title, " font-weight=\"bold\"");
  const auto ticks = nice_ticks(low, high, 5);
  for (const double tick : ticks) {
    svg += fmt::format("<path d=\"M{:.1f},34V{:.1f}\" stroke=\"{}\"/>\n", at(tick), bottom + 4,
                       tick == origin ? "#555555" : "#e3e3e3");
    svg += text_at(at(tick), bottom + 18, 11.5, "middle",
                   tick_label(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : 1));
  }
  double y = 40;
  for (const auto& bar : bars) {
    const double a = std::min(at(bar.value), at(origin));
    const double b = std::max(at(bar.value), at(origin));
    svg += text_at(left - 8, y + 15, 12, "end", core::printable(bar.label, 28));
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"15\" fill=\"{}\"/>\n", a, y + 3,
        std::max(1.0, b - a), hex(bar.colour));
    svg += text_at(right + 10, y + 15, 11.5, "start", bar.text);
    y += kRow;
  }
  svg += text_at((left + right) / 2, bottom + 42, 12.5, "middle", value_title);
  return svg + "</svg>\n";
}

}  // namespace rayleigh::report
