// E4: distributions of the Rayleigh quotient of both classes, for three sizes of sample.
// Needs no training.
// One pass over the graphs.
#pragma once

#include "paper/experiment.h"

namespace rayleigh::paper {

class DistributionsExperiment final : public Experiment {
 public:
  DistributionsExperiment()
      : Experiment(ExperimentId::distributions, "distributions of the Rayleigh quotient") {}

  void look_at(const std::string& data, const GraphSet& graphs, const Session& session,
               Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportFigure> figures(const Reproduction& result) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
