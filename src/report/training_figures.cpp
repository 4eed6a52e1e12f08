#include "report/training_figures.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"
#include "plot/figure.h"
#include "report/training_parts.h"

namespace rayleigh::report {
namespace {

using core::with_commas;
using plot::Axis;
using plot::Colour;
using plot::Dash;
using plot::Figure;
using plot::FigureSize;
using plot::NamedText;

constexpr FigureSize kWide{520, 340};
/// The frame inside is about a square below two rows of legend.
constexpr FigureSize kSquare{500, 546};
constexpr double kThin = 0.9;
/// Free space above curves for the words of a marker.
constexpr double kRoomAbove = 1.15;

double line_width(const TrainingResult& result) { return result.members.size() > 1 ? kThin : 2; }

/// One line per member, a dot at the epoch that was kept.
void draw_histories(Figure& figure, const TrainingResult& result, Colour colour,
                    const std::string& label, Dash dash, auto value_of) {
  for (std::size_t m = 0; m < result.members.size(); ++m) {
    std::vector<double> epochs;
    std::vector<double> values;
    for (const EpochRecord& epoch : result.members[m].history) {
      epochs.push_back(epoch.epoch);
      values.push_back(value_of(epoch));
      if (epoch.epoch == result.members[m].best_epoch) {
        figure.points({epochs.back()}, {values.back()}, colour, "");
      }
    }
    figure.line(epochs, values, colour, m == 0 ? label : "", dash, line_width(result));
  }
}

Axis epoch_axis(const TrainingResult& result) {
  std::size_t most = 2;
  for (const TrainedMember& member : result.members) {
    most = std::max(most, member.history.size());
  }
  return {"epoch", 0.0, static_cast<double>(most), false, true};
}

void mark_best_epoch(Figure& figure, const TrainingResult& result) {
  if (result.members.size() == 1) {
    figure.marker(result.members[0].best_epoch,
                  fmt::format("kept: epoch {}", result.members[0].best_epoch));
  }
}

std::string of_members(const TrainingResult& result) {
  return result.members.size() > 1 ? fmt::format(", {} models", result.members.size()) : "";
}

std::string loss_figure(const TrainingResult& result) {
  double highest = 0;
  for (const TrainedMember& member : result.members) {
    for (const EpochRecord& epoch : member.history) {
      highest = std::max(highest, epoch.loss);
    }
  }
  Figure figure("Loss", epoch_axis(result),
                {"mean loss over the training graphs", 0.0, kRoomAbove * highest}, kWide);
  draw_histories(figure, result, Colour::normal, "training loss" + of_members(result), Dash::none,
                 [](const EpochRecord& epoch) { return epoch.loss; });
  mark_best_epoch(figure, result);
  return figure.svg();
}

std::string validation_figure(const TrainingResult& result) {
  struct Metric {
    const char* name;
    double EpochMetrics::*value;
    Colour colour;
    Dash dash;
  };
  constexpr std::array kMetrics{
      Metric{"AUC", &EpochMetrics::auc, Colour::normal, Dash::none},
      Metric{"average precision", &EpochMetrics::average_precision, Colour::anomalous,
             Dash::dashed},
      Metric{"macro-F1 at 0.5", &EpochMetrics::macro_f1, Colour::third, Dash::dotted}};
  double lowest = 1;
  double highest = 0;
  for (const TrainedMember& member : result.members) {
    for (const EpochRecord& epoch : member.history) {
      for (const Metric& metric : kMetrics) {
        lowest = std::min(lowest, epoch.validation.*metric.value);
        highest = std::max(highest, epoch.validation.*metric.value);
      }
    }
  }
  const double low = std::max(0.0, std::floor(lowest * 10 - 0.1) / 10);
  const Axis y{"metric of the validation graphs", low, low + kRoomAbove * (highest - low)};
  Figure figure("Validation metrics", epoch_axis(result), y, kWide);
  for (const Metric& metric : kMetrics) {
    if (std::isnan(result.members.front().history.front().validation.*metric.value)) {
      continue;  // scores without a threshold of 0.5
    }
    draw_histories(figure, result, metric.colour, metric.name, metric.dash,
                   [&](const EpochRecord& epoch) { return epoch.validation.*metric.value; });
  }
  mark_best_epoch(figure, result);
  return figure.svg();
}

struct PartStyle {
  Colour colour;
  Dash dash;
};

/// Not the colours of the classes.
PartStyle style_of(const Part& part) {
  return part.name == "test" ? PartStyle{Colour::fourth, Dash::none}
                             : PartStyle{Colour::third, Dash::dashed};
}

std::vector<Part> parts_with_curves(const TrainingResult& result) {
  std::vector<Part> parts{validation_part(result)};
  if (auto test = test_part(result); test.has_both_classes()) {
    parts.push_back(std::move(test));
  }
  return parts;
}

std::string roc_figure(const TrainingResult& result) {
  Figure figure("ROC curve", {"false positive rate (normal graphs called anomalous)", 0.0, 1.0},
                {"true positive rate (anomalous graphs found)", 0.0, 1.0}, kSquare);
  for (const Part& part : parts_with_curves(result)) {
    const auto [colour, dash] = style_of(part);
    auto curve = thinned(roc_curve(part.view()));
    figure.line(std::move(curve.x), std::move(curve.y), colour,
                fmt::format("{}, AUC {:.3f}", part.name, roc_auc(part.view())), dash);
  }
  figure.line({0, 1}, {0, 1}, Colour::grey, "chance", Dash::dotted, 1.4);
  for (const Part& part : parts_with_curves(result)) {
    const auto at = confusion(part.view(), result.detector.threshold());
    figure.points({at.false_positive_rate()}, {at.recall()}, style_of(part).colour,
                  part.name == shown_part(result).name ? "at the tuned threshold" : "", 5);
  }
  return figure.svg();
}

std::string precision_recall_figure(const TrainingResult& result) {
  Figure figure(
      "Precision-recall curve", {"recall (share of the anomalous graphs found)", 0.0, 1.0},
      {"precision (share of the graphs called so that are anomalous)", 0.0, 1.0}, kSquare);
  for (const Part& part : parts_with_curves(result)) {
    const auto [colour, dash] = style_of(part);
    auto curve = thinned(precision_recall_curve(part.view()));
    figure.line(std::move(curve.x), std::move(curve.y), colour,
                fmt::format("{}, AP {:.3f}", part.name, average_precision(part.view())), dash);
  }
  const Part shown = shown_part(result);
  const double rate =
      static_cast<double>(shown.anomalous()) / static_cast<double>(shown.labels.size());
  figure.line({0, 1}, {rate, rate}, Colour::grey, fmt::format("base rate {:.3f}", rate),
              Dash::dashed, 1.4);
  for (const Part& part : parts_with_curves(result)) {
    const auto at = confusion(part.view(), result.detector.threshold());
    figure.points({at.recall()}, {at.precision()}, style_of(part).colour,
                  part.name == shown.name ? "at the tuned threshold" : "", 5);
  }
  return figure.svg();
}

/// Scores of both classes over common bins.
struct ScoreHistogram {
  std::vector<double> edges;
  std::array<std::vector<std::size_t>, 2> counts;  ///< normal, anomalous
  std::array<std::size_t, 2> graphs{};
};

ScoreHistogram score_histogram(const Part& part, double threshold) {
  constexpr std::size_t kLeastBins = 10;
  constexpr std::size_t kMostBins = 40;
  std::array<std::vector<double>, 2> scores;
  for (std::size_t i = 0; i < part.labels.size(); ++i) {
    scores[part.labels[i] == 1 ? 1 : 0].push_back(part.scores[i]);
  }
  const auto [lowest, highest] = std::ranges::minmax(part.scores);
  double low = std::min(lowest, threshold);
  double high = std::max(highest, threshold);
  // Probabilities get round ends.
  if (low >= 0 && high <= 1) {
    low = std::floor(low * 10) / 10;
    high = std::ceil(high * 10) / 10;
  }
  if (!(high > low)) {
    high = low + 1;
  }
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(part.scores.size())));
  const std::size_t bins = std::clamp(root, kLeastBins, kMostBins);
  ScoreHistogram out;
  for (std::size_t b = 0; b <= bins; ++b) {
    out.edges.push_back(low + (high - low) * static_cast<double>(b) / static_cast<double>(bins));
  }
  for (std::size_t c = 0; c < 2; ++c) {
    out.counts[c] = bin_counts(scores[c], low, high, bins);
    out.graphs[c] = scores[c].size();
  }
  return out;
}

