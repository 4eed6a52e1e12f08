#include "learn/blend.h"

#include <algorithm>
#include <cmath>

namespace rayleigh::learn {
namespace {

/// Of the loss, along one number at a time.
struct Derivatives {
  double slope = 0;
  double curvature = 0;
};

}  // namespace

double probability_of(double margin) { return 1 / (1 + std::exp(-margin)); }

/// Coordinate descent by Newton steps, each cut off where a weight would become negative. The
/// problem is convex and has as many unknowns as there are members.
Blend fit_blend(std::span<const std::vector<double>> margins, std::span<const std::int8_t> labels,
                std::span<const double> usual, double shrinkage) {
  const std::size_t members = margins.size();
  Blend blend{.offset = 0, .weights = std::vector<double>(usual.begin(), usual.end())};
  std::vector<double> sums(labels.size(), 0.0);
  // The same for all: else a member that says next to nothing could do so with a huge weight.
  double scale = 0;
  for (std::size_t m = 0; m < members; ++m) {
    double squares = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      sums[i] += usual[m] * margins[m][i];
      squares += margins[m][i] * margins[m][i];
    }
    scale = std::max(scale, squares / static_cast<double>(labels.size()));
  }
  const auto derivatives = [&](auto&& input) {
    Derivatives d;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double p = probability_of(sums[i]);
      const double x = input(i);
      d.slope += (p - (labels[i] == 1 ? 1.0 : 0.0)) * x;
      d.curvature += p * (1 - p) * x * x;
    }
    return d;
  };
  constexpr int kMostSweeps = 500;
  constexpr double kSmallStep = 1e-10;
  constexpr double kLeast = 1e-12;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0;
    const auto move = [&](double step, auto&& input) {
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += step * input(i);
      }
      largest = std::max(largest, std::abs(step));
    };
    const auto one = [](std::size_t) { return 1.0; };
    const Derivatives of_offset = derivatives(one);
    const double step = std::clamp(-of_offset.slope / (of_offset.curvature + kLeast), -1.0, 1.0);
    blend.offset += step;
    move(step, one);
    for (std::size_t m = 0; m < members; ++m) {
      const auto own = [&](std::size_t i) { return margins[m][i]; };
      Derivatives d = derivatives(own);
      const double penalty = shrinkage * scale;
      d.slope += penalty * (blend.weights[m] - usual[m]);
      d.curvature += penalty + kLeast;
      const double before = blend.weights[m];
      blend.weights[m] = std::max(0.0, before - std::clamp(d.slope / d.curvature, -0.5, 0.5));
      move(blend.weights[m] - before, own);
    }
    if (largest < kSmallStep) {
      break;
    }
  }
  return blend;
}

}  // namespace rayleigh::learn
