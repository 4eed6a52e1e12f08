#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "models/recipe_options.h"
#include "nn/ops_loss.h"

// Gradient boosting on how often each label occurs in a graph, no edge used: small trees fitted one
// after the other to the gradient of the logistic loss. Counts are whole numbers, so a histogram of
// them loses nothing. The trees are fitted before the first step and kept as parameters.

namespace rayleigh::models {
namespace {

using nn::Value;

constexpr std::size_t kBins = 256;  // counts above are taken as 255

/// Gradient boosting on label counts, a yardstick: it sees no edge.
struct LabelCountsOptions {
  std::size_t rounds = 100;
  std::size_t tree_depth = 3;
  double shrinkage = 0.1;
  std::size_t least_graphs = 20;  ///< of a leaf
};

struct CountFeatures : Features {
  std::size_t labels = 0;
  core::Vector<std::uint8_t> counts;  ///< one row per graph

  std::size_t graphs() const override { return labels == 0 ? 0 : counts.size() / labels; }
  std::size_t memory_bytes() const override { return counts.size(); }
};

/// Sums of one bin: of gradients, of their slopes, and how many graphs.
struct Bin {
  double gradient = 0;
  double slope = 0;
  std::size_t count = 0;

  void add(const Bin& other) {
    gradient += other.gradient;
    slope += other.slope;
    count += other.count;
  }
  double worth() const { return slope > 0 ? gradient * gradient / slope : 0; }
};

struct Cut {
  double gain = 0;
  std::uint32_t label = 0;
  std::size_t largest_left = 0;  ///< counts up to this go left
};

template <typename Real>
class LabelCounts : public Model<Real> {
 public:
  LabelCounts(const LabelCountsOptions& options, std::size_t labels)
      : options_(options),
        labels_(labels),
        inner_((std::size_t{1} << options.tree_depth) - 1),
        leaves_(std::size_t{1} << options.tree_depth) {
    auto& p = this->weights_;
    label_ = p.add("trees.label", options.rounds, inner_, nn::Role::frozen);
    limit_ = p.add("trees.limit", options.rounds, inner_, nn::Role::frozen);
    value_ = p.add("trees.value", options.rounds, leaves_, nn::Role::frozen);
    start_ = p.add("start", 1, 1, nn::Role::frozen);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    auto features = std::make_unique<CountFeatures>();
    features->labels = labels_;
    features->counts.assign(graphs.size() * labels_, 0);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      const std::size_t first = graphs[g].first_node();
      for (std::size_t i = first; i < first + graphs[g].nodes(); ++i) {
        if (const std::uint32_t label = labels[0].of_node[i]; label < labels_) {
          auto& count = features->counts[g * labels_ + label];
          count = static_cast<std::uint8_t>(std::min<std::size_t>(count + 1U, kBins - 1));
        }
      }
    }
    return features;
  }

