// E6: some normal graphs with moved edges among the others, found by RQGNN and by their quotients.
// The paper's second case on SN12C; five probabilities.
// Minutes of training per probability and seed.
#pragma once

#include <string>

#include "rayleigh/generators.h"

#include "paper/experiment.h"

namespace rayleigh::paper {

/// That an edge is moved.
inline constexpr double kPerturbations[] = {0.05, 0.10, 0.15, 0.20, 0.25};

class PerturbationExperiment final : public Experiment {
 public:
  PerturbationExperiment() : Experiment(ExperimentId::perturbation, "perturbed graphs") {}

  void plan(GridPlan& plan) const override;
  void look_at(const std::string& data, const GraphSet& graphs, const Session& session,
               Reproduction& result) const override;
  bool has_results(const Reproduction& result) const override;
  void add_json(const Reproduction& result, nlohmann::ordered_json& json) const override;
  std::vector<ReportFigure> figures(const Reproduction& result) const override;
  std::string markdown(const Reproduction& result) const override;
  void show(const Reproduction& result, plot::HtmlPage& page) const override;
};

}  // namespace rayleigh::paper
