// E1: the main table, ten baselines, RQGNN and its variants on ten datasets.
// Ours and two yardsticks stand in it too.
// Hours of training per dataset and seed, most of it for baselines.
#pragma once

#include "paper/table_experiment.h"

namespace rayleigh::paper {

class MainTableExperiment final : public TableExperiment {
 public:
  MainTableExperiment();

  void plan(GridPlan& plan) const override;
};

}  // namespace rayleigh::paper
