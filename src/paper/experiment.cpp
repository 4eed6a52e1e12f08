#include "paper/experiment.h"

#include <array>
#include <fmt/format.h>

#include "rayleigh/error.h"

#include "core/text.h"
#include "paper/experiments/e0_datasets.h"
#include "paper/experiments/e10_claims.h"
#include "paper/experiments/e1_main_table.h"
#include "paper/experiments/e2_class_balanced_loss.h"
#include "paper/experiments/e3_other_domains.h"
#include "paper/experiments/e4_distributions.h"
#include "paper/experiments/e5_distance_ratios.h"
#include "paper/experiments/e6_perturbation.h"
#include "paper/experiments/e7_parameters.h"
#include "paper/experiments/e8_case_study.h"
#include "paper/experiments/e9_theory.h"
#include "paper/reproduction.h"

namespace rayleigh::paper {

namespace {

/// A cell of a Markdown table: a bar would end it.
std::string markdown_words(const std::string& cell) {
  std::string text;
  for (const char c : cell) {
    text += c == '|' ? "\\|" : std::string(1, c);
  }
  return text;
}

}  // namespace

std::string short_name(ExperimentId id) { return fmt::format("E{}", static_cast<int>(id)); }

ExperimentId parse_experiment(std::string_view word) {
  for (const Experiment* const experiment : all_experiments()) {
    const std::string name = short_name(experiment->id());
    if (word == name || word == fmt::format("e{}", name.substr(1))) {
      return experiment->id();
    }
  }
  throw UsageError(fmt::format("'{}' is not an experiment, expected E0 … {} or all",
                               core::printable(word), short_name(all_experiments().back()->id())));
}

std::string Experiment::heading() const { return fmt::format("{}: {}", short_name(id_), title_); }

void Experiment::plan(GridPlan& /*plan*/) const {}

void Experiment::look_at(const std::string& /*data*/, const GraphSet& /*graphs*/,
                         const Session& /*session*/, Reproduction& /*result*/) const {}

void Experiment::run(const Session& /*session*/, Reproduction& /*result*/) const {}

bool Experiment::has_results(const Reproduction& result) const {
  return result.table(id_) != nullptr;
}

void Experiment::add_json(const Reproduction& /*result*/, nlohmann::ordered_json& /*json*/) const {}

std::vector<ReportFigure> Experiment::figures(const Reproduction& /*result*/) const { return {}; }

std::vector<ReportTable> Experiment::fact_tables(const Reproduction& /*result*/) const {
  return {};
}

std::string Experiment::markdown(const Reproduction& result) const {
  const auto tables = has_results(result) ? fact_tables(result) : std::vector<ReportTable>{};
  if (tables.empty()) {
    return "";
  }
  std::string text = fmt::format("# {}\n", heading());
  for (const ReportTable& table : tables) {
    text += fmt::format("\n{}\n\n", table.caption);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      text += "|";
      for (const std::string& cell : table.rows[row]) {
        text += fmt::format(" {} |", markdown_words(cell));
      }
      text += "\n";
      if (row == 0) {
        for (std::size_t cell = 0; cell < table.rows[row].size(); ++cell) {
          text += "|---";
        }
        text += "|\n";
      }
    }
  }
  return text;
}

void Experiment::show_figures(const Reproduction& result, plot::HtmlPage& page) const {
  const auto all = figures(result);
  std::vector<plot::CaptionedFigure> row;
  for (const ReportFigure& figure : all) {
    if (!figure.wide) {
      row.push_back({figure.svg, figure.caption});
    }
  }
  if (!row.empty()) {
    page.figures(row);
  }
  for (const ReportFigure& figure : all) {
    if (figure.wide) {
      page.figure(figure.svg, figure.caption);
    }
  }
}

void Experiment::show_fact_tables(const Reproduction& result, plot::HtmlPage& page) const {
  for (const ReportTable& table : fact_tables(result)) {
    page.table(table.rows, table.caption);
  }
}

std::span<const Experiment* const> all_experiments() {
  static const DatasetsExperiment datasets;
  static const MainTableExperiment main_table;
  static const ClassBalancedLossExperiment class_balanced_loss;
  static const OtherDomainsExperiment other_domains;
  static const DistributionsExperiment distributions;
  static const DistanceRatiosExperiment distance_ratios;
  static const PerturbationExperiment perturbation;
  static const ParametersExperiment parameters;
  static const CaseStudyExperiment case_study;
  static const TheoryExperiment theory;
  static const ClaimsExperiment claims;
  static const std::array<const Experiment*, 11> all{
      &datasets,        &main_table,   &class_balanced_loss, &other_domains, &distributions,
      &distance_ratios, &perturbation, &parameters,          &case_study,    &theory,
      &claims};
  return all;
}

}  // namespace rayleigh::paper
