// A whole training run: labels, split, vocabulary, features, every member of the ensemble,
// threshold, calibration, test. The command `train` and Detector::train both call this.
// With a checkpoint a killed run goes on and ends in the same bits.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/detector.h"

#include "learn/detector_state.h"
#include "learn/evaluation.h"
#include "learn/plan.h"
#include "learn/split.h"

namespace rayleigh::learn {

struct TrainingHooks {
  int threads = 0;
  std::optional<Split> split{};  ///< in place of what the plan says
  std::optional<std::filesystem::path> checkpoint{};
  bool resume = false;
  /// A checkpoint that is damaged or of another run is replaced instead of being an error.
  bool replace_unfit_checkpoint = false;
  /// Where a resumed run goes on, or that it starts anew.
  std::function<void(const std::string&)> say{};
  std::function<void(const TrainProgress&, const EpochMetrics&)> after_epoch{};
  /// Epochs that a checkpoint has already, with their member, before the member goes on.
  std::function<void(int, const EpochRecord&)> restored_epoch{};
};

struct TrainingResult {
  std::unique_ptr<Detector::State> detector;
  Split split;
  std::vector<std::int8_t> labels;  ///< of every graph: 0, 1, or -1 where it has none
  bool labelled = true;             ///< false: no graph has a label, all count as normal
  std::vector<double> scores;       ///< of every graph
  std::vector<std::vector<EpochRecord>> histories;  ///< a member
  std::vector<int> best_epochs;
  Evaluation validation;
  Evaluation test;
  double seconds_prepare = 0;
  double seconds_train = 0;     ///< validation left out
  double seconds_evaluate = 0;  ///< validation after every epoch, and the end
  double train_graphs_per_second = 0;
  int epochs_run = 0;  ///< of all members, in this process

  Scored part(const std::vector<std::uint32_t>& graphs, std::vector<std::int8_t>& labels_of_part,
              std::vector<double>& scores_of_part) const;
};

/// class_labels(), and UsageErrors for data that cannot be learned from.
std::vector<std::int8_t> anomaly_labels(const GraphSet& graphs,
                                        const std::optional<std::string>& anomaly_class);

/// 1 = anomalous, 0 = another class, -1 = no label. UsageErrors when it is not clear which class is
/// anomalous.
std::vector<std::int8_t> class_labels(const GraphSet& graphs,
                                      const std::optional<std::string>& anomaly_class);

/// As the plan says; DataErrors and UsageErrors for split files that do not fit.
Split make_split(const GraphSet& graphs, std::span<const std::int8_t> labels, const Plan& plan,
                 core::ThreadPool& pool);

/// Tells two splits apart.
std::string split_hash(const Split& split);

/// `plan` must be settled and becomes part of the detector.
TrainingResult train(const GraphSet& graphs, std::unique_ptr<Plan> plan,
                     const TrainingHooks& hooks);

/// Name, counts and a hash of everything that training reads.
nlohmann::ordered_json describe_data(const GraphSet& graphs, std::span<const std::int8_t> labels);

}  // namespace rayleigh::learn
