#include <algorithm>
#include <array>

#include "core/random.h"
#include "graph/append.h"
#include "models/graph_features.h"
#include "models/graphon.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "nn/ops_norm.h"
#include "nn/ops_segment.h"
#include "nn/optimizer.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

enum class GmixupFeatures { degrees, labels };

/// How many graphs G-Mixup makes up, and of what.
struct MixupOptions {
  double share = 0.15;        ///< made-up graphs for each training graph
  std::size_t mixtures = 10;  ///< graphons they are drawn from
  double least = 0.005;       ///< weight of the first graphon of a mixture
  double most = 0.01;
  double threshold = 0.2;  ///< singular values below this times the root of the size are dropped
};

/// Graph isomorphism network, trained on graphs drawn from mixtures of both classes' graphons too.
struct GmixupOptions {
  std::size_t hidden = 64;
  std::size_t layers = 5;
  GmixupFeatures features = GmixupFeatures::labels;
  MixupOptions mixup{};
  ClassLoss loss{.kind = LossKind::cross_entropy};
};

/// Layers x <- norm(relu(MLP((A + I) x))), the mean over nodes, two linear layers.
template <typename Real>
class Gmixup : public Model<Real> {
 public:
  Gmixup(const GmixupOptions& options, std::size_t labels) : options_(options), labels_(labels) {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    for (std::size_t k = 0; k < options.layers; ++k) {
      const std::string name = "gin." + std::to_string(k) + ".";
      layers_.push_back({.first = add_linear(p, name + "lin1", k == 0 ? labels : h, h),
                         .second = add_linear(p, name + "lin2", h, h),
                         .norm = nn::add_batch_norm(p, name + "bn", h)});
    }
    hidden_ = add_linear(p, "fc1", h, h);
    out_ = add_linear(p, "fc2", h, 2);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    return graph_features<Real>(graphs, labels[0], labels_, Propagation::self_loops);
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    auto& p = this->weights_;
    const auto batch =
        message_batch(tape, static_cast<const GraphFeatures<Real>&>(features), graphs);
    Value x;
    for (const Layer& layer : layers_) {
      const Value inner =
          x.exists()
              ? apply(tape, p, layer.first, spmm_symmetric(tape, batch.matrix, x), Activation::relu)
              : sparse_linear<Real>(tape, batch.first,
                                    table_of(tape, batch.first, tape.weight(p, layer.first.weight)),
                                    tape.weight(p, layer.first.bias), Activation::relu);
      x = batch_norm(tape, p, layer.norm, apply(tape, p, layer.second, inner, Activation::relu));
    }
    const Value pooled = segment_reduce(tape, x, batch.first_row, nn::Reduce::mean);
    return {apply(tape, p, out_, apply(tape, p, hidden_, pooled, Activation::relu)), pooled};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return class_loss(tape, options_.loss, FocalForm::sigmoid, out.result, targets);
  }

 private:
  struct Layer {
    Linear first;
    Linear second;
    nn::BatchNorm norm;
  };

  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    for (const Layer& layer : layers_) {
      draw_linear(p, layer.first, seed);
      draw_linear(p, layer.second, seed);
      nn::reset_batch_norm(p, layer.norm);
    }
    draw_linear(p, hidden_, seed);
    draw_linear(p, out_, seed);
  }

  GmixupOptions options_;
  std::size_t labels_;
  std::vector<Layer> layers_;
  Linear hidden_;
  Linear out_;
};

/// Makes up graphs of both classes.
class Mixer {
 public:
  Mixer(const MixupOptions& options, const GraphSet& graphs, std::span<const std::uint32_t> train,
        std::span<const std::int8_t> labels)
      : options_(options), graphs_(graphs), train_graphs_(train.size()) {
    std::array<std::vector<std::uint32_t>, 2> classes;
    std::vector<std::size_t> sizes;
    sizes.reserve(train.size());
    for (const std::uint32_t g : train) {
      classes[labels[g] == 1 ? 1 : 0].push_back(g);
      sizes.push_back(graphs[g].nodes());
    }
    const std::size_t size = median(sizes);
    for (std::size_t c = 0; c < 2; ++c) {
      graphon_[c] =
          threshold_singular_values(mean_adjacency(graphs, classes[c], size), options.threshold);
      labels_at_[c].resize(size);
      for (const std::uint32_t g : classes[c]) {
        const auto order = by_degree(graphs[g]);
        for (std::size_t r = 0; r < std::min(size, order.size()); ++r) {
          labels_at_[c][r].push_back(graphs[g].label(order[r]));
        }
      }
    }
  }

