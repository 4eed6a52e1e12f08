#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "rayleigh/error.h"

#include "models/graph_features.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "models/tvgnn_variation.h"
#include "nn/ops_clusters.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_reduce.h"
#include "nn/ops_segment.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

/// Steps that lower the total variation of node features, between poolings of nodes into soft
/// clusters; how well these are cut and how even they are is part of the loss.
struct TvgnnOptions {
  std::size_t hidden = 32;
  std::size_t pool_hidden = 32;                  ///< of the networks that choose clusters
  std::array<std::size_t, 2> clusters = {8, 4};  ///< of the two poolings
  double delta = 2;                              ///< length of a step
  double epsilon = 1e-3;                         ///< least distance between neighbours
  double variation_weight = 0.5;                 ///< of the total variation of the clusters
  double balance_weight = 0.5;
  bool padded_balance = true;  ///< graphs of a batch count as large as the largest of them
  ClassLoss loss{.kind = LossKind::cross_entropy};
};

/// One weight (inputs x outputs, as the authors store it) and a bias.
struct Convolution {
  nn::WeightId weight;
  nn::WeightId bias;
};

/// The network that says which cluster a node belongs to.
struct Pooling {
  Linear hidden;
  Linear clusters;
};

/// A batch of graphs whose nodes are the clusters of a pooling.
struct Pooled {
  Value x;
  Value adjacency;  ///< a square block a graph
};

template <typename Real>
class Tvgnn : public Model<Real> {
 public:
  Tvgnn(const TvgnnOptions& options, std::size_t labels)
      : options_(options),
        labels_(labels),
        step_{.delta = options.delta, .epsilon = options.epsilon} {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    for (std::size_t k = 0; k < conv_.size(); ++k) {
      const std::string name = "conv" + std::to_string(k + 1);
      conv_[k] = {.weight = p.add(name + ".weight", k == 0 ? labels : h, h),
                  .bias = p.add(name + ".bias", 1, h)};
    }
    for (std::size_t k = 0; k < pool_.size(); ++k) {
      const std::string name = "pool" + std::to_string(k + 1);
      pool_[k] = {
          .hidden = add_linear(p, name + ".lin1", h, options.pool_hidden),
          .clusters = add_linear(p, name + ".lin2", options.pool_hidden, options.clusters[k])};
    }
    out_ = add_linear(p, "out", h, 2);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    return graph_features<Real>(graphs, labels[0], labels_, Propagation::adjacency);
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    auto& p = this->weights_;
    const auto batch =
        message_batch(tape, static_cast<const GraphFeatures<Real>&>(features), graphs);
    Value penalty;
    Value x =
        sparse_linear<Real>(tape, batch.own, tape.weight(p, conv_[0].weight), {}, Activation::none);
    x = variation_step(tape, batch.matrix, x, tape.weight(p, conv_[0].bias), step_);
    Value s = assign(tape, pool_[0], x);
    Pooled level{
        .x = segment_gram(tape, s, x, batch.first_row),
        .adjacency = segment_gram(tape, s, spmm_symmetric(tape, batch.matrix, s), batch.first_row)};
    if (tape.training()) {
      penalty = of_clusters(tape, total_variation(tape, batch.matrix, s, batch.first_row),
                            balance(tape, s, batch.first_row));
    }

    const auto first_cluster = equal_segments(tape, graphs.size(), options_.clusters[0]);
    x = convolve(tape, conv_[1], level);
    s = assign(tape, pool_[1], x);
    if (tape.training()) {
      penalty = add(tape, penalty,
                    of_clusters(tape, dense_total_variation(tape, level.adjacency, s),
                                balance(tape, s, first_cluster)));
    }
    level = {.x = segment_gram(tape, s, x, first_cluster),
             .adjacency = segment_gram(
                 tape, s, paired_product(tape, level.adjacency, s, graphs.size()), first_cluster)};

    const Value embedding =
        segment_reduce(tape, convolve(tape, conv_[2], level),
                       equal_segments(tape, graphs.size(), options_.clusters[1]), nn::Reduce::mean);
    return {apply(tape, p, out_, embedding), embedding, penalty};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return add(tape, class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets),
               out.penalty);
  }

  /// A graph takes as much memory as its pooled adjacency, whatever its size.
  std::size_t scoring_batch() const override {
    constexpr std::size_t kNumbers = 1U << 20U;
    return std::clamp<std::size_t>(kNumbers / (options_.clusters[0] * options_.clusters[0]), 8,
                                   1024);
  }

 private:
  Value convolve(nn::Tape<Real>& tape, const Convolution& conv, const Pooled& level) const {
    auto& p = this->weights_;
    return dense_variation_step(tape, level.adjacency,
                                product(tape, level.x, tape.weight(p, conv.weight)),
                                tape.weight(p, conv.bias), step_);
  }

  /// Each row's share of each cluster.
  Value assign(nn::Tape<Real>& tape, const Pooling& pool, Value x) const {
    auto& p = this->weights_;
    return row_softmax(
        tape, apply(tape, p, pool.clusters, apply(tape, p, pool.hidden, x, Activation::relu)));
  }

  Value balance(nn::Tape<Real>& tape, Value s, std::span<const std::uint32_t> first_row) const {
    std::size_t largest = 0;
    for (std::size_t g = 0; options_.padded_balance && g + 1 < first_row.size(); ++g) {
      largest = std::max<std::size_t>(largest, first_row[g + 1] - first_row[g]);
    }
    return cluster_balance(tape, s, first_row, largest);
  }

  /// What a pooling adds to the loss; both have one row per graph.
  Value of_clusters(nn::Tape<Real>& tape, Value variation, Value uneven) const {
    return add(tape, scale(tape, mean_all(tape, variation), options_.variation_weight),
               scale(tape, mean_all(tape, uneven), options_.balance_weight));
  }

  static std::span<const std::uint32_t> equal_segments(nn::Tape<Real>& tape, std::size_t segments,
                                                       std::size_t rows) {
    const auto first = tape.template array<std::uint32_t>(segments + 1);
    for (std::size_t g = 0; g < first.size(); ++g) {
      first[g] = static_cast<std::uint32_t>(g * rows);
    }
    return first;
  }

  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    for (const Convolution& conv : conv_) {
      // Kaiming with the fan taken from the outputs, as the authors' shapes have it.
      draw_normal(p, conv.weight, seed, std::sqrt(2 / static_cast<double>(options_.hidden)));
    }
    for (const Pooling& pool : pool_) {
      for (const Linear& layer : {pool.hidden, pool.clusters}) {
        const auto& info = p.info(layer.weight);
        draw_uniform(p, layer.weight, seed,
                     std::sqrt(6 / static_cast<double>(info.rows + info.cols)));
      }
    }
    draw_linear(p, out_, seed);
  }

  TvgnnOptions options_;
  std::size_t labels_;
  VariationStep step_;
  std::array<Convolution, 3> conv_;
  std::array<Pooling, 2> pool_;
  Linear out_;
};

