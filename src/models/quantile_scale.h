// Where a number lies among those of normal graphs: 0 at their least, 1 at their greatest, between
// them the share that is smaller. Beyond either end it goes on slowly, so that numbers which no
// normal graph has still have an order.
// For detectors that bring several distances to one scale.
// A binary search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace rayleigh::models {

/// Evenly spaced quantiles of the numbers, of which there is at least one.
inline void fill_quantiles(std::vector<float> numbers, std::span<float> quantiles) {
  std::ranges::sort(numbers);
  const std::size_t last = quantiles.size() - 1;
  for (std::size_t k = 0; k <= last; ++k) {
    quantiles[k] = numbers[(k * (numbers.size() - 1) + last / 2) / last];
  }
}

/// `quantiles` ascend; the result is finite for a finite number.
template <typename Real>
double position_among(std::span<const Real> quantiles, double number) {
  const auto last = static_cast<double>(quantiles.size() - 1);
  const auto least = static_cast<double>(quantiles.front());
  const auto most = static_cast<double>(quantiles.back());
  // Numbers that are all equal say nothing of what is far.
  constexpr double kLeastSpread = 0.01;
  const double spread =
      std::max(kLeastSpread, most - static_cast<double>(quantiles[quantiles.size() / 2]));
  if (number > most) {
    return 1 + std::log1p((number - most) / spread);
  }
  if (number < least) {
    return -std::log1p((least - number) / spread) / last;
  }
  const auto lower = std::ranges::lower_bound(quantiles, static_cast<Real>(number));
  const auto upper = std::ranges::upper_bound(quantiles, static_cast<Real>(number));
  if (lower != upper) {  // among equals: their middle
    return (static_cast<double>(lower - quantiles.begin()) +
            static_cast<double>(upper - quantiles.begin()) - 1) /
           (2 * last);
  }
  const auto below = static_cast<double>(*(lower - 1));
  const auto above = static_cast<double>(*lower);
  return (static_cast<double>(lower - quantiles.begin()) - 1 + (number - below) / (above - below)) /
         last;
}

}  // namespace rayleigh::models
