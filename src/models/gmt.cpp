#include <array>
#include <cmath>
#include <fmt/format.h>

#include "rayleigh/error.h"

#include "models/gmt_attention.h"
#include "models/graph_features.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "nn/ops_clusters.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_layer_norm.h"
#include "nn/ops_reduce.h"
#include "nn/ops_segment.h"
#include "nn/ops_shape.h"
#include "nn/optimizer.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

/// Graph multiset transformer: graph convolutions, then attention pooling with learned queries.
struct GmtOptions {
  std::size_t hidden = 128;
  std::size_t heads = 4;
  std::size_t seeds = 7;  ///< queries of the first pooling
  double dropout = 0.5;
  bool layer_norm = false;
  bool cluster = true;  ///< softmax over the queries instead of the nodes
  ClassLoss loss{.kind = LossKind::cross_entropy};
};

struct LayerNorm {
  nn::WeightId scale;
  nn::WeightId shift;
};

/// Multi-head attention block: O = Q' + A V, then O + relu(W_o O), with optional layer norms. The
/// residual is the projected query, and logits are divided by the root of the full width.
template <typename Real>
class AttentionBlock {
 public:
  AttentionBlock() = default;
  /// `from` columns of queries and keys, `width` of the result; `seeds` > 0: learned queries.
  AttentionBlock(nn::Weights<Real>& p, const std::string& name, std::size_t from, std::size_t width,
                 std::size_t seeds, const GmtOptions& options)
      : options_{.heads = options.heads,
                 .over = options.cluster ? SoftmaxOver::queries : SoftmaxOver::keys},
        seeds_(seeds),
        norms_(options.layer_norm) {
    if (seeds > 0) {
      seed_ = p.add(name + ".seeds", seeds, from);
    }
    q_ = add_linear(p, name + ".q", from, width);
    k_ = add_linear(p, name + ".k", from, width);
    v_ = add_linear(p, name + ".v", from, width);
    o_ = add_linear(p, name + ".o", width, width);
    for (std::size_t i = 0; norms_ && i < 2; ++i) {
      const std::string norm = name + ".ln" + std::to_string(i);
      norm_[i] = {.scale = p.add(norm + ".gamma", 1, width),
                  .shift = p.add(norm + ".beta", 1, width)};
    }
  }

  void draw(nn::Weights<Real>& p, std::uint64_t seed, bool glorot_keys) const {
    for (const Linear& layer : {q_, k_, v_, o_}) {
      draw_linear(p, layer, seed);
    }
    if (glorot_keys) {  // these two are graph convolutions
      for (const Linear& layer : {k_, v_}) {
        draw_glorot(p, layer, seed);
      }
    }
    if (seeds_ > 0) {
      const auto d = static_cast<double>(p.info(seed_).cols);
      draw_uniform(p, seed_, seed, std::sqrt(6 / ((static_cast<double>(seeds_) + 1) * d)));
    }
    for (std::size_t i = 0; norms_ && i < 2; ++i) {
      std::ranges::fill(p.value(norm_[i].scale).flat(), Real{1});
      std::ranges::fill(p.value(norm_[i].shift).flat(), Real{0});
    }
  }

