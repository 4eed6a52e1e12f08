#include <cmath>

#include "models/himnet_memory.h"
#include "models/one_class.h"
#include "models/position_encoder.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"

namespace rayleigh::models {
namespace {

using nn::Value;

/// An autoencoder whose codes are mixtures of a few learned ones.
struct HimnetOptions {
  std::size_t hidden = 512;
  std::size_t out = 256;
  std::size_t node_blocks = 4;
  std::size_t graph_blocks = 3;
  double shrink = 0.2;    ///< shares below this part of an equal one are cut
  double entropy = 0.01;  ///< weight of the mixtures' entropies in the loss
  PaddingOptions padding{};
};

template <typename Real>
struct HimnetFeatures : Features {
  std::unique_ptr<GraphFeatures<Real>> graph;  ///< of A + 2I: A + I is the input, nodes add theirs
  GraphMatrix<Real> looped;                    ///< A + I, what is to be restored

  std::size_t graphs() const override { return graph->graphs(); }
  std::size_t memory_bytes() const override {
    return graph->memory_bytes() + looped.memory_bytes();
  }
};

/// A graph is encoded, its code replaced by a mixture of a few learned ones, and the graph restored
/// from that: its matrix from products of the mixture's rows, its labels by two convolutions. The
/// vector of the graph is replaced in the same way. Normal graphs are restored well.
template <typename Real>
class Himnet : public OneClassModel<Real> {
 public:
  Himnet(const HimnetOptions& options, std::size_t labels) : options_(options), labels_(labels) {
    using Encoder = PositionEncoder<Real>;
    auto& p = this->weights_;
    encoder_ = Encoder(p, "encoder.", {labels, options.hidden, options.hidden, options.out},
                       Encoder::Bias::no);
    node_memory_ = p.add("memory.node", options.node_blocks * options.padding.size, options.out);
    graph_memory_ = p.add("memory.graph", options.graph_blocks, options.out);
    decoder1_ = p.add("decoder.lin1.weight", options.hidden, options.out);
    decoder2_ = p.add("decoder.lin2.weight", labels, options.hidden);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    auto features = std::make_unique<HimnetFeatures<Real>>();
    features->graph =
        graph_features<Real>(graphs, labels[0], labels_, Propagation::double_self_loops);
    features->looped = graph_matrix<Real>(graphs, Propagation::self_loops);
    return features;
  }

  /// Five numbers a graph: errors of labels, matrix and graph vector, then the entropies of both
  /// mixtures, which count in the loss only.
  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    auto& p = this->weights_;
    const auto& inputs = static_cast<const HimnetFeatures<Real>&>(features);
    const auto batch = padded_batch(tape, *inputs.graph, graphs, options_.padding);
    const auto looped = block_matrix(tape, inputs.looped, graphs).matrix;
    const Value nodes = encoder_.nodes(tape, p, batch, 0, random);

    const Value blocks = tape.weight(p, node_memory_);
    const Value node_mix = mixture(tape, block_dots(tape, nodes, batch.rows, batch.first_position,
                                                    blocks, options_.node_blocks));
    const Value counts = row_counts(tape, batch.rows, options_.padding);
    const Value structure = mixture_error(
        tape, node_mix, blocks, looped, batch.rows.first_row,
        options_.padding.empty == EmptyRows::count ? Extent::whole : Extent::own_nodes);
    const Value labels = label_error(tape, batch, looped, node_mix, blocks);

    const Value embedding = padded_reduce(tape, nodes, batch.rows, nn::Reduce::mean);
    const Value vectors = tape.weight(p, graph_memory_);
    const Value graph_mix =
        mixture(tape, product(tape, embedding, vectors, nn::Transpose::no, nn::Transpose::yes));
    const Value difference = subtract(tape, embedding, product(tape, graph_mix, vectors));
    return {
        concat<Real>(tape, std::array{divide(tape, labels, counts), divide(tape, structure, counts),
                                      row_dots(tape, difference, difference),
                                      entropy(tape, node_mix), entropy(tape, graph_mix)}),
        embedding};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> /*targets*/) const override {
    const nn::Matrix<Real> weights = tape.scratch(1, kErrors + 2);
    for (std::size_t c = 0; c < weights.cols; ++c) {
      weights(0, c) = c < kErrors ? Real{1} : static_cast<Real>(options_.entropy);
    }
    const Value weighted = scale_columns(tape, out.result, tape.constant(weights));
    return mean_all(tape, row_sums(tape, weighted));
  }

  void scores(nn::Tape<Real>& tape, Value result, std::span<double> scores) const override {
    for (std::size_t g = 0; g < scores.size(); ++g) {
      scores[g] = 0;
      for (std::size_t c = 0; c < kErrors; ++c) {
        scores[g] += static_cast<double>(tape.value(result)(g, c));
      }
    }
  }

