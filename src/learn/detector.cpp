#include "rayleigh/detector.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <numeric>

#include "rayleigh/curves.h"
#include "rayleigh/error.h"
#include "rayleigh/training.h"

#include "core/atomic_file.h"
#include "core/text.h"
#include "io/safetensors.h"
#include "learn/detector_parts.h"
#include "learn/explain.h"
#include "learn/split.h"
#include "learn/training_data.h"

namespace rayleigh {
namespace learn {

EncodedSet encode(const DetectorParts& parts, const GraphSet& graphs, core::ThreadPool& pool) {
  EncodedSet set;
  if (!parts.edge_bins.empty() && graphs.directed_edges() > 0 &&
      graphs.edge_attribute_count() != parts.edge_bins.attributes()) {
    throw DataError({graphs.name(), 0},
                    fmt::format("the graphs have {} edge attributes, the model was trained with {}",
                                graphs.edge_attribute_count(), parts.edge_bins.attributes()));
  }
  graph::LabelKeys keys(graphs, pool, &parts.edge_bins);
  set.labels.reserve(parts.labels.size());
  set.views.reserve(parts.labels.size());
  for (const models::LabelEncoder& encoder : parts.labels) {
    set.labels.push_back(encoder.encode(graphs, keys, pool));
  }
  for (const models::EncodedLabels& labels : set.labels) {
    set.views.push_back(labels.view());
  }
  return set;
}

void refuse_without_fingerprints(const models::Recipe& recipe, const GraphSet& graphs) {
  if (recipe.needs_fingerprints() && !graphs.has_fingerprints()) {
    throw UsageError(
        fmt::format("{} needs molecules (.smi, .csv, .tsv or .sdf), read with their "
                    "fingerprints: these graphs have none",
                    recipe.name()));
  }
}

void refuse_too_large(const DetectorParts& parts, const GraphSet& graphs) {
  refuse_without_fingerprints(parts.plan().recipe(), graphs);
  const std::size_t most = parts.first().most_nodes();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs[g].nodes() > most) {
      throw UsageError(
          fmt::format("graph {} has {} nodes: this model can score graphs of up to {}, the largest "
                      "it was made for",
                      g, graphs[g].nodes(), most));
    }
  }
}

void refuse_unscorable(const DetectorParts& parts, const GraphSet& graphs) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs[g].nodes() == 0) {
      throw UsageError(fmt::format("graph {} has no node: it cannot be scored", g));
    }
  }
  refuse_too_large(parts, graphs);
}

RawScores raw_scores(Scorer& scorer, const DetectorParts& parts, const GraphSet& graphs,
                     core::ThreadPool& pool) {
  EncodedSet set = encode(parts, graphs, pool);
  RawScores raw{.score = core::Vector<double>(graphs.size(), 0.0),
                .unknown_label = std::move(set.labels.front().unknown)};
  core::Vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto features =
      prepare_members(parts.members, parts.places, graphs, set.views, nn::Mode::scoring, pool);
  core::Vector<double> scores(graphs.size());
  for (std::size_t m = 0; m < parts.members.size(); ++m) {
    const models::Features& own = *features[parts.places[m].prepares];
    if (parts.blend) {
      scorer.margins(*parts.members[m], own, all, scores, graphs.graph_ptr());
    } else {
      scorer.score(*parts.members[m], own, all, scores, graphs.graph_ptr());
    }
    for (std::size_t g = 0; g < scores.size(); ++g) {
      raw.score[g] += parts.blend ? scores[g] * parts.blend->weights[m]
                                  : scores[g] / static_cast<double>(parts.members.size());
    }
  }
  for (std::size_t g = 0; g < scores.size() && parts.blend; ++g) {
    // An infinite margin has a probability, but nothing was computed that it could tell of.
    const double margin = parts.blend->offset + raw.score[g];
    raw.score[g] =
        std::isfinite(margin) ? probability_of(margin) : std::numeric_limits<double>::quiet_NaN();
  }
  return raw;
}

