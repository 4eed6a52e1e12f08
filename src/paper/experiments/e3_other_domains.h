// E3: graphs that are not molecules, and anomalies of a class that was never trained on.
// COLORS-3 is generated when it is not there.
// Minutes per detector and seed.
#pragma once

#include "paper/table_experiment.h"

namespace rayleigh::paper {

class OtherDomainsExperiment final : public TableExperiment {
 public:
  OtherDomainsExperiment();

  void plan(GridPlan& plan) const override;
};

}  // namespace rayleigh::paper
