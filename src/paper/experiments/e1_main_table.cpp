#include "paper/experiments/e1_main_table.h"

#include "paper/grid_plan.h"
#include "paper/methods.h"

namespace rayleigh::paper {

MainTableExperiment::MainTableExperiment()
    : TableExperiment(
          ExperimentId::main_table, "the main table",
          "RQGNN-1 is pool=mean; pool=sum is what the authors' code has in its place. RQGNN-2 is "
          "no-rql. Profile rayleigh is ours.") {}

void MainTableExperiment::plan(GridPlan& plan) const {
  plan.add_main_data();
  for (const Method& method : methods()) {
    if (method.kind != MethodKind::subject) {
      plan.add_baseline(method.detector);
    }
  }
  for (const char* entry : {"rqgnn:profile=published:pool=mean", "rqgnn:profile=published:pool=sum",
                            "rqgnn:profile=published:no-rql", "rqgnn:profile=published",
                            "rqgnn:profile=rayleigh", "size", "label-counts"}) {
    plan.add_model(entry);
  }
}

}  // namespace rayleigh::paper
