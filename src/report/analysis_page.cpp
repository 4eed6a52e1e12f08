#include "report/analysis_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/text.h"
#include "plot/bar_chart.h"
#include "plot/figure.h"
#include "plot/html_page.h"

namespace rayleigh::report {
namespace {

using core::counted;
using core::with_commas;
using plot::Bar;
using plot::bar_chart;
using plot::Colour;
using plot::Dash;
using plot::Figure;
using plot::HtmlPage;
using plot::NamedText;
using plot::side_by_side;
using spectral::Analysis;

constexpr std::size_t kRankedLabels = 15;

bool two_classes(const Analysis& analysis) {
  return analysis.normal_graphs > 0 && analysis.anomalous_graphs > 0;
}

std::string p_text(double p) { return p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", p); }

std::string ratio_text(double value) {
  return std::isnan(value) ? "-" : std::isinf(value) ? "inf" : fmt::format("{:.2f}", value);
}

std::string normal_name(const Analysis& analysis) {
  return two_classes(analysis) ? "normal" : "all graphs";
}

/// One panel per sample, both classes overlaid.
std::string quotient_figure(const Analysis& analysis,
                            const spectral::QuotientDistribution& quotient,
                            const std::string& title) {
  double highest = 0;
  for (const auto& sample : quotient.samples) {
    for (const auto* heights : {&sample.normal, &sample.anomalous}) {
      for (const double height : *heights) {
        highest = std::max(highest, height);
      }
    }
  }
  std::vector<Figure> panels;
  for (const auto& sample : quotient.samples) {
    Figure panel(fmt::format("{:.4g} % of each class", 100 * sample.share), {"Rayleigh quotient"},
                 {"share of the graphs of a class", 0.0, highest * 1.08}, {400, 320});
    if (!sample.normal.empty()) {
      panel.histogram(
          sample.edges, sample.normal, Colour::normal,
          fmt::format("{} ({})", normal_name(analysis), with_commas(sample.normal_graphs)));
    }
    if (!sample.anomalous.empty()) {
      panel.histogram(sample.edges, sample.anomalous, Colour::anomalous,
                      fmt::format("anomalous ({})", with_commas(sample.anomalous_graphs)));
    }
    panels.push_back(std::move(panel));
  }
  return side_by_side(title, panels);
}

std::string energy_figure(const Analysis& analysis) {
  Figure figure("Energy above a frequency",
                {"frequency t (eigenvalue of the normalised Laplacian)", 0.0, 2.0},
                {"E(t), share of energy above t", 0.0}, {720, 440});
  const auto draw = [&](const spectral::EnergyCurve& curve, Colour colour, const std::string& name,
                        Dash dash) {
    if (curve.graphs == 0) {
      return;
    }
    figure.band(analysis.lambdas, curve.q05, curve.q95, colour, "");
    figure.band(analysis.lambdas, curve.q25, curve.q75, colour, "");
    figure.line(analysis.lambdas, curve.median, colour,
                fmt::format("{} ({}), median", name, with_commas(curve.graphs)), dash);
  };
  draw(analysis.normal_energy, Colour::normal, normal_name(analysis), Dash::none);
  draw(analysis.anomalous_energy, Colour::anomalous, "anomalous", Dash::dashed);
  figure.note("bands: 25-75 % and 5-95 % of the graphs");
  return figure.svg();
}

std::string label_figure(const GraphSet& graphs, const Analysis& analysis) {
  std::vector<Bar> bars;
  double reach = 0.05;
  for (std::size_t i = 0; i < std::min(kRankedLabels, analysis.labels.size()); ++i) {
    const auto& row = analysis.labels[i];
    const auto& s = row.separation;
    reach = std::max(reach, std::abs(s.auc - 0.5));
    bars.push_back(
        {graphs.node_labels()[row.label], s.auc,
         fmt::format("{:.3f}, p {}", s.auc,
                     row.adjusted_p < 1e-4 ? "< 0.0001" : fmt::format("= {:.2g}", row.adjusted_p)),
         !row.significant() ? Colour::grey
         : s.auc >= 0.5     ? Colour::anomalous
                            : Colour::normal});
  }
  reach *= 1.1;
  return bar_chart("Labels whose quotient separates the classes best",
                   "AUC of the label's quotient (0.5 = no signal)", bars, 0.5, 0.5 - reach,
                   0.5 + reach);
}

std::string wavelet_figure(const Analysis& analysis) {
  constexpr std::array kColours{Colour::normal, Colour::anomalous, Colour::third,
                                Colour::fourth, Colour::fifth,     Colour::sixth};
  double highest = 1;
  for (const auto& wavelet : analysis.wavelets) {
    highest = std::max(highest, *std::ranges::max_element(wavelet.kernel));
  }
  Figure figure("Wavelet filters over the spectrum",
                {"eigenvalue λ of the normalised Laplacian", 0.0, 2.0}, {"filter g(λ)"},
                {720, 440});
  const double most = *std::ranges::max_element(analysis.eigenvalue_frequency);
  if (most > 0) {
    std::vector<double> heights;
    for (const double frequency : analysis.eigenvalue_frequency) {
      heights.push_back(highest * frequency / most);
    }
    figure.histogram(analysis.eigenvalue_edges, heights, Colour::grey,
                     "eigenvalues of all graphs (scaled)");
  }
  for (std::size_t i = 0; i < analysis.wavelets.size(); ++i) {
    const auto colour = kColours[i % kColours.size()];
    figure.line(analysis.lambdas, analysis.wavelets[i].kernel, colour, analysis.wavelets[i].name);
    figure.line(analysis.lambdas, analysis.wavelets[i].truncated, colour, "", Dash::dotted);
  }
  return figure.svg();
}

std::vector<std::vector<std::string>> separation_rows(const Analysis& analysis) {
  std::vector<std::vector<std::string>> rows{
      {"number", "mean, normal", "mean, anomalous", "AUC alone", "KS", "p"}};
  for (const auto& column : analysis.columns) {
    if (const auto& s = column.separation) {
      rows.push_back({column.description, fmt::format("{:.4g}", s->normal_mean),
                      fmt::format("{:.4g}", s->anomalous_mean), fmt::format("{:.3f}", s->auc),
                      fmt::format("{:.3f}", s->ks), p_text(s->p_value)});
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> ratio_rows(const Analysis& analysis) {
  std::vector<std::string> header{"quotient", "ratio"};
  for (std::size_t bin = 0; bin < analysis.quotients[0].ratios.size(); ++bin) {
    header.push_back(fmt::format("bin {}", bin));
  }
  std::vector<std::vector<std::string>> rows{header};
  for (const auto& quotient : analysis.quotients) {
    for (const bool to_anomalous : {true, false}) {
      std::vector<std::string> row{analysis.columns[quotient.column].name,
                                   to_anomalous ? "d_i / d_a" : "d_i / d_n"};
      for (const auto& ratio : quotient.ratios) {
        row.push_back(ratio_text(to_anomalous ? ratio.to_anomalous() : ratio.to_normal()));
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

/// The strongest single number and label, in words.
std::string verdict(const GraphSet& graphs, const Analysis& analysis) {
  const spectral::Column* best = nullptr;
  for (const auto& column : analysis.columns) {
    if (column.separation && (best == nullptr || std::abs(column.separation->auc - 0.5) >
                                                     std::abs(best->separation->auc - 0.5))) {
      best = &column;
    }
  }
  if (best == nullptr) {
    return "The graphs carry no labels of two classes, so the page shows one group.";
  }
  auto text = fmt::format(
      "The single number that separates the classes best is the {}: AUC {:.3f} as a detector of "
      "its "
      "own (0.5 is chance; below 0.5 the anomalous graphs have less of it).",
      best->description, best->separation->auc);
  if (!analysis.labels.empty()) {
    const auto& label = analysis.labels[0];
    text += fmt::format(
        " Among the quotients of single labels it is that of label {}, AUC {:.3f} over the {} in "
        "which it occurs.",
        graphs.node_labels()[label.label], label.separation.auc,
        counted(label.separation.normal + label.separation.anomalous, "graph"));
  }
  return text + " A learned detector combines many such numbers.";
}

}  // namespace

std::vector<NamedText> analysis_figures(const GraphSet& graphs, const Analysis& analysis) {
  std::vector<NamedText> figures;
  figures.emplace_back("quotient_normalised.svg",
                       quotient_figure(analysis, analysis.quotients[0],
                                       "Scalar Rayleigh quotient, normalised Laplacian"));
  figures.emplace_back("quotient_regular.svg",
                       quotient_figure(analysis, analysis.quotients[1],
                                       "Scalar Rayleigh quotient, regular Laplacian"));
  figures.emplace_back("energy.svg", energy_figure(analysis));
  if (!analysis.labels.empty()) {
    figures.emplace_back("labels.svg", label_figure(graphs, analysis));
  }
  figures.emplace_back("wavelets.svg", wavelet_figure(analysis));
  return figures;
}

std::string analysis_page(const GraphSet& graphs, const Analysis& analysis) {
  const auto figures = analysis_figures(graphs, analysis);
  const auto svg = [&](std::string_view name) -> std::string_view {
    return std::ranges::find(figures, name, &NamedText::first)->second;
  };
  HtmlPage page(
      fmt::format("{}: what the spectrum says", graphs.name()),
      fmt::format("{}, {} nodes; {}", counted(graphs.size(), "graph"), with_commas(graphs.nodes()),
                  graphs.label_source() == LabelSource::degree
                      ? "the signals are one-hot degrees, since the graphs have no labels"
                      : "the signals are one-hot node labels"));
  if (two_classes(analysis)) {
    page.facts({{with_commas(analysis.normal_graphs), "normal graphs"},
                {with_commas(analysis.anomalous_graphs), "anomalous graphs"},
                {with_commas(graphs.node_labels().size()), "node labels"},
                {fmt::format("{:.3f}", analysis.columns[0].separation->auc),
                 "AUC of the normalised quotient alone"},
                {fmt::format("{:.3f}", analysis.columns[1].separation->auc),
                 "AUC of the regular quotient alone"}});
  }
  page.paragraph(verdict(graphs, analysis));

  page.heading("Rayleigh quotients");
  page.paragraph(
      "The scalar quotient of a graph is tr(X'LX) / tr(X'X) with X the one-hot signals: near 0 "
      "where "
      "neighbours mostly share a label, large where they differ.");
  page.figure(
      svg("quotient_normalised.svg"),
      "Distribution of the scalar quotient under the normalised Laplacian (isolated node: "
      "diagonal 0) for growing random samples of each class; the smaller samples are part of "
      "the larger ones, frequencies are shares of the sample's class.");
  page.figure(svg("quotient_regular.svg"), "The same under the regular Laplacian D − A.");
  if (two_classes(analysis)) {
    page.table(
        separation_rows(analysis),
        "How well single numbers of a graph separate the classes: AUC of the number alone as "
        "a detector, Kolmogorov-Smirnov statistic and p-value (asymptotic, not adjusted).");
  }

  page.heading("Spectral energy");
  page.figure(svg("energy.svg"),
              "E(t) is the share of the signals' energy at eigenvalues above t; the area below a "
              "graph's curve is its Rayleigh quotient (Proposition 1 of the paper).");
  if (analysis.estimated_graphs > 0) {
    page.paragraph(
        fmt::format("{} above the dense limit: eigenvalues by the Lanczos method, "
                    "energies by the kernel polynomial method.",
                    counted(analysis.estimated_graphs, "graph")));
  }

  if (!analysis.labels.empty()) {
    page.heading("Labels");
    page.figure(
        svg("labels.svg"),
        fmt::format("AUC of the quotient of each label column (normalised Laplacian) over the "
                    "graphs in which the label occurs; the best {} of {} ranked labels. "
                    "p-values of the Kolmogorov-Smirnov test, adjusted by Holm's method; "
                    "grey: not significant at 0.05. Bars to the right: anomalous graphs have "
                    "the higher quotient.",
                    std::min(kRankedLabels, analysis.labels.size()), analysis.labels.size()));
  }

  page.heading("Wavelet filters");
  page.figure(svg("wavelets.svg"),
              "The filter bank over the spectrum of this set. Solid: the kernels; dotted: their "
              "truncated Chebyshev series; grey: where the eigenvalues of the graphs lie.");

  if (!analysis.quotients[0].ratios.empty()) {
    page.heading("Distance ratios");
    page.table(ratio_rows(analysis),
               "Per bin: distance between the classes over the distance between samples of the "
               "anomalous (d_a) and of the normal class (d_n). A zero denominator prints inf. The "
               "paper does not define its ratio; this reading is ours.");
  }
  return page.html();
}

}  // namespace rayleigh::report
