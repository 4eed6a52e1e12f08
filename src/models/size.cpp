#include "models/one_class.h"
#include "models/recipe.h"

namespace rayleigh::models {
namespace {

struct SizeFeatures : Features {
  core::Vector<double> nodes;  ///< of each graph

  std::size_t graphs() const override { return nodes.size(); }
  std::size_t memory_bytes() const override { return nodes.size() * sizeof(double); }
};

/// The yardstick of all yardsticks: a larger graph is more anomalous. Learns nothing.
template <typename Real>
class Size : public OneClassModel<Real> {
 public:
  Size() { unit_ = this->weights_.add("unit", 1, 1, nn::Role::frozen); }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> /*labels*/,
                                    nn::Mode /*mode*/, core::ThreadPool& /*pool*/) const override {
    auto features = std::make_unique<SizeFeatures>();
    features->nodes.reserve(graphs.size());
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      features->nodes.push_back(static_cast<double>(graphs[g].nodes()));
    }
    return features;
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& nodes = static_cast<const SizeFeatures&>(features).nodes;
    const nn::Matrix<Real> sizes = tape.scratch(graphs.size(), 1);
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      sizes(g, 0) = this->weights_.value(unit_)(0, 0) * static_cast<Real>(nodes[graphs[g]]);
    }
    const nn::Value result = tape.constant(sizes);
    return {result, result};
  }

 private:
  void draw(std::uint64_t /*seed*/) override { this->weights_.value(unit_)(0, 0) = Real{1}; }

  nn::WeightId unit_;
};

class SizeRecipe : public RecipeOf<SizeRecipe> {
 public:
  std::string name() const override { return "size"; }
  std::string summary() const override { return "yardstick: the number of nodes"; }
  Standing standing() const override { return {Origin::yardstick, 1}; }
  void declare(core::OptionSet& /*options*/) override {}
  TrainingDefaults defaults() const override {
    return {.epochs = 1, .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  std::vector<EncoderOptions> encoders() const override { return {{}}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& /*inputs*/) const {
    return std::make_unique<Size<Real>>();
  }
};

}  // namespace

std::unique_ptr<Recipe> make_size_recipe() { return std::make_unique<SizeRecipe>(); }

}  // namespace rayleigh::models
