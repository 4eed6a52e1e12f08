#include "models/rqgnn_paper.h"

#include <algorithm>
#include <array>

#include "models/rqgnn_features.h"
#include "nn/ops_label.h"
#include "nn/ops_loss.h"

namespace rayleigh::models {

using nn::Activation;
using nn::Value;

namespace {

template <typename Real>
struct PaperFeatures : Features {
  spectral::LabelBasis<Real> wavelets;
  spectral::LabelForms forms;

  std::size_t graphs() const override { return wavelets.graphs(); }
  std::size_t memory_bytes() const override {
    return wavelets.nonzeros() * sizeof(spectral::BasisEntry<Real>) + forms.label.size() * 16 +
           forms.pair.size() * sizeof(spectral::LabelPair);
  }
};

}  // namespace

template <typename Real>
RqgnnPaper<Real>::RqgnnPaper(const RqgnnOptions& options, std::size_t labels)
    : options_(options),
      labels_(labels),
      series_(spectral::bank_coefficients(
          spectral::wavelet_bank(
              {.family = options.kernel, .wavelets = options.width, .scales = options.scales}),
          options.depth)) {
  auto& p = this->parameters_;
  const std::size_t d = options.hidden;
  const std::size_t pooled = options.width * d;
  node1_ = add_linear(p, "node_lin1", labels, d);
  node2_ = add_linear(p, "node_lin2", d, d);
  if (options.explicit_branch) {
    rq1_ = add_linear(p, "rq_lin1", d, d);
    rq2_ = add_linear(p, "rq_lin2", d, d);
  }
  if (options.pool == nn::Pool::attention && options.attention == Attention::learned) {
    attention1_ = add_linear(p, "attn_lin1", d, d);
    attention2_ = add_linear(p, "attn_lin2", d, pooled);
  }
  const std::size_t embedding = options.explicit_branch ? pooled + d : pooled;
  norm_ = nn::add_batch_norm(p, "bn", embedding);
  head_ = add_linear(p, "head", embedding, d);
  classifier_ = add_linear(p, "classifier", d, 2);
}

template <typename Real>
void RqgnnPaper<Real>::draw(std::uint64_t seed) {
  auto& p = this->parameters_;
  draw_linear(p, node1_, seed);
  draw_linear(p, node2_, seed);
  if (options_.explicit_branch) {
    draw_linear(p, rq1_, seed);
    draw_linear(p, rq2_, seed);
  }
  if (options_.pool == nn::Pool::attention && options_.attention == Attention::learned) {
    draw_linear(p, attention1_, seed);
    draw_linear(p, attention2_, seed);
  }
  draw_linear(p, head_, seed);
  nn::reset_batch_norm(p, norm_);
  draw_linear(p, classifier_, seed);
}

template <typename Real>
std::unique_ptr<Features> RqgnnPaper<Real>::prepare(const GraphSet& graphs,
                                                    const spectral::NodeLabels& labels,
                                                    core::ThreadPool& pool) const {
  auto features = std::make_unique<PaperFeatures<Real>>();
  features->wavelets = spectral::series_label_basis<Real>(graphs, labels, series_, pool.size());
  features->forms = spectral::label_forms(graphs, labels,
                                          {.kind = options_.quotient_laplacian,
                                           .isolated = spectral::IsolatedNode::one,
                                           .weight = spectral::EdgeWeight::one},
                                          pool.size());
  return features;
}

template <typename Real>
auto RqgnnPaper<Real>::trace(nn::Tape<Real>& tape, const Features& features,
                             std::span<const std::uint32_t> graphs, const nn::StepRandom& random)
    -> Trace {
  const auto& inputs = static_cast<const PaperFeatures<Real>&>(features);
  auto& p = this->parameters_;
  constexpr auto kSigma = Activation::leaky_relu;
  Trace t;
  const Value first =
      one_hot_linear(tape, tape.parameter(p, node1_.weight), tape.parameter(p, node1_.bias), kSigma,
                     inputs.wavelets.labels() - labels_);
  t.table = apply(tape, p, node2_, first, kSigma);
  t.quotient = label_quotient(tape, inputs.forms, graphs, t.table);
  if (options_.pool == nn::Pool::attention) {
    if (options_.attention == Attention::learned) {
      t.attention =
          apply(tape, p, attention2_, apply(tape, p, attention1_, t.quotient, kSigma), kSigma);
    } else {
      const auto copies = tape.template array<Value>(options_.width);
      std::ranges::fill(copies, t.quotient);
      t.attention = concat<Real>(tape, copies);
    }
  }
  t.pooled = wavelet_pool(tape, node_batch(tape, inputs.wavelets, graphs), options_.width, t.table,
                          options_.pool, t.attention);
  t.h_att = activate(tape, t.pooled, kSigma);
  t.embedding = t.h_att;
  if (options_.explicit_branch) {
    t.h_rq = apply(tape, p, rq2_, apply(tape, p, rq1_, t.quotient, kSigma), kSigma);
    t.embedding = concat<Real>(tape, std::array{t.h_att, t.h_rq});
  }
  t.normalised = batch_norm(tape, p, norm_, t.embedding);
  t.head = apply(tape, p, head_, t.normalised, kSigma);
  t.logits = apply(tape, p, classifier_, dropout(tape, t.head, options_.dropout, random));
  return t;
}

template <typename Real>
Output RqgnnPaper<Real>::forward(nn::Tape<Real>& tape, const Features& features,
                                 std::span<const std::uint32_t> graphs,
                                 const nn::StepRandom& random) {
  const Trace t = trace(tape, features, graphs, random);
  return {t.logits, t.head};
}

template <typename Real>
Value RqgnnPaper<Real>::loss(nn::Tape<Real>& tape, Value out, std::span<const std::int8_t> labels) {
  if (options_.loss == LossKind::cross_entropy) {
    return nn::focal_softmax<Real>(tape, out, labels, {});
  }
  return nn::focal_softmax<Real>(
      tape, out, labels,
      {.weight = nn::class_balanced_weights(options_.class_counts, options_.beta),
       .gamma = options_.gamma});
}

template class RqgnnPaper<float>;
template class RqgnnPaper<double>;

}  // namespace rayleigh::models
