#include <array>

#include "models/gin.h"
#include "models/one_class.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Value;

constexpr std::size_t kCentreBatch = 512;

enum class OcginVersion {
  a,  ///< of the first authors: batch norm, mean pooling, layers summed
  b,  ///< of the authors of OCGTL: graph norm, sum pooling, no biases
};

/// Squared distance of a GIN embedding to the mean of the training graphs before training.
struct OcginOptions {
  OcginVersion version = OcginVersion::b;
  std::size_t hidden = 32;
  std::size_t layers = 4;
  double dropout = 0;  ///< version a
};

/// What both versions share: the squared distance of an embedding to a centre fixed before
/// training.
template <typename Real>
class Ocgin : public OneClassModel<Real> {
 public:
  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode /*mode*/,
                                    core::ThreadPool& /*pool*/) const override {
    return graph_features<Real>(graphs, labels[0], labels_, Propagation::self_loops);
  }

  void begin_training(nn::Tape<Real>& tape, const Features& features,
                      std::span<const std::uint32_t> graphs,
                      std::span<const std::int8_t> /*labels*/) override {
    const auto centre = this->weights_.value(centre_);
    std::vector<double> sums(centre.size());
    nn::Gradients<Real> unused(this->weights_);
    for (std::size_t begin = 0; begin < graphs.size(); begin += kCentreBatch) {
      if (centre_mode() == nn::Mode::training) {
        tape.start_training(this->weights_, unused);
      } else {
        tape.start_scoring();
      }
      const auto some = graphs.subspan(begin, std::min(kCentreBatch, graphs.size() - begin));
      const auto z = tape.value(
          embed(tape, message_batch(tape, static_cast<const GraphFeatures<Real>&>(features), some),
                {core::RandomStream(0, "no dropout")}));
      for (std::size_t at = 0; at < z.size(); ++at) {
        sums[at % z.cols] += static_cast<double>(z.data[at]);
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      centre.data[c] = static_cast<Real>(sums[c] / static_cast<double>(graphs.size()));
    }
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& random) const override {
    const Value z =
        embed(tape, message_batch(tape, static_cast<const GraphFeatures<Real>&>(features), graphs),
              random);
    const auto centre = this->weights_.value(centre_);
    const nn::Matrix<Real> negative = tape.scratch(1, centre.size());
    std::ranges::transform(centre.flat(), negative.data, [](Real x) { return -x; });
    const Value difference = add_row(tape, z, tape.constant(negative));
    return {row_dots(tape, difference, difference), z};
  }

 protected:
  Ocgin(const OcginOptions& options, std::size_t labels) : options_(options), labels_(labels) {}

  virtual Value embed(nn::Tape<Real>& tape, const MessageBatch<Real>& batch,
                      const nn::StepRandom& random) const = 0;
  /// How the pass over the training graphs that fixes the centre runs.
  virtual nn::Mode centre_mode() const = 0;

  void add_centre(std::size_t width) {
    centre_ = this->weights_.add("centre", 1, width, nn::Role::frozen);
  }

  OcginOptions options_;
  std::size_t labels_;

 private:
  nn::WeightId centre_;
};

/// Version A: input layer, GIN layers with batch norm, mean pooling after each, summed up.
template <typename Real>
class OcginA : public Ocgin<Real> {
 public:
  OcginA(const OcginOptions& options, std::size_t labels) : Ocgin<Real>(options, labels) {
    auto& p = this->weights_;
    const std::size_t h = options.hidden;
    input_ = add_linear(p, "input", labels, h);
    input_norm_ = nn::add_batch_norm(p, "input.bn", h);
    for (std::size_t k = 0; k < options.layers; ++k) {
      const std::string name = "gin." + std::to_string(k) + ".";
      layers_.push_back({.lin1 = p.add(name + "lin1.weight", h, h),
                         .lin2 = p.add(name + "lin2.weight", h, h),
                         .norm = nn::add_batch_norm(p, name + "bn", h)});
    }
    this->add_centre(h);
  }

 private:
  nn::Mode centre_mode() const override { return nn::Mode::training; }

