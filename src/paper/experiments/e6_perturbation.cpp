#include "paper/experiments/e6_perturbation.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "paper/datasets.h"
#include "paper/grid_plan.h"
#include "paper/printed_ratios.h"
#include "paper/quotients.h"
#include "paper/reproduction.h"
#include "paper/session.h"
#include "paper/table_experiment.h"
#include "paper/tasks.h"
#include "plot/figure.h"

namespace rayleigh::paper {
namespace {

using plot::Colour;
using plot::Dash;
using plot::Figure;
using report::Comparison;
using report::ComparisonMetric;
using report::kAuc;
using report::kMacroF1;
using report::OverSeeds;

/// "SN12C, p = 0.15", and that set, made of the case dataset.
std::string perturbed_title(double probability) {
  return fmt::format("{}, p = {:.2f}", kCaseDataset, probability);
}

generate::PerturbedSet perturbed(const GraphSet& source, double probability) {
  return generate::perturb(source, {.seed = 1, .probability = probability});
}

/// Of the anomalies, those in which chance moved no edge.
double untouched_share(const generate::PerturbedSet& perturbed) {
  std::set<std::uint32_t> touched;
  for (const generate::PerturbedNode& node : perturbed.touched) {
    touched.insert(node.graph);
  }
  const auto anomalies = std::ranges::count(perturbed.graphs.graph_class(), 1);
  return anomalies == 0 ? 0
                        : 1 - static_cast<double>(touched.size()) / static_cast<double>(anomalies);
}

Figure perturbation_curve(const Comparison& comparison, const ComparisonMetric& metric) {
  Figure figure(metric.title, {"probability that an edge is moved"}, {metric.title, 0.4, 1.0});
  for (std::size_t row = 0; row < comparison.rows.size(); ++row) {
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t set = 0; set < comparison.data.size(); ++set) {
      const OverSeeds& summary = comparison.entries[row][set].*metric.of;
      if (summary.count > 0) {
        x.push_back(kPerturbations[set]);
        y.push_back(summary.mean);
      }
    }
    figure.line(x, y, plot::colour_of(row), comparison.rows[row].title);
    figure.points(x, y, plot::colour_of(row), "");
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

}  // namespace

void PerturbationExperiment::plan(GridPlan& plan) const {
  const FoundDataset* const source = plan.dataset(kCaseDataset);
  if (source == nullptr) {
    return;
  }
  for (const double probability : kPerturbations) {
    plan.add_data(
            perturbed_title(probability),
            [load = source->load, probability] { return perturbed(load(), probability).graphs; })
        .anomaly_class = kAnomalousClass;
  }
  plan.add_model("rqgnn:profile=published");
  plan.add_model("rqgnn:profile=rayleigh");
}

void PerturbationExperiment::look_at(const std::string& data, const GraphSet& graphs,
                                     const Session& session, Reproduction& result) const {
  if (data != kCaseDataset) {
    return;
  }
  for (const double probability : kPerturbations) {
    const auto set = perturbed(graphs, probability);
    auto& facts = result.perturbed.emplace_back(quotients_of(
        perturbed_title(probability), session.thinned_if_quick(set.graphs), session.run()));
    facts.untouched = untouched_share(set);
  }
}

bool PerturbationExperiment::has_results(const Reproduction& result) const {
  return result.table(id()) != nullptr || !result.perturbed.empty();
}

void PerturbationExperiment::add_json(const Reproduction& result,
                                      nlohmann::ordered_json& json) const {
  for (std::size_t i = 0; i < result.perturbed.size(); ++i) {
    const QuotientFacts& facts = result.perturbed[i];
    nlohmann::ordered_json one = quotient_json(facts);
    one["untouched"] = facts.untouched;
    json["E6_quotients"].push_back(std::move(one));
    json["E5"].push_back(ratio_json(facts, &printed_perturbation_ratios()[i]));
  }
}

std::vector<ReportFigure> PerturbationExperiment::figures(const Reproduction& r) const {
  std::vector<ReportFigure> figures;
  if (const Comparison* const table = r.table(id())) {
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
    figures.push_back(normalised_figure(
        r.perturbed[i], fmt::format("E6_p{:.2f}", kPerturbations[i]), sample_of(r)));
  }
  return figures;
}

std::string PerturbationExperiment::markdown(const Reproduction& result) const {
  return markdown_of(result, id());
}

void PerturbationExperiment::show(const Reproduction& result, plot::HtmlPage& page) const {
  show_figures(result, page);
  if (!result.perturbed.empty()) {
    add_ratio_table(
        page, result.perturbed, printed_perturbation_ratios(),
        "Distance ratios of the perturbed sets by bin, normalised Laplacian. " + sample_of(result));
  }
}

}  // namespace rayleigh::paper
