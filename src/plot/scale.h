// From the numbers of an axis to places in a picture, straight or logarithmic.
// Used by the maker of figures.
// One multiplication or logarithm per number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "plot/figure.h"
#include "plot/ticks.h"

namespace rayleigh::plot {

/// The range of all finite values.
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

}  // namespace rayleigh::plot
