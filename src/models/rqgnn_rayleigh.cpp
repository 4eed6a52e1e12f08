#include "models/rqgnn_rayleigh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "models/attribute_columns.h"
#include "models/label_features.h"
#include "models/straight_layers.h"

namespace rayleigh::models {

using nn::Activation;
using nn::Value;

namespace {

template <typename Real>
struct RayleighFeatures : Features {
  spectral::LabelBasis<Real> basis;
  BasisColumns<Real> columns;
  GraphRows<Real> own;    ///< log(1 + x'Lx) of the node labels
  GraphRows<Real> forms;  ///< the same of all further vocabularies, one behind the other

  std::size_t graphs() const override { return basis.graphs(); }
  std::size_t memory_bytes() const override {
    return (basis.nonzeros() + columns.entries.size() + own.entries.size() + forms.entries.size()) *
           sizeof(spectral::BasisEntry<Real>);
  }
};

template <typename Real>
GraphRows<Real> log_forms(const GraphSet& graphs, const spectral::NodeLabels& labels,
                          core::ThreadPool& pool) {
  auto rows = form_rows<Real>(
      spectral::workspace_forms(graphs, labels, {}, pool, spectral::LabelPairs::none),
      labels.count - 1);
  for (auto& entry : rows.entries) {
    entry.value = std::log1p(entry.value);
  }
  return rows;
}

/// log(1 + count) of the bins of attributes.
template <typename Real>
GraphRows<Real> log_attributes(const graph::AttributeBins& bins, const GraphSet& graphs,
                               core::ThreadPool& pool) {
  const auto counts = bin_counts(bins, bins_of_nodes(bins, graphs, pool), graphs);
  GraphRows<Real> rows;
  rows.row_ptr = counts.row_ptr;
  rows.entries.reserve(counts.entries.size());
  for (const auto& entry : counts.entries) {
    rows.entries.push_back({entry.column, std::log1p(static_cast<Real>(entry.value))});
  }
  return rows;
}

/// Rows of several vocabularies side by side.
template <typename Real>
GraphRows<Real> side_by_side(std::span<const GraphRows<Real>> parts,
                             std::span<const std::size_t> widths, std::size_t graphs) {
  GraphRows<Real> all;
  for (std::size_t g = 0; g < graphs; ++g) {
    std::size_t first = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      for (std::size_t e = parts[part].row_ptr[g]; e < parts[part].row_ptr[g + 1]; ++e) {
        const auto& entry = parts[part].entries[e];
        all.entries.push_back({static_cast<std::uint32_t>(first + entry.column), entry.value});
      }
      first += widths[part];
    }
    all.row_ptr.push_back(static_cast<std::uint32_t>(all.entries.size()));
  }
  return all;
}

/// graph_batch() with entries left out at random in training passes, the others scaled.
template <typename Real>
nn::RowBatch<Real> thinned_batch(nn::Tape<Real>& tape, const GraphRows<Real>& rows,
                                 std::span<const std::uint32_t> graphs, double probability,
                                 const nn::StepRandom& random) {
  if (!tape.training() || probability <= 0) {
    return graph_batch(tape, rows, graphs);
  }
  // Each graph has room for all its entries, so that they can be drawn side by side.
  const auto begin = tape.template array<std::uint32_t>(graphs.size() + 1);
  begin[0] = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    begin[i + 1] = begin[i] + rows.row_ptr[graphs[i] + 1] - rows.row_ptr[graphs[i]];
  }
  const auto entries = tape.template array<spectral::BasisEntry<Real>>(begin.back());
  const auto row_ptr = tape.template array<std::uint32_t>(2 * graphs.size());
  const auto pieces = tape.template array<nn::SparseRows<Real>>(graphs.size());
  const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
  const auto scale = static_cast<Real>(1 / (1 - probability));
  constexpr std::size_t kCost = 1000;
  tape.for_rows(graphs.size(), kCost, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::uint32_t g = graphs[i];
      core::Generator generator = random.stream.at((std::uint64_t{1} << 40U) + i, random.step);
      std::uint32_t next = begin[i];
      for (std::size_t e = rows.row_ptr[g]; e < rows.row_ptr[g + 1]; ++e) {
        if (!generator.chance(probability)) {
          entries[next++] = {rows.entries[e].column, rows.entries[e].value * scale};
        }
      }
      row_ptr[2 * i] = begin[i];
      row_ptr[2 * i + 1] = next;
      first[i] = static_cast<std::uint32_t>(i);
      pieces[i] = {entries.data(), &row_ptr[2 * i], 1};
    }
  });
  first[graphs.size()] = static_cast<std::uint32_t>(graphs.size());
  return {pieces, first};
}

}  // namespace

