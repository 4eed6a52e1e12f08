// The paper's evaluation as we measured it, beside the paper's figures: what `rayleigh reproduce`
// leaves behind. Made from results alone; nothing is trained here.
// A page of some megabytes, most of it distributions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/spectral/analysis.h"

#include "paper/case_study.h"
#include "paper/claims.h"
#include "paper/experiments.h"
#include "paper/theory.h"
#include "plot/named_text.h"
#include "report/comparison.h"

namespace rayleigh::paper {

using plot::NamedText;
using report::Comparison;

/// E0.
struct DatasetFacts {
  std::string name;  ///< as the paper has it
  std::size_t normal = 0;
  std::size_t anomalous = 0;
  double mean_nodes = 0;
  double mean_edges = 0;
  std::size_t labels = 0;
};

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

struct ExperimentTable {
  Experiment experiment;
  Comparison comparison;
};

struct Reproduction {
  bool quick = false;
  bool full = false;
  std::uint64_t seeds = 5;
  std::vector<std::string> missing;  ///< datasets of the paper that are not there
  /// What could not be done, and why; runs that failed are in the tables.
  std::vector<std::pair<std::string, std::string>> failed;
  std::vector<DatasetFacts> datasets;
  std::vector<ExperimentTable> tables;
  std::vector<QuotientFacts> quotients;
  std::vector<QuotientFacts> perturbed;  ///< of E6
  std::optional<CaseStudy> case_study;
  std::string theory_data;  ///< whose graphs E9 took
  std::vector<TheoryMargin> theory;
  std::vector<Claim> claims;

  /// Null where it was not run.
  const Comparison* table(Experiment experiment) const;
};

enum class MatchMetric { auc, macro_f1 };
/// "AUC" or "macro-F1".
std::string_view short_title(MatchMetric metric);

/// Ours beside the paper's, for a method on a dataset that both have. Macro-F1 is that at 0.5, or
/// at the tuned threshold where scores are not probabilities.
struct Match {
  Experiment experiment;
  std::string data;
  std::string method;
  MatchMetric metric = MatchMetric::auc;
  double ours = 0;
  double paper = 0;
  std::string why{};  ///< what differs from the paper's run

  double difference() const { return ours - paper; }
};
/// Closer than this counts as a match.
inline constexpr double kMatch = 0.02;
/// E1, E2, E3 but for COLORS-3-ind; each method, dataset and metric once.
std::vector<Match> matches(const Reproduction& reproduction);

/// How many matches there are on which side.
struct Tally {
  std::string title;
  std::size_t cells = 0;
  std::size_t within = 0;
  std::size_t above = 0;
  std::size_t below = 0;
  double mean_difference = 0;
};
/// Of RQGNN with its variants and of the baselines, by metric; those that have any.
std::vector<Tally> tallies(const std::vector<Match>& matches);

/// Figures of our tables by the paper's names, for check_claims().
ValueSource our_values(const Reproduction& reproduction);
OurCurves our_curves(const Reproduction& reproduction);

/// Said below figures that come from trained detectors, and below those that need none.
std::string protocol_of(const Reproduction& reproduction);
std::string sample_of(const Reproduction& reproduction);

struct ReportFigure {
  std::string name;  ///< "E6_auc"
  std::string svg;
  std::string caption;
  bool wide = false;  ///< has a row of its own
};
/// E4, E6, E7 and E8 have some.
std::vector<ReportFigure> reproduction_figures(const Reproduction& reproduction,
                                               Experiment experiment);

/// E1.md, E2.md, E3.md, E6.md: Markdown tables, those that were run.
std::vector<NamedText> reproduction_tables(const Reproduction& reproduction);

/// report.html, self-contained.
std::string reproduction_page(const Reproduction& reproduction);
nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);

}  // namespace rayleigh::paper
