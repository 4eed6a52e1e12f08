#include "models/rqgnn_published.h"

#include <array>
#include <cmath>

#include "models/label_features.h"
#include "models/straight_layers.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_shape.h"

namespace rayleigh::models {

using nn::Activation;
using nn::Transpose;
using nn::Value;

template <typename Real>
RqgnnPublished<Real>::RqgnnPublished(const RqgnnOptions& options, std::size_t labels)
    : options_(options), labels_(labels) {
  auto& p = this->weights_;
  if (options.features != NodeFeatures::labels) {
    attributes_ = add_attributes(p, options.attributes.mean.size());
  }
  width_ = feature_width(options.features, labels, attributes_.count);
  const std::size_t hidden = options.hidden;
  const std::size_t filtered = options.width * width_;
  node1_ = add_linear(p, "node_lin1", width_, width_);
  node2_ = add_linear(p, "node_lin2", width_, width_);
  // The authors keep their filters in a plain list, which their optimiser never sees.
  filters_ = p.add("filters.weight", options.depth * width_, filtered, nn::Role::frozen);
  filter_bias_ = p.add("filters.bias", 1, filtered, nn::Role::frozen);
  mix1_ = add_linear(p, "mix_lin1", filtered, hidden);
  mix2_ = add_linear(p, "mix_lin2", hidden, hidden);
  if (options.pool == nn::Pool::attention) {
    attention1_ = add_linear(p, "attn_lin1", width_, hidden);
    attention2_ = add_linear(p, "attn_lin2", hidden, hidden);
  }
  if (options.explicit_branch) {
    explicit1_ = add_linear(p, "explicit_lin1", width_, hidden);
    explicit2_ = add_linear(p, "explicit_lin2", hidden, hidden);
  }
  const std::size_t embedding = options.explicit_branch ? 2 * hidden : hidden;
  norm_ = nn::add_batch_norm(p, "bn", embedding);
  classifier_ = add_linear(p, "classifier", embedding, 2);
}

template <typename Real>
void RqgnnPublished<Real>::draw(std::uint64_t seed) {
  auto& p = this->weights_;
  set_attributes(p, attributes_, options_.attributes);
  draw_linear(p, node1_, seed);
  draw_linear(p, node2_, seed);
  // Glorot uniform of each width x width matrix.
  draw_uniform(p, filters_, seed, std::sqrt(6.0 / static_cast<double>(2 * width_)));
  draw_linear(p, mix1_, seed);
  draw_linear(p, mix2_, seed);
  if (options_.pool == nn::Pool::attention) {
    draw_linear(p, attention1_, seed);
    draw_linear(p, attention2_, seed);
  }
  if (options_.explicit_branch) {
    draw_linear(p, explicit1_, seed);
    draw_linear(p, explicit2_, seed);
  }
  nn::reset_batch_norm(p, norm_);
  draw_linear(p, classifier_, seed);
}

template <typename Real>
std::unique_ptr<Features> RqgnnPublished<Real>::prepare(
    const GraphSet& graphs, std::span<const spectral::NodeLabels> labels, nn::Mode mode,
    core::ThreadPool& pool) const {
  if (general()) {
    return dense_features<Real>(graphs, labels[0], labels_, options_.features,
                                attribute_scale(this->weights_, attributes_, graphs));
  }
  auto features = std::make_unique<LabelFeatures<Real>>();
  features->basis =
      spectral::chebyshev_label_basis<Real>(graphs, labels[0], options_.depth - 1, pool);
  if (mode == nn::Mode::training) {
    features->columns = columns_of(features->basis, pool);
  }
  // The code's x'Lx counts repeated edges and has diagonal 0 at isolated nodes.
  features->forms =
      form_rows<Real>(spectral::workspace_forms(graphs, labels[0],
                                                {.kind = spectral::LaplacianKind::normalised,
                                                 .isolated = spectral::IsolatedNode::zero,
                                                 .weight = spectral::EdgeWeight::multiplicity},
                                                pool, spectral::LabelPairs::none),
                      labels_);
  return features;
}

template <typename Real>
auto RqgnnPublished<Real>::label_table(nn::Tape<Real>& tape, std::size_t labels_of_basis,
                                       Trace& t) const -> LabelTable {
  auto& p = this->weights_;
  const auto weight = [&](nn::WeightId id) { return tape.weight(p, id); };
  // Node features are one-hot labels, so the input layers are a table with one row per label.
  const Value first = one_hot_linear(tape, weight(node1_.weight), weight(node1_.bias),
                                     Activation::leaky_relu, labels_of_basis - labels_);
  t.h1 = apply(tape, p, node2_, first, Activation::leaky_relu);
  // No activation stands between the filters and mix_lin1: they merge into a matrix an order.
  const Value mix = weight(mix1_.weight);
  const Value merged = product(tape, weight(filters_), mix, Transpose::no, Transpose::yes);
  return {block_product(tape, t.h1, merged),
          linear(tape, weight(filter_bias_), mix, weight(mix1_.bias))};
}

template <typename Real>
void RqgnnPublished<Real>::pool_fast(nn::Tape<Real>& tape, const Features& features,
                                     std::span<const std::uint32_t> graphs, Trace& t) const {
  const auto& inputs = static_cast<const LabelFeatures<Real>&>(features);
  auto& p = this->weights_;
  const auto weight = [&](nn::WeightId id) { return tape.weight(p, id); };
  const LabelTable table = label_table(tape, inputs.basis.labels(), t);
  const auto forms = graph_batch(tape, inputs.forms, graphs);
  if (options_.pool == nn::Pool::attention) {
    const Value query =
        sparse_linear(tape, forms, table_of(tape, forms, weight(attention1_.weight)),
                      weight(attention1_.bias), Activation::leaky_relu);
    t.attention = apply(tape, p, attention2_, query, Activation::leaky_relu);
  }
  t.pooled = filter_and_pool(tape, node_batch(tape, inputs.basis, graphs, &inputs.columns),
                             table.weight, table.bias, weight(mix2_.weight), weight(mix2_.bias),
                             options_.pool, t.attention);
  if (options_.explicit_branch) {
    const Value inner = sparse_linear(tape, forms, table_of(tape, forms, weight(explicit1_.weight)),
                                      weight(explicit1_.bias), Activation::none);
    t.explicit_part = apply(tape, p, explicit2_, inner, Activation::leaky_relu);
  }
}

template <typename Real>
void RqgnnPublished<Real>::pool_general(nn::Tape<Real>& tape, const Features& features,
                                        std::span<const std::uint32_t> graphs, Trace& t) const {
  auto& p = this->weights_;
  const auto weight = [&](nn::WeightId id) { return tape.weight(p, id); };
  const auto batch = dense_batch(tape, static_cast<const DenseFeatures<Real>&>(features), graphs);
  const Value first = apply(tape, p, node1_, batch.x, Activation::leaky_relu);
  t.h1 = apply(tape, p, node2_, first, Activation::leaky_relu);
  t.orders = chebyshev_orders(tape, batch.shifted, t.h1, options_.depth);
  const Value mix = weight(mix1_.weight);
  const Value merged = product(tape, weight(filters_), mix, Transpose::no, Transpose::yes);
  const Value bias = linear(tape, weight(filter_bias_), mix, weight(mix1_.bias));
  Value sum;
  for (std::size_t k = 0; k < options_.depth; ++k) {
    const Value term = product(tape, t.orders[k], slice_rows(tape, merged, k * width_, width_));
    sum = k == 0 ? term : add(tape, sum, term);
  }
  t.mixed = activate(tape, add_row(tape, sum, bias), Activation::leaky_relu);
  t.nodes = apply(tape, p, mix2_, t.mixed, Activation::leaky_relu);
  if (options_.pool == nn::Pool::attention) {
    const Value query = apply(tape, p, attention1_, batch.forms, Activation::leaky_relu);
    t.attention = apply(tape, p, attention2_, query, Activation::leaky_relu);
  }
  t.pooled = pool_nodes(tape, t.nodes, batch.first_row, options_.pool, t.attention);
  if (options_.explicit_branch) {
    t.explicit_part =
        apply(tape, p, explicit2_, apply(tape, p, explicit1_, batch.forms), Activation::leaky_relu);
  }
}

template <typename Real>
auto RqgnnPublished<Real>::trace(nn::Tape<Real>& tape, const Features& features,
                                 std::span<const std::uint32_t> graphs,
                                 const nn::StepRandom& random) const -> Trace {
  auto& p = this->weights_;
  Trace t;
  if (general()) {
    pool_general(tape, features, graphs, t);
  } else {
    pool_fast(tape, features, graphs, t);
  }
  t.embedding = t.pooled;
  if (options_.explicit_branch) {
    t.embedding = concat<Real>(tape, std::array{t.pooled, t.explicit_part});
  }
  t.normalised = batch_norm(tape, p, norm_, t.embedding);
  t.logits = apply(tape, p, classifier_, dropout(tape, t.normalised, options_.dropout, random));
  return t;
}

template <typename Real>
Output RqgnnPublished<Real>::forward(nn::Tape<Real>& tape, const Features& features,
                                     std::span<const std::uint32_t> graphs,
                                     const nn::StepRandom& random) const {
  const Trace t = trace(tape, features, graphs, random);
  return {t.logits, t.normalised};
}

template <typename Real>
Value RqgnnPublished<Real>::loss(nn::Tape<Real>& tape, const Output& out,
                                 std::span<const float> targets) const {
  return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
}

template <typename Real>
std::optional<MarginShares> RqgnnPublished<Real>::explain(nn::Tape<Real>& tape,
                                                          const Features& features,
                                                          std::uint32_t graph) const {
  if (general()) {
    return std::nullopt;
  }
  auto& p = this->weights_;
  const auto& inputs = static_cast<const LabelFeatures<Real>&>(features);
  const std::array graphs{graph};
  const nn::StepRandom unused{core::RandomStream(0, "nothing is drawn")};
  tape.start_scoring();
  Trace t = trace(tape, features, graphs, unused);
  const LabelTable table = label_table(tape, inputs.basis.labels(), t);
  const Value nodes = apply(tape, p, mix2_,
                            sparse_linear(tape, node_batch(tape, inputs.basis, graphs),
                                          table.weight, table.bias, Activation::leaky_relu),
                            Activation::leaky_relu);

  MarginShares explanation;
  const std::vector<double> g = margin_of_norm(tape, p, norm_, classifier_, t.logits, explanation);
  const auto pooled = std::span(g).first(options_.hidden);
  explanation.nodes = node_shares<Real>(
      tape.value(nodes), options_.pool,
      t.attention.exists() ? tape.value(t.attention).flat() : std::span<const Real>{}, pooled);
  relative_to<Real>(p.value(norm_.running_mean).flat(), pooled, explanation);
  if (options_.explicit_branch) {
    StraightLayers layers;
    layers.add(p, explicit1_, Activation::none);
    layers.add(p, explicit2_, Activation::leaky_relu);
    add_label_shares(layers, inputs.forms, graph, std::span(g).subspan(options_.hidden), {},
                     explanation);
  }
  return explanation;
}

template class RqgnnPublished<float>;
template class RqgnnPublished<double>;

}  // namespace rayleigh::models