template <typename Real>
RqgnnRayleigh<Real>::RqgnnRayleigh(const RqgnnOptions& options,
                                   std::span<const LabelEncoder> labels)
    : options_(options), labels_(labels[0].size()) {
  for (std::size_t label = 0; label < labels_; ++label) {
    parents_.push_back(labels[0].parent(label));
  }
  for (const LabelEncoder& encoder : labels.subspan(1)) {
    form_labels_.push_back(encoder.size());
  }
  if (!options.bins.empty()) {
    form_labels_.push_back(options.bins.bins());
  }
  auto& p = this->weights_;
  const std::size_t h = options.hidden;
  embedding_ = p.add("label_embedding", labels_, h);
  filters_ = p.add("filters.weight", options.depth * h, h);
  node_norm1_ = nn::add_batch_norm(p, "node_norm1", h);
  mix_ = add_linear(p, "mix_lin", h, h);
  node_norm2_ = nn::add_batch_norm(p, "node_norm2", h);
  if (options.pool == nn::Pool::attention) {
    attention1_ = add_linear(p, "attn_lin1", labels_, h);
    attention2_ = add_linear(p, "attn_lin2", h, h);
  }
  std::size_t embedding = h;
  if (options.explicit_branch) {
    const std::size_t inputs =
        std::accumulate(form_labels_.begin(), form_labels_.end(), std::size_t{0});
    explicit1_ = add_linear(p, "explicit_lin1", inputs, h);
    explicit2_ = add_linear(p, "explicit_lin2", h, h);
    embedding += h;
  }
  norm_ = nn::add_batch_norm(p, "bn", embedding);
  classifier_ = add_linear(p, "classifier", embedding, 2);
}

template <typename Real>
void RqgnnRayleigh<Real>::draw(std::uint64_t seed) {
  auto& p = this->weights_;
  const auto h = static_cast<double>(options_.hidden);
  draw_uniform(p, embedding_, seed, 1.0);
  draw_uniform(p, filters_, seed, std::sqrt(6.0 / (2 * h)));
  nn::reset_batch_norm(p, node_norm1_);
  draw_linear(p, mix_, seed);
  nn::reset_batch_norm(p, node_norm2_);
  if (options_.pool == nn::Pool::attention) {
    draw_linear(p, attention1_, seed);
    draw_linear(p, attention2_, seed);
  }
  if (options_.explicit_branch) {
    draw_uniform(p, explicit1_.weight, seed, options_.form_scale);
    draw_linear(p, explicit2_, seed);
  }
  nn::reset_batch_norm(p, norm_);
  draw_linear(p, classifier_, seed);
}

template <typename Real>
std::unique_ptr<Features> RqgnnRayleigh<Real>::prepare(const GraphSet& graphs,
                                                       std::span<const spectral::NodeLabels> labels,
                                                       nn::Mode mode,
                                                       core::ThreadPool& pool) const {
  auto features = std::make_unique<RayleighFeatures<Real>>();
  features->basis =
      spectral::chebyshev_label_basis<Real>(graphs, labels[0], options_.depth - 1, pool);
  if (mode == nn::Mode::training) {
    features->columns = columns_of(features->basis, pool);
  }
  features->own = log_forms<Real>(graphs, labels[0], pool);
  if (options_.explicit_branch) {
    core::Vector<GraphRows<Real>> parts;
    parts.reserve(form_labels_.size());
    for (const spectral::NodeLabels& vocabulary : labels.subspan(1)) {
      // Plain labels are usually both the first vocabulary and one of the further ones.
      const bool again = vocabulary.count == labels[0].count &&
                         std::ranges::equal(vocabulary.of_node, labels[0].of_node);
      parts.push_back(again ? features->own : log_forms<Real>(graphs, vocabulary, pool));
    }
    if (!options_.bins.empty()) {
      parts.push_back(log_attributes<Real>(options_.bins, graphs, pool));
    }
    features->forms = side_by_side<Real>(parts, form_labels_, graphs.size());
  }
  return features;
}

