#include <array>
#include <cmath>

#include "models/graph_features.h"
#include "models/layers.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"
#include "nn/ops_reduce.h"
#include "nn/ops_segment.h"
#include "nn/ops_shape.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

/// Propagated attributes and counts of walks; the loss corrects for the sizes of the classes.
struct IgadOptions {
  std::size_t hidden = 64;        ///< of the first propagation and the self branch
  std::size_t out = 32;           ///< of the second propagation and the attribute branch
  std::size_t walk_hidden = 32;   ///< of the walk branch and the head
  std::size_t walk_out = 16;      ///< of the walk branch
  std::size_t hidden_graphs = 5;  ///< learned graphs that inputs are compared with
  std::size_t hidden_nodes = 10;  ///< of each of them
  std::size_t steps = 5;          ///< longest walk
  std::array<std::size_t, 2> class_counts = {1, 1};
};

template <typename Real>
struct IgadFeatures : Features {
  std::unique_ptr<GraphFeatures<Real>> graph;
  core::Vector<Real> walks;  ///< walks of 1 … steps edges over the node count, one row per graph

  std::size_t graphs() const override { return graph->graphs(); }
  std::size_t memory_bytes() const override {
    return graph->memory_bytes() + sizeof(Real) * walks.size();
  }
};

/// 1' A^i 1 / n for i = 1 … steps.
template <typename Real>
void count_walks(const GraphView& graph, std::span<Real> out) {
  core::Vector<double> walks(graph.nodes(), 1.0);
  core::Vector<double> next(graph.nodes());
  for (Real& density : out) {
    double sum = 0;
    for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
      next[i] = 0;
      for (const std::uint32_t far : graph.neighbours(i)) {
        next[i] += walks[far - graph.first_node()];
      }
      sum += next[i];
    }
    walks.swap(next);
    density = static_cast<Real>(sum / static_cast<double>(graph.nodes()));
  }
}

