// E9: the paper's theorems, propositions and lemmas, measured on real graphs.
// Always made: on the first dataset that can be read, otherwise on generated molecules.
// Some seconds.
#pragma once

#include "paper/experiment.h"

namespace rayleigh::paper {

class TheoryExperiment final : public Experiment {
 public:
  TheoryExperiment() : Experiment(ExperimentId::theory, "theory, measured") {}

  void run(const Session& session, Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
