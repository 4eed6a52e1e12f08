#include "rayleigh/detector.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "rayleigh/error.h"

#include "core/atomic_file.h"
#include "core/text.h"
#include "learn/detector_state.h"
#include "learn/explain.h"
#include "learn/scorer.h"
#include "learn/training.h"

namespace rayleigh {
namespace learn {

EncodedSet encode(const Detector::State& state, const GraphSet& graphs, core::ThreadPool& pool) {
  EncodedSet set;
  graph::LabelKeys keys(graphs, pool);
  for (const models::LabelEncoder& encoder : state.labels) {
    set.labels.push_back(encoder.encode(graphs, keys, pool));
  }
  for (const models::EncodedLabels& labels : set.labels) {
    set.views.push_back(labels.view());
  }
  return set;
}

namespace {

void check_sizes(const Detector::State& state, const GraphSet& graphs) {
  const std::size_t most = state.members.front()->most_nodes();
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs[g].nodes() > most) {
      throw UsageError(
          fmt::format("graph {} has {} nodes: this model can score graphs of up to {}, the largest "
                      "it was made for",
                      g, graphs[g].nodes(), most));
    }
  }
}

RawScores raw_scores_with(Scorer& scorer, const Detector::State& state, const GraphSet& graphs,
                          core::ThreadPool& pool) {
  check_sizes(state, graphs);
  EncodedSet set = encode(state, graphs, pool);
  RawScores raw{.score = std::vector<double>(graphs.size(), 0.0),
                .unknown_label = std::move(set.labels.front().unknown)};
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  const auto features = state.members.front()->prepare(graphs, set.views, nn::Mode::scoring, pool);
  std::vector<double> scores(graphs.size());
  for (const auto& member : state.members) {
    scorer.score(*member, *features, all, scores, graphs.graph_ptr());
    for (std::size_t g = 0; g < scores.size(); ++g) {
      raw.score[g] += scores[g] / static_cast<double>(state.members.size());
    }
  }
  return raw;
}

void refuse_empty_graphs(const GraphSet& graphs) {
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (graphs.graph_ptr()[g] == graphs.graph_ptr()[g + 1]) {
      throw UsageError(fmt::format("graph {} has no node: it cannot be scored", g));
    }
  }
}

std::vector<Score> judged(const Detector::State& state, const RawScores& raw) {
  std::vector<Score> scores;
  scores.reserve(raw.score.size());
  for (std::size_t g = 0; g < raw.score.size(); ++g) {
    scores.push_back({.score = raw.score[g],
                      .probability = state.calibration.probability(raw.score[g]),
                      .anomalous = raw.score[g] > state.threshold,
                      .unknown_label = raw.unknown_label[g] != 0});
  }
  return scores;
}

}  // namespace

RawScores raw_scores(const Detector::State& state, const GraphSet& graphs, core::ThreadPool& pool) {
  Scorer scorer(pool, state.plan->isa());
  return raw_scores_with(scorer, state, graphs, pool);
}

std::vector<Score> SteadyScorer::score(const GraphSet& graphs) {
  refuse_empty_graphs(graphs);
  return judged(*state_, raw_scores_with(scorer_, *state_, graphs, pool_));
}

}  // namespace learn

Detector::Detector(std::unique_ptr<State> state) : state_(std::move(state)) {}
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

Detector Detector::load(const std::filesystem::path& file) {
  return Detector(learn::read_model(file));
}

Detector Detector::train(const GraphSet& graphs, const TrainOptions& options) {
  auto plan = std::make_unique<learn::Plan>(options.model);
  core::ParameterSet parameters;
  plan->declare(parameters);
  for (const auto& [name, value] : options.parameters) {
    core::Parameter* parameter = parameters.find(name);
    if (parameter == nullptr) {
      throw UsageError(fmt::format("'{}' is not a parameter of {}{}", core::printable(name),
                                   options.model, core::did_you_mean(name, parameters.names())));
    }
    core::ParameterSet::assign(*parameter, std::string_view(value), name);
  }
  plan->settle(parameters);
  learn::TrainingHooks hooks;
  hooks.threads = options.threads;
  if (options.progress) {
    hooks.after_epoch = [&](const TrainProgress& progress, const learn::EpochMetrics&) {
      options.progress(progress);
    };
  }
  return Detector(learn::train(graphs, std::move(plan), hooks).detector);
}

std::vector<Score> Detector::score(const GraphSet& graphs, int threads) const {
  learn::refuse_empty_graphs(graphs);
  core::ThreadPool pool(threads);
  return learn::judged(*state_, learn::raw_scores(*state_, graphs, pool));
}

std::vector<Score> Detector::score(std::span<const GraphView> graphs, int threads) const {
  std::vector<Score> scores;
  scores.reserve(graphs.size());
  // Runs of views of the same set are scored together.
  for (std::size_t begin = 0; begin < graphs.size();) {
    std::vector<std::uint32_t> chosen;
    const GraphSet& set = graphs[begin].set();
    std::size_t end = begin;
    for (; end < graphs.size() && &graphs[end].set() == &set; ++end) {
      chosen.push_back(static_cast<std::uint32_t>(graphs[end].index()));
    }
    const auto part = score(set.subset(chosen), threads);
    scores.insert(scores.end(), part.begin(), part.end());
    begin = end;
  }
  return scores;
}

std::vector<Explanation> Detector::explain(const GraphSet& graphs, ExplainMethod method,
                                           int threads) const {
  learn::refuse_empty_graphs(graphs);
  learn::check_sizes(*state_, graphs);
  core::ThreadPool pool(threads);
  return learn::explain(*state_, graphs, method, pool);
}

std::vector<float> Detector::embed(const GraphSet& graphs, int threads) const {
  core::ThreadPool pool(threads);
  learn::check_sizes(*state_, graphs);
  const learn::EncodedSet set = learn::encode(*state_, graphs, pool);
  auto& model = *state_->members.front();
  const auto features = model.prepare(graphs, set.views, nn::Mode::scoring, pool);
  std::vector<std::uint32_t> all(graphs.size());
  std::iota(all.begin(), all.end(), 0U);
  return learn::Scorer(pool, state_->plan->isa()).embed(model, *features, all, graphs.graph_ptr());
}

void Detector::save(const std::filesystem::path& file) const {
  core::write_file_atomically(file, learn::model_bytes(*state_));
}

std::size_t Detector::most_nodes() const { return state_->members.front()->most_nodes(); }
double Detector::threshold() const { return state_->threshold; }
void Detector::set_threshold(double threshold) { state_->threshold = threshold; }
std::string Detector::metadata() const { return learn::metadata_of(*state_).dump(2); }

}  // namespace rayleigh
