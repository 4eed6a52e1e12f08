#include <cassert>

#include "models/detectors.h"
#include "models/recipe.h"

// The default for labelled graphs: the spectral network, quotient trees and a linear part on the
// same quotients, blended. Trees and linear part share their features.

namespace rayleigh::models {
namespace {

class RayleighRecipe : public Recipe {
 public:
  std::string name() const override { return "rayleigh"; }
  std::string summary() const override {
    return "spectral network, quotient trees and a linear part, blended; the default";
  }
  std::string variant() const override { return network_->variant(); }
  std::string title() const override {
    return variant() == name() ? name() : name() + ", network of profile " + variant();
  }
  Standing standing() const override { return {Origin::ours, 1}; }
  /// Of the network: trees and linear part have nothing to tune here.
  void declare(core::OptionSet& p) override { network_->declare(p); }

  std::vector<EncoderOptions> encoders() const override {
    auto all = network_->encoders();
    const auto quotients = trees_->encoders();
    all.insert(all.end(), quotients.begin(), quotients.end());
    return all;
  }
  std::vector<BlendPart> parts() const override {
    const std::size_t behind = network_->encoders().size();
    return {{.recipe = network_.get()},
            {.recipe = trees_.get(), .first_encoder = behind, .features_of = 1},
            {.recipe = linear_.get(), .first_encoder = behind, .features_of = 1}};
  }
  TrainingDefaults defaults() const override { return network_->defaults(); }
  double rate_factor(const TrainingMoment& moment) const override {
    return network_->rate_factor(moment);
  }
  // A blend has no model of its own.
  std::unique_ptr<Model<float>> make(const ModelInputs& /*inputs*/) const override {
    assert(false && "the parts of a blend are made one by one");
    return nullptr;
  }
  std::unique_ptr<Model<double>> make_double(const ModelInputs& /*inputs*/) const override {
    assert(false && "the parts of a blend are made one by one");
    return nullptr;
  }

 private:
  std::unique_ptr<Recipe> network_ = make_rqgnn_recipe();
  std::unique_ptr<Recipe> trees_ = make_trees_recipe();
  std::unique_ptr<Recipe> linear_ = make_linear_recipe();
};

}  // namespace

std::unique_ptr<Recipe> make_rayleigh_recipe() { return std::make_unique<RayleighRecipe>(); }

}  // namespace rayleigh::models