  std::size_t scoring_batch() const override { return 256; }
  std::size_t most_nodes() const override { return options_.padding.size; }

 private:
  static constexpr std::size_t kErrors = 3;

  /// Shares of the blocks; those below a fifth of an equal share are cut.
  Value mixture(nn::Tape<Real>& tape, Value likeness) const {
    const Value shares = row_softmax(tape, likeness);
    const Value kept =
        hard_shrink(tape, shares, options_.shrink / static_cast<double>(tape.cols(shares)));
    return row_l1_normalise(tape, kept);
  }

  static Value row_l1_normalise(nn::Tape<Real>& tape, Value x) {
    // None is negative, and the largest is never cut.
    const nn::Matrix<Real> ones = tape.scratch(tape.rows(x), 1);
    std::ranges::fill(ones.flat(), Real{1});
    return scale_rows(tape, x, divide(tape, tape.constant(ones), row_sums(tape, x)));
  }

  static Value entropy(nn::Tape<Real>& tape, Value shares) {
    return scale(tape, row_dots(tape, shares, log(tape, shares, 1e-12)), -1);
  }

  /// Σ over nodes of |W2 A' lrelu(W1 A' z) - x|^2. W1 works on the blocks before they are mixed:
  /// there are fewer rows of those.
  Value label_error(nn::Tape<Real>& tape, const PaddedBatch<Real>& batch,
                    const nn::Csr<Real>& looped, Value mix, Value blocks) const {
    auto& p = this->weights_;
    const auto first_row = batch.rows.first_row;
    const Value turned = linear(tape, blocks, tape.weight(p, decoder1_), Value{});
    const Value inner =
        activate(tape, spmm_symmetric(tape, looped, mix_blocks(tape, mix, turned, first_row)),
                 nn::Activation::leaky_relu);
    const Value restored =
        spmm_symmetric(tape, looped, linear(tape, inner, tape.weight(p, decoder2_), Value{}));
    const Value difference = subtract(tape, restored, one_hot(tape, batch.own));
    return segment_reduce(tape, row_dots(tape, difference, difference), first_row, nn::Reduce::sum);
  }

  Value one_hot(nn::Tape<Real>& tape, const nn::RowBatch<Real>& own) const {
    const nn::Matrix<Real> x = tape.scratch(own.rows(), labels_);
    std::ranges::fill(x.flat(), Real{0});
    for (std::size_t g = 0; g < own.graphs.size(); ++g) {
      const nn::SparseRows<Real>& rows = own.graphs[g];
      for (std::size_t i = 0; i < rows.rows; ++i) {
        for (std::size_t e = rows.row_ptr[i]; e < rows.row_ptr[i + 1]; ++e) {
          x(own.first_row[g] + i, rows.entries[e].column) = rows.entries[e].value;
        }
      }
    }
    return tape.constant(x);
  }

  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    encoder_.draw(p, seed);
    draw_uniform(p, node_memory_, seed, 1 / std::sqrt(static_cast<double>(options_.padding.size)));
    draw_uniform(p, graph_memory_, seed, 1 / std::sqrt(static_cast<double>(options_.out)));
    draw_weight(p, decoder1_, seed);
    draw_weight(p, decoder2_, seed);
  }

  HimnetOptions options_;
  std::size_t labels_;
  PositionEncoder<Real> encoder_;
  nn::WeightId node_memory_;
  nn::WeightId graph_memory_;
  nn::WeightId decoder1_;
  nn::WeightId decoder2_;
};

class HimnetRecipe : public LabelRecipe<HimnetRecipe> {
 public:
  std::string name() const override { return "himnet"; }
  std::string summary() const override {
    return "restores graphs from a memory of normal ones (Niu et al. 2023)";
  }
  Standing standing() const override { return {Origin::paper, 9}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the first two convolutions and the decoder",
          {1, 4096});
    p.add("out", options_.out, "width of the third convolution and the memory", {1, 4096});
    p.add("node-blocks", options_.node_blocks, "blocks of the node memory", {1, 32});
    p.add("graph-blocks", options_.graph_blocks, "vectors of the graph memory", {1, 4096});
    declare_padding(p, options_.padding);
    declare_labels(p, labels_);
  }
  void declare_fixed(core::OptionSet& p) override {
    p.add("entropy", options_.entropy, "weight in the loss");
  }
  Budget budget() const override { return {.epochs = 4, .seeds = 1, .train_graphs = 8000}; }
  TrainingDefaults defaults() const override {
    return {.batch_size = 300, .rate = 1e-4, .patience = 100, .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  bool knows_node_order() const override { return true; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    HimnetOptions options = options_;
    options.padding.size = inputs.largest_graph;
    return std::make_unique<Himnet<Real>>(options, inputs.labels[0].size());
  }

 private:
  HimnetOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_himnet_recipe() { return std::make_unique<HimnetRecipe>(); }

}  // namespace rayleigh::models
