#include "models/one_class.h"
#include "models/position_encoder.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"
#include "nn/optimizer.h"

namespace rayleigh::models {
namespace {

using nn::Value;

/// A student that imitates a random teacher on normal graphs.
struct GlocalkdOptions {
  std::size_t hidden = 512;
  std::size_t out = 256;
  double dropout = 0.1;  ///< of the student
  PaddingOptions padding{};
  bool squared_loss = true;  ///< gradients are those of loss^2 / 2, as the authors have it
};

/// A student learns to say of normal graphs what a random network, the teacher, says of them; where
/// it errs the graph is unusual. The error is the mean square over the numbers of all nodes plus
/// that over the numbers of the graph, which are the maxima of its nodes'.
template <typename Real>
class Glocalkd : public OneClassModel<Real> {
 public:
  Glocalkd(const GlocalkdOptions& options, std::size_t labels)
      : options_(options), labels_(labels) {
    using Encoder = PositionEncoder<Real>;
    auto& p = this->weights_;
    const std::array widths = {labels, options.hidden, options.hidden, options.out};
    teacher_ = Encoder(p, "teacher.", widths, Encoder::Bias::yes, nn::Role::frozen);
    student_ = Encoder(p, "student.", widths, Encoder::Bias::yes);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    return graph_features<Real>(graphs, labels[0], labels_, Propagation::self_loops);
  }

  /// Two numbers a graph: the error of its nodes, and its own.
  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    auto& p = this->weights_;
    const auto batch = padded_batch(tape, static_cast<const GraphFeatures<Real>&>(features), graphs,
                                    options_.padding);
    const Value taught = teacher_.nodes(tape, p, batch, 0, random);
    const Value learned = student_.nodes(tape, p, batch, options_.dropout, random);
    const auto squares = [&](Value a, Value b) {
      const Value difference = subtract(tape, a, b);
      return scale(tape, row_dots(tape, difference, difference),
                   1 / static_cast<double>(options_.out));
    };
    const auto graph = [&](Value nodes) {
      return padded_reduce(tape, nodes, batch.rows, nn::Reduce::max);
    };
    const Value embedding = graph(learned);
    const Value node_error =
        padded_reduce(tape, squares(learned, taught), batch.rows, nn::Reduce::mean);
    const Value graph_error = squares(embedding, graph(taught));
    return {concat<Real>(tape, std::array{node_error, graph_error}), embedding};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> /*targets*/) const override {
    const Value loss = mean_all(tape, row_sums(tape, out.result));
    return options_.squared_loss ? with_gradient_of_square(tape, loss) : loss;
  }

  void scores(nn::Tape<Real>& tape, Value result, std::span<double> scores) const override {
    for (std::size_t g = 0; g < scores.size(); ++g) {
      scores[g] = static_cast<double>(tape.value(result)(g, 0)) +
                  static_cast<double>(tape.value(result)(g, 1));
    }
  }

  std::size_t scoring_batch() const override { return 64; }
  std::size_t most_nodes() const override {
    return options_.padding.empty == EmptyRows::count ? options_.padding.size
                                                      : Model<Real>::most_nodes();
  }

 private:
  void draw(std::uint64_t seed) override {
    teacher_.draw(this->weights_, seed);
    student_.draw(this->weights_, seed);
  }

  GlocalkdOptions options_;
  std::size_t labels_;
  PositionEncoder<Real> teacher_;
  PositionEncoder<Real> student_;
};

/// How often the learning rate is halved.
enum class RateDecay { batch, epoch, none };

class GlocalkdRecipe : public LabelRecipe<GlocalkdRecipe> {
 public:
  std::string name() const override { return "glocalkd"; }
  std::string summary() const override {
    return "a student imitates a random teacher on normal graphs (Ma et al. 2022)";
  }
  Standing standing() const override { return {Origin::paper, 8}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the first two convolutions", {1, 4096});
    p.add("out", options_.out, "width of the third", {1, 4096});
    p.add("dropout", options_.dropout, "before the student's second convolution", {0, 0.95});
    declare_padding(p, options_.padding);
    p.add("rate-decay", decay_,
          "halve the rate every 50 batches, as the authors do, so that little is learned after a "
          "few epochs of a large set; every 50 epochs; or never",
          {{"batch", RateDecay::batch}, {"epoch", RateDecay::epoch}, {"none", RateDecay::none}});
    declare_labels(p, labels_);
  }
  void declare_fixed(core::OptionSet& p) override {
    p.add("squared-loss", options_.squared_loss, "gradients of half the square");
  }
  Budget budget() const override { return {.epochs = 4, .seeds = 1, .train_graphs = 8000}; }
  TrainingDefaults defaults() const override {
    return {.epochs = 150,
            .batch_size = 300,
            .rate = 1e-4,
            .clip = 0.1,
            .patience = 100,
            .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  double rate_factor(const TrainingMoment& moment) const override {
    constexpr std::uint64_t kPeriod = 50;
    switch (decay_) {
      case RateDecay::batch:
        return nn::step_schedule(moment.step, kPeriod, 0.5);
      case RateDecay::epoch:
        return nn::step_schedule(moment.step, kPeriod * moment.steps_per_epoch, 0.5);
      case RateDecay::none:
        break;
    }
    return 1;
  }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    GlocalkdOptions options = options_;
    options.padding.size = inputs.largest_graph;
    return std::make_unique<Glocalkd<Real>>(options, inputs.labels[0].size());
  }

 private:
  GlocalkdOptions options_;
  RateDecay decay_ = RateDecay::batch;
};

}  // namespace

std::unique_ptr<Recipe> make_glocalkd_recipe() { return std::make_unique<GlocalkdRecipe>(); }

}  // namespace rayleigh::models
