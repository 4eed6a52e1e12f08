#include "report/comparison_figures.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "plot/figure.h"

namespace rayleigh::report {
namespace {

using plot::Colour;
using plot::Dash;
using plot::Figure;
/// Colour and dashes together tell curves apart; a detector looks the same in all figures.
struct Look {
  Colour colour;
  Dash dash;
};

Look look_of(const Comparison& comparison, std::size_t row) {
  constexpr std::array kDashes{Dash::none, Dash::dashed, Dash::dotted};
  const bool yardstick = comparison.rows[row].yardstick;
  std::size_t place = 0;
  for (std::size_t other = 0; other < row; ++other) {
    place += comparison.rows[other].yardstick == yardstick ? 1 : 0;
  }
  if (yardstick) {
    return {Colour::grey, kDashes[(place + 1) % kDashes.size()]};
  }
  return {plot::colour_of(place), kDashes[place / plot::kCurveColours % kDashes.size()]};
}

/// Height of a curve that only rises, at x; the upper end of a vertical stretch.
double height_at(const Curve& curve, double x) {
  const auto after = std::ranges::upper_bound(curve.x, x);
  if (after == curve.x.end()) {
    return curve.y.back();
  }
  const auto i = static_cast<std::size_t>(after - curve.x.begin());
  if (i == 0) {
    return curve.y.front();
  }
  const double share = (x - curve.x[i - 1]) / (curve.x[i] - curve.x[i - 1]);
  return curve.y[i - 1] + share * (curve.y[i] - curve.y[i - 1]);
}

/// The mean over seeds at every false positive rate.
Curve mean_roc(const ComparisonEntry& entry) {
  constexpr int kSteps = 200;
  Curve mean;
  for (int step = 0; step <= kSteps; ++step) {
    const double x = static_cast<double>(step) / kSteps;
    double sum = 0;
    int count = 0;
    for (const compare::CellResult* cell : entry.done) {
      if (!cell->roc.x.empty()) {
        sum += height_at(cell->roc, x);
        ++count;
      }
    }
    if (count > 0) {
      mean.x.push_back(x);
      mean.y.push_back(sum / count);
    }
  }
  return mean;
}

/// Rows with an AUC on the dataset, best first.
std::vector<std::size_t> by_auc(const Comparison& comparison, std::size_t set) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    if (std::isfinite(comparison.entries[row][set].auc.mean)) {
      rows.push_back(row);
    }
  }
  std::ranges::stable_sort(rows, std::greater{},
                           [&](std::size_t row) { return comparison.entries[row][set].auc.mean; });
  return rows;
}

}  // namespace

std::string roc_figure(const Comparison& comparison, std::size_t set) {
  Figure figure(comparison.data[set] + ": ROC of the test graphs",
                {.title = "false positive rate", .low = 0, .high = 1},
                {.title = "true positive rate", .low = 0, .high = 1},
                {.width = 700, .height = 480});
  figure.legend_beside();
  for (const std::size_t row : by_auc(comparison, set)) {
    const ComparisonEntry& entry = comparison.entries[row][set];
    auto curve = mean_roc(entry);
    const Look look = look_of(comparison, row);
    figure.line(std::move(curve.x), std::move(curve.y), look.colour,
                fmt::format("{:.3f}  {}", entry.auc.mean, comparison.rows[row].title), look.dash);
  }
  figure.line({0, 1}, {0, 1}, Colour::grey, "", Dash::dotted, 1);
  return figure.svg();
}

std::string time_figure(const Comparison& comparison, std::size_t set) {
  const auto rows = by_auc(comparison, set);
  const auto time = [&](std::size_t row) {
    constexpr double kLeast = 0.01;  // some detectors learn nothing, and zero has no logarithm
    return std::max(kLeast, comparison.entries[row][set].seconds_train.mean);
  };
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  double low = 0.5;
  double high = 0.5;
  for (const std::size_t row : rows) {
    if (std::isfinite(comparison.entries[row][set].seconds_train.mean)) {
      first = std::min(first, time(row));
      last = std::max(last, time(row));
    }
    low = std::min(low, comparison.entries[row][set].auc.mean);
    high = std::max(high, comparison.entries[row][set].auc.mean);
  }
  const bool timed = last > 0;
  Figure figure(
      comparison.data[set] + ": accuracy against time",
      {.title = "seconds of training (logarithmic)",
       .low = timed ? first / 2 : 1,
       .high = timed ? last * 3 : 10,
       .logarithmic = true},
      {.title = "test AUC", .low = std::max(0.0, low - 0.03), .high = std::min(1.0, high + 0.03)},
      {.width = 700, .height = 420});
  for (const std::size_t row : rows) {
    const ComparisonEntry& entry = comparison.entries[row][set];
    if (std::isfinite(entry.seconds_train.mean)) {
      figure.points({time(row)}, {entry.auc.mean}, look_of(comparison, row).colour, "", 4.5);
      figure.label(time(row), entry.auc.mean, comparison.rows[row].title);
    }
  }
  return figure.svg();
}

}  // namespace rayleigh::report
