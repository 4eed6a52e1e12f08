// How to make a detector: its options, declared once, its models, and what training and lists must
// know of it. Each detector has one, in its own file; CONTRIBUTING.md shows how to write it.
// Training, the command line and model files all go through this.
// Made once per run.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_set.h"
#include "graph/attribute_bins.h"
#include "models/dense_features.h"
#include "models/label_encoder.h"
#include "models/model.h"

namespace rayleigh::models {

/// What a detector must know of its training data.
struct ModelInputs {
  std::span<const LabelEncoder> labels{};            ///< one for each of Recipe::encoders()
  std::array<std::size_t, 2> class_counts = {1, 1};  ///< normal and anomalous training graphs
  AttributeScale attributes{};                       ///< of the training nodes
  graph::AttributeBins bins{};    ///< of the training nodes; see bins_attributes()
  std::size_t largest_graph = 0;  ///< nodes of the largest graph of the data
  std::size_t mean_nodes = 0;     ///< of a graph of the data, rounded
};

/// What decides which epoch is kept; all but normal_score need both classes in the validation part.
enum class Select {
  macro_f1,
  auc,
  average_precision,
  normal_score,  ///< lowest mean score of the normal validation graphs
  log_loss,      ///< lowest; of scores that are probabilities
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

/// What a comparison grants a detector unless told to run it in full; slow ones get less.
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

/// Where a detector comes from; lists show origins in this order.
enum class Origin {
  ours,
  paper,  ///< one that the paper compares with
  other,
  yardstick,  ///< not meant to be good, but to show what is easy
};

/// Where lists show a detector: by origin, then by place, then by name.
struct Standing {
  Origin origin = Origin::other;
  int place = 0;  ///< of those of the paper: the row in its tables
};

class Recipe;

/// One of the detectors that a blend is made of.
struct BlendPart {
  const Recipe* recipe = nullptr;
  std::size_t first_encoder = 0;  ///< of its own among those of the blend
  std::size_t features_of = 0;    ///< part that prepares its features: itself or one before
  /// Share in the margin, of all its members, that the blend is fitted around.
  double usual_weight = 1;
  /// How it is trained; of the first part the options of training decide.
  TrainingDefaults training{};
};

class Recipe {
 public:
  Recipe() = default;
  virtual ~Recipe() = default;
  Recipe(const Recipe&) = delete;
  Recipe& operator=(const Recipe&) = delete;

  virtual std::string name() const = 0;
  /// What it is, in one line.
  virtual std::string summary() const = 0;
  /// For the metadata and the user: the variant, e.g. the profile of RQGNN; may be empty.
  virtual std::string variant() const { return ""; }
  /// "rqgnn, profile paper".
  virtual std::string title() const {
    return variant().empty() ? name() : name() + ", profile " + variant();
  }
  virtual Standing standing() const { return {}; }
  bool is_yardstick() const { return standing().origin == Origin::yardstick; }
  /// What a comparison of all detectors shows of it: one row for each, with these settings, written
  /// as "key=value:key=value"; empty = as it comes.
  virtual std::vector<std::string> rows_in_comparison() const { return {""}; }

  virtual void declare(core::OptionSet& options) = 0;
  /// What no option changes, such as a width that the authors fixed. It is not written into model
  /// files; only tests set it.
  virtual void declare_fixed(core::OptionSet& /*options*/) {}
  /// The vocabularies it works with, its node labels first.
  virtual std::vector<EncoderOptions> encoders() const = 0;
  /// Whether the vocabulary is that of the whole data, as the authors' code has it, or of the
  /// training part only.
  virtual bool vocabulary_of_all() const { return false; }
  /// Whether it sees real attributes cut into bins.
  virtual bool bins_attributes() const { return false; }
  virtual TrainingDefaults defaults() const { return {}; }
  /// The set with further graphs to learn from, made of the training graphs `train`; none = no
  /// such graphs.
  virtual std::optional<Augmented> augment(const GraphSet& /*graphs*/,
                                           std::span<const std::uint32_t> /*train*/,
                                           std::span<const std::int8_t> /*labels*/,
                                           std::uint64_t /*seed*/) const {
    return std::nullopt;
  }
  /// Empty = it is a detector by itself. Options of training act on the first part, which an
  /// ensemble has several of; the others keep to their own defaults.
  virtual std::vector<BlendPart> parts() const { return {}; }
  virtual Budget budget() const { return {}; }
  virtual LearnsFrom learns_from() const { return LearnsFrom::both_classes; }
  /// Whether it sees graphs by GraphSet::fingerprint(): then it works on molecules alone, and
  /// prepare() is given none but those.
  virtual bool needs_fingerprints() const { return false; }
  /// Whether the same graph with its nodes in another order has another score.
  virtual bool knows_node_order() const { return false; }
  /// Factor on the learning rate.
  virtual double rate_factor(const TrainingMoment& /*moment*/) const { return 1; }
  virtual std::unique_ptr<Model<float>> make(const ModelInputs& inputs) const = 0;
  /// The same in double precision, in which tests check gradients.
  virtual std::unique_ptr<Model<double>> make_double(const ModelInputs& inputs) const = 0;
};

/// Makes the models of both precisions by one function, Derived::model<Real>(inputs).
template <typename Derived>
class RecipeOf : public Recipe {
 public:
  std::unique_ptr<Model<float>> make(const ModelInputs& inputs) const final {
    return static_cast<const Derived&>(*this).template model<float>(inputs);
  }
  std::unique_ptr<Model<double>> make_double(const ModelInputs& inputs) const final {
    return static_cast<const Derived&>(*this).template model<double>(inputs);
  }
};

/// One of each detector, in the order of their standing.
std::vector<std::unique_ptr<Recipe>> all_recipes();
/// An unknown name is a UsageError that lists the known ones.
std::unique_ptr<Recipe> make_recipe(std::string_view name);

}  // namespace rayleigh::models
