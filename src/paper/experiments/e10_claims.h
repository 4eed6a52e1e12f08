// E10: what the paper's text claims about its values, held against its own tables and against ours.
// Made from the results of all other experiments.
// One pass over the tables per claim.
#pragma once

#include "paper/claims.h"
#include "paper/experiment.h"

namespace rayleigh::paper {

/// Values of our tables by the paper's names. The result must outlive what is returned.
ValueSource our_values(const Reproduction& result);
OurCurves our_curves(const Reproduction& result);

class ClaimsExperiment final : public Experiment {
 public:
  ClaimsExperiment() : Experiment(ExperimentId::claims, "what the text claims") {}

  void run(const Session& session, Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
