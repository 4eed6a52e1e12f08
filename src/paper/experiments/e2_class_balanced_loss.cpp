#include "paper/experiments/e2_class_balanced_loss.h"

#include <fmt/format.h>

#include "paper/grid_plan.h"

namespace rayleigh::paper {

ClassBalancedLossExperiment::ClassBalancedLossExperiment()
    : TableExperiment(
          ExperimentId::class_balanced_loss, "the class-balanced loss",
          "loss=cb-focal are the paper's -CB rows; RQGNN-3 is RQGNN with cross entropy.") {}

void ClassBalancedLossExperiment::plan(GridPlan& plan) const {
  plan.add_main_data();
  for (const char* name : {"chebynet", "bernnet", "tvgnn", "gmixup", "gmt"}) {
    plan.add_baseline(name);
    plan.add_baseline(fmt::format("{}:loss=cb-focal", name));
  }
  plan.add_model("rqgnn:profile=published:loss=cross-entropy");
  plan.add_model("rqgnn:profile=published");
}

}  // namespace rayleigh::paper
