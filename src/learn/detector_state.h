// What a Detector is made of, and how it becomes a model file and back.
// The public header shows none of this.
// A file costs one copy of its tensors.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/version.h"

#include "learn/calibration.h"
#include "learn/evaluation.h"
#include "learn/plan.h"
#include "learn/scorer.h"
#include "models/label_encoder.h"

namespace rayleigh {

struct Detector::State {
  std::string version{kVersion};                     ///< that trained it
  std::unique_ptr<learn::Plan> plan;                 ///< settled
  std::vector<models::LabelEncoder> labels;          ///< vocabularies, node labels first
  std::array<std::size_t, 2> class_counts = {1, 1};  ///< of the training part
  std::size_t attributes = 0;                        ///< node attributes of the training data
  std::size_t largest_graph = 0;                     ///< nodes of it, of all parts of the data
  std::size_t mean_nodes = 0;                        ///< of a graph, of all parts, rounded
  std::vector<std::unique_ptr<const models::Model<float>>> members;
  double threshold = 0.5;
  learn::Calibration calibration;
  /// data, split, members, validation, test: said by training, shown to the user, used by nothing.
  nlohmann::ordered_json record = nlohmann::ordered_json::object();
};

namespace learn {

inline constexpr int kModelFormat = 1;

/// Bytes of the model file.
std::string model_bytes(const Detector::State& state);
std::unique_ptr<Detector::State> read_model(const std::filesystem::path& file);
std::unique_ptr<Detector::State> parse_model(std::string bytes, const std::string& name);
/// The JSON of the file.
nlohmann::ordered_json metadata_of(const Detector::State& state);

/// The nodes of a set in all vocabularies.
struct EncodedSet {
  std::vector<models::EncodedLabels> labels;
  std::vector<spectral::NodeLabels> views;
};
EncodedSet encode(const Detector::State& state, const GraphSet& graphs, core::ThreadPool& pool);

/// Mean score of the members, one a graph of the set. A graph that is larger than the detector can
/// score is a UsageError.
struct RawScores {
  std::vector<double> score;
  std::vector<std::uint8_t> unknown_label;
};
RawScores raw_scores(const Detector::State& state, const GraphSet& graphs, core::ThreadPool& pool);

/// Scores many sets one after the other on the calling thread and keeps its memory in between. The
/// detector must outlive it; several threads may each have one.
class SteadyScorer {
 public:
  explicit SteadyScorer(const Detector& detector)
      : state_(&detector.state()), pool_(1), scorer_(pool_, state_->plan->isa()) {}
  /// As Detector::score().
  std::vector<Score> score(const GraphSet& graphs);

 private:
  const Detector::State* state_;
  core::ThreadPool pool_;
  Scorer scorer_;
};

}  // namespace learn
}  // namespace rayleigh
