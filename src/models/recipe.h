// How to make a detector: its options, declared once, and its parts. One a detector.
// Training, the command line and model files all go through this.
// Made once a run.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "models/dense_features.h"
#include "models/label_encoder.h"
#include "models/model.h"

namespace rayleigh::models {

/// What a detector must know of its training data.
struct ModelInputs {
  std::span<const LabelEncoder> labels;              ///< one for each of Recipe::encoders()
  std::array<std::size_t, 2> class_counts = {1, 1};  ///< normal and anomalous training graphs
  AttributeScale attributes{};                       ///< of the training nodes
};

/// What training takes when the user does not say.
struct TrainingDefaults {
  int epochs = 100;
  int batch_size = 512;
  double rate = 5e-3;
  double l2 = 0;
  int patience = 50;
};

class Recipe {
 public:
  Recipe() = default;
  virtual ~Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;

  virtual std::string name() const = 0;
  /// For the metadata and the user: the variant, e.g. the profile of RQGNN; may be empty.
  virtual std::string variant() const { return ""; }
  virtual void declare(core::ParameterSet& parameters) = 0;
  /// The vocabularies it works with, its node labels first.
  virtual std::vector<EncoderOptions> encoders() const = 0;
  /// Whether the vocabulary is that of the whole data, as the authors' code has it, or of the
  /// training part only.
  virtual bool vocabulary_of_all() const { return false; }
  virtual TrainingDefaults defaults() const { return {}; }
  virtual std::unique_ptr<Model<float>> make(const ModelInputs& inputs) const = 0;
};

struct ModelInfo {
  std::string name;
  std::string summary;
  bool supervised = true;
};

std::vector<ModelInfo> all_models();
/// An unknown name is a UsageError that lists the known ones.
std::unique_ptr<Recipe> make_recipe(std::string_view name);

std::unique_ptr<Recipe> make_rqgnn_recipe();
std::unique_ptr<Recipe> make_chebynet_recipe();
std::unique_ptr<Recipe> make_bernnet_recipe();
std::unique_ptr<Recipe> make_igad_recipe();

}  // namespace rayleigh::models