  Value embed(nn::Tape<Real>& tape, const MessageBatch<Real>& batch,
              const nn::StepRandom& random) const override {
    auto& p = this->weights_;
    const auto pool = [&](Value x) {
      return segment_reduce(tape, x, batch.first_row, nn::Reduce::mean);
    };
    Value x =
        sparse_linear(tape, batch.own, table_of(tape, batch.own, tape.weight(p, input_.weight)),
                      tape.weight(p, input_.bias), Activation::none);
    x = batch_norm(tape, p, input_norm_, x);
    Value sum = pool(x);
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      x = dropout(tape, x, this->options_.dropout, random.at(static_cast<std::uint32_t>(k)));
      x = linear(tape, spmm_symmetric(tape, batch.matrix, x), tape.weight(p, layers_[k].lin1), {},
                 Activation::relu);
      x = linear(tape, x, tape.weight(p, layers_[k].lin2), {}, Activation::relu);
      x = batch_norm(tape, p, layers_[k].norm, x);
      sum = add(tape, sum, pool(x));
    }
    return sum;
  }

  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    draw_linear(p, input_, seed);
    nn::reset_batch_norm(p, input_norm_);
    for (const Layer& layer : layers_) {
      draw_weight(p, layer.lin1, seed);
      draw_weight(p, layer.lin2, seed);
      nn::reset_batch_norm(p, layer.norm);
    }
  }

  struct Layer {
    nn::WeightId lin1;
    nn::WeightId lin2;
    nn::BatchNorm norm;
  };
  Linear input_;
  nn::BatchNorm input_norm_;
  std::vector<Layer> layers_;
};

/// Version B: the network of OCGTL.
template <typename Real>
class OcginB : public Ocgin<Real> {
 public:
  OcginB(const OcginOptions& options, std::size_t labels)
      : Ocgin<Real>(options, labels),
        gin_(this->weights_, "", labels, options.hidden, options.layers) {
    this->add_centre(options.layers * options.hidden);
  }

 private:
  nn::Mode centre_mode() const override { return nn::Mode::scoring; }
  Value embed(nn::Tape<Real>& tape, const MessageBatch<Real>& batch,
              const nn::StepRandom& /*random*/) const override {
    return gin_.embed(tape, this->weights_, batch);
  }
  void draw(std::uint64_t seed) override { gin_.draw(this->weights_, seed); }

  NormGin<Real> gin_;
};

class OcginRecipe : public LabelRecipe<OcginRecipe> {
 public:
  std::string name() const override { return "ocgin"; }
  std::string summary() const override {
    return "distance to the centre of normal graphs (Zhao and Akoglu 2021)";
  }
  Standing standing() const override { return {Origin::paper, 6}; }
  std::string variant() const override { return options_.version == OcginVersion::a ? "a" : "b"; }
  std::string title() const override { return name() + ", version " + variant(); }
  void declare(core::OptionSet& p) override {
    p.add("version", options_.version,
          "b: graph norm and no biases, which cannot collapse to the centre; a: the first authors' "
          "code, with batch norm",
          {{"b", OcginVersion::b}, {"a", OcginVersion::a}});
    p.add("hidden", hidden_, "width; 0: 128 in version a, 32 in version b", {0, 4096});
    p.add("layers", layers_, "GIN layers; 0: 3 in version a, 4 in version b", {0, 64});
    p.add("dropout", options_.dropout, "version a: share dropped before each layer", {0, 0.99});
    declare_labels(p, labels_);
  }
  TrainingDefaults defaults() const override {
    return {.batch_size = 128, .rate = 1e-3, .patience = 100, .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    OcginOptions options = options_;
    const bool a = options.version == OcginVersion::a;
    options.hidden = hidden_ > 0 ? hidden_ : (a ? 128 : 32);
    options.layers = layers_ > 0 ? layers_ : (a ? 3 : 4);
    const std::size_t labels = inputs.labels[0].size();
    if (a) {
      return std::make_unique<OcginA<Real>>(options, labels);
    }
    return std::make_unique<OcginB<Real>>(options, labels);
  }

 private:
  OcginOptions options_;
  std::size_t hidden_ = 0;
  std::size_t layers_ = 0;
};

}  // namespace

std::unique_ptr<Recipe> make_ocgin_recipe() { return std::make_unique<OcginRecipe>(); }

}  // namespace rayleigh::models
