#include <array>
#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/detectors.h"
#include "models/recipe.h"

// The default for labelled graphs: the spectral network, quotient trees and a linear part on the
// same quotients, blended. Trees and linear part share their features.

namespace rayleigh::models {
namespace {

/// Of network, trees and linear part. Chosen by cross-validation within validation parts
/// (docs/accuracy.md), where trees are the best part nearly everywhere.
constexpr std::array kUsualWeights = {0.1, 0.6, 0.3};

constexpr const char* kTreeRefinements = "tree-refinements";

/// Assigns to both: two parts that share their features must agree on how these are made.
core::Option shared_option(const core::Option& one, const core::Option& other) {
  core::Option both = one;
  both.assign = [first = one.assign, second = other.assign](std::string_view text) {
    first(text);
    second(text);
  };
  return both;
}

core::Option prefixed(core::Option option, const std::string& prefix) {
  option.info.name = prefix + option.info.name;
  return option;
}

class RayleighRecipe : public Recipe {
 public:
  /// Trees take the features of the linear part, but do not ask for its finest labels.
  RayleighRecipe() {
    core::OptionSet of_trees;
    core::OptionSet of_linear;
    trees_->declare(of_trees);
    linear_->declare(of_linear);
    of_trees.at(kTreeRefinements).assign("2");
    for (const core::Option& option : of_linear.all()) {
      if (core::Option* const twin = of_trees.find(option.name())) {
        twin->assign(option.value().dump());
      }
    }
  }

  std::string name() const override { return "rayleigh"; }
  std::string summary() const override {
    return "spectral network, quotient trees and a linear part, blended; the default";
  }
  std::string variant() const override { return network_->variant(); }
  std::string title() const override {
    return variant() == name() ? name() : name() + ", network of profile " + variant();
  }
  Standing standing() const override { return {Origin::ours, 1}; }
  /// Those of the network have their own names, those of the other parts begin with the part's.
  void declare(core::OptionSet& p) override {
    network_->declare(p);
    core::OptionSet of_trees;
    core::OptionSet of_linear;
    trees_->declare(of_trees);
    linear_->declare(of_linear);
    for (const core::Option& option : of_trees.all()) {
      if (const core::Option* const twin = of_linear.find(option.name())) {
        p.add(prefixed(shared_option(*twin, option), "quotient-"));
      } else {
        p.add(prefixed(option, option.name().starts_with("tree") ? "" : "trees-"));
      }
    }
    for (const core::Option& option : of_linear.all()) {
      if (std::as_const(of_trees).find(option.name()) == nullptr) {
        p.add(prefixed(option, "linear-"));
      }
    }
    p.add("trees-rounds", tree_training_.epochs, "rounds of boosting at most", {1, 1'000'000});
    p.add("trees-patience", tree_training_.patience,
          "rounds without improvement before the trees stop; 0 = never", {0, 1'000'000});
    p.add("linear-steps", linear_training_.epochs, "Newton steps of the linear part at most",
          {1, 1'000'000});
  }

  std::vector<EncoderOptions> encoders() const override {
    auto all = network_->encoders();
    const auto quotients = trees_->encoders();
    all.insert(all.end(), quotients.begin(), quotients.end());
    return all;
  }
  bool bins_attributes() const override { return true; }
  std::vector<BlendPart> parts() const override {
    const std::size_t behind = network_->encoders().size();
    return {{.recipe = network_.get(), .usual_weight = kUsualWeights[0]},
            {.recipe = trees_.get(),
             .first_encoder = behind,
             .features_of = 1,
             .usual_weight = kUsualWeights[1],
             .training = tree_training_},
            {.recipe = linear_.get(),
             .first_encoder = behind,
             .features_of = 1,
             .usual_weight = kUsualWeights[2],
             .training = linear_training_}};
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
  TrainingDefaults tree_training_ = trees_->defaults();
  TrainingDefaults linear_training_ = linear_->defaults();
};

}  // namespace

std::unique_ptr<Recipe> make_rayleigh_recipe() { return std::make_unique<RayleighRecipe>(); }

}  // namespace rayleigh::models
