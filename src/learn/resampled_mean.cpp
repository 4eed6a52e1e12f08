#include "rayleigh/resampled_mean.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace rayleigh {
namespace {

/// The regularised incomplete beta function by its continued fraction (Lentz's method), for x below
/// (a + 1) / (a + b + 2), where it converges fast.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 500;
  const auto away_from_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int step = 1; step <= kMostSteps; ++step) {
    const double m = step;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double numerator : {even, odd}) {
      d = 1 / away_from_zero(1 + numerator * d);
      c = away_from_zero(1 + numerator / c);
      change = c * d;
      fraction *= change;
    }
    if (std::abs(change - 1) < 1e-15) {
      break;
    }
  }
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return front * fraction / a;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

}  // namespace

double student_t_p_value(double t, double degrees) {
  return std::isinf(t) ? 0 : incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_t_quantile(double p_value, double degrees) {
  double low = 0;
  double high = 1;
  while (student_t_p_value(high, degrees) > p_value) {
    high *= 2;
  }
  for (double middle = high / 2; low < middle && middle < high; middle = (low + high) / 2) {
    (student_t_p_value(middle, degrees) > p_value ? low : high) = middle;
  }
  return high;
}

ResampledMean resampled_mean(std::span<const double> values, double test_per_train) {
  constexpr double kCovered = 0.95;
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  ResampledMean out{.count = finite.size()};
  if (finite.empty()) {
    return out;
  }
  const auto count = static_cast<double>(finite.size());
  out.mean = std::accumulate(finite.begin(), finite.end(), 0.0) / count;
  if (finite.size() < 2) {
    return out;
  }
  double squares = 0;
  for (const double value : finite) {
    squares += (value - out.mean) * (value - out.mean);
  }
  out.deviation = std::sqrt(squares / (count - 1));
  const double error = out.deviation * std::sqrt(1 / count + test_per_train);
  const double reach = error * student_t_quantile(1 - kCovered, count - 1);
  out.low = out.mean - reach;
  out.high = out.mean + reach;
  // Values that are all the same leave no room for chance.
  out.p_value =
      error > 0 ? student_t_p_value(out.mean / error, count - 1) : (out.mean == 0 ? 1 : 0);
  return out;
}

}  // namespace rayleigh
