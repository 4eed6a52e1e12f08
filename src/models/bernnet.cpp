#include <array>
#include <cmath>

#include "models/graph_features.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_segment.h"

// The filter is y = Σ_k c_k P_k(L) z with P_k(L) = C(K, k) / 2^K (2I - L)^(K-k) L^k and c = relu of
// the parameters; the graph's value is the mean of y over its nodes. As L is symmetric, that mean
// is Σ_i z_i Σ_k c_k (P_k(L) 1)_i / n: the vectors P_k(L) 1 do not depend on any weight and are
// computed once, so that training needs no sparse product at all.

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

/// What the Bernstein filter works on: the two logits of a node, as its authors have it, or its
/// hidden features.
enum class Filtered { logits, hidden };

/// A linear network on the labels of nodes, filtered by a polynomial in the Bernstein basis.
struct BernnetOptions {
  std::size_t hidden = 64;
  std::size_t depth = 10;  ///< K, the degree
  double dropout = 0.5;
  double filter_dropout = 0.5;  ///< of what is filtered
  Filtered filtered = Filtered::logits;
  ClassLoss loss{.kind = LossKind::cross_entropy};
};

template <typename Real>
struct BernnetFeatures : Features {
  core::Vector<std::uint32_t> graph_ptr;
  core::Vector<std::uint32_t> label;  ///< of each node
  core::Vector<Real> basis;           ///< (P_k(L) 1)_i / n, one row per node, K + 1 columns

  std::size_t graphs() const override { return graph_ptr.size() - 1; }
  std::size_t memory_bytes() const override {
    return 4 * label.size() + sizeof(Real) * basis.size();
  }
};

/// Rows of P_k(L) 1 / n of one graph, in double.
class BernsteinBasis {
 public:
  explicit BernsteinBasis(std::size_t degree) : degree_(degree), scale_(degree + 1) {
    scale_[0] = std::ldexp(1.0, -static_cast<int>(degree));
    for (std::size_t k = 1; k <= degree; ++k) {
      scale_[k] = scale_[k - 1] * static_cast<double>(degree - k + 1) / static_cast<double>(k);
    }
  }

  /// terms[k * n + i]
  std::span<const double> of(const GraphView& graph) {
    const std::size_t n = graph.nodes();
    terms_.assign((degree_ + 1) * n, 0.0);
    // powers = (2I - L)^(K-k) 1, then L^k of it.
    power_.assign(n, 1.0);
    for (std::size_t k = degree_ + 1; k-- > 0;) {
      term_ = power_;
      for (std::size_t times = 0; times < k; ++times) {
        laplacian(graph, term_, next_);
        term_.swap(next_);
      }
      for (std::size_t i = 0; i < n; ++i) {
        terms_[k * n + i] = scale_[k] * term_[i] / static_cast<double>(n);
      }
      laplacian(graph, power_, next_);
      for (std::size_t i = 0; i < n; ++i) {
        power_[i] = 2 * power_[i] - next_[i];
      }
    }
    return terms_;
  }

 private:
  /// y = L x, normalised, with diagonal 1 at isolated nodes.
  static void laplacian(const GraphView& graph, std::span<const double> x,
                        core::Vector<double>& y) {
    y.assign(x.begin(), x.end());
    for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
      for (const std::uint32_t far : graph.neighbours(i)) {
        const std::uint32_t j = far - graph.first_node();
        y[i] -= x[j] / std::sqrt(static_cast<double>(graph.degree(i)) *
                                 static_cast<double>(graph.degree(j)));
      }
    }
  }

  std::size_t degree_;
  core::Vector<double> scale_;  ///< C(K, k) / 2^K
  core::Vector<double> terms_;
  core::Vector<double> power_;
  core::Vector<double> term_;
  core::Vector<double> next_;
};

