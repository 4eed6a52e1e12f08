// E5: distances between the distributions of E4, bin by bin, beside the paper's.
// Made from what E4 measured.
// A table.
#pragma once

#include "paper/experiment.h"

namespace rayleigh::paper {

class DistanceRatiosExperiment final : public Experiment {
 public:
  DistanceRatiosExperiment() : Experiment(ExperimentId::distance_ratios, "distance ratios") {}

  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
