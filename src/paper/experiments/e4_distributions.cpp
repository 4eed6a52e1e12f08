#include "paper/experiments/e4_distributions.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "paper/quotients.h"
#include "paper/reproduction.h"
#include "paper/session.h"

namespace rayleigh::paper {

void DistributionsExperiment::look_at(const std::string& data, const GraphSet& graphs,
                                      const Session& session, Reproduction& result) const {
  result.quotients.push_back(quotients_of(data, session.thinned_if_quick(graphs), session.run()));
}

bool DistributionsExperiment::has_results(const Reproduction& result) const {
  return !result.quotients.empty();
}

void DistributionsExperiment::add_json(const Reproduction& result,
                                       nlohmann::ordered_json& json) const {
  for (const QuotientFacts& facts : result.quotients) {
    json["E4"].push_back(quotient_json(facts));
  }
}

std::vector<ReportFigure> DistributionsExperiment::figures(const Reproduction& result) const {
  std::vector<ReportFigure> figures;
  figures.reserve(2 * result.quotients.size());
  for (const QuotientFacts& facts : result.quotients) {
    figures.push_back(normalised_figure(facts, "E4_" + facts.name, sample_of(result)));
    figures.push_back({fmt::format("E4_{}_regular", facts.name), facts.regular_svg,
                       fmt::format("{}: the same under D − A, AUC {:.3f}. {}", facts.name,
                                   facts.regular_auc, sample_of(result)),
                       true});
  }
  return figures;
}

std::vector<ReportTable> DistributionsExperiment::fact_tables(const Reproduction& result) const {
  std::vector<std::vector<std::string>> rows{
      {"data", "AUC, normalised Laplacian", "AUC, regular", "Kolmogorov-Smirnov test, p"}};
  for (const QuotientFacts& facts : result.quotients) {
    rows.push_back({facts.name, fmt::format("{:.3f}", facts.normalised_auc),
                    fmt::format("{:.3f}", facts.regular_auc),
                    fmt::format("{:.1e}", facts.p_value)});
  }
  return {{std::move(rows),
           "How well the scalar quotient alone tells the classes apart, and a test of whether its "
           "distributions differ, normalised Laplacian. " +
               sample_of(result)}};
}

void DistributionsExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_fact_tables(result, page);
  show_figures(result, page);
}

}  // namespace rayleigh::paper
