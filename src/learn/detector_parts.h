// What a Detector is made of, and how it becomes a model file and back.
// The public header shows none of this.
// A file costs one copy of its tensors.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "rayleigh/detector.h"
#include "rayleigh/version.h"

#include "core/thread_pool.h"
#include "core/workspace.h"
#include "learn/blend.h"
#include "learn/calibration.h"
#include "learn/false_alarms.h"
#include "learn/member_places.h"
#include "learn/plan.h"
#include "learn/scorer.h"
#include "models/label_encoder.h"

namespace rayleigh::learn {

/// Copies share the members.
// The analyzer does not see that JSON is moved without exceptions.
// NOLINTNEXTLINE(bugprone-exception-escape)
struct DetectorParts {
  std::string version{kVersion};  ///< that trained it
  DetectorOptions options;
  std::vector<models::LabelEncoder> labels;          ///< vocabularies, node labels first
  std::array<std::size_t, 2> class_counts = {1, 1};  ///< of the training part
  std::size_t attributes = 0;                        ///< node attributes of the training data
  graph::AttributeBins bins;                         ///< of them; empty where none are cut
  graph::AttributeBins edge_bins;                    ///< of attributes of edges
  std::size_t largest_graph = 0;                     ///< nodes of it, of all parts of the data
  std::size_t mean_nodes = 0;                        ///< of a graph, of all parts, rounded
  std::vector<std::shared_ptr<const models::Model<float>>> members;
  std::vector<MemberPlace> places;  ///< of the members
  std::optional<Blend> blend;       ///< none = the score is the mean of the members' scores
  double threshold = 0.5;
  Calibration calibration;
  std::optional<FalseAlarms> false_alarms;  ///< none = nothing is promised
  /// data, split, members, validation, test: written by training, read by people and evaluate().
  nlohmann::ordered_json record = nlohmann::ordered_json::object();

  const Plan& plan() const;
  const models::Model<float>& first() const { return *members.front(); }
};

/// The way from the public types to what they are made of.
struct Inside {
  static const DetectorParts& parts(const Detector& detector) { return *detector.parts_; }
  static Detector make(std::shared_ptr<const DetectorParts> parts) {
    return Detector(std::move(parts));
  }
  static const Plan& plan(const DetectorOptions& options) { return *options.plan_; }
  static Plan& plan(DetectorOptions& options) { return *options.plan_; }
};

inline const Plan& DetectorParts::plan() const { return Inside::plan(options); }

inline constexpr int kModelFormat = 1;

/// Bytes of the model file.
std::string model_bytes(const DetectorParts& parts);
std::shared_ptr<const DetectorParts> read_model(const std::filesystem::path& file);
std::shared_ptr<const DetectorParts> parse_model(std::string bytes, const std::string& name);
/// The JSON of the file.
nlohmann::ordered_json metadata_of(const DetectorParts& parts);

/// The nodes of a set in all vocabularies.
struct EncodedSet {
  core::Vector<models::EncodedLabels> labels;
  core::Vector<spectral::NodeLabels> views;
};
EncodedSet encode(const DetectorParts& parts, const GraphSet& graphs, core::ThreadPool& pool);

/// UsageError for graphs without the fingerprints that a detector needs.
void refuse_without_fingerprints(const models::Recipe& recipe, const GraphSet& graphs);
/// UsageError for a graph that is larger than the detector can score, and as above.
void refuse_too_large(const DetectorParts& parts, const GraphSet& graphs);
/// And for one without a node.
void refuse_unscorable(const DetectorParts& parts, const GraphSet& graphs);

/// Score of the members together, one per graph of the set, none of which may be too large.
struct RawScores {
  core::Vector<double> score;
  core::Vector<std::uint8_t> unknown_label;
};
RawScores raw_scores(Scorer& scorer, const DetectorParts& parts, const GraphSet& graphs,
                     core::ThreadPool& pool);
RawScores raw_scores(const DetectorParts& parts, const GraphSet& graphs, core::ThreadPool& pool);

/// With threshold and calibration.
Score judged(const DetectorParts& parts, double score, bool unknown_label);

}  // namespace rayleigh::learn
