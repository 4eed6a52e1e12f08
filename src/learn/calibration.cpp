#include "learn/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rayleigh::learn {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// log(1 + e^x) without overflow.
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double abscissa(double score, bool on_logit) {
  if (!on_logit) {
    return score;
  }
  constexpr double kLeast = 1e-12;
  const double p = std::clamp(score, kLeast, 1 - kLeast);
  return std::log(p / (1 - p));
}

struct Fit {
  double slope;
  double offset;
};

double negative_log_likelihood(std::span<const double> x, std::span<const double> target, Fit fit) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = fit.slope * x[i] + fit.offset;
    sum += softplus(z) - target[i] * z;
  }
  return sum;
}

}  // namespace

double Calibration::probability(double score) const {
  return exists ? sigmoid(slope * abscissa(score, on_logit) + offset)
                : std::numeric_limits<double>::quiet_NaN();
}

Calibration fit_calibration(const Scored& data, bool on_logit) {
  std::size_t positives = 0;
  std::vector<double> x;
  x.reserve(data.scores.size());
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    positives += data.labels[i] == 1 ? 1 : 0;
    x.push_back(abscissa(data.scores[i], on_logit));
  }
  const auto yes = static_cast<double>(positives);
  const auto no = static_cast<double>(x.size()) - yes;
  std::vector<double> target;
  target.reserve(x.size());
  for (const std::int8_t label : data.labels) {
    target.push_back(label == 1 ? (yes + 1) / (yes + 2) : 1 / (no + 2));
  }
  Fit fit{0, std::log((yes + 1) / (no + 1))};
  if (positives == 0 || positives == x.size()) {
    return {.on_logit = on_logit, .slope = 0, .offset = fit.offset};
  }
  double value = negative_log_likelihood(x, target, fit);
  constexpr int kMostSteps = 100;
  constexpr double kRidge = 1e-12;
  for (int step = 0; step < kMostSteps; ++step) {
    double g1 = 0;
    double g2 = 0;
    double h11 = kRidge;
    double h22 = kRidge;
    double h12 = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double p = sigmoid(fit.slope * x[i] + fit.offset);
      const double d = p - target[i];
      const double w = p * (1 - p);
      g1 += d * x[i];
      g2 += d;
      h11 += w * x[i] * x[i];
      h22 += w;
      h12 += w * x[i];
    }
    if (std::abs(g1) < 1e-9 && std::abs(g2) < 1e-9) {
      break;
    }
    const double det = h11 * h22 - h12 * h12;
    const Fit full{-(h22 * g1 - h12 * g2) / det, -(h11 * g2 - h12 * g1) / det};
    double length = 1;
    bool moved = false;
    while (length > 1e-10 && !moved) {
      const Fit next{fit.slope + length * full.slope, fit.offset + length * full.offset};
      const double now = negative_log_likelihood(x, target, next);
      if (now < value) {
        fit = next;
        value = now;
        moved = true;
      } else {
        length /= 2;
      }
    }
    if (!moved) {
      break;
    }
  }
  if (fit.slope < 0) {
    return {.on_logit = on_logit, .slope = 0, .offset = std::log((yes + 1) / (no + 1))};
  }
  return {.on_logit = on_logit, .slope = fit.slope, .offset = fit.offset};
}

}  // namespace rayleigh::learn
