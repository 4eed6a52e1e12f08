#include "learn/explain.h"

#include <array>
#include <cmath>

#include "graph/node_removal.h"

namespace rayleigh::learn {
namespace {

/// Adds `part` times `weight`. Labels of all members stand in the same order.
void add(const models::Explanation& part, double weight, models::Explanation& sum) {
  sum.margin += weight * part.margin;
  sum.constant += weight * part.constant;
  sum.nodes.resize(part.nodes.size(), 0.0);
  for (std::size_t j = 0; j < part.nodes.size(); ++j) {
    sum.nodes[j] += weight * part.nodes[j];
  }
  const bool first = sum.labels.empty();
  for (std::size_t k = 0; k < part.labels.size(); ++k) {
    if (first) {
      sum.labels.push_back(part.labels[k]);
      sum.labels[k].share = 0;
    }
    sum.labels[k].share += weight * part.labels[k].share;
  }
}

/// Finite for any score.
double comparable(double score, bool probability) {
  constexpr double kLeast = 1e-15;
  return probability ? std::log(std::max(score, kLeast)) - std::log(std::max(1 - score, kLeast))
                     : score;
}

}  // namespace

std::optional<std::vector<models::Explanation>> explain(const Detector::State& state,
                                                        const GraphSet& graphs,
                                                        std::span<const std::uint32_t> chosen,
                                                        core::ThreadPool& pool) {
  const EncodedSet set = encode(state, graphs, pool);
  const auto features = state.members.front()->prepare(graphs, set.views, nn::Mode::scoring, pool);
  nn::Tape<float> tape(pool, state.plan->isa());
  std::vector<models::Explanation> explanations(chosen.size());
  const double weight = 1 / static_cast<double>(state.members.size());
  for (const auto& member : state.members) {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto part = member->explain(tape, *features, chosen[i]);
      if (!part) {
        return std::nullopt;
      }
      add(*part, weight, explanations[i]);
    }
  }
  return explanations;
}

std::vector<double> leave_one_out(const Detector::State& state, const GraphSet& graphs,
                                  std::uint32_t graph, core::ThreadPool& pool) {
  const GraphSet less = graph::without_each_node(graphs, graph);
  std::vector<double> effects(graphs[graph].nodes(), 0.0);
  if (less.empty()) {
    return effects;
  }
  const std::array whole{graph};
  const bool probability = state.members.front()->scores_are_probabilities();
  const double all =
      comparable(raw_scores(state, graphs.subset(whole), pool).score.front(), probability);
  const RawScores rest = raw_scores(state, less, pool);
  for (std::size_t j = 0; j < effects.size(); ++j) {
    effects[j] = all - comparable(rest.score[j], probability);
  }
  return effects;
}

}  // namespace rayleigh::learn
