// Detector: a trained model that scores graphs. Load one from a file or train one, then score.
// Needs no files of its own: everything works on GraphSets in memory.
// Loading and scoring a first graph takes a few milliseconds; scoring runs at several hundred
// thousand small graphs a second on two cores. Const members may be called from several threads at
// once. All errors are rayleigh::Error.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/explanation.h"
#include "rayleigh/graph_set.h"

namespace rayleigh {

struct Score {
  double score = 0;            ///< higher = more anomalous
  double probability = 0;      ///< of being anomalous, calibrated on validation graphs
  bool anomalous = false;      ///< score above the threshold tuned on validation graphs
  bool unknown_label = false;  ///< a node's label was never seen in training; it counts as "other"
};

/// After every epoch.
struct TrainProgress {
  int member = 0;  ///< of an ensemble, from 0
  int epoch = 0;   ///< from 1
  int epochs = 0;  ///< at most
  double loss = 0;
  double validation_auc = 0;
  double validation_macro_f1 = 0;
  double graphs_per_second = 0;
};

struct TrainOptions {
  std::string model = "rqgnn";
  /// Any parameter of `rayleigh train` by its name, e.g. {"epochs", "50"}.
  std::map<std::string, std::string> parameters{};
  int threads = 0;  ///< 0 = one per core
  std::function<void(const TrainProgress&)> progress{};
};

class Detector {
 public:
  /// DataError for a file that is corrupt, of a later version, or no model.
  static Detector load(const std::filesystem::path& file);
  /// Trains on the labelled graphs: splits, selects, tunes the threshold and calibrates as
  /// `rayleigh train` does. Bad parameters or data that cannot be learned from are UsageErrors.
  static Detector train(const GraphSet& graphs, const TrainOptions& options = {});

  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;
  ~Detector();

  /// One score a graph, in order. Graphs without nodes or with more than most_nodes() throw
  /// UsageError.
  std::vector<Score> score(const GraphSet& graphs, int threads = 0) const;
  std::vector<Score> score(std::span<const GraphView> graphs, int threads = 0) const;

  /// The embedding before the last layer, one row a graph, row-major.
  std::vector<float> embed(const GraphSet& graphs, int threads = 0) const;

  /// Why each graph has its score. UsageError for shares of a detector that has none, and for
  /// graphs that cannot be scored.
  std::vector<Explanation> explain(const GraphSet& graphs,
                                   ExplainMethod method = ExplainMethod::automatic,
                                   int threads = 0) const;

  /// The file appears whole or not at all.
  void save(const std::filesystem::path& file) const;

  /// Nodes of the largest graph that can be scored; only few models have a limit.
  std::size_t most_nodes() const;
  double threshold() const;
  void set_threshold(double threshold);
  /// Model, parameters, data, metrics: the JSON of the model file.
  std::string metadata() const;

  struct State;
  explicit Detector(std::unique_ptr<State> state);
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace rayleigh