  /// Of learned queries to the rows `x` of each graph. Keys and values are linear in x, so logits
  /// take the queries through the weights of the keys, and the weights of the values come after the
  /// attended sums: what remains of a row is a number and a sum a query and head.
  Value pool(nn::Tape<Real>& tape, const nn::Weights<Real>& p, Value x,
             std::span<const std::uint32_t> first_key) const {
    const std::size_t graphs = first_key.size() - 1;
    const Value queries = apply(tape, p, q_, tape.weight(p, seed_));
    const Value by_head = queries_by_head(tape, queries);
    const Value towards = product(tape, by_head, tape.weight(p, k_.weight));
    const Value offset =
        product(tape, tape.weight(p, k_.bias), by_head, nn::Transpose::no, nn::Transpose::yes);
    const Value weight = softmax(tape, linear(tape, x, towards, offset), first_key);
    const Value sums = segment_gram(tape, weight, x, first_key);
    const Value totals =
        reshape(tape, segment_reduce(tape, weight, first_key, nn::Reduce::sum), graphs * rows(), 1);

    const std::size_t width = p.info(v_.weight).rows / options_.heads;
    const auto attended = tape.template array<Value>(options_.heads);
    for (std::size_t h = 0; h < options_.heads; ++h) {
      const auto own = tape.template array<std::uint32_t>(graphs * seeds_);
      for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] = static_cast<std::uint32_t>(i / seeds_ * rows() + h * seeds_ + i % seeds_);
      }
      const Value values = slice_rows(tape, tape.weight(p, v_.weight), h * width, width);
      const Value bias = slice_columns(tape, tape.weight(p, v_.bias), h * width, width);
      attended[h] = add(tape, linear(tape, gather_rows(tape, sums, own), values, {}),
                        product(tape, gather_rows(tape, totals, own), bias));
    }
    const auto index = tape.template array<std::uint32_t>(graphs * seeds_);
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = static_cast<std::uint32_t>(i % seeds_);
    }
    return finish(tape, p, gather_rows(tape, queries, index), concat<Real>(tape, attended));
  }

  /// Of the rows of each graph to each other.
  Value self(nn::Tape<Real>& tape, const nn::Weights<Real>& p, Value x,
             std::span<const std::uint32_t> first_key) const {
    const Value queries = apply(tape, p, q_, x);
    return finish(tape, p, queries,
                  attention(tape, queries, Queries::per_graph, apply(tape, p, k_, x),
                            apply(tape, p, v_, x), first_key, options_));
  }

  static void draw_glorot(nn::Weights<Real>& p, const Linear& layer, std::uint64_t seed) {
    const auto& info = p.info(layer.weight);
    draw_uniform(p, layer.weight, seed, std::sqrt(6 / static_cast<double>(info.rows + info.cols)));
    std::ranges::fill(p.value(layer.bias).flat(), Real{0});
  }

 private:
  /// Of a graph: a row a head and query.
  std::size_t rows() const { return options_.heads * seeds_; }

  /// Row (head, query): the query divided by the root of the width, zeros outside the head.
  Value queries_by_head(nn::Tape<Real>& tape, Value queries) const {
    const std::size_t width = tape.value(queries).cols;
    const auto index = tape.template array<std::uint32_t>(rows());
    const nn::Matrix<Real> mask = tape.scratch(rows(), width);
    for (std::size_t r = 0; r < rows(); ++r) {
      index[r] = static_cast<std::uint32_t>(r % seeds_);
      for (std::size_t c = 0; c < width; ++c) {
        mask(r, c) = c * options_.heads / width == r / seeds_
                         ? 1 / std::sqrt(static_cast<Real>(width))
                         : Real{0};
      }
    }
    return multiply(tape, gather_rows(tape, queries, index), tape.constant(mask));
  }

  /// Columns (head, query): over the queries of a head, or over the rows of a graph.
  Value softmax(nn::Tape<Real>& tape, Value logits,
                std::span<const std::uint32_t> first_key) const {
    if (options_.over == SoftmaxOver::keys) {
      return segment_softmax(tape, logits, first_key);
    }
    const std::size_t nodes = tape.value(logits).rows;
    return reshape(tape, row_softmax(tape, reshape(tape, logits, nodes * options_.heads, seeds_)),
                   nodes, rows());
  }

  Value finish(nn::Tape<Real>& tape, const nn::Weights<Real>& p, Value queries,
               Value attended) const {
    Value out = normalised(tape, p, 0, add(tape, queries, attended));
    out = add(tape, out, apply(tape, p, o_, out, Activation::relu));
    return normalised(tape, p, 1, out);
  }

  Value normalised(nn::Tape<Real>& tape, const nn::Weights<Real>& p, std::size_t which,
                   Value x) const {
    return norms_ ? layer_norm(tape, x, tape.weight(p, norm_[which].scale),
                               tape.weight(p, norm_[which].shift))
                  : x;
  }

  AttentionOptions options_;
  std::size_t seeds_ = 0;
  bool norms_ = false;
  nn::WeightId seed_;
  Linear q_;
  Linear k_;
  Linear v_;
  Linear o_;
  std::array<LayerNorm, 2> norm_;
};

template <typename Real>
class Gmt : public Model<Real> {
 public:
  Gmt(const GmtOptions& options, std::size_t labels) : options_(options), labels_(labels) {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    for (std::size_t k = 0; k < gcn_.size(); ++k) {
      gcn_[k] = add_linear(p, "gcn." + std::to_string(k), k == 0 ? labels : h, h);
    }
    const std::size_t wide = gcn_.size() * h;
    pool_ = {p, "pool_g", wide, wide, options.seeds, options};
    self_ = {p, "selfatt", wide, h, 0, options};
    last_ = {p, "pool_i", h, h, 1, options};
    post_ = add_linear(p, "post", h, h);
    cls1_ = add_linear(p, "cls1", h, h);
    cls2_ = add_linear(p, "cls2", h, h / 2);
    cls3_ = add_linear(p, "cls3", h / 2, 2);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    return graph_features<Real>(graphs, labels[0], labels_, Propagation::gcn);
  }

