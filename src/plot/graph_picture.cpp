#include "plot/graph_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"
#include "plot/figure.h"
#include "plot/graph_layout.h"
#include "plot/svg.h"

namespace rayleigh::plot {
namespace {

std::string hex(const io::Colour& colour) {
  const auto byte = [](double part) { return std::lround(255 * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green),
                     byte(colour.blue));
}

std::string words_instead(const PictureSize& size, std::string_view words) {
  return open_svg(size.width, size.height, words) +
         text_at(size.width / 2.0, size.height / 2.0, 13, "middle", words) + "</svg>\n";
}

/// As chemists draw it, or "" when this is not a molecule or the chemistry is not there.
std::string molecule_picture(const DrawnGraph& drawn, std::span<const double> values, double limit,
                             const PictureSize& size) {
  io::MoleculePicture picture{.width = size.width, .height = size.height};
  picture.grounds.resize(drawn.graph[0].nodes());
  constexpr double kVisible = 0.02;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (std::abs(values[j]) > kVisible * limit) {
      picture.grounds[j] = share_colour(values[j] / limit);
    }
  }
  return drawn.written
             ? io::draw_molecule(
                   *drawn.written, drawn.structure,
                   drawn.largest_fragment ? io::Fragments::largest : io::Fragments::all, picture)
             : io::draw_molecule(drawn.graph, 0, picture);
}

std::string plain_picture(const GraphSet& set, std::span<const double> values, double limit,
                          const PictureSize& size) {
  const GraphView graph = set[0];
  const auto points = graph_layout(graph);
  const auto across = std::ranges::minmax(points, {}, &Point::x);
  const auto down = std::ranges::minmax(points, {}, &Point::y);
  constexpr double kMargin = 16;
  constexpr double kLongest = 44;  // of an edge, so that small graphs do not look coarse
  const double scale =
      std::min({kLongest, (size.width - 2 * kMargin) / (across.max.x - across.min.x + 1e-9),
                (size.height - 2 * kMargin) / (down.max.y - down.min.y + 1e-9)});
  const auto x = [&](std::size_t node) {
    return size.width / 2.0 + scale * (points[node].x - (across.min.x + across.max.x) / 2);
  };
  const auto y = [&](std::size_t node) {
    return size.height / 2.0 + scale * (points[node].y - (down.min.y + down.max.y) / 2);
  };
  std::string svg = open_svg(size.width, size.height,
                             fmt::format("graph of {}", core::counted(graph.nodes(), "node")));
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    for (const std::uint32_t neighbour : graph.neighbours(node)) {
      const std::size_t far = neighbour - graph.first_node();
      if (node < far) {
        svg += fmt::format(
            R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="#999999" stroke-width="1.4"/>)"
            "\n",
            x(node), y(node), x(far), y(far));
      }
    }
  }
  const double radius = std::clamp(0.3 * scale, 2.5, 10.0);
  for (std::size_t node = 0; node < graph.nodes(); ++node) {
    const std::string& label = set.node_labels()[graph.label(node)];
    const auto ground =
        values.empty() ? io::Colour{0.87, 0.87, 0.87} : share_colour(values[node] / limit);
    svg += fmt::format(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}" stroke="#555555" stroke-width="0.8"><title>node {}, label {}{}</title></circle>)"
        "\n",
        x(node), y(node), radius, hex(ground), node, escape(label),
        values.empty() ? std::string() : fmt::format(", {:+.3g}", values[node]));
    if (radius >= 7 && label.size() <= 2) {
      svg += text_at(x(node), y(node) + 0.36 * radius * 1.1, radius * 1.1, "middle", label);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace

io::Colour share_colour(double part) {
  constexpr io::Colour kMore{0.835, 0.369, 0.0};
  constexpr io::Colour kLess{0.0, 0.447, 0.698};
  const io::Colour& end = part >= 0 ? kMore : kLess;
  // Full strength would hide the letters on it.
  const double strength = 0.85 * std::min(1.0, std::abs(part));
  const auto mix = [&](double colour) { return 1 + strength * (colour - 1); };
  return {mix(end.red), mix(end.green), mix(end.blue)};
}

std::string graph_picture(const DrawnGraph& drawn, std::span<const double> values, double limit,
                          PictureSize size) {
  // Before any chemistry, which takes minutes for large molecules and overflows the stack.
  if (const std::size_t nodes = drawn.graph[0].nodes(); nodes > kMostDrawnNodes) {
    return words_instead(size, fmt::format("{} nodes, too many to draw", core::with_commas(nodes)));
  }
  const std::string molecule = molecule_picture(drawn, values, limit, size);
  return molecule.empty() ? plain_picture(drawn.graph, values, limit, size) : molecule;
}

std::string colour_scale(double limit) {
  constexpr int kSteps = 41;
  constexpr double kWidth = 8;
  constexpr double kScaleLeft = 60;
  std::string svg = open_svg(2 * kScaleLeft + kSteps * kWidth, 62, "colour scale");
  for (int i = 0; i < kSteps; ++i) {
    svg += fmt::format(R"(<rect x="{:.1f}" y="18" width="{:.1f}" height="16" fill="{}"/>)"
                       "\n",
                       kScaleLeft + i * kWidth, kWidth + 0.3,
                       hex(share_colour(2.0 * i / (kSteps - 1) - 1)));
  }
  const double right = kScaleLeft + kSteps * kWidth;
  svg += text_at(kScaleLeft, 12, 12, "start", "makes it normal");
  svg += text_at(right, 12, 12, "end", "makes it anomalous");
  svg += text_at(kScaleLeft, 50, 12, "middle", fmt::format("−{:.3g}", limit));
  svg += text_at((kScaleLeft + right) / 2, 50, 12, "middle", "0");
  svg += text_at(right, 50, 12, "middle", fmt::format("+{:.3g}", limit));
  return svg + "</svg>\n";
}

}  // namespace rayleigh::plot
