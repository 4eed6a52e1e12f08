#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>

#include "core/text.h"
#include "paper/reproduction.h"
#include "plot/figure.h"

namespace rayleigh::paper {

using plot::Axis;
using plot::Colour;
using plot::Dash;
using plot::Figure;
using report::Comparison;
using report::ComparisonEntry;
using report::ComparisonMetric;
using report::kAuc;
using report::kMacroF1;
using report::Summary;
namespace {

using core::with_commas;

constexpr std::array kColours{Colour::normal, Colour::anomalous, Colour::third,
                              Colour::fourth, Colour::fifth,     Colour::sixth};

ReportFigure normalised_figure(const Reproduction& r, const QuotientFacts& facts,
                               const std::string& name) {
  return {name + "_normalised", facts.normalised_svg,
          fmt::format("{}: scalar quotient tr(X'LX)/tr(X'X) of one-hot labels, normalised "
                      "Laplacian, 25, 50 and 100 % of each class; alone it has an AUC of {:.3f}, "
                      "and the Kolmogorov-Smirnov test of the two classes p = {:.2g}. {}",
                      facts.name, facts.normalised_auc, facts.p_value, sample_of(r)),
          true};
}

std::vector<ReportFigure> distribution_figures(const Reproduction& r) {
  std::vector<ReportFigure> figures;
  figures.reserve(2 * r.quotients.size());
  for (const QuotientFacts& facts : r.quotients) {
    figures.push_back(normalised_figure(r, facts, "E4_" + facts.name));
    figures.push_back({fmt::format("E4_{}_regular", facts.name), facts.regular_svg,
                       fmt::format("{}: the same under D − A, AUC {:.3f}. {}", facts.name,
                                   facts.regular_auc, sample_of(r)),
                       true});
  }
  return figures;
}

Figure perturbation_curve(const Comparison& comparison, const ComparisonMetric& metric) {
  Figure figure(metric.title, {"probability that an edge is moved"}, {metric.title, 0.4, 1.0});
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      const Summary& summary = comparison.entries[row][set].*metric.of;
      if (summary.count > 0) {
        x.push_back(kPerturbations[set]);
        y.push_back(summary.mean);
      }
    }
    figure.line(x, y, kColours[row % kColours.size()], comparison.rows[row].title);
    figure.points(x, y, kColours[row % kColours.size()], "");
  }
  return figure;
}

/// A graph in which no edge was changed cannot be told from a normal one: half of such pairs is
/// lost.
void add_ceiling(Figure& figure, const Reproduction& r) {
  std::vector<double> y;
  y.reserve(r.perturbed.size());
  for (const QuotientFacts& facts : r.perturbed) {
    y.push_back(1 - facts.untouched / 2);
  }
  if (y.size() == std::size(kPerturbations)) {
    figure.line({std::begin(kPerturbations), std::end(kPerturbations)}, y, Colour::grey,
                "the most there is: some were not changed", Dash::dashed);
  }
}

std::vector<ReportFigure> perturbation_figures(const Reproduction& r) {
  std::vector<ReportFigure> figures;
  if (const Comparison* const table = r.table(Experiment::perturbation)) {
    Figure auc = perturbation_curve(*table, kAuc);
    add_ceiling(auc, r);
    figures.push_back(
        {"E6_auc", auc.svg(),
         fmt::format(
             "{}: 5 % of the normal graphs, perturbed, are the anomalies. "
             "The paper reads about 1 from p = 0.15 on. Dashed: what a perfect detector has, "
             "since in some graphs chance changed no edge. {}",
             kCaseDataset, protocol_of(r))});
    figures.push_back(
        {"E6_macro_f1", perturbation_curve(*table, kMacroF1).svg(),
         fmt::format("The same for macro-F1 at 0.5; the paper reads above 0.9 from p = 0.15 on. {}",
                     protocol_of(r))});
  }
  for (std::size_t i = 0; i < r.perturbed.size(); ++i) {
    figures.push_back(
        normalised_figure(r, r.perturbed[i], fmt::format("E6_p{:.2f}", kPerturbations[i])));
  }
  return figures;
}

/// A line a dataset. Hidden size and β go by factors.
std::string parameter_figure(const OurCurves& curves, std::string_view name, const char* title) {
  const bool is_beta = name == "beta";
  const bool is_size = name == "hidden";
  Axis values{.title = title,
              .logarithmic = is_beta || is_size,
              .whole_numbers = name == "width" || name == "depth"};
  if (is_size) {
    values.ticks = {32, 64, 128, 256};
  }
  Figure figure(title, values, {.title = "macro-F1 at 0.5", .low = 0.4, .high = 0.9});
  std::size_t colour = 0;
  for (const std::string_view data : parameter_datasets()) {
    std::vector<double> x;
    std::vector<double> y;
    for (const auto& [value, f1] : curves.parameter(data, name)) {
      x.push_back(is_beta ? 1 - value : value);
      y.push_back(f1);
    }
    if (!x.empty()) {
      figure.line(x, y, kColours[colour], std::string(data));
      figure.points(x, y, kColours[colour], "");
    }
    ++colour;
  }
  return figure.svg();
}