template <typename Real>
Value RqgnnRayleigh<Real>::label_table(nn::Tape<Real>& tape, const nn::StepRandom& random) const {
  // A sparse matrix of ones times the embedding; row labels_ is "other", without features.
  const auto row_ptr = tape.template array<std::uint32_t>(labels_ + 2);
  const auto entries = tape.template array<spectral::BasisEntry<Real>>(labels_ * 5);
  std::uint32_t end = 0;
  row_ptr[0] = 0;
  core::Generator generator = random.stream.at(std::uint64_t{1} << 41U, random.step);
  for (std::size_t label = 0; label < labels_; ++label) {
    bool own = true;
    if (tape.training() && parents_[label] < labels_) {
      own = !generator.chance(options_.label_dropout);
    }
    for (auto at = static_cast<std::uint32_t>(label); at < labels_; at = parents_[at]) {
      if (own || at != label) {
        entries[end++] = {at, Real{1}};
      }
    }
    row_ptr[label + 1] = end;
  }
  row_ptr[labels_ + 1] = end;
  const auto piece = tape.template array<nn::SparseRows<Real>>(1);
  const auto first = tape.template array<std::uint32_t>(2);
  piece[0] = {entries.data(), row_ptr.data(), labels_ + 1};
  first[0] = 0;
  first[1] = static_cast<std::uint32_t>(labels_ + 1);
  return sparse_linear<Real>(tape, {piece, first}, tape.weight(this->weights_, embedding_), {},
                             Activation::none);
}

template <typename Real>
Value RqgnnRayleigh<Real>::pool_training(nn::Tape<Real>& tape, const nn::RowBatch<Real>& batch,
                                         Value table, Value query) const {
  auto& p = this->weights_;
  const Value filtered = sparse_linear<Real>(tape, batch, table, {}, Activation::none);
  const Value mixed = apply(tape, p, mix_, batch_norm(tape, p, node_norm1_, filtered, kSigma));
  const Value nodes = batch_norm(tape, p, node_norm2_, mixed, kSigma);
  return pool_nodes(tape, nodes, batch.first_row, options_.pool, query);
}

template <typename Real>
Value RqgnnRayleigh<Real>::pool_scoring(nn::Tape<Real>& tape, const nn::RowBatch<Real>& batch,
                                        Value table, Value query) const {
  // The norms are straight lines here and become part of the layers before them.
  auto& p = this->weights_;
  const auto first = norm_line(tape, p, node_norm1_);
  const auto second = norm_line(tape, p, node_norm2_);
  const auto scaled = [&](nn::Matrix<const Real> from, auto&& factor) {
    const nn::Matrix<Real> to = tape.scratch(from.rows, from.cols);
    for (std::size_t i = 0; i < from.rows; ++i) {
      for (std::size_t c = 0; c < from.cols; ++c) {
        to(i, c) = from(i, c) * factor(i, c);
      }
    }
    return to;
  };
  const auto by_column = [&](std::size_t, std::size_t c) { return first.factor[c]; };
  const auto by_row = [&](std::size_t i, std::size_t) { return second.factor[i]; };
  const nn::Matrix<Real> bias =
      scaled(p.value(mix_.bias), [&](std::size_t, std::size_t c) { return second.factor[c]; });
  for (std::size_t c = 0; c < bias.cols; ++c) {
    bias(0, c) += second.offset[c];
  }
  return filter_and_pool(tape, batch, tape.constant(scaled(tape.value(table), by_column)),
                         tape.constant({first.offset.data(), 1, first.offset.size()}),
                         tape.constant(scaled(p.value(mix_.weight), by_row)), tape.constant(bias),
                         options_.pool, query);
}

template <typename Real>
Value RqgnnRayleigh<Real>::make_query(nn::Tape<Real>& tape, const nn::RowBatch<Real>& own) const {
  auto& p = this->weights_;
  const Value inner =
      sparse_linear(tape, own, table_of(tape, own, tape.weight(p, attention1_.weight)),
                    tape.weight(p, attention1_.bias), kSigma);
  return apply(tape, p, attention2_, inner, kSigma);
}

