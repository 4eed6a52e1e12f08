// The paper's evaluation as we measured it, beside the paper's figures: what `rayleigh reproduce`
// leaves behind. Made from results alone; nothing is trained here.
// A page of some megabytes, most of it distributions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/spectral/analysis.h"

#include "learn/case_study.h"
#include "learn/experiments.h"
#include "report/claims.h"
#include "report/comparison.h"
#include "spectral/theory.h"

namespace rayleigh::report {

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
  std::vector<spectral::DistanceRatio> ratios;  ///< normalised Laplacian
};

struct ExperimentTable {
  learn::Experiment experiment;
  Comparison comparison;
};

struct Reproduction {
  bool quick = false;
  bool full = false;
  std::uint64_t seeds = 5;
  std::vector<std::string> missing;  ///< datasets of the paper that are not there
  std::vector<DatasetFacts> datasets;
  std::vector<ExperimentTable> tables;
  std::vector<QuotientFacts> quotients;
  std::vector<QuotientFacts> perturbed;  ///< of E6
  std::optional<learn::CaseStudy> case_study;
  std::vector<spectral::TheoryMargin> theory;
  std::vector<Claim> claims;
};

/// Ours beside the paper's AUC, a line a method and dataset that both have.
struct Match {
  learn::Experiment experiment;
  std::string data;
  std::string method;
  double ours = 0;
  double paper = 0;
  std::string why{};  ///< what differs from the paper's run

  double difference() const { return ours - paper; }
};
/// Closer than this counts as a match.
inline constexpr double kMatch = 0.02;
/// E1, E2, E3; each method and dataset once.
std::vector<Match> matches(const Reproduction& reproduction);

/// Figures of our tables by the paper's names, for check_claims().
FigureSource our_figures(const Reproduction& reproduction);
OurCurves our_curves(const Reproduction& reproduction);

std::string reproduction_page(const Reproduction& reproduction);
nlohmann::ordered_json reproduction_json(const Reproduction& reproduction);

}  // namespace rayleigh::report