  std::size_t scoring_batch() const override { return 128; }  // rows are wide

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    auto& p = this->weights_;
    const auto batch =
        message_batch(tape, static_cast<const GraphFeatures<Real>&>(features), graphs);
    std::array<Value, 3> layers;
    for (std::size_t k = 0; k < layers.size(); ++k) {
      layers[k] = k == 0
                      ? sparse_linear(tape, batch.first,
                                      table_of(tape, batch.first, tape.weight(p, gcn_[0].weight)),
                                      tape.weight(p, gcn_[0].bias), Activation::relu)
                      : apply(tape, p, gcn_[k], spmm_symmetric(tape, batch.matrix, layers[k - 1]),
                              Activation::relu);
    }
    // Keys and values are graph convolutions of the same rows, so they share the propagation.
    const Value nodes = spmm_symmetric(tape, batch.matrix, concat<Real>(tape, layers));
    Value x = pool_.pool(tape, p, nodes, batch.first_row);
    const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
    for (std::size_t g = 0; g < first.size(); ++g) {
      first[g] = static_cast<std::uint32_t>(g * options_.seeds);
    }
    x = last_.pool(tape, p, self_.self(tape, p, x, first), first);
    const Value embedding = apply(tape, p, post_, x);
    x = dropout(tape, apply(tape, p, cls1_, embedding, Activation::relu), options_.dropout, random);
    x = dropout(tape, apply(tape, p, cls2_, x, Activation::relu), options_.dropout, random.at(1));
    return {apply(tape, p, cls3_, x), embedding};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
  }

 private:
  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    for (const Linear& layer : gcn_) {
      AttentionBlock<Real>::draw_glorot(p, layer, seed);
    }
    pool_.draw(p, seed, true);
    self_.draw(p, seed, false);
    last_.draw(p, seed, false);
    for (const Linear& layer : {post_, cls1_, cls2_, cls3_}) {
      draw_linear(p, layer, seed);
    }
  }

  GmtOptions options_;
  std::size_t labels_;
  std::array<Linear, 3> gcn_;
  AttentionBlock<Real> pool_;
  AttentionBlock<Real> self_;
  AttentionBlock<Real> last_;
  Linear post_;
  Linear cls1_;
  Linear cls2_;
  Linear cls3_;
};

class GmtRecipe : public LabelRecipe<GmtRecipe> {
 public:
  std::string name() const override { return "gmt"; }
  std::string summary() const override { return "graph multiset transformer (Baek et al. 2021)"; }
  Standing standing() const override { return {Origin::paper, 3}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the hidden layers", {2, 4096});
    p.add("heads", options_.heads, "heads of each attention; must divide the width", {1, 64});
    p.add("seeds", options_.seeds,
          "learned queries of the first pooling (a quarter of a usual molecule)", {1, 1024});
    p.add("dropout", options_.dropout, "share dropped in the classifier", {0, 0.99});
    p.add("layer-norm", options_.layer_norm, "layer norm in every attention block");
    p.add("softmax-over-keys", over_keys_,
          "attention over the nodes, because over the queries, as the authors' runs have it, the "
          "last pooling is a plain sum");
    p.add("constant-rate", constant_, "no warm-up and cosine of the learning rate");
    declare_class_loss(p, options_.loss, "cb-focal is GMT-CB");
    declare_labels(p, labels_);
  }
  Budget budget() const override { return {.epochs = 15, .seeds = 1, .train_graphs = 8000}; }
  TrainingDefaults defaults() const override { return {.rate = 5e-4, .l2 = 1e-4, .clip = 1}; }
  double rate_factor(const TrainingMoment& moment) const override {
    if (constant_) {
      return 1;
    }
    // The authors warm up during a tenth of their 500 epochs.
    const std::uint64_t total = moment.steps_per_epoch * static_cast<std::uint64_t>(moment.epochs);
    return nn::cosine_schedule(moment.step + 1, std::max<std::uint64_t>(1, total / 10), total + 1);
  }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    GmtOptions options = options_;
    if (options.hidden % options.heads != 0) {
      throw UsageError(
          "heads", fmt::format("{} does not divide `hidden` {}", options.heads, options.hidden));
    }
    options.cluster = !over_keys_;
    options.loss.class_counts = inputs.class_counts;
    return std::make_unique<Gmt<Real>>(options, inputs.labels[0].size());
  }

 private:
  GmtOptions options_;
  bool over_keys_ = false;
  bool constant_ = false;
};

}  // namespace

std::unique_ptr<Recipe> make_gmt_recipe() { return std::make_unique<GmtRecipe>(); }

}  // namespace rayleigh::models
