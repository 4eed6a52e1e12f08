// The grids of all experiments that train, run as one: a run that several of them show is made
// once.
// plan_experiments(), merge(), compare::run_grid(), results_of().
// Nothing is loaded or trained here.
#pragma once

#include <span>
#include <vector>

#include "compare/grid.h"
#include "paper/datasets.h"
#include "paper/experiment.h"
#include "paper/options.h"

namespace rayleigh::paper {

struct ExperimentGrid {
  ExperimentId experiment;
  compare::Grid grid;
};

/// The grids of the experiments, in their order, those that have cells. `found` are the datasets
/// that are there; COLORS-3 is generated when it is not.
std::vector<ExperimentGrid> plan_experiments(std::span<const FoundDataset> found,
                                             const ReproduceOptions& options);

/// All grids as one, cells of the same data next to each other.
struct MergedGrid {
  compare::Grid grid;
  std::vector<std::vector<std::size_t>> places;  ///< of an experiment's cells in `grid`
};
MergedGrid merge(std::span<const ExperimentGrid> grids);

/// The cells of one experiment, with the places of its own grid; absent ones are left out.
std::vector<compare::CellResult> results_of(const ExperimentGrid& one,
                                            const std::vector<std::size_t>& places,
                                            std::span<const compare::CellResult> merged);

}  // namespace rayleigh::paper