  void begin_training(nn::Tape<Real>& tape, const Features& features,
                      std::span<const std::uint32_t> graphs,
                      std::span<const std::int8_t> labels) override {
    const auto& counts = static_cast<const CountFeatures&>(features);
    auto& p = this->weights_;
    const auto positives = static_cast<double>(std::ranges::count(labels, std::int8_t{1}));
    const double share = positives / static_cast<double>(labels.size());
    p.value(start_)(0, 0) = static_cast<Real>(std::log(share / (1 - share)));
    std::vector<double> margin(graphs.size(), static_cast<double>(p.value(start_)(0, 0)));
    std::vector<Bin> of_graph(graphs.size());
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const double chance = 1 / (1 + std::exp(-margin[i]));
        of_graph[i] = {chance - (labels[i] == 1 ? 1.0 : 0.0), chance * (1 - chance), 1};
      }
      grow_tree(tape, counts, graphs, of_graph, round);
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        margin[i] += static_cast<double>(p.value(value_)(round, leaf_of(counts, graphs[i], round)));
      }
    }
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& counts = static_cast<const CountFeatures&>(features);
    auto& p = this->weights_;
    const nn::Matrix<Real> logits = tape.scratch(graphs.size(), 2);
    tape.for_rows(graphs.size(), 8 * options_.rounds, [&](std::size_t begin, std::size_t end) {
      for (std::size_t g = begin; g < end; ++g) {
        Real margin = p.value(start_)(0, 0);
        for (std::size_t round = 0; round < options_.rounds; ++round) {
          margin += p.value(value_)(round, leaf_of(counts, graphs[g], round));
        }
        logits(g, 0) = 0;
        logits(g, 1) = margin;
      }
    });
    const Value result = tape.constant(logits);
    return {result, result};
  }

  std::optional<NumberDefect> defect() const override {
    const auto asked = this->weights_.value(label_).flat();
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto label = static_cast<double>(asked[i]);
      const bool known =
          label >= 0 && label < static_cast<double>(labels_) && label == std::floor(label);
      if (!known) {
        return NumberDefect{.parameter = "trees.label",
                            .index = i,
                            .value = label,
                            .expected = fmt::format("a label from 0 to {}", labels_ - 1)};
      }
    }
    return std::nullopt;
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return nn::focal_softmax<Real>(tape, out.result, targets, {});
  }

 private:
  void draw(std::uint64_t /*seed*/) override {}

  std::size_t leaf_of(const CountFeatures& counts, std::size_t graph, std::size_t round) const {
    const auto label = this->weights_.value(label_);
    const auto limit = this->weights_.value(limit_);
    std::size_t node = 0;
    while (node < inner_) {
      const auto which = static_cast<std::size_t>(label(round, node));
      const auto count = static_cast<Real>(counts.counts[graph * labels_ + which]);
      node = 2 * node + (count <= limit(round, node) ? 1 : 2);
    }
    return node - inner_;
  }

  /// Level by level; a node that cannot be cut with gain sends everything to its left.
  void grow_tree(nn::Tape<Real>& tape, const CountFeatures& counts,
                 std::span<const std::uint32_t> graphs, const std::vector<Bin>& of_graph,
                 std::size_t round) {
    auto& p = this->weights_;
    std::vector<std::size_t> place(graphs.size(), 0);  // node that a graph has reached
    for (std::size_t first = 0; first < inner_; first = 2 * first + 1) {
      const std::size_t nodes = first + 1;
      std::vector<Cut> cuts(nodes * labels_);
      tape.for_parts(labels_, [&](std::size_t label) {
        std::vector<Bin> bins(nodes * kBins);
        for (std::size_t i = 0; i < graphs.size(); ++i) {
          bins[(place[i] - first) * kBins + counts.counts[graphs[i] * labels_ + label]].add(
              of_graph[i]);
        }
        for (std::size_t node = 0; node < nodes; ++node) {
          cuts[node * labels_ + label] =
              best_cut(std::span(bins).subspan(node * kBins, kBins), label);
        }
      });
      for (std::size_t node = 0; node < nodes; ++node) {
        Cut best;
        for (std::size_t label = 0; label < labels_; ++label) {
          if (cuts[node * labels_ + label].gain > best.gain) {
            best = cuts[node * labels_ + label];
          }
        }
        p.value(label_)(round, first + node) = static_cast<Real>(best.label);
        p.value(limit_)(round, first + node) =
            static_cast<Real>(best.gain > 0 ? best.largest_left : kBins);
      }
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const auto label = static_cast<std::size_t>(p.value(label_)(round, place[i]));
        const auto count = static_cast<Real>(counts.counts[graphs[i] * labels_ + label]);
        place[i] = 2 * place[i] + (count <= p.value(limit_)(round, place[i]) ? 1 : 2);
      }
    }
    std::vector<Bin> leaves(leaves_);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      leaves[place[i] - inner_].add(of_graph[i]);
    }
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
      const double step = leaves[leaf].slope > 0 ? leaves[leaf].gradient / leaves[leaf].slope : 0;
      p.value(value_)(round, leaf) = static_cast<Real>(-options_.shrinkage * step);
    }
  }

  Cut best_cut(std::span<const Bin> bins, std::size_t label) const {
    Bin all;
    for (const Bin& bin : bins) {
      all.add(bin);
    }
    Cut best{.label = static_cast<std::uint32_t>(label)};
    Bin left;
    for (std::size_t count = 0; count + 1 < bins.size(); ++count) {
      left.add(bins[count]);
      const Bin right{all.gradient - left.gradient, all.slope - left.slope, all.count - left.count};
      if (bins[count].count == 0 || left.count < options_.least_graphs ||
          right.count < options_.least_graphs) {
        continue;
      }
      const double gain = left.worth() + right.worth() - all.worth();
      if (gain > best.gain) {
        best.gain = gain;
        best.largest_left = count;
      }
    }
    return best;
  }

  LabelCountsOptions options_;
  std::size_t labels_;
  std::size_t inner_;   ///< nodes of a tree that ask
  std::size_t leaves_;  ///< nodes that answer
  nn::WeightId label_;
  nn::WeightId limit_;
  nn::WeightId value_;
  nn::WeightId start_;
};

class LabelCountsRecipe : public LabelRecipe<LabelCountsRecipe> {
 public:
  std::string name() const override { return "label-counts"; }
  std::string summary() const override {
    return "yardstick: gradient boosting on label counts, no edges";
  }
  Standing standing() const override { return {Origin::yardstick, 2}; }
  void declare(core::OptionSet& p) override {
    p.add("rounds", options_.rounds, "trees", {1, 10'000});
    p.add("tree-depth", options_.tree_depth, "questions a tree asks of a graph", {1, 10});
    p.add("shrinkage", options_.shrinkage, "share of its answer that a tree adds", {0.0001, 1});
    p.add("least-graphs", options_.least_graphs, "graphs of a leaf", {1, 1'000'000});
    declare_labels(p, labels_);
  }
  TrainingDefaults defaults() const override { return {.epochs = 1}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    return std::make_unique<LabelCounts<Real>>(options_, inputs.labels[0].size());
  }

 private:
  LabelCountsOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_label_counts_recipe() { return std::make_unique<LabelCountsRecipe>(); }

}  // namespace rayleigh::models
