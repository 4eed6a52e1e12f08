// Training: takes a request, gives a detector and everything that was measured.
// This is what `rayleigh train` does: split, fit, select, tune the threshold, calibrate, evaluate.
// The same request gives the same bits for any number of threads; a run that was killed or stopped
// goes on from its checkpoint and ends in the same bits too.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/detector_options.h"
#include "rayleigh/graph_set.h"
#include "rayleigh/metrics.h"
#include "rayleigh/run_options.h"
#include "rayleigh/split.h"

namespace rayleigh {

struct EpochMetrics {
  double auc = 0;
  double average_precision = 0;
  double macro_f1 = 0;      ///< at threshold 0.5
  double normal_score = 0;  ///< mean score of the normal graphs
  double log_loss = 0;      ///< of scores that are probabilities; else none
};

struct EpochRecord {
  int epoch = 0;  ///< from 1
  double loss = 0;
  EpochMetrics validation;
};

/// What a training run reports after every epoch.
struct TrainingProgress {
  int member = 0;  ///< of an ensemble, from 0
  int members = 1;
  int epochs = 0;  ///< at most
  EpochRecord epoch;
  double graphs_per_second = 0;  ///< 0 where it is not known and where epochs are not passes
  double epochs_per_second = 0;  ///< 0 where it is not known
  bool restored = false;         ///< trained by an earlier process, read from the checkpoint
  int fold = 0;                  ///< of cross_validate(), from 1; 0 = of train()
  int folds = 0;
};

/// What to do with a checkpoint that is there.
enum class Resume {
  no,        ///< overwrite it
  yes,       ///< go on from it; a damaged one or one of another run is an error
  if_usable  ///< go on from it, or start anew where that cannot be
};

struct TrainingRequest {
  DetectorOptions options{};
  /// Replaces what the options say.
  std::optional<SplitRequest> split{};
  /// File for the state of the run, written as it goes and whole at any moment.
  std::optional<std::filesystem::path> checkpoint{};
  Resume resume = Resume::no;
  /// Training ends in about that time with the best epochs so far, but not before each member had
  /// one. What it gives then depends on the machine. With a checkpoint, `resume` goes on.
  std::optional<std::chrono::duration<double>> time_budget{};
  /// Bootstrap intervals of the metrics of all three parts.
  bool intervals = true;
  /// A stop ends training within a second: Cancelled is thrown, the checkpoint has every whole
  /// epoch.
  RunOptions run{};
  std::function<void(const TrainingProgress&)> progress{};
  /// Remarks for people: where a resumed run goes on, or that it starts anew.
  std::function<void(const std::string&)> say{};
};

struct TrainedMember {
  std::string detector;  ///< what it is; of a blend its part: "rqgnn", "trees", …
  std::uint64_t seed = 0;
  std::vector<EpochRecord> history;
  int best_epoch = 0;
  bool cut_short = false;  ///< by the time budget
};

struct TrainingSeconds {
  double prepare = 0;
  double train = 0;     ///< validation left out
  double evaluate = 0;  ///< validation after every epoch, and the end
};

struct TrainingResult {
  Detector detector;
  std::vector<TrainedMember> members;
  Split split;
  bool split_given = false;  ///< as parts, groups or a fold: no option tells it
  Metrics train;
  Metrics validation;
  Metrics test;
  std::vector<std::int8_t> labels;  ///< of every graph: 1 anomalous, 0 normal, -1 unknown
  std::vector<double> scores;       ///< of every graph
  bool labelled = true;             ///< false: no graph has a label, all count as normal
  TrainingSeconds seconds;
  /// Of the members that pass over the graphs in every epoch; 0 where there are none, as for trees.
  double train_graphs_per_second = 0;
  int epochs_run = 0;  ///< by this call, all members together
};

/// UsageError for wrong options and for graphs that nothing can be learned from.
TrainingResult train(const GraphSet& graphs, const TrainingRequest& request = {});

/// Per graph: 1 = anomalous, 0 = another class, -1 = without a label. UsageError when no graph has
/// a label or it is not clear which class is anomalous.
std::vector<std::int8_t> anomaly_labels(const GraphSet& graphs,
                                        const std::optional<std::string>& anomaly_class = {});

/// Name, counts and a hash of everything that training reads, but for fingerprints; class and split
/// stay empty.
DataSummary describe_data(const GraphSet& graphs, std::span<const std::int8_t> labels);

}  // namespace rayleigh