class TvgnnRecipe : public LabelRecipe<TvgnnRecipe> {
 public:
  std::string name() const override { return "tvgnn"; }
  std::string summary() const override {
    return "total variation, clusters of nodes (Hansen & Bianchi 2023)";
  }
  Standing standing() const override { return {Origin::paper, 5}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the hidden layers", {1, 4096});
    p.add("clusters", clusters_,
          "half and a quarter of the nodes of the largest graph, as the authors have it, or of the "
          "mean graph, because most graphs have fewer nodes than the largest has clusters",
          {{"largest", Clusters::largest}, {"mean", Clusters::mean}});
    p.add("delta", options_.delta, "length of a step against the total variation", {0, 1000});
    p.add("epsilon", options_.epsilon,
          "least distance between neighbours; equal ones weigh delta over this", {1e-6, 1e6});
    p.add("variation-weight", options_.variation_weight,
          "of the total variation of the clusters in the loss", {0, 1e6});
    p.add("balance-weight", options_.balance_weight, "of uneven clusters in the loss", {0, 1e6});
    p.add("own-balance", own_balance_,
          "graphs count with their own nodes in the balance of clusters, because padded to the "
          "largest graph of their batch, as the authors have it, their loss depends on the others");
    declare_class_loss(p, options_.loss, "cb-focal is TVGNN-CB");
    declare_labels(p, labels_);
  }
  void declare_fixed(core::OptionSet& p) override {
    p.add("pool-hidden", options_.pool_hidden, "of the networks that choose clusters");
  }
  Budget budget() const override { return {.epochs = 15, .seeds = 1, .train_graphs = 8000}; }
  TrainingDefaults defaults() const override { return {.batch_size = 16, .rate = 5e-4}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    constexpr std::size_t kMostClusters = 1024;
    TvgnnOptions options = options_;
    const std::size_t nodes =
        clusters_ == Clusters::largest ? inputs.largest_graph : inputs.mean_nodes;
    options.clusters = {std::max<std::size_t>(1, nodes / 2), std::max<std::size_t>(1, nodes / 4)};
    if (options.clusters[0] > kMostClusters) {
      throw UsageError(
          "clusters",
          fmt::format("a graph of {} nodes makes {} clusters, and every graph takes memory for all "
                      "pairs of them; at most {} are possible{}",
                      nodes, options.clusters[0], kMostClusters,
                      clusters_ == Clusters::largest ? ": try `clusters` mean" : ""));
    }
    options.padded_balance = !own_balance_;
    options.loss.class_counts = inputs.class_counts;
    return std::make_unique<Tvgnn<Real>>(options, inputs.labels[0].size());
  }

 private:
  enum class Clusters { largest, mean };

  TvgnnOptions options_;
  Clusters clusters_ = Clusters::largest;
  bool own_balance_ = false;
};

}  // namespace

std::unique_ptr<Recipe> make_tvgnn_recipe() { return std::make_unique<TvgnnRecipe>(); }

}  // namespace rayleigh::models