constexpr std::array kClassNames{"normal", "anomalous"};
constexpr std::array kClassColours{Colour::normal, Colour::anomalous};

std::string score_figure(const TrainingResult& result, bool as_counts) {
  const Part part = shown_part(result);
  const double threshold = result.detector.threshold();
  const auto histogram = score_histogram(part, threshold);
  double highest = 0;
  std::array<std::vector<double>, 2> heights;
  for (std::size_t c = 0; c < 2; ++c) {
    for (const std::size_t count : histogram.counts[c]) {
      heights[c].push_back(static_cast<double>(count) /
                           (as_counts ? 1 : static_cast<double>(histogram.graphs[c])));
      highest = std::max(highest, heights[c].back());
    }
  }
  Axis y{"share of the graphs of a class", 0.0, kRoomAbove * highest};
  if (as_counts) {
    // From below one graph, so that a single one is seen.
    y = {"number of graphs", 0.7, highest * 2, true};
  }
  Figure figure(
      fmt::format("Scores of the {} graphs, {}", part.name, as_counts ? "numbers" : "shares"),
      {"score"}, y, kWide);
  for (std::size_t c = 0; c < 2; ++c) {
    figure.histogram(histogram.edges, heights[c], kClassColours[c],
                     fmt::format("{} ({})", kClassNames[c], with_commas(histogram.graphs[c])));
  }
  figure.marker(threshold, fmt::format("threshold {:.3f}", threshold));
  return figure.svg();
}