  Augmented make(std::uint64_t seed) const {
    std::vector<graph::PlainGraph> made;
    std::vector<float> targets;
    const auto each = static_cast<std::size_t>(options_.share * static_cast<double>(train_graphs_) /
                                               static_cast<double>(options_.mixtures));
    for (std::size_t m = 0; m < options_.mixtures; ++m) {
      core::Generator generator = core::RandomStream(seed, "graphon mixture").at(m);
      const double weight = options_.least + generator.uniform() * (options_.most - options_.least);
      const std::size_t first = generator.below(2);
      const SquareMatrix graphon = mix(graphon_[first], graphon_[1 - first], weight);
      for (std::size_t k = 0; k < each; ++k) {
        core::Generator numbers =
            core::RandomStream(seed, "graph of a graphon").at(k, static_cast<std::uint32_t>(m));
        const DrawnGraph drawn = draw_graph(graphon, [&] { return numbers.uniform(); });
        if (!drawn.position.empty()) {
          made.push_back(with_labels(drawn, first, weight, numbers));
          targets.push_back(static_cast<float>(first == 1 ? weight : 1 - weight));
        }
      }
    }
    return {graph::append(graphs_, made), std::move(targets)};
  }

 private:
  static std::size_t median(std::vector<std::size_t> numbers) {
    const std::size_t half = numbers.size() / 2;
    std::ranges::sort(numbers);
    return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
  }

  /// A node takes the label of a random training graph's node of the same rank, of the first class
  /// as often as the mixture has it.
  graph::PlainGraph with_labels(const DrawnGraph& drawn, std::size_t first, double weight,
                                core::Generator& numbers) const {
    graph::PlainGraph graph;
    graph.node_label.reserve(drawn.position.size());
    for (const std::uint32_t position : drawn.position) {
      const std::size_t cls = numbers.chance(weight) ? first : 1 - first;
      const auto& labels = labels_at_[cls][position].empty() ? labels_at_[1 - cls][position]
                                                             : labels_at_[cls][position];
      graph.node_label.push_back(labels[numbers.below(static_cast<std::uint32_t>(labels.size()))]);
    }
    for (const auto& edge : drawn.edges) {
      if (edge.first != edge.second) {
        graph.edges.push_back(edge);
      }
    }
    return graph;
  }

  const MixupOptions& options_;
  const GraphSet& graphs_;
  std::size_t train_graphs_;
  std::array<SquareMatrix, 2> graphon_;
  std::array<std::vector<std::vector<std::uint32_t>>, 2> labels_at_;  ///< by rank of the node
};

class GmixupRecipe : public LabelRecipe<GmixupRecipe> {
 public:
  std::string name() const override { return "gmixup"; }
  std::string summary() const override {
    return "GIN with graphs drawn from mixed graphons (Han et al. 2022)";
  }
  Standing standing() const override { return {Origin::paper, 4}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the layers", {1, 4096});
    p.add("layers", options_.layers, "GIN layers", {1, 64});
    p.add(
        "features", options_.features,
        "what a node starts with; the authors' code loses the labels and takes degrees, with which "
        "the paper's figures are not reached",
        {{"degrees", GmixupFeatures::degrees}, {"labels", GmixupFeatures::labels}});
    p.add("mixup", options_.mixup.share, "made-up graphs for each training graph; 0 = none",
          {0, 100});
    p.add("mixtures", options_.mixup.mixtures, "graphons they are drawn from", {1, 10'000});
    p.add("mix-least", options_.mixup.least, "least weight of the other class in a mixture",
          {0, 1});
    p.add("mix-most", options_.mixup.most, "largest weight of the other class in a mixture",
          {0, 1});
    declare_class_loss(p, options_.loss, "cb-focal is Gmixup-CB");
    declare_labels(p, labels_);
  }
  std::vector<EncoderOptions> encoders() const override {
    EncoderOptions options = labels_;
    if (options_.features == GmixupFeatures::degrees) {
      options.level = graph::LabelLevel::only_degree;
    }
    return {options};
  }
  bool vocabulary_of_all() const override { return options_.features == GmixupFeatures::degrees; }
  std::optional<Augmented> augment(const GraphSet& graphs, std::span<const std::uint32_t> train,
                                   std::span<const std::int8_t> labels,
                                   std::uint64_t seed) const override {
    return Mixer(options_.mixup, graphs, train, labels).make(seed);
  }
  TrainingDefaults defaults() const override {
    return {.batch_size = 128, .rate = 0.01, .l2 = 5e-4, .patience = 0};
  }
  Budget budget() const override { return {.seeds = 1}; }
  double rate_factor(const TrainingMoment& moment) const override {
    return nn::step_schedule(moment.step, 100 * moment.steps_per_epoch, 0.5);
  }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    GmixupOptions options = options_;
    options.loss.class_counts = inputs.class_counts;
    return std::make_unique<Gmixup<Real>>(options, inputs.labels[0].size());
  }

 private:
  GmixupOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_gmixup_recipe() { return std::make_unique<GmixupRecipe>(); }

}  // namespace rayleigh::models