RawScores raw_scores(const DetectorParts& parts, const GraphSet& graphs, core::ThreadPool& pool) {
  Scorer scorer(pool, parts.plan().isa());
  return raw_scores(scorer, parts, graphs, pool);
}

Score judged(const DetectorParts& parts, double score, bool unknown_label) {
  return {.score = score,
          .probability = parts.calibration.probability(score),
          .anomalous = score > parts.threshold,
          .unknown_label = unknown_label,
          .p_value = parts.false_alarms ? parts.false_alarms->p_value(score)
                                        : std::numeric_limits<double>::quiet_NaN()};
}

namespace {

/// The same scores for large sets: each thread takes pieces of the set and scores them alone, so
/// that nobody waits and what a piece needs stays in the cache.
RawScores scores_by_pieces(const DetectorParts& parts, const GraphSet& graphs,
                           const RunOptions& run) {
  constexpr std::size_t kPiece = 1024;
  core::ThreadPool pool(run);
  const std::size_t pieces = (graphs.size() + kPiece - 1) / kPiece;
  if (pieces < 2) {
    return raw_scores(parts, graphs, pool);
  }
  RawScores all{.score = core::Vector<double>(graphs.size()),
                .unknown_label = core::Vector<std::uint8_t>(graphs.size())};
  std::atomic<std::size_t> next = 0;
  pool.run(std::min(pieces, static_cast<std::size_t>(pool.size())), [&](std::size_t) {
    core::ThreadPool alone(1, run.stop);
    Scorer scorer(alone, parts.plan().isa());
    core::Workspace workspace;
    std::vector<std::uint32_t> own;
    for (std::size_t piece = next++; piece < pieces; piece = next++) {
      const core::Range range = core::part_of(graphs.size(), pieces, piece);
      own.resize(range.end - range.begin);
      std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(range.begin));
      const GraphSet some = graphs.subset(own);
      const core::Workspace::Scope scope(&workspace);
      const RawScores raw = raw_scores(scorer, parts, some, alone);
      std::ranges::copy(raw.score, all.score.data() + range.begin);
      std::ranges::copy(raw.unknown_label, all.unknown_label.data() + range.begin);
    }
  });
  return all;
}

/// Of the data the detector was trained on; UsageErrors where it is other data.
std::vector<std::uint32_t> trained_part(const DetectorParts& parts, const GraphSet& graphs,
                                        std::span<const std::int8_t> labels,
                                        const EvaluationRequest& request, core::ThreadPool& pool) {
  if (describe_data(graphs, labels).hash != parts.record["data"]["hash"].get<std::string>()) {
    throw UsageError(
        "split",
        "this is not the data the model was trained on, so its parts are not known; leave `split` "
        "out to measure all graphs");
  }
  const Plan& plan = parts.plan();
  Split split =
      make_split(request.split.value_or(plan.split()), graphs, labels, plan.split_seed(), pool);
  if (plan.train_graphs() > 0) {
    thin_training(split, labels, plan.train_graphs(), plan.split_seed());
  }
  if (parts.false_alarms) {
    cut_calibration(split, labels, parts.false_alarms->promised(), plan.split_seed());
  }
  if (split_hash(split) != parts.record["split"]["hash"].get<std::string>()) {
    throw UsageError("split",
                     "these are not the parts the model was trained with: it was given its parts "
                     "or groups and needs the same ones again (`split-files`)");
  }
  return request.part == Part::train        ? split.train
         : request.part == Part::validation ? split.validation
                                            : split.test;
}

/// None without normal graphs.
std::optional<ObservedAlarms> observed_alarms(const Scored& scored, const DetectorParts& parts) {
  ObservedAlarms seen{.promised = parts.false_alarms->promised()};
  for (std::size_t g = 0; g < scored.labels.size(); ++g) {
    if (scored.labels[g] == 0) {
      ++seen.normal;
      seen.alarms += scored.scores[g] > parts.threshold ? 1 : 0;
    }
  }
  if (seen.normal == 0) {
    return std::nullopt;
  }
  seen.share = share_interval(seen.alarms, seen.normal);
  return seen;
}

