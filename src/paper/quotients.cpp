#include "paper/quotients.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

#include "paper/json_number.h"
#include "plot/named_text.h"
#include "report/analysis_page.h"

namespace rayleigh::paper {
namespace {

std::string ratio_text(double value) {
  return std::isnan(value) ? "-" : std::isinf(value) ? "inf" : fmt::format("{:.2f}", value);
}

}  // namespace

QuotientFacts quotients_of(const std::string& name, const GraphSet& graphs, const RunOptions& run) {
  spectral::AnalysisOptions options;
  options.run = run;
  const auto analysis = spectral::analyse(graphs, options);
  const auto figures = report::analysis_figures(graphs, analysis);
  const auto svg = [&](std::string_view file) {
    return std::ranges::find(figures, file, &plot::NamedText::first)->second;
  };
  const auto auc = [&](std::size_t column) {
    const auto& separation = analysis.columns[column].separation;
    return separation ? separation->auc : 0.5;
  };
  const auto& normalised = analysis.columns[analysis.quotients[0].column].separation;
  return {.name = name,
          .normalised_svg = svg("quotient_normalised.svg"),
          .regular_svg = svg("quotient_regular.svg"),
          .normalised_auc = auc(analysis.quotients[0].column),
          .regular_auc = auc(analysis.quotients[1].column),
          .p_value = normalised ? normalised->p_value : 1,
          .ratios = analysis.quotients[0].ratios};
}

nlohmann::ordered_json quotient_json(const QuotientFacts& facts) {
  return {{"data", facts.name},
          {"auc_normalised", json_number(facts.normalised_auc)},
          {"auc_regular", json_number(facts.regular_auc)},
          {"ks_p_value_normalised", json_number(facts.p_value)}};
}

nlohmann::ordered_json ratio_json(const QuotientFacts& facts, const PrintedRatios* printed) {
  nlohmann::ordered_json json{{"data", facts.name}};
  for (const auto& bin : facts.ratios) {
    json["inter_over_anomalous"].push_back(json_number_or_inf(bin.to_anomalous()));
    json["inter_over_normal"].push_back(json_number_or_inf(bin.to_normal()));
  }
  if (printed != nullptr) {
    json["paper"] = {{"inter_over_anomalous", printed->inter_over_anomalous},
                     {"inter_over_normal", printed->inter_over_normal}};
  }
  return json;
}

ReportFigure normalised_figure(const QuotientFacts& facts, const std::string& name,
                               const std::string& sample) {
  return {name + "_normalised", facts.normalised_svg,
          fmt::format("{}: scalar quotient tr(X'LX)/tr(X'X) of one-hot labels, normalised "
                      "Laplacian, 25, 50 and 100 % of each class; alone it has an AUC of {:.3f}, "
                      "and the Kolmogorov-Smirnov test of the two classes p = {:.2g}. {}",
                      facts.name, facts.normalised_auc, facts.p_value, sample),
          true};
}

void add_ratio_table(plot::HtmlPage& page, const std::vector<QuotientFacts>& all,
                     std::span<const PrintedRatios> printed, const std::string& caption) {
  std::vector<std::vector<std::string>> rows{
      {"data", "ratio", "", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const bool anomalous : {true, false}) {
      std::vector<std::string> ours{all[i].name, anomalous ? "d_i/d_a" : "d_i/d_n", "ours"};
      for (const auto& bin : all[i].ratios) {
        ours.push_back(ratio_text(anomalous ? bin.to_anomalous() : bin.to_normal()));
      }
      rows.push_back(std::move(ours));
      // Perturbed sets have the order of the paper's, others its names.
      const auto named = std::ranges::find(printed, all[i].name, &PrintedRatios::data);
      const PrintedRatios* const paper = named != printed.end()         ? &*named
                                         : printed.size() == all.size() ? &printed[i]
                                                                        : nullptr;
      if (paper != nullptr) {
        std::vector<std::string> theirs{"", "", "paper"};
        for (const double value :
             anomalous ? paper->inter_over_anomalous : paper->inter_over_normal) {
          theirs.push_back(ratio_text(value));
        }
        rows.push_back(std::move(theirs));
      }
    }
  }
  page.table(rows, caption);
}

}  // namespace rayleigh::paper
