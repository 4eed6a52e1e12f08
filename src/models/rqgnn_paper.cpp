#include "models/rqgnn_paper.h"

#include <algorithm>
#include <array>

#include "models/label_features.h"
#include "models/rqgnn_paper_forms.h"
#include "models/straight_layers.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_segment.h"

namespace rayleigh::models {

using nn::Activation;
using nn::Value;

namespace {

/// (D - A) x, from the pattern of a batch.
template <typename Real>
Value regular_laplacian(nn::Tape<Real>& tape, const DenseBatch<Real>& batch, Value x) {
  const nn::Csr<Real> ones{batch.shifted.row_ptr, batch.shifted.col, {}};
  const nn::Matrix<Real> degree = tape.scratch(ones.rows(), 1);
  for (std::size_t i = 0; i < ones.rows(); ++i) {
    degree(i, 0) = static_cast<Real>(ones.row_ptr[i + 1] - ones.row_ptr[i]);
  }
  return subtract(tape, scale_rows(tape, x, tape.constant(degree)), spmm_symmetric(tape, ones, x));
}

template <typename Real>
struct PaperFeatures : Features {
  spectral::LabelBasis<Real> wavelets;
  spectral::WorkspaceForms forms;

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
  auto& p = this->weights_;
  if (options.features != NodeFeatures::labels) {
    attributes_ = add_attributes(p, options.attributes.mean.size());
  }
  const std::size_t d = options.hidden;
  const std::size_t pooled = options.width * d;
  node1_ =
      add_linear(p, "node_lin1", feature_width(options.features, labels, attributes_.count), d);
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
  auto& p = this->weights_;
  set_attributes(p, attributes_, options_.attributes);
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
                                                    std::span<const spectral::NodeLabels> labels,
                                                    nn::Mode /*mode*/,
                                                    core::ThreadPool& pool) const {
  if (general()) {
    return dense_features<Real>(graphs, labels[0], labels_, options_.features,
                                attribute_scale(this->weights_, attributes_, graphs));
  }
  auto features = std::make_unique<PaperFeatures<Real>>();
  features->wavelets = spectral::series_label_basis<Real>(graphs, labels[0], series_, pool);
  features->forms = spectral::workspace_forms(graphs, labels[0],
                                              {.kind = options_.quotient_laplacian,
                                               .isolated = spectral::IsolatedNode::one,
                                               .weight = spectral::EdgeWeight::one},
                                              pool);
  return features;
}

template <typename Real>
Value RqgnnPaper<Real>::make_query(nn::Tape<Real>& tape, Value quotient) const {
  auto& p = this->weights_;
  if (options_.attention == Attention::learned) {
    return apply(tape, p, attention2_, apply(tape, p, attention1_, quotient, kSigma), kSigma);
  }
  const auto copies = tape.template array<Value>(options_.width);
  std::ranges::fill(copies, quotient);
  return concat<Real>(tape, copies);
}

template <typename Real>
void RqgnnPaper<Real>::pool_fast(nn::Tape<Real>& tape, const Features& features,
                                 std::span<const std::uint32_t> graphs, Trace& t) const {
  const auto& inputs = static_cast<const PaperFeatures<Real>&>(features);
  auto& p = this->weights_;
  const Value first =
      one_hot_linear(tape, tape.weight(p, node1_.weight), tape.weight(p, node1_.bias), kSigma,
                     inputs.wavelets.labels() - labels_);
  t.table = apply(tape, p, node2_, first, kSigma);
  t.quotient = label_quotient(tape, inputs.forms, graphs, t.table);
  if (options_.pool == nn::Pool::attention) {
    t.attention = make_query(tape, t.quotient);
  }
  t.pooled = wavelet_pool(tape, node_batch(tape, inputs.wavelets, graphs), options_.width, t.table,
                          options_.pool, t.attention);
}

template <typename Real>
void RqgnnPaper<Real>::pool_general(nn::Tape<Real>& tape, const Features& features,
                                    std::span<const std::uint32_t> graphs, Trace& t) const {
  auto& p = this->weights_;
  const auto batch = dense_batch(tape, static_cast<const DenseFeatures<Real>&>(features), graphs);
  t.table = apply(tape, p, node2_, apply(tape, p, node1_, batch.x, kSigma), kSigma);
  const auto orders =
      chebyshev_orders(tape, batch.shifted, t.table, options_.width * options_.depth + 1);
  // x'Lx and x'x of every column of every graph; L x = (L - I) x + x, also at isolated nodes.
  const Value lx = options_.quotient_laplacian == spectral::LaplacianKind::regular
                       ? regular_laplacian(tape, batch, t.table)
                       : add(tape, orders[1], t.table);
  const auto column_dots = [&](Value a, Value b) {
    return segment_reduce(tape, multiply(tape, a, b), batch.first_row, nn::Reduce::sum);
  };
  const Value bottom = column_dots(t.table, t.table);
  const Value safe = at_least(tape, bottom, kQuotientGuard);
  const nn::Matrix<Real> mask = tape.scratch(tape.rows(bottom), tape.cols(bottom));
  std::ranges::transform(tape.value(bottom).flat(), mask.data, [](Real x) {
    return x < static_cast<Real>(kQuotientGuard) ? Real{0} : Real{1};
  });
  t.quotient = multiply(tape, divide(tape, column_dots(t.table, lx), safe), tape.constant(mask));
  const auto wavelets = tape.template array<Value>(options_.width);
  for (std::size_t i = 0; i < options_.width; ++i) {
    Value sum = scale(tape, orders[0], series_[i][0] / 2);
    for (std::size_t k = 1; k < series_[i].size(); ++k) {
      sum = add(tape, sum, scale(tape, orders[k], series_[i][k]));
    }
    wavelets[i] = sum;
  }
  t.filtered = concat<Real>(tape, wavelets);
  if (options_.pool == nn::Pool::attention) {
    t.attention = make_query(tape, t.quotient);
  }
  t.pooled = pool_nodes(tape, t.filtered, batch.first_row, options_.pool, t.attention);
}

template <typename Real>
auto RqgnnPaper<Real>::trace(nn::Tape<Real>& tape, const Features& features,
                             std::span<const std::uint32_t> graphs,
                             const nn::StepRandom& random) const -> Trace {
  auto& p = this->weights_;
  Trace t;
  if (general()) {
    pool_general(tape, features, graphs, t);
  } else {
    pool_fast(tape, features, graphs, t);
  }
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
                                 const nn::StepRandom& random) const {
  const Trace t = trace(tape, features, graphs, random);
  return {t.logits, t.head};
}

template <typename Real>
Value RqgnnPaper<Real>::loss(nn::Tape<Real>& tape, const Output& out,
                             std::span<const float> targets) const {
  return class_loss(tape, options_.loss, FocalForm::softmax, out.result, targets);
}

namespace {

/// The nodes h_j of a graph: [f_1 X, …, f_q X]_j with X = onehot * table.
template <typename Real>
nn::Matrix<Real> wavelet_nodes(nn::Tape<Real>& tape, const spectral::LabelBasis<Real>& wavelets,
                               std::uint32_t graph, nn::Matrix<const Real> table,
                               std::size_t filters) {
  const nn::Matrix<Real> nodes = tape.scratch(wavelets.nodes(graph), filters * table.cols);
  std::ranges::fill(nodes.flat(), Real{0});
  const auto row_ptr = wavelets.row_ptr(graph);
  const auto entries = wavelets.entries(graph);
  for (std::size_t j = 0; j < nodes.rows; ++j) {
    for (std::size_t e = row_ptr[j]; e < row_ptr[j + 1]; ++e) {
      const std::size_t filter = entries[e].column / wavelets.labels();
      const std::size_t label = entries[e].column % wavelets.labels();
      for (std::size_t c = 0; c < table.cols; ++c) {
        nodes(j, filter * table.cols + c) += entries[e].value * table(label, c);
      }
    }
  }
  return nodes;
}

/// g_c RQ_c = Σ_a E_ac Σ_b S_ab E_bc g_c / Σ_a n_a E_ac^2: label a has its part of the numerators.
template <typename Real>
void add_quotient_shares(const spectral::WorkspaceForms& forms, std::uint32_t graph,
                         nn::Matrix<const Real> table, std::span<const double> g,
                         MarginShares& explanation) {
  const auto labels = forms.labels(graph);
  const std::size_t first = forms.label_ptr[graph];
  const std::size_t columns = table.cols;
  // S E of this graph, and the denominators.
  std::vector<double> product(labels.size() * columns, 0.0);
  std::vector<double> bottom(columns, 0.0);
  const auto place = [&](std::uint32_t label) {
    return static_cast<std::size_t>(std::ranges::lower_bound(labels, label) - labels.begin());
  };
  const auto add = [&](std::size_t to, std::uint32_t from, double value) {
    for (std::size_t c = 0; c < columns; ++c) {
      product[to * columns + c] += value * static_cast<double>(table(from, c));
    }
  };
  for (std::size_t k = 0; k < labels.size(); ++k) {
    add(k, labels[k], forms.form[first + k]);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto x = static_cast<double>(table(labels[k], c));
      bottom[c] += forms.count[first + k] * x * x;
    }
  }
  for (const spectral::LabelPair& pair : forms.pairs(graph)) {
    add(place(pair.a), pair.b, pair.value);
    add(place(pair.b), pair.a, pair.value);
  }
  for (std::size_t k = 0; k < labels.size(); ++k) {
    double share = 0;
    for (std::size_t c = 0; c < columns; ++c) {
      if (bottom[c] >= kQuotientGuard) {
        share +=
            g[c] * static_cast<double>(table(labels[k], c)) * product[k * columns + c] / bottom[c];
      }
    }
    explanation.labels.push_back({.vocabulary = 0, .label = labels[k], .share = share});
  }
}

}  // namespace

template <typename Real>
std::optional<MarginShares> RqgnnPaper<Real>::explain(nn::Tape<Real>& tape,
                                                      const Features& features,
                                                      std::uint32_t graph) const {
  if (general()) {
    return std::nullopt;
  }
  const auto& inputs = static_cast<const PaperFeatures<Real>&>(features);
  auto& p = this->weights_;
  const std::array graphs{graph};
  const nn::StepRandom unused{core::RandomStream(0, "nothing is drawn")};
  tape.start_scoring();
  const Trace t = trace(tape, features, graphs, unused);
  const auto numbers = [&](Value value) {
    const auto flat = tape.value(value).flat();
    return std::vector<double>(flat.begin(), flat.end());
  };

  MarginShares explanation;
  const nn::Matrix<const Real> z = tape.value(t.logits);
  explanation.margin = static_cast<double>(z(0, 1)) - static_cast<double>(z(0, 0));
  StraightLayers head;
  head.add(p, head_, kSigma);
  head.add(p, classifier_, Activation::none);
  static_cast<void>(head.at(numbers(t.normalised)));
  const std::vector<double> g =
      pull_back(nn::norm_line(tape, p, norm_), head.pull_back({-1, 1}, explanation.constant),
                explanation.constant);
  const std::size_t width = options_.width * options_.hidden;
  std::vector<double> pooled(g.begin(), g.begin() + static_cast<std::ptrdiff_t>(width));
  const auto sum = numbers(t.pooled);
  for (std::size_t c = 0; c < width; ++c) {
    pooled[c] *= sum[c] > 0 ? 1 : nn::slope_of<double>(kSigma);
  }
  const nn::Matrix<Real> nodes =
      wavelet_nodes<Real>(tape, inputs.wavelets, graph, tape.value(t.table), options_.width);
  explanation.nodes = node_shares<Real>(
      nodes, options_.pool,
      t.attention.exists() ? tape.value(t.attention).flat() : std::span<const Real>{}, pooled);
  relative_to<Real>(p.value(norm_.running_mean).flat(), std::span(g).first(width), explanation);
  if (options_.explicit_branch) {
    StraightLayers layers;
    layers.add(p, rq1_, kSigma);
    layers.add(p, rq2_, kSigma);
    static_cast<void>(layers.at(numbers(t.quotient)));
    const auto of_quotient = layers.pull_back(
        {g.begin() + static_cast<std::ptrdiff_t>(width), g.end()}, explanation.constant);
    add_quotient_shares<Real>(inputs.forms, graph, tape.value(t.table), of_quotient, explanation);
  }
  return explanation;
}

template class RqgnnPaper<float>;
template class RqgnnPaper<double>;

}  // namespace rayleigh::models
