#include "learn/explain.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "rayleigh/error.h"
#include "rayleigh/metrics.h"

#include "graph/node_removal.h"
#include "models/margin_shares.h"

namespace rayleigh::learn {
namespace {

/// Adds `part` times `weight`. Members may speak of different labels, and of vocabularies from
/// `first_encoder` on.
void add(const models::MarginShares& part, double weight, std::size_t first_encoder,
         models::MarginShares& sum) {
  sum.margin += weight * part.margin;
  sum.constant += weight * part.constant;
  sum.nodes.resize(part.nodes.size(), 0.0);
  for (std::size_t j = 0; j < part.nodes.size(); ++j) {
    sum.nodes[j] += weight * part.nodes[j];
  }
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> places;
  for (std::size_t k = 0; k < sum.labels.size(); ++k) {
    places.emplace(std::pair(sum.labels[k].vocabulary, sum.labels[k].label), k);
  }
  for (const models::LabelShare& label : part.labels) {
    const std::size_t vocabulary = label.vocabulary == models::kBinsOfAttributes
                                       ? label.vocabulary
                                       : first_encoder + label.vocabulary;
    const auto [at, fresh] =
        places.try_emplace(std::pair(vocabulary, label.label), sum.labels.size());
    if (fresh) {
      sum.labels.push_back({vocabulary, label.label, 0});
    }
    sum.labels[at->second].share += weight * label.share;
  }
}

/// Labels that say much have no word: they are known only where they were seen.
std::string word_of(const models::LabelEncoder& encoder, std::uint32_t label) {
  if (label >= encoder.size()) {
    return "other";
  }
  return encoder.word(label).empty() ? fmt::format("{} {}", encoder.level_name(), label)
                                     : encoder.word(label);
}

Explanation for_people(const DetectorParts& parts, models::MarginShares&& plain) {
  Explanation out{.method = ExplainMethod::shares,
                  .margin = plain.margin,
                  .constant = plain.constant,
                  .labels = {},
                  .nodes = std::move(plain.nodes)};
  out.labels.reserve(plain.labels.size());
  for (const models::LabelShare& part : plain.labels) {
    out.labels.push_back({part.vocabulary == models::kBinsOfAttributes
                              ? parts.bins.word(part.label)
                              : word_of(parts.labels[part.vocabulary], part.label),
                          part.share});
  }
  std::ranges::stable_sort(out.labels, std::ranges::greater{},
                           [](const LabelShare& label) { return std::abs(label.share); });
  return out;
}

/// None where the detector cannot be taken apart.
std::optional<std::vector<Explanation>> shares(const DetectorParts& parts, const GraphSet& graphs,
                                               core::ThreadPool& pool) {
  const EncodedSet set = encode(parts, graphs, pool);
  const auto features =
      prepare_members(parts.members, parts.places, graphs, set.views, nn::Mode::scoring, pool);
  nn::Tape<float> tape(pool, parts.plan().isa());
  std::vector<models::MarginShares> sums(graphs.size());
  for (std::size_t m = 0; m < parts.members.size(); ++m) {
    const double weight =
        parts.blend ? parts.blend->weights[m] : 1 / static_cast<double>(parts.members.size());
    for (std::uint32_t g = 0; g < graphs.size(); ++g) {
      const auto part = parts.members[m]->explain(tape, *features[parts.places[m].prepares], g);
      if (!part) {
        return std::nullopt;
      }
      add(*part, weight, parts.places[m].first_encoder, sums[g]);
    }
  }
  for (models::MarginShares& sum : sums) {
    sum.margin += parts.blend ? parts.blend->offset : 0;
    sum.constant += parts.blend ? parts.blend->offset : 0;
  }
  std::vector<Explanation> explanations;
  explanations.reserve(sums.size());
  for (models::MarginShares& sum : sums) {
    explanations.push_back(for_people(parts, std::move(sum)));
  }
  return explanations;
}

/// Finite for any score.
double margin_of(double score, bool probability) {
  constexpr double kLeast = 1e-15;
  return probability ? std::log(std::max(score, kLeast)) - std::log(std::max(1 - score, kLeast))
                     : score;
}

/// Of all copies that are scored together. A graph of n nodes has n copies of about n nodes.
constexpr std::size_t kNodesAtOnce = std::size_t{1} << 19U;

std::vector<Explanation> leave_one_out(const DetectorParts& parts, const GraphSet& graphs,
                                       core::ThreadPool& pool) {
  const bool probability = parts.first().scores_are_probabilities();
  const RawScores whole = raw_scores(parts, graphs, pool);
  std::vector<Explanation> explanations(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Explanation& out = explanations[g];
    out.method = ExplainMethod::leave_one_out;
    out.margin = margin_of(whole.score[g], probability);
    out.nodes.assign(graphs[g].nodes(), 0.0);
    const std::size_t nodes = out.nodes.size();
    const std::size_t at_once = std::max<std::size_t>(1, kNodesAtOnce / nodes);
    for (std::size_t first = 0; nodes > 1 && first < nodes; first += at_once) {
      pool.check_stop();
      const std::size_t last = std::min(nodes, first + at_once);
      const RawScores rest =
          raw_scores(parts, graph::without_each_node(graphs, g, first, last), pool);
      for (std::size_t j = first; j < last; ++j) {
        out.nodes[j] = out.margin - margin_of(rest.score[j - first], probability);
      }
    }
  }
  return explanations;
}

}  // namespace

std::vector<Explanation> explain(const DetectorParts& parts, const GraphSet& graphs,
                                 ExplainMethod method, core::ThreadPool& pool) {
  if (parts.plan().recipe().needs_fingerprints()) {
    throw UsageError(fmt::format(
        "scores of {} cannot be explained: a fingerprint has no nodes to share it out to "
        "or to leave out",
        parts.plan().recipe().name()));
  }
  if (method != ExplainMethod::leave_one_out && !graphs.empty()) {
    if (auto exact = shares(parts, graphs, pool)) {
      return std::move(*exact);
    }
    if (method == ExplainMethod::shares) {
      throw UsageError("method",
                       fmt::format("a score of {} cannot be taken apart into shares; leave-one-out "
                                   "works for every detector",
                                   parts.plan().recipe().name()));
    }
  }
  return leave_one_out(parts, graphs, pool);
}

}  // namespace rayleigh::learn

namespace rayleigh {

std::optional<double> changed_nodes_auc(std::span<const double> shares,
                                        std::span<const std::int8_t> changed) {
  const auto count = std::ranges::count(changed, std::int8_t{1});
  if (count == 0 || count == std::ssize(changed)) {
    return std::nullopt;
  }
  std::vector<double> sizes;
  sizes.reserve(shares.size());
  for (const double share : shares) {
    sizes.push_back(std::abs(share));
  }
  return roc_auc({changed, sizes});
}

}  // namespace rayleigh