/// "seeds 1, 2" of which every value of every parameter has a run.
std::string seeds_of_all(const Comparison& comparison) {
  std::map<std::uint64_t, std::size_t> runs;
  std::size_t entries = 0;
  for (const auto& row : comparison.entries) {
    for (const ComparisonEntry& entry : row) {
      entries += entry.done.empty() ? 0 : 1;
      for (const compare::CellResult* cell : entry.done) {
        ++runs[cell->seed];
      }
    }
  }
  std::vector<std::uint64_t> seeds;
  for (const auto& [seed, count] : runs) {
    if (count == entries) {
      seeds.push_back(seed);
    }
  }
  return fmt::format("{} {}", seeds.size() == 1 ? "seed" : "seeds", fmt::join(seeds, ", "));
}

std::vector<ReportFigure> parameter_figures(const Reproduction& r) {
  const Comparison* const table = r.table(Experiment::parameters);
  if (table == nullptr) {
    return {};
  }
  const std::string seeds = seeds_of_all(*table);
  const OurCurves curves = our_curves(r);
  constexpr std::array<std::pair<const char*, const char*>, 5> kParameters{
      {{"hidden", "hidden size d"},
       {"width", "width q"},
       {"depth", "depth K"},
       {"gamma", "γ of the loss"},
       {"beta", "1 − β of the loss"}}};
  std::vector<ReportFigure> figures;
  figures.reserve(kParameters.size());
  for (const auto& [key, title] : kParameters) {
    const std::string_view name(key);
    const bool of_loss = name == "gamma" || name == "beta";
    figures.push_back(
        {fmt::format("E7_{}", name), parameter_figure(curves, name, title),
         fmt::format(
             "Macro-F1 at 0.5 against {}, all else as in the paper, profile published, {}. {}{}",
             title, seeds, protocol_of(r), of_loss ? " The grid of values is ours." : "")});
  }
  return figures;
}

/// Training, right and wrong graphs over the same ten bins.
std::string case_figure(const CaseGroup& group) {
  constexpr std::size_t kBins = 10;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto* part : {&group.training, &group.right, &group.wrong}) {
    for (const double value : *part) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  std::vector<double> edges;
  for (std::size_t b = 0; b <= kBins; ++b) {
    edges.push_back(low + (high - low) * static_cast<double>(b) / kBins);
  }
  Figure figure(group.anomalous ? "anomalous graphs" : "normal graphs",
                {"scalar Rayleigh quotient"}, {"share of graphs"});
  const auto add = [&](const std::vector<double>& values, Colour colour, const char* label) {
    std::vector<double> heights(kBins, 0.0);
    for (const double value : values) {
      const auto bin = static_cast<std::size_t>((value - low) / (high - low + 1e-300) * kBins);
      heights[std::min(bin, kBins - 1)] += 1 / static_cast<double>(values.size());
    }
    if (!values.empty()) {
      figure.histogram(edges, heights, colour, label);
    }
  };
  add(group.training, Colour::grey, "training");
  add(group.right, Colour::normal, "test, right");
  add(group.wrong, Colour::anomalous, "test, wrong");
  return figure.svg();
}

std::vector<ReportFigure> case_figures(const Reproduction& r) {
  std::vector<ReportFigure> figures;
  if (!r.case_study) {
    return figures;
  }
  for (const auto& group : r.case_study->groups) {
    const char* const name = group.anomalous ? "anomalous" : "normal";
    figures.push_back(
        {fmt::format("E8_{}", name), case_figure(group),
         fmt::format("{}: quotients of {} graphs, {} of them for training. Profile published, seed "
                     "1. {}",
                     r.case_study->data, name, with_commas(group.training.size()),
                     protocol_of(r))});
  }
  return figures;
}

}  // namespace

std::string protocol_of(const Reproduction& r) {
  return r.quick ? fmt::format(
                       "QUICK RUN: at most {} graphs a set, one seed, {} epochs; split "
                       "70/15/15 per class. The paper: all graphs, one run of 100 epochs.",
                       with_commas(kQuickGraphs), kQuickEpochs)
                 : fmt::format(
                       "Split 70/15/15 per class, moved by the seed; up to {} seeds, 100 "
                       "epochs{}; the paper has one run on one split.",
                       r.seeds, r.full ? "" : ", less for slow methods");
}

std::string sample_of(const Reproduction& r) {
  return r.quick ? fmt::format("QUICK RUN: at most {} graphs, drawn by class; no training.",
                               with_commas(kQuickGraphs))
                 : "All graphs, no training, no split.";
}

std::vector<ReportFigure> reproduction_figures(const Reproduction& reproduction,
                                               Experiment experiment) {
  switch (experiment) {
    case Experiment::distributions:
      return distribution_figures(reproduction);
    case Experiment::perturbation:
      return perturbation_figures(reproduction);
    case Experiment::parameters:
      return parameter_figures(reproduction);
    case Experiment::case_study:
      return case_figures(reproduction);
    default:
      return {};
  }
}

}  // namespace rayleigh::paper
