#include "plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"

namespace rayleigh::plot {

std::vector<double> nice_ticks(double low, double high, int wanted) {
  if (!(high > low) || !std::isfinite(high - low)) {
    return {low};
  }
  const double raw = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  constexpr std::array kSteps{1.0, 2.0, 2.5, 5.0, 10.0};
  const double step =
      power * *std::ranges::find_if(kSteps, [&](double s) { return s * power >= raw * 0.999; });
  std::vector<double> ticks;
  const auto first = static_cast<long long>(std::ceil(low / step - 1e-9));
  const auto last = static_cast<long long>(std::floor(high / step + 1e-9));
  for (long long i = first; i <= last; ++i) {
    ticks.push_back(static_cast<double>(i) * step);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  const bool few = high / low < 100;
  for (int e = static_cast<int>(std::floor(std::log10(low)));
       e <= static_cast<int>(std::ceil(std::log10(high))); ++e) {
    for (const double m : {1.0, 2.0, 5.0}) {
      const double value = m * std::pow(10, e);
      if (value >= low * 0.999 && value <= high * 1.001 && (m == 1.0 || few)) {
        ticks.push_back(value);
      }
    }
  }
  return ticks;
}

std::string tick_label(double value, double step) {
  const double size = std::max(std::abs(value), std::abs(step));
  if (value == 0) {
    return "0";
  }
  if (size >= 1e7 || std::abs(step) < 1e-5) {
    return fmt::format("{:.3g}", value);
  }
  if (step >= 1 && value == std::round(value)) {
    const auto text = core::with_commas(static_cast<std::uint64_t>(std::llround(std::abs(value))));
    return value < 0 ? "−" + text : text;
  }
  int digits = 0;
  for (double scaled = step; digits < 6 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled;
       scaled *= 10) {
    ++digits;
  }
  const auto text = fmt::format("{:.{}f}", std::abs(value), digits);
  return value < 0 ? "−" + text : text;
}

}  // namespace rayleigh::plot
