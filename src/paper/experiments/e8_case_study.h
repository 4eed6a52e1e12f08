// E8: quotients of training graphs beside those of test graphs that were called right and wrong.
// Its run is that of E1 with seed 1, kept as a checkpoint; once begun it is always shown.
// One training on SN12C.
#pragma once

#include "paper/experiment.h"

namespace rayleigh::paper {

class CaseStudyExperiment final : public Experiment {
 public:
  CaseStudyExperiment() : Experiment(ExperimentId::case_study, "case study") {}

  void run(const Session& session, Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportFigure> figures(const Reproduction& result) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
