// E7: macro-F1 of RQGNN against its parameters, those of the paper and the two of the loss.
// One parameter is varied at a time, all else as in the paper.
// Eighteen trainings per dataset and seed.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "paper/experiment.h"
#include "report/comparison.h"

namespace rayleigh::paper {

/// Macro-F1 by value, over the seeds that all rows of the set have: values shall differ in nothing
/// else. Empty where not run.
std::vector<std::pair<double, double>> parameter_curve(const report::Comparison& comparison,
                                                       std::string_view data,
                                                       std::string_view parameter);

class ParametersExperiment final : public Experiment {
 public:
  ParametersExperiment() : Experiment(ExperimentId::parameters, "parameters") {}

  void plan(GridPlan& plan) const override;
  std::vector<ReportFigure> figures(const Reproduction& result) const override;
  std::vector<ReportTable> fact_tables(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
