// Distributions of the Rayleigh quotient of a dataset and their distances, measured and shown.
// Shared by E4, E5 and E6.
// One pass over the graphs; a figure has some hundred kilobytes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/graph_set.h"
#include "rayleigh/run_options.h"
#include "rayleigh/spectral/analysis.h"

#include "paper/experiment.h"
#include "paper/printed_ratios.h"
#include "plot/html_page.h"

namespace rayleigh::paper {

/// E4 and E5 of one dataset.
struct QuotientFacts {
  std::string name;
  std::string normalised_svg;
  std::string regular_svg;
  double normalised_auc = 0.5;  ///< of the quotient alone
  double regular_auc = 0.5;
  double p_value = 1;  ///< Kolmogorov-Smirnov test of the two classes, normalised Laplacian
  std::vector<spectral::DistanceRatio> ratios;  ///< normalised Laplacian
  double untouched = 0;  ///< share of a perturbed set's anomalies in which chance changed nothing
};

QuotientFacts quotients_of(const std::string& name, const GraphSet& graphs, const RunOptions& run);

nlohmann::ordered_json quotient_json(const QuotientFacts& facts);
/// The distance ratios; `printed` may be null.
nlohmann::ordered_json ratio_json(const QuotientFacts& facts, const PrintedRatios* printed);

/// Under the normalised Laplacian. `sample` says in the caption which graphs were taken.
ReportFigure normalised_figure(const QuotientFacts& facts, const std::string& name,
                               const std::string& sample);

/// Bins across, each dataset beside the printed one of its name; sets that are as many as the
/// printed ones and have other names stand in their order.
void add_ratio_table(plot::HtmlPage& page, const std::vector<QuotientFacts>& all,
                     std::span<const PrintedRatios> printed, const std::string& caption);

}  // namespace rayleigh::paper
