// Detector: a trained model that scores graphs and says why. Train one (training.h) or load one.
// A value that never changes: copies are cheap and share their parts, and any number of threads may
// use one. For graphs that keep coming use a ScoringSession (scoring_session.h).
// Loading takes a few milliseconds; scoring runs at several hundred thousand small graphs per
// second on two cores. All errors are rayleigh::Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rayleigh/detector_options.h"
#include "rayleigh/explanation.h"
#include "rayleigh/graph_io.h"
#include "rayleigh/graph_set.h"
#include "rayleigh/metrics.h"
#include "rayleigh/run_options.h"
#include "rayleigh/split.h"

namespace rayleigh {

namespace learn {
struct DetectorParts;
struct Inside;
}  // namespace learn

struct Score {
  double score = 0;            ///< higher = more anomalous; NaN where the graph's numbers overflow
  double probability = 0;      ///< of being anomalous, calibrated on validation graphs; NaN = none
  bool anomalous = false;      ///< score above the threshold
  bool unknown_label = false;  ///< a node's label was never seen in training; it counts as "other"
  /// Share of normal graphs with a score as high, by the calibration part; NaN = there is none.
  double p_value = std::numeric_limits<double>::quiet_NaN();
};

/// One row per graph, row-major.
struct Embeddings {
  std::size_t width = 0;  ///< of all members together
  std::vector<float> values;

  std::size_t rows() const { return width == 0 ? 0 : values.size() / width; }
  std::span<const float> row(std::size_t graph) const {
    return std::span(values).subspan(graph * width, width);
  }
};

enum class Part { all, train, validation, test };

struct EvaluationRequest {
  Part part = Part::all;
  /// Needed when the detector was trained with given parts or groups: the same ones.
  std::optional<SplitRequest> split{};
  /// The detector's own when not given.
  std::optional<std::string> anomaly_class{};
  bool intervals = true;
  std::uint64_t seed = 1;  ///< of the intervals
};

/// How many normal graphs were called anomalous, beside what the detector promises.
struct ObservedAlarms {
  double promised = 0;  ///< at most this share
  std::size_t normal = 0;
  std::size_t alarms = 0;  ///< of them
  Interval share{};        ///< 95 % interval
};

struct Evaluation {
  Metrics metrics;
  std::vector<std::uint32_t> graphs;  ///< numbers of the measured graphs
  std::vector<std::int8_t> labels;    ///< of these graphs: 0 or 1
  std::vector<double> scores;         ///< of these graphs
  std::size_t unknown_label_graphs = 0;
  /// Where the detector promises something and there are normal graphs.
  std::optional<ObservedAlarms> false_alarms{};
};

/// What the detector was trained on.
struct DataSummary {
  std::string name;
  std::size_t graphs = 0;
  std::size_t anomalous = 0;
  std::size_t nodes = 0;
  std::size_t edges = 0;
  std::size_t labels = 0;                    ///< distinct node labels
  std::string hash;                          ///< of everything that training reads
  std::optional<std::string> anomaly_class;  ///< none: the graphs had no labels
  std::string split_hash;
};

/// The words of one vocabulary.
struct LabelWords {
  std::string level;  ///< plain, degree, edges, wl1, wl2
  std::vector<std::string> words;
};

class Detector {
 public:
  /// DataError for a file that is corrupt, of a later version, or not a model.
  static Detector load(const std::filesystem::path& file);
  /// Whether its first bytes are those of a model file; the rest is not read.
  static bool is_model_file(const std::filesystem::path& file);
  /// The file appears whole or not at all.
  void save(const std::filesystem::path& file) const;
  /// What save() writes.
  std::string bytes() const;

  /// One score per graph, in order. Graphs without nodes or with more than most_nodes() throw
  /// UsageError.
  std::vector<Score> score(const GraphSet& graphs, const RunOptions& run = {}) const;
  /// The inputs of the last layer, those of all members side by side.
  Embeddings embed(const GraphSet& graphs, const RunOptions& run = {}) const;
  /// Why each graph has its score. UsageError for shares of a detector that has none, and for
  /// graphs that cannot be scored.
  std::vector<Explanation> explain(const GraphSet& graphs,
                                   ExplainMethod method = ExplainMethod::automatic,
                                   const RunOptions& run = {}) const;
  /// Measures it on labelled graphs. A part other than all needs the data it was trained on.
  Evaluation evaluate(const GraphSet& graphs, const EvaluationRequest& request = {},
                      const RunOptions& run = {}) const;

  /// Whether the graph has at least one node and at most most_nodes().
  bool can_score(const GraphView& graph) const {
    return graph.nodes() > 0 && graph.nodes() <= most_nodes();
  }
  /// Nodes of the largest graph that can be scored; few detectors have a limit.
  std::size_t most_nodes() const;
  /// How other data must be read so that its graphs mean the same.
  io::ReadOptions reading() const;

  double threshold() const;
  Detector with_threshold(double threshold) const;
  /// The calibrated probability of a score; NaN where nothing was calibrated.
  double probability(double score) const;
  /// Of a score; NaN where the detector has no calibration part.
  double p_value(double score) const;
  /// The share of normal graphs that it calls anomalous at most, with its own threshold.
  std::optional<double> promised_false_alarms() const;
  bool scores_are_probabilities() const;

  DetectorOptions options() const;
  DataSummary trained_on() const;
  std::size_t members() const;
  /// Trained numbers of one member.
  std::size_t trained_weights() const;
  std::vector<LabelWords> vocabularies() const;
  /// Model, options, data, metrics: the JSON of the model file.
  std::string metadata() const;

 private:
  friend struct learn::Inside;
  explicit Detector(std::shared_ptr<const learn::DetectorParts> parts);

  std::shared_ptr<const learn::DetectorParts> parts_;
};

}  // namespace rayleigh