template <typename Real>
class Bernnet : public Model<Real> {
 public:
  Bernnet(const BernnetOptions& options, std::size_t labels) : options_(options), labels_(labels) {
    auto& p = this->weights_;
    lin1_ = add_linear(p, "lin1", labels, options.hidden);
    lin2_ = add_linear(p, "lin2", options.hidden, 2);
    theta_ = p.add("theta", 1, options.depth + 1);
    p.info(theta_).decay = 0;
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& pool) const override {
    auto features = std::make_unique<BernnetFeatures<Real>>();
    features->label.assign(labels[0].of_node.begin(), labels[0].of_node.end());
    features->graph_ptr.push_back(0);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      features->graph_ptr.push_back(features->graph_ptr.back() +
                                    static_cast<std::uint32_t>(graphs[g].nodes()));
    }
    const std::size_t columns = options_.depth + 1;
    features->basis.resize(features->label.size() * columns);
    const std::size_t parts = std::max<std::size_t>(1, graphs.size() / 64);
    pool.run(parts, [&](std::size_t part) {
      BernsteinBasis basis(options_.depth);
      const core::Range range = core::part_of(graphs.size(), parts, part);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        const auto terms = basis.of(graphs[g]);
        const std::size_t n = graphs[g].nodes();
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t k = 0; k < columns; ++k) {
            features->basis[(features->graph_ptr[g] + i) * columns + k] =
                static_cast<Real>(terms[k * n + i]);
          }
        }
      }
    });
    return features;
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    const auto& inputs = static_cast<const BernnetFeatures<Real>&>(features);
    auto& p = this->weights_;
    const std::size_t columns = options_.depth + 1;
    const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
    first[0] = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      first[i + 1] = first[i] + inputs.graph_ptr[graphs[i] + 1] - inputs.graph_ptr[graphs[i]];
    }
    const nn::Matrix<Real> basis = tape.scratch(first[graphs.size()], columns);
    const auto label = tape.template array<std::uint32_t>(basis.rows);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const std::size_t begin = inputs.graph_ptr[graphs[i]];
      const std::size_t nodes = first[i + 1] - first[i];
      std::copy_n(&inputs.basis[begin * columns], nodes * columns, basis.data + first[i] * columns);
      std::copy_n(&inputs.label[begin], nodes, label.data() + first[i]);
    }
    // The weight of a node in its graph: Σ_k c_k P_k.
    const Value c = activate(tape, tape.weight(p, theta_), Activation::relu);
    const Value weight = linear(tape, tape.constant(basis), c, Value{});
    const auto pool = [&](Value x) {
      return segment_reduce(tape, scale_rows(tape, x, weight), first, nn::Reduce::sum);
    };
    Value hidden = hidden_nodes(tape, label, random);
    hidden = dropout(tape, hidden, options_.dropout, random);
    if (options_.filtered == Filtered::hidden) {
      hidden = pool(dropout(tape, hidden, options_.filter_dropout, random.at(1)));
      return {apply(tape, p, lin2_, hidden), hidden};
    }
    const Value logits =
        dropout(tape, apply(tape, p, lin2_, hidden), options_.filter_dropout, random.at(1));
    const Value result = pool(logits);
    return {result, result};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
  }

 private:
  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    draw_linear(p, lin1_, seed);
    draw_linear(p, lin2_, seed);
    std::ranges::fill(p.value(theta_).flat(), Real{1});
  }

  /// relu(lin1(dropped one-hot label)): the features of a node are its one label, or nothing.
  Value hidden_nodes(nn::Tape<Real>& tape, std::span<const std::uint32_t> label,
                     const nn::StepRandom& random) const {
    auto& p = this->weights_;
    const double probability = tape.training() ? options_.dropout : 0;
    const auto entries = tape.template array<spectral::BasisEntry<Real>>(label.size());
    const auto row_ptr = tape.template array<std::uint32_t>(label.size() + 1);
    const auto piece = tape.template array<nn::SparseRows<Real>>(1);
    const auto first = tape.template array<std::uint32_t>(2);
    core::Generator generator = random.stream.at(std::uint64_t{1} << 41U, random.step);
    std::uint32_t end = 0;
    row_ptr[0] = 0;
    for (std::size_t i = 0; i < label.size(); ++i) {
      const bool dropped = probability > 0 && generator.chance(probability);
      if (label[i] < labels_ && !dropped) {
        entries[end++] = {label[i], static_cast<Real>(1 / (1 - probability))};
      }
      row_ptr[i + 1] = end;
    }
    piece[0] = {entries.data(), row_ptr.data(), label.size()};
    first[0] = 0;
    first[1] = static_cast<std::uint32_t>(label.size());
    return sparse_linear<Real>(tape, {piece, first}, transpose(tape, tape.weight(p, lin1_.weight)),
                               tape.weight(p, lin1_.bias), Activation::relu);
  }

  BernnetOptions options_;
  std::size_t labels_;
  Linear lin1_;
  Linear lin2_;
  nn::WeightId theta_;
};

class BernnetRecipe : public LabelRecipe<BernnetRecipe> {
 public:
  std::string name() const override { return "bernnet"; }
  std::string summary() const override {
    return "learned spectral filter in the Bernstein basis (He et al. 2021)";
  }
  Standing standing() const override { return {Origin::paper, 2}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the hidden layer", {1, 4096});
    p.add("depth", options_.depth, "K, the degree of the filter", {1, 64});
    p.add("dropout", options_.dropout, "share of labels, and of hidden numbers, dropped",
          {0, 0.99});
    p.add("filter-dropout", options_.filter_dropout, "share dropped before the filter", {0, 0.99});
    p.add("filtered", options_.filtered,
          "what is filtered and pooled: the authors' two logits of a node, or its hidden numbers, "
          "because a graph is then more than one filtered pair",
          {{"logits", Filtered::logits}, {"hidden", Filtered::hidden}});
    declare_class_loss(p, options_.loss, "cb-focal is BernNet-CB");
    declare_labels(p, labels_);
  }
  TrainingDefaults defaults() const override { return {.rate = 0.01, .l2 = 5e-4}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    BernnetOptions options = options_;
    options.loss.class_counts = inputs.class_counts;
    return std::make_unique<Bernnet<Real>>(options, inputs.labels[0].size());
  }

 private:
  BernnetOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_bernnet_recipe() { return std::make_unique<BernnetRecipe>(); }

}  // namespace rayleigh::models