/// `part` has probabilities as scores.
std::string reliability_figure(const Part& part, const std::string& title,
                               const std::string& x_title) {
  const auto bins = reliability_of(part);
  Figure figure(title, {x_title, 0.0, 1.0},
                {"observed share of anomalous graphs in a bin", 0.0, 1.0}, kSquare);
  figure.line({0, 1}, {0, 1}, Colour::grey, "as predicted", Dash::dotted, 1.4);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const auto& bin = bins[b];
    x.push_back(bin.predicted);
    y.push_back(bin.observed());
    const auto interval = share_interval(bin.anomalous, bin.graphs);
    figure.line({x.back(), x.back()}, {interval.low, interval.high}, Colour::normal, "", Dash::none,
                1.2);
    // On the side that the line to the next point leaves free.
    const bool falls = b + 1 < bins.size() && bins[b + 1].observed() < bin.observed();
    figure.word(x.back(), y.back(), with_commas(bin.graphs), falls);
  }
  figure.line(x, y, Colour::normal, fmt::format("{} graphs, 95 % interval", part.name));
  figure.points(x, y, Colour::normal,
                fmt::format("Brier score {:.3f}, calibration error {:.3f}",
                            brier_score(part.view()), calibration_error(bins)),
                3.6);
  return figure.svg();
}

}  // namespace

std::vector<NamedText> training_figures(const TrainingResult& result) {
  std::vector<NamedText> figures;
  figures.emplace_back("loss.svg", loss_figure(result));
  figures.emplace_back("validation.svg", validation_figure(result));
  figures.emplace_back("roc.svg", roc_figure(result));
  figures.emplace_back("precision_recall.svg", precision_recall_figure(result));
  figures.emplace_back("scores.svg", score_figure(result, false));
  figures.emplace_back("score_counts.svg", score_figure(result, true));
  const Part part = shown_part(result);
  if (result.detector.scores_are_probabilities()) {
    figures.emplace_back(
        "calibration_score.svg",
        reliability_figure(part, "Calibration of the raw score", "mean score in a bin"));
  }
  figures.emplace_back("calibration.svg", reliability_figure(calibrated(part, result.detector),
                                                             "Calibration of the probability",
                                                             "mean probability in a bin"));
  return figures;
}

}  // namespace rayleigh::report
