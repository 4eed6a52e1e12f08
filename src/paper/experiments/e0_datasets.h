// E0: the datasets as they were found, beside the paper's table of them.
// Needs no training.
// One pass over the graphs.
#pragma once

#include "paper/experiment.h"

namespace rayleigh::paper {

class DatasetsExperiment final : public Experiment {
 public:
  DatasetsExperiment() : Experiment(ExperimentId::datasets, "the datasets") {}

  void look_at(const std::string& data, const GraphSet& graphs, const Session& session,
               Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
