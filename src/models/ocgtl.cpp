#include "models/gin.h"
#include "models/one_class.h"
#include "models/recipe_options.h"
#include "nn/ops_elementwise.h"
#include "nn/optimizer.h"

namespace rayleigh::models {
namespace {

using nn::Value;

/// Several GINs as learned transformations of a graph, told apart by contrast.
struct OcgtlOptions {
  std::size_t hidden = 32;
  std::size_t layers = 4;
  std::size_t views = 6;
};

/// Several networks look at a graph. The first view is the reference, moved by a learned centre;
/// the others shall be near the centre, near the reference and unlike each other. The score of a
/// graph is Σ_k |z_k - centre| + log Σ_{l != k} exp cos(z_k, z_l) - cos(z_k, z_0) over the others.
template <typename Real>
class Ocgtl : public OneClassModel<Real> {
 public:
  Ocgtl(const OcgtlOptions& options, std::size_t labels) : labels_(labels) {
    auto& p = this->weights_;
    centre_ = p.add("center", 1, options.layers * options.hidden);
    for (std::size_t k = 0; k < options.views; ++k) {
      gins_.emplace_back(p, "gin." + std::to_string(k) + ".", labels, options.hidden,
                         options.layers);
    }
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
    const std::size_t views = gins_.size();
    const auto z = tape.template array<Value>(views);
    const auto unit = tape.template array<Value>(views);
    const Value centre = tape.weight(p, centre_);
    for (std::size_t k = 0; k < views; ++k) {
      z[k] = gins_[k].embed(tape, p, batch);
      if (k == 0) {
        z[0] = add_row(tape, z[0], centre);
      }
      unit[k] = row_l2_normalise(tape, z[k]);
    }
    const auto cosine = tape.template array<Value>(views * views);
    for (std::size_t k = 0; k < views; ++k) {
      for (std::size_t l = k + 1; l < views; ++l) {
        cosine[k * views + l] = cosine[l * views + k] = row_dots(tape, unit[k], unit[l]);
      }
    }
    const Value back = scale(tape, centre, -1);
    Value score;
    for (std::size_t k = 1; k < views; ++k) {
      const Value difference = add_row(tape, z[k], back);
      Value sum;
      for (std::size_t l = 0; l < views; ++l) {
        if (l != k) {
          const Value term = exp(tape, cosine[k * views + l]);
          sum = sum.exists() ? add(tape, sum, term) : term;
        }
      }
      Value own = sqrt(tape, row_dots(tape, difference, difference));
      own = add(tape, own, log(tape, sum));
      own = subtract(tape, own, cosine[k * views]);
      score = score.exists() ? add(tape, score, own) : own;
    }
    return {score, concat<Real>(tape, z)};
  }

 private:
  void draw(std::uint64_t seed) override {
    auto& p = this->weights_;
    for (const NormGin<Real>& gin : gins_) {
      gin.draw(p, seed);
    }
    draw_normal(p, centre_, seed, 1);
  }

  std::size_t labels_;
  nn::WeightId centre_;
  std::vector<NormGin<Real>> gins_;
};

class OcgtlRecipe : public LabelRecipe<OcgtlRecipe> {
 public:
  std::string name() const override { return "ocgtl"; }
  std::string summary() const override {
    return "learned views of a graph, told apart by contrast (Qiu et al. 2022)";
  }
  Standing standing() const override { return {Origin::paper, 7}; }
  void declare(core::OptionSet& p) override {
    p.add("hidden", options_.hidden, "width of the networks", {1, 4096});
    p.add("layers", options_.layers, "GIN layers of each network", {1, 64});
    p.add("views", options_.views, "networks that look at a graph", {2, 64});
    declare_labels(p, labels_);
  }
  Budget budget() const override { return {.epochs = 15, .seeds = 1, .train_graphs = 8000}; }
  TrainingDefaults defaults() const override {
    return {.batch_size = 128, .rate = 1e-3, .patience = 100, .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  double rate_factor(const TrainingMoment& moment) const override {
    return nn::step_schedule(moment.step, 100 * moment.steps_per_epoch, 0.5);
  }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    return std::make_unique<Ocgtl<Real>>(options_, inputs.labels[0].size());
  }

 private:
  OcgtlOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_ocgtl_recipe() { return std::make_unique<OcgtlRecipe>(); }

}  // namespace rayleigh::models
