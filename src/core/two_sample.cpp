#include "core/two_sample.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace rayleigh::core {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  if (!std::ranges::is_sorted(copy)) {  // resampling asks a thousand times for the same
    std::ranges::sort(copy);
  }
  return copy;
}

/// Calls visit(value, count of a at it, count of b at it) for every distinct value, ascending.
template <typename Visit>
void merge_samples(const std::vector<double>& a, const std::vector<double>& b, Visit visit) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const double value = j == b.size() || (i < a.size() && a[i] <= b[j]) ? a[i] : b[j];
    const std::size_t first_i = i;
    const std::size_t first_j = j;
    while (i < a.size() && a[i] == value) {
      ++i;
    }
    while (j < b.size() && b[j] == value) {
      ++j;
    }
    visit(value, i - first_i, j - first_j);
  }
}

/// Q(x) = 2 sum_{k>=1} (-1)^(k-1) exp(-2 k^2 x^2), the tail of the Kolmogorov distribution.
double kolmogorov_tail(double x) {
  if (x < 0.2) {
    return 1;  // the series converges slowly here, and the value differs from 1 by less than 1e-12
  }
  double sum = 0;
  double sign = 1;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * x * x);
    sum += sign * term;
    sign = -sign;
    if (term < 1e-17) {
      break;
    }
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

}  // namespace

double auc(std::span<const double> negative, std::span<const double> positive) {
  assert(!negative.empty() && !positive.empty());
  double wins = 0;
  double below = 0;
  merge_samples(sorted(negative), sorted(positive),
                [&](double /*value*/, std::size_t negatives, std::size_t positives) {
                  const auto n = static_cast<double>(negatives);
                  wins += static_cast<double>(positives) * (below + n / 2);
                  below += n;
                });
  return wins / (static_cast<double>(negative.size()) * static_cast<double>(positive.size()));
}

KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> a, std::span<const double> b) {
  KolmogorovSmirnov out;
  if (a.empty() || b.empty()) {
    return out;
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  double in_a = 0;
  double in_b = 0;
  merge_samples(sorted(a), sorted(b), [&](double /*value*/, std::size_t i, std::size_t j) {
    in_a += static_cast<double>(i);
    in_b += static_cast<double>(j);
    out.statistic = std::max(out.statistic, std::abs(in_a / n - in_b / m));
  });
  const double root = std::sqrt(n * m / (n + m));
  out.p_value = kolmogorov_tail((root + 0.12 + 0.11 / root) * out.statistic);
  return out;
}

double wasserstein(std::span<const double> a, std::span<const double> b) {
  assert(!a.empty() && !b.empty());
  double distance = 0;
  double previous = 0;
  double in_a = 0;
  double in_b = 0;
  merge_samples(sorted(a), sorted(b), [&](double value, std::size_t i, std::size_t j) {
    const double gap =
        std::abs(in_a / static_cast<double>(a.size()) - in_b / static_cast<double>(b.size()));
    distance += gap > 0 ? gap * (value - previous) : 0;
    previous = value;
    in_a += static_cast<double>(i);
    in_b += static_cast<double>(j);
  });
  return distance;
}

}  // namespace rayleigh::core