std::vector<std::uint32_t> labelled_graphs(std::span<const std::int8_t> labels) {
  std::vector<std::uint32_t> all;
  for (std::size_t g = 0; g < labels.size(); ++g) {
    if (labels[g] >= 0) {
      all.push_back(static_cast<std::uint32_t>(g));
    }
  }
  if (all.empty()) {
    throw UsageError("the data has no labelled graph: there is nothing to measure");
  }
  return all;
}

/// Metrics that pass over graphs would be those of other data.
void refuse_not_finite(const GraphSet& graphs, std::span<const std::uint32_t> measured,
                       std::span<const double> scores) {
  for (std::size_t g = 0; g < scores.size(); ++g) {
    if (!std::isfinite(scores[g])) {
      throw DataError({graphs.name(), 0},
                      fmt::format("graph {} has no score: its numbers are too large for the model",
                                  shown_name(graphs, measured[g])));
    }
  }
}

}  // namespace
}  // namespace learn

using learn::DetectorParts;

Detector::Detector(std::shared_ptr<const DetectorParts> parts) : parts_(std::move(parts)) {}

Detector Detector::load(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored) && !is_model_file(file)) {
    throw DataError({file.string(), 0}, "this is not a model, expected a file that training wrote");
  }
  return Detector(learn::read_model(file));
}

bool Detector::is_model_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return false;
  }
  std::array<char, io::kSafetensorsLength + 1> start{};
  std::ifstream stream(file, std::ios::binary);
  return stream.read(start.data(), start.size()).good() && start.back() == '{' &&
         // A length below 2^32, which no text has in its first eight bytes.
         std::all_of(start.begin() + 4, start.begin() + 8, [](char c) { return c == 0; });
}

void Detector::save(const std::filesystem::path& file) const {
  core::write_file_atomically(file, bytes());
}

std::string Detector::bytes() const { return learn::model_bytes(*parts_); }

std::vector<Score> Detector::score(const GraphSet& graphs, const RunOptions& run) const {
  learn::refuse_unscorable(*parts_, graphs);
  const auto raw = learn::scores_by_pieces(*parts_, graphs, run);
  std::vector<Score> scores;
  scores.reserve(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    scores.push_back(learn::judged(*parts_, raw.score[g], raw.unknown_label[g] != 0));
  }
  return scores;
}

Embeddings Detector::embed(const GraphSet& graphs, const RunOptions& run) const {
  learn::refuse_too_large(*parts_, graphs);
  core::ThreadPool pool(run);
  const learn::EncodedSet set = learn::encode(*parts_, graphs, pool);
  const auto features = learn::prepare_members(parts_->members, parts_->places, graphs, set.views,
                                               nn::Mode::scoring, pool);
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  learn::Scorer scorer(pool, parts_->plan().isa());
  std::vector<std::vector<float>> of_members;
  Embeddings out;
  if (graphs.empty()) {
    return out;
  }
  for (std::size_t m = 0; m < parts_->members.size(); ++m) {
    of_members.push_back(scorer.embed(*parts_->members[m], *features[parts_->places[m].prepares],
                                      all, graphs.graph_ptr()));
    out.width += of_members.back().size() / graphs.size();
  }
  out.values.reserve(out.width * graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    for (const auto& rows : of_members) {
      const std::size_t width = rows.size() / graphs.size();
      const auto row = std::span(rows).subspan(g * width, width);
      out.values.insert(out.values.end(), row.begin(), row.end());
    }
  }
  return out;
}