template <typename Real>
Output RqgnnRayleigh<Real>::forward(nn::Tape<Real>& tape, const Features& features,
                                    std::span<const std::uint32_t> graphs,
                                    const nn::StepRandom& random) const {
  const auto& inputs = static_cast<const RayleighFeatures<Real>&>(features);
  auto& p = this->weights_;
  const auto weight = [&](nn::WeightId id) { return tape.weight(p, id); };
  const Value table = block_product(tape, label_table(tape, random), weight(filters_));
  const auto batch = node_batch(tape, inputs.basis, graphs, &inputs.columns);
  Value query;
  if (options_.pool == nn::Pool::attention) {
    query = make_query(tape, graph_batch(tape, inputs.own, graphs));
  }
  const Value pooled = tape.training() ? pool_training(tape, batch, table, query)
                                       : pool_scoring(tape, batch, table, query);
  Value embedding = pooled;
  if (options_.explicit_branch) {
    const auto forms = thinned_batch(tape, inputs.forms, graphs, options_.form_dropout, random);
    const Value inner = sparse_linear(tape, forms, table_of(tape, forms, weight(explicit1_.weight)),
                                      weight(explicit1_.bias), kSigma);
    embedding = concat<Real>(tape, std::array{pooled, apply(tape, p, explicit2_, inner, kSigma)});
  }
  const Value normalised = batch_norm(tape, p, norm_, embedding);
  const Value dropped = dropout(tape, normalised, options_.dropout, random);
  return {apply(tape, p, classifier_, dropped), normalised};
}

template <typename Real>
Value RqgnnRayleigh<Real>::loss(nn::Tape<Real>& tape, const Output& out,
                                std::span<const float> targets) const {
  return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
}

template <typename Real>
std::optional<MarginShares> RqgnnRayleigh<Real>::explain(nn::Tape<Real>& tape,
                                                         const Features& features,
                                                         std::uint32_t graph) const {
  const auto& inputs = static_cast<const RayleighFeatures<Real>&>(features);
  auto& p = this->weights_;
  const std::array graphs{graph};
  const nn::StepRandom unused{core::RandomStream(0, "nothing is drawn")};
  tape.start_scoring();
  const Output out = forward(tape, features, graphs, unused);
  // The nodes once more, which forward() pools as they come.
  const Value table = block_product(tape, label_table(tape, unused), tape.weight(p, filters_));
  const Value filtered = sparse_linear<Real>(tape, node_batch(tape, inputs.basis, graphs), table,
                                             {}, Activation::none);
  const Value mixed = apply(tape, p, mix_, batch_norm(tape, p, node_norm1_, filtered, kSigma));
  const Value nodes = batch_norm(tape, p, node_norm2_, mixed, kSigma);
  const Value query = options_.pool == nn::Pool::attention
                          ? make_query(tape, graph_batch(tape, inputs.own, graphs))
                          : Value{};

  MarginShares explanation;
  const std::vector<double> g =
      margin_of_norm(tape, p, norm_, classifier_, out.result, explanation);
  const auto pooled = std::span(g).first(options_.hidden);
  explanation.nodes = node_shares<Real>(
      tape.value(nodes), options_.pool,
      query.exists() ? tape.value(query).flat() : std::span<const Real>{}, pooled);
  relative_to<Real>(p.value(norm_.running_mean).flat(), pooled, explanation);
  if (options_.explicit_branch) {
    StraightLayers layers;
    layers.add(p, explicit1_, kSigma);
    layers.add(p, explicit2_, kSigma);
    std::vector<std::size_t> first_column;
    std::size_t first = 0;
    for (const std::size_t labels : form_labels_) {
      first_column.push_back(first);
      first += labels;
    }
    add_label_shares(layers, inputs.forms, graph, std::span(g).subspan(options_.hidden),
                     first_column, explanation);
    for (LabelShare& share : explanation.labels) {
      if (!options_.bins.empty() && share.vocabulary == form_labels_.size()) {
        share.vocabulary = kBinsOfAttributes;
      }
    }
  }
  return explanation;
}

template class RqgnnRayleigh<float>;
template class RqgnnRayleigh<double>;

}  // namespace rayleigh::models
