#include "plot/bar_chart.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/text.h"
#include "plot/svg.h"
#include "plot/ticks.h"

namespace rayleigh::plot {

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

}  // namespace rayleigh::plot
