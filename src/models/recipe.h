// How to make a detector: its options, declared once, and its parts. One a detector.
// Training, the command line and model files all go through this.
// Made once a run.
#pragma once

#include <array>
#include <memory>
#include <optional>
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
  std::size_t largest_graph = 0;                     ///< nodes of the largest graph of the data
  std::size_t mean_nodes = 0;                        ///< of a graph of the data, rounded
};

/// What decides which epoch is kept; all but the last need both classes in the validation part.
enum class Select {
  macro_f1,
  auc,
  average_precision,
  normal_score,  ///< lowest mean score of the normal validation graphs
};

/// What training takes when the user does not say.
struct TrainingDefaults {
  int epochs = 100;
  int batch_size = 512;
  double rate = 5e-3;
  double l2 = 0;
  double clip = 0;
  int patience = 50;
  Select select = Select::macro_f1;
};

/// What a comparison grants a detector unless told to run it in full; less to those that are slow.
struct Budget {
  int epochs = 100;              ///< at most
  std::size_t seeds = 0;         ///< at most; 0 = as many as are asked for
  std::size_t train_graphs = 0;  ///< at most; 0 = all of the training part
};

enum class LearnsFrom {
  both_classes,
  normal_graphs,  ///< of labelled data the normal ones, of unlabelled data all
};

/// Where training stands before a step.
struct TrainingMoment {
  std::uint64_t step = 0;  ///< from 0
  std::uint64_t steps_per_epoch = 1;
  int epochs = 1;
};

/// A set with made-up graphs for training behind its own.
struct Augmented {
  GraphSet graphs;
  std::vector<float> targets;  ///< of the made-up ones: the share that is anomalous
};

class Recipe {
 public:
  Recipe() = default;
  virtual ~Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;

  virtual std::string name() const = 0;
  /// A line that says what it is.
  virtual std::string summary() const = 0;
  /// For the metadata and the user: the variant, e.g. the profile of RQGNN; may be empty.
  virtual std::string variant() const { return ""; }
  /// "rqgnn, profile paper".
  virtual std::string title() const {
    return variant().empty() ? name() : name() + ", profile " + variant();
  }
  virtual void declare(core::ParameterSet& parameters) = 0;
  /// The vocabularies it works with, its node labels first.
  virtual std::vector<EncoderOptions> encoders() const = 0;
  /// Whether the vocabulary is that of the whole data, as the authors' code has it, or of the
  /// training part only.
  virtual bool vocabulary_of_all() const { return false; }
  virtual TrainingDefaults defaults() const { return {}; }
  /// Further graphs to learn from, made of the training graphs `train`; none when empty.
  virtual std::optional<Augmented> augment(const GraphSet& /*graphs*/,
                                           std::span<const std::uint32_t> /*train*/,
                                           std::span<const std::int8_t> /*labels*/,
                                           std::uint64_t /*seed*/) const {
    return std::nullopt;
  }
  virtual Budget budget() const { return {}; }
  /// Not meant to be good, but to show what is easy.
  virtual bool is_yardstick() const { return false; }
  virtual LearnsFrom learns_from() const { return LearnsFrom::both_classes; }
  /// Factor on the learning rate.
  virtual double rate_factor(const TrainingMoment& /*moment*/) const { return 1; }
  virtual std::unique_ptr<Model<float>> make(const ModelInputs& inputs) const = 0;
};

/// One of each detector.
std::vector<std::unique_ptr<Recipe>> all_recipes();
/// An unknown name is a UsageError that lists the known ones.
std::unique_ptr<Recipe> make_recipe(std::string_view name);

std::unique_ptr<Recipe> make_rqgnn_recipe();
std::unique_ptr<Recipe> make_chebynet_recipe();
std::unique_ptr<Recipe> make_bernnet_recipe();
std::unique_ptr<Recipe> make_gmt_recipe();
std::unique_ptr<Recipe> make_gmixup_recipe();
std::unique_ptr<Recipe> make_tvgnn_recipe();
std::unique_ptr<Recipe> make_igad_recipe();
std::unique_ptr<Recipe> make_ocgin_recipe();
std::unique_ptr<Recipe> make_ocgtl_recipe();
std::unique_ptr<Recipe> make_glocalkd_recipe();
std::unique_ptr<Recipe> make_himnet_recipe();
std::unique_ptr<Recipe> make_size_recipe();
std::unique_ptr<Recipe> make_label_counts_recipe();

}  // namespace rayleigh::models
