// The paper's experiments that train detectors, as grids: which detectors on which data with which
// seeds. All of them run as one grid, in which a run that several experiments show is made once.
// Behind `rayleigh reproduce`.
// Nothing is loaded or trained here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rayleigh/generators.h"

#include "compare/grid.h"
#include "paper/datasets.h"

namespace rayleigh::paper {

using compare::CellResult;
using compare::Grid;
using compare::GridCell;
using compare::GridData;
using compare::GridModel;

/// By the numbers of docs/experiments, E0 … E10.
enum class Experiment {
  datasets,
  main_table,
  class_balanced_loss,
  other_domains,
  distributions,
  distance_ratios,
  perturbation,
  parameters,
  case_study,
  theory,
  claims
};
inline constexpr std::size_t kExperiments = 11;

/// "E0" … "E10".
std::string short_name(Experiment experiment);
/// UsageError for other words.
Experiment parse_experiment(std::string_view word);

inline constexpr double kPerturbations[] = {0.05, 0.10, 0.15, 0.20, 0.25};
/// "SN12C, p = 0.15", and that set, made of the case dataset.
std::string perturbed_title(double probability);
generate::PerturbedSet perturbed(const GraphSet& source, double probability);

struct ReproduceOptions {
  std::set<Experiment> experiments;  ///< that train; of others `kept` results are taken
  std::uint64_t seeds = 5;
  bool quick = false;        ///< at most kQuickGraphs per set, one seed, kQuickEpochs
  bool full = false;         ///< no budget for slow baselines
  bool baselines = true;     ///< else only those of finished runs, see `kept`
  bool all_classes = false;  ///< of COLORS-3, each as the anomalous one
  /// Is there a result of a cell already? Without it none counts as finished.
  std::function<bool(const Grid& grid, const GridCell& cell)> kept{};
};
inline constexpr std::size_t kQuickGraphs = 3000;
inline constexpr std::uint64_t kQuickEpochs = 10;

struct ExperimentGrid {
  Experiment experiment;
  Grid grid;
};

/// The grids of the experiments, in their order, those that have cells. `found` are the datasets
/// that are there; COLORS-3 is generated when it is not.
std::vector<ExperimentGrid> plan_experiments(std::span<const FoundDataset> found,
                                             const ReproduceOptions& options);

/// All grids as one, cells of the same data next to each other.
struct MergedGrid {
  Grid grid;
  std::vector<std::vector<std::size_t>> places;  ///< of an experiment's cells in `grid`
};
MergedGrid merge(std::span<const ExperimentGrid> grids);

/// The cells of one experiment, with the places of its own grid; absent ones are left out.
std::vector<CellResult> results_of(const ExperimentGrid& one,
                                   const std::vector<std::size_t>& places,
                                   std::span<const CellResult> merged);

/// At most `most` graphs, of each class its share, drawn by a fixed seed, in their order.
GraphSet thinned(const GraphSet& graphs, std::size_t most);

/// DBLP_v1 has two classes of equal size: all of one stay and are normal; of the other so many are
/// drawn that there are 5 anomalies for 100 normal graphs.
GraphSet rare_class(const GraphSet& graphs, double share, std::uint64_t seed);

/// COLORS-3: the class whose share is nearest that of the paper against all others. The name of
/// the result says which.
GraphSet one_class_against_rest(const GraphSet& graphs, double share);

/// COLORS-3-ind: two classes are anomalous, and one of them is never trained on. Graphs are named
/// "known" and "unseen".
GraphSet two_classes_against_rest(const GraphSet& graphs, std::string_view known,
                                  std::string_view unseen);
/// The pair whose unseen class has a share of the test graphs nearest to `test_share`.
std::pair<std::string, std::string> classes_by_share(const GraphSet& graphs, double test_share);
/// Normal graphs are cut as ever; anomalies named "known" train and validate, "unseen" ones test.
Split out_of_distribution_split(const GraphSet& graphs, std::uint64_t seed);

}  // namespace rayleigh::paper
