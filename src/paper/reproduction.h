// The paper's evaluation as we measured it: what a reproduction leaves behind, as plain data.
// Experiments fill it in; tables, figures, page and JSON are made from it alone.
// Some megabytes, most of it distributions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/case_study.h"
#include "paper/claims.h"
#include "paper/experiment.h"
#include "paper/quotients.h"
#include "paper/theory.h"
#include "report/comparison.h"

namespace rayleigh::paper {

/// E0.
struct DatasetFacts {
  std::string name;  ///< as the paper has it
  std::size_t normal = 0;
  std::size_t anomalous = 0;
  double mean_nodes = 0;
  double mean_edges = 0;
  std::size_t labels = 0;
};

/// The runs of an experiment beside the values that the paper prints.
struct ExperimentTable {
  ExperimentId experiment;
  report::Comparison comparison;
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
  const report::Comparison* table(ExperimentId experiment) const;
  /// Nothing failed, no run and nothing else.
  bool complete() const;
};

/// Said below values that come from trained detectors, and below those that need none.
std::string protocol_of(const Reproduction& reproduction);
std::string sample_of(const Reproduction& reproduction);

}  // namespace rayleigh::paper
