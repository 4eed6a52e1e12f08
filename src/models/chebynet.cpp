#include <array>
#include <cmath>

#include "models/dense_features.h"
#include "models/graph_features.h"
#include "models/label_features.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_segment.h"
#include "nn/ops_shape.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

enum class Readout { mean, sum };

/// Two Chebyshev convolutions of K matrices each, pooled nodes, one linear layer.
struct ChebynetOptions {
  std::size_t hidden = 64;
  std::size_t depth = 3;  ///< K, so polynomials have degree K - 1
  double dropout = 0.5;
  Readout readout = Readout::mean;
  ClassLoss loss{.kind = LossKind::cross_entropy};
};

template <typename Real>
struct ChebynetFeatures : Features {
  spectral::LabelBasis<Real> basis;  ///< T_k of the one-hot labels: the first layer's input
  BasisColumns<Real> columns;
  std::unique_ptr<GraphFeatures<Real>> graph;

  std::size_t graphs() const override { return basis.graphs(); }
  std::size_t memory_bytes() const override {
    return (basis.nonzeros() + columns.entries.size()) * sizeof(spectral::BasisEntry<Real>) +
           graph->memory_bytes();
  }
};

template <typename Real>
class Chebynet : public Model<Real> {
 public:
  Chebynet(const ChebynetOptions& options, std::size_t labels)
      : options_(options), labels_(labels) {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    conv1_ = p.add("conv1.weight", options.depth * labels, h);
    conv1_bias_ = p.add("conv1.bias", 1, h);
    conv2_ = {.weight = p.add("conv2.weight", h, options.depth * h),
              .bias = p.add("conv2.bias", 1, h)};
    out_ = add_linear(p, "out", h, 2);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                                    core::ThreadPool& pool) const override {
    auto features = std::make_unique<ChebynetFeatures<Real>>();
    features->basis =
        spectral::chebyshev_label_basis<Real>(graphs, labels[0], options_.depth - 1, pool);
    if (mode == nn::Mode::training) {
      features->columns = columns_of(features->basis, pool);
    }
    features->graph = graph_features<Real>(graphs, labels[0], labels_, Propagation::shifted);
    return features;
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    const auto& inputs = static_cast<const ChebynetFeatures<Real>&>(features);
    auto& p = this->weights_;
    const auto batch = message_batch(tape, *inputs.graph, graphs);
    Value x = sparse_linear(tape, node_batch(tape, inputs.basis, graphs, &inputs.columns),
                            label_table(tape, inputs.basis.labels()), tape.weight(p, conv1_bias_),
                            Activation::relu);
    x = dropout(tape, x, options_.dropout, random);
    const auto orders = chebyshev_orders(tape, batch.matrix, x, options_.depth);
    x = apply(tape, p, conv2_, concat<Real>(tape, orders), Activation::relu);
    const Value pooled =
        segment_reduce(tape, x, batch.first_row,
                       options_.readout == Readout::mean ? nn::Reduce::mean : nn::Reduce::sum);
    return {apply(tape, p, out_, pooled), pooled};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
  }

 private:
  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    const auto h = static_cast<double>(options_.hidden);
    // Glorot of each order's matrix; biases stay 0.
    draw_uniform(p, conv1_, seed, std::sqrt(6 / (static_cast<double>(labels_) + h)));
    draw_uniform(p, conv2_.weight, seed, std::sqrt(6 / (2 * h)));
    draw_linear(p, out_, seed);
  }

  /// The weights of the first layer with a row of zeros for "other" in each order.
  Value label_table(nn::Tape<Real>& tape, std::size_t rows_each) const {
    const Value weight = tape.weight(this->weights_, conv1_);
    if (rows_each == labels_) {
      return weight;
    }
    return pad_blocks(tape, weight, labels_, rows_each);
  }

  ChebynetOptions options_;
  std::size_t labels_;
  nn::WeightId conv1_;  ///< row (order, label)
  nn::WeightId conv1_bias_;
  Linear conv2_;  ///< column (order, input)
  Linear out_;
};

class ChebynetRecipe : public LabelRecipe<ChebynetRecipe> {
 public:
  std::string name() const override { return "chebynet"; }
  std::string summary() const override {
    return "Chebyshev graph convolutions (Defferrard et al. 2016)";
  }
  Standing standing() const override { return {Origin::paper, 1}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the hidden layers", {1, 4096});
    p.add("depth", options_.depth, "K: matrices of a convolution, polynomials have degree K-1",
          {1, 64});
    p.add("dropout", options_.dropout, "share dropped between the convolutions", {0, 0.99});
    p.add("pool", options_.readout, "how nodes become a graph; sum keeps the size in sight",
          {{"mean", Readout::mean}, {"sum", Readout::sum}});
    declare_class_loss(p, options_.loss, "cb-focal is ChebyNet-CB");
    declare_labels(p, labels_);
  }
  TrainingDefaults defaults() const override { return {.l2 = 5e-4}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    ChebynetOptions options = options_;
    options.loss.class_counts = inputs.class_counts;
    return std::make_unique<Chebynet<Real>>(options, inputs.labels[0].size());
  }

 private:
  ChebynetOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_chebynet_recipe() { return std::make_unique<ChebynetRecipe>(); }

}  // namespace rayleigh::models
