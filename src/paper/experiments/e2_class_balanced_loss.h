// E2: baselines with the class-balanced loss and without, RQGNN without.
// The rows without it are those of E1, trained once.
// As long as E1 for half of its baselines.
#pragma once

#include "paper/table_experiment.h"

namespace rayleigh::paper {

class ClassBalancedLossExperiment final : public TableExperiment {
 public:
  ClassBalancedLossExperiment();

  void plan(GridPlan& plan) const override;
};

}  // namespace rayleigh::paper