std::vector<Explanation> Detector::explain(const GraphSet& graphs, ExplainMethod method,
                                           const RunOptions& run) const {
  learn::refuse_unscorable(*parts_, graphs);
  core::ThreadPool pool(run);
  return learn::explain(*parts_, graphs, method, pool);
}

Evaluation Detector::evaluate(const GraphSet& graphs, const EvaluationRequest& request,
                              const RunOptions& run) const {
  const auto own_class = trained_on().anomaly_class;
  const auto labels =
      anomaly_labels(graphs, request.anomaly_class ? request.anomaly_class : own_class);
  core::ThreadPool pool(run);
  Evaluation out;
  out.graphs = request.part == Part::all
                   ? learn::labelled_graphs(labels)
                   : learn::trained_part(*parts_, graphs, labels, request, pool);
  const GraphSet measured = graphs.subset(out.graphs);
  learn::refuse_too_large(*parts_, measured);
  const auto raw = learn::scores_by_pieces(*parts_, measured, run);
  out.unknown_label_graphs =
      std::accumulate(raw.unknown_label.begin(), raw.unknown_label.end(), std::size_t{0});
  out.scores.assign(raw.score.begin(), raw.score.end());
  learn::refuse_not_finite(graphs, out.graphs, out.scores);
  for (const std::uint32_t g : out.graphs) {
    out.labels.push_back(labels[g]);
  }
  const Scored scored{out.labels, out.scores};
  out.metrics = measure(scored, parts_->threshold, scores_are_probabilities());
  if (request.intervals) {
    out.metrics.intervals = metric_intervals(scored, parts_->threshold, request.seed, run);
  }
  if (parts_->false_alarms) {
    out.false_alarms = learn::observed_alarms(scored, *parts_);
  }
  return out;
}

std::size_t Detector::most_nodes() const { return parts_->first().most_nodes(); }

io::ReadOptions Detector::reading() const {
  io::ReadOptions options;
  if (const auto at = parts_->record.find("reading"); at != parts_->record.end()) {
    for (const auto& [name, value] : at->items()) {
      io::set_reading(options, name, value.get<std::string>());
    }
  }
  options.molecules.fingerprints = parts_->plan().recipe().needs_fingerprints();
  return options;
}

double Detector::threshold() const { return parts_->threshold; }

Detector Detector::with_threshold(double threshold) const {
  auto parts = std::make_shared<DetectorParts>(*parts_);
  parts->threshold = threshold;
  return Detector(std::move(parts));
}

double Detector::p_value(double score) const {
  return parts_->false_alarms ? parts_->false_alarms->p_value(score)
                              : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> Detector::promised_false_alarms() const {
  return parts_->false_alarms ? std::optional(parts_->false_alarms->promised()) : std::nullopt;
}

double Detector::probability(double score) const { return parts_->calibration.probability(score); }

bool Detector::scores_are_probabilities() const {
  return parts_->first().scores_are_probabilities();
}

DetectorOptions Detector::options() const { return parts_->options; }

DataSummary Detector::trained_on() const {
  const auto& record = parts_->record;
  const auto& data = record.at("data");
  const auto& word = record.at("anomaly_class");
  DataSummary out = learn::training_data_from(data);
  out.split_hash = record.at("split").at("hash").get<std::string>();
  if (!word.is_null()) {
    out.anomaly_class = word.get<std::string>();
  }
  return out;
}

std::size_t Detector::members() const { return parts_->members.size(); }

std::size_t Detector::trained_weights() const { return parts_->first().weights().trained(); }

std::vector<LabelWords> Detector::vocabularies() const {
  std::vector<LabelWords> all;
  for (const models::LabelEncoder& encoder : parts_->labels) {
    LabelWords one{.level = std::string(encoder.level_name()), .words = {}};
    one.words.reserve(encoder.size());
    for (std::size_t label = 0; label < encoder.size(); ++label) {
      one.words.push_back(encoder.word(label));
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string Detector::metadata() const { return learn::metadata_of(*parts_).dump(2); }

}  // namespace rayleigh