template <typename Real>
class Igad : public Model<Real> {
 public:
  Igad(const IgadOptions& options, std::size_t labels) : options_(options), labels_(labels) {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    const std::size_t out = options.out;
    prop1_ = p.add("attr.prop1.weight", labels, h);
    prop2_ = p.add("attr.prop2.weight", h, out);
    self1_ = add_linear(p, "attr.self1", labels, h);
    self2_ = add_linear(p, "attr.self2", h, out);
    mlp1_ = add_linear(p, "attr.mlp1", 2 * out + h, h);
    mlp2_ = add_linear(p, "attr.mlp2", h, out);
    pairs_ = options.hidden_nodes * (options.hidden_nodes - 1) / 2;
    theta_ = p.add("walk.theta", options.hidden_graphs, pairs_);
    const std::size_t kernels = options.hidden_graphs * options.steps;
    norm_ = nn::add_batch_norm(p, "walk.bn", kernels);
    walk1_ = add_linear(p, "walk.lin1", kernels, options.walk_hidden);
    walk2_ = add_linear(p, "walk.lin2", options.walk_hidden, options.walk_out);
    head1_ = add_linear(p, "head1", out + options.walk_out, options.walk_hidden);
    head2_ = add_linear(p, "head2", options.walk_hidden, 2);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& pool) const override {
    auto features = std::make_unique<IgadFeatures<Real>>();
    features->graph = graph_features<Real>(graphs, labels[0], labels_, Propagation::adjacency);
    features->walks.resize(graphs.size() * options_.steps);
    const std::size_t parts = std::max<std::size_t>(1, graphs.size() / 256);
    pool.run(parts, [&](std::size_t part) {
      const core::Range range = core::part_of(graphs.size(), parts, part);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        count_walks(graphs[g],
                    std::span(features->walks).subspan(g * options_.steps, options_.steps));
      }
    });
    return features;
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& inputs = static_cast<const IgadFeatures<Real>&>(features);
    auto& p = this->weights_;
    const Value attributes = attribute_branch(tape, message_batch(tape, *inputs.graph, graphs));
    const Value walks = walk_branch(tape, inputs, graphs);
    const Value embedding = concat<Real>(tape, std::array{attributes, walks});
    return {apply(tape, p, head2_, apply(tape, p, head1_, embedding, Activation::relu)), embedding};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    // Priors are part of the loss only, so that the plain logits decide between equal classes.
    const nn::Matrix<Real> prior = tape.scratch(1, 2);
    for (std::size_t c = 0; c < 2; ++c) {
      prior(0, c) = std::log(static_cast<Real>(options_.class_counts[c]));
    }
    return nn::focal_softmax<Real>(tape, add_row(tape, out.result, tape.constant(prior)), targets,
                                   {});
  }

 private:
  Value attribute_branch(nn::Tape<Real>& tape, const MessageBatch<Real>& batch) const {
    auto& p = this->weights_;
    const Value h1 =
        sparse_linear<Real>(tape, batch.first, tape.weight(p, prop1_), {}, Activation::relu);
    const Value h2 = spmm_symmetric(tape, batch.matrix, product(tape, h1, tape.weight(p, prop2_)));
    // The self branch sees a node's own label only: a table with one row per label, and one for
    // "other".
    const Value self = one_hot_linear(tape, tape.weight(p, self1_.weight),
                                      tape.weight(p, self1_.bias), Activation::relu, 1);
    const Value own =
        sparse_linear<Real>(tape, batch.own, apply(tape, p, self2_, self), {}, Activation::none);
    const Value node = concat<Real>(tape, std::array{own, h1, h2});
    const Value mixed = apply(tape, p, mlp1_, node, Activation::relu);
    // The last layer is linear, so it may come after the mean.
    return apply(tape, p, mlp2_, segment_reduce(tape, mixed, batch.first_row, nn::Reduce::mean));
  }

  /// k(a, i) = (1' P_a^i 1)(1' A^i 1) / n: the product of two numbers, one of each graph.
  Value walk_branch(nn::Tape<Real>& tape, const IgadFeatures<Real>& inputs,
                    std::span<const std::uint32_t> graphs) const {
    auto& p = this->weights_;
    const std::size_t kernels = options_.hidden_graphs * options_.steps;
    const nn::Matrix<Real> walks = tape.scratch(graphs.size(), kernels);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (std::size_t c = 0; c < kernels; ++c) {
        walks(g, c) = inputs.walks[graphs[g] * options_.steps + c / options_.hidden_graphs];
      }
    }
    const Value kernel = scale_columns(tape, tape.constant(walks), hidden_walks(tape));
    const Value normal = batch_norm(tape, p, norm_, kernel);
    return apply(tape, p, walk2_, apply(tape, p, walk1_, normal, Activation::relu));
  }

  /// 1' P_a^i 1, step 1 of all hidden graphs first.
  Value hidden_walks(nn::Tape<Real>& tape) const {
    const std::size_t n = options_.hidden_nodes;
    const Value theta = activate(tape, tape.weight(this->weights_, theta_), Activation::relu);
    // One more entry, 0, for the diagonal.
    const Value edges = pad_blocks(tape, reshape(tape, theta, options_.hidden_graphs * pairs_, 1),
                                   pairs_, pairs_ + 1);
    const nn::Matrix<Real> ones = tape.scratch(n, 1);
    std::ranges::fill(ones.flat(), Real{1});
    const auto sums = tape.template array<Value>(options_.hidden_graphs * options_.steps);
    for (std::size_t a = 0; a < options_.hidden_graphs; ++a) {
      const Value matrix = reshape(tape, gather_rows(tape, edges, positions(tape, a)), n, n);
      Value walks = tape.constant(ones);
      for (std::size_t i = 0; i < options_.steps; ++i) {
        walks = product(tape, matrix, walks);
        sums[i * options_.hidden_graphs + a] = sum_all(tape, walks);
      }
    }
    return concat<Real>(tape, sums);
  }

  /// Where the entries of hidden graph a lie: upper triangle by rows, the diagonal behind it.
  std::span<const std::uint32_t> positions(nn::Tape<Real>& tape, std::size_t a) const {
    const std::size_t n = options_.hidden_nodes;
    const auto index = tape.template array<std::uint32_t>(n * n);
    const auto first = static_cast<std::uint32_t>(a * (pairs_ + 1));
    std::uint32_t next = first;
    for (std::size_t i = 0; i < n; ++i) {
      index[i * n + i] = static_cast<std::uint32_t>(first + pairs_);
      for (std::size_t j = i + 1; j < n; ++j) {
        index[i * n + j] = index[j * n + i] = next++;
      }
    }
    return index;
  }

  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    // Kaiming with the fan taken from the outputs, as the authors' shapes have it.
    draw_normal(p, prop1_, seed, std::sqrt(2 / static_cast<double>(options_.hidden)));
    draw_normal(p, prop2_, seed, std::sqrt(2 / static_cast<double>(options_.out)));
    for (const Linear& layer : {self1_, self2_, mlp1_, mlp2_, walk1_, walk2_, head1_, head2_}) {
      draw_linear(p, layer, seed);
    }
    draw_normal(p, theta_, seed, std::sqrt(2 / static_cast<double>(pairs_)));
    nn::reset_batch_norm(p, norm_);
  }

  IgadOptions options_;
  std::size_t labels_;
  std::size_t pairs_ = 0;  ///< of nodes of a hidden graph
  nn::WeightId prop1_;
  nn::WeightId prop2_;
  Linear self1_;
  Linear self2_;
  Linear mlp1_;
  Linear mlp2_;
  nn::WeightId theta_;
  nn::BatchNorm norm_;
  Linear walk1_;
  Linear walk2_;
  Linear head1_;
  Linear head2_;
};

class IgadRecipe : public LabelRecipe<IgadRecipe> {
 public:
  std::string name() const override { return "igad"; }
  std::string summary() const override {
    return "attributes and random walks, prior-corrected (Zhang et al. 2022)";
  }
  Standing standing() const override { return {Origin::paper, 10}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the attribute branch", {1, 4096});
    p.add("steps", options_.steps, "longest walk that is counted", {1, 20});
    declare_labels(p, labels_);
  }
  void declare_fixed(core::OptionSet& p) override {
    p.add("out", options_.out, "of the second propagation");
    p.add("walk-hidden", options_.walk_hidden, "of the walk branch");
    p.add("walk-out", options_.walk_out, "of the walk branch");
    p.add("hidden-graphs", options_.hidden_graphs, "learned graphs");
    p.add("hidden-nodes", options_.hidden_nodes, "of each of them");
  }
  TrainingDefaults defaults() const override {
    // At 0.5, where classes count as equally frequent, macro-F1 jumps about: waiting for it to
    // improve would stop long before the network is done. The authors do not stop either.
    return {.batch_size = 128, .rate = 1e-3, .patience = 0};
  }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    IgadOptions options = options_;
    options.class_counts = inputs.class_counts;
    return std::make_unique<Igad<Real>>(options, inputs.labels[0].size());
  }

 private:
  IgadOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_igad_recipe() { return std::make_unique<IgadRecipe>(); }

}  // namespace rayleigh::models
