#include <algorithm>
#include <cmath>
#include <utility>

#include "models/bit_trees.h"
#include "models/forest.h"
#include "models/recipe.h"
#include "nn/ops_loss.h"

// ECFP4 fingerprints and a random forest: what a chemist tries first. The forest is that of
// scikit-learn's RandomForestClassifier as it comes, with other random numbers.

namespace rayleigh::models {
namespace {

using nn::Value;

constexpr const char* kForest = "trees";
constexpr int kForestEpochs = 10;  // each grows a tenth of the trees

struct EcfpForestOptions {
  std::size_t trees = 300;
  std::size_t looks = 45;  ///< bits that a node looks at; the root of 2,048
};

struct Fingerprints : Features {
  GraphRows<float> rows;  ///< 1 for each bit that is set

  std::size_t graphs() const override { return rows.row_ptr.size() - 1; }
  std::size_t memory_bytes() const override {
    return rows.entries.size() * sizeof(spectral::BasisEntry<float>);
  }
};

template <typename Real>
class EcfpForest : public Model<Real> {
 public:
  explicit EcfpForest(const EcfpForestOptions& options) : options_(options) {
    sizes_ = this->weights_.add_free("trees.sizes", 1);
    nodes_ = this->weights_.add_free("trees.nodes", kTreeNodeNumbers);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> /*labels*/,
                                    nn::Mode /*mode*/, core::ThreadPool& /*pool*/) const override {
    auto features = std::make_unique<Fingerprints>();
    auto& rows = features->rows;
    rows.row_ptr.reserve(graphs.size() + 1);
    rows.entries.reserve(graphs.data().fingerprint.size());
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      for (const std::uint16_t bit : graphs.fingerprint(g)) {
        rows.entries.push_back({bit, 1.0F});
      }
      rows.row_ptr.push_back(static_cast<std::uint32_t>(rows.entries.size()));
    }
    return features;
  }

  bool learns_by_itself() const override { return true; }
  std::unique_ptr<Learner> learner(const LearningSet& set) override {
    return std::make_unique<ForestLearner>(*this, set);
  }

  void ready() override { forest_ = Forest(stored(), kFingerprintBits); }

  std::optional<NumberDefect> defect() const override {
    if (auto wrong = forest_defect<Real>(kForest, this->weights_.value(sizes_),
                                         this->weights_.value(nodes_), kFingerprintBits)) {
      return wrong;
    }
    constexpr std::size_t kValue = kTreeNodeNumbers - 1;
    const auto nodes = this->weights_.value(nodes_);
    for (std::size_t i = 0; i < nodes.rows; ++i) {
      if (!(nodes(i, kValue) >= 0 && nodes(i, kValue) <= 1)) {
        return NumberDefect{.parameter = std::string(kForest) + ".nodes",
                            .index = i * kTreeNodeNumbers + kValue,
                            .value = static_cast<double>(nodes(i, kValue)),
                            .expected = "a share from 0 to 1"};
      }
    }
    return std::nullopt;
  }

  /// Shares of normal and anomalous, the means of all trees.
  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& rows = static_cast<const Fingerprints&>(features).rows;
    const nn::Matrix<Real> shares = tape.scratch(graphs.size(), 2);
    const auto sums = tape.template array<double>(graphs.size());
    std::ranges::fill(sums, 0.0);
    const std::size_t tasks = (graphs.size() + Forest::kGraphsAtOnce - 1) / Forest::kGraphsAtOnce;
    const std::size_t room = forest_.scratch_bytes(Forest::kGraphsAtOnce);
    const auto scratch = tape.template array<std::uint8_t>(tasks * room);
    tape.for_parts(tasks, [&](std::size_t task) {
      const std::size_t begin = task * Forest::kGraphsAtOnce;
      const std::size_t count = std::min(Forest::kGraphsAtOnce, graphs.size() - begin);
      add_values(forest_, rows, graphs.subspan(begin, count), scratch.subspan(task * room, room),
                 sums.subspan(begin, count));
      for (std::size_t i = begin; i < begin + count; ++i) {
        const double share = share_of(sums[i], forest_.trees());
        shares(i, 0) = static_cast<Real>(1 - share);
        shares(i, 1) = static_cast<Real>(share);
      }
    });
    const Value result = tape.constant(shares);
    return {result, result};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    const auto shares = tape.value(out.result);
    const nn::Matrix<Real> logits = tape.scratch(shares.rows, 2);
    for (std::size_t i = 0; i < shares.flat().size(); ++i) {
      logits.flat()[i] =
          static_cast<Real>(std::log(std::max(kLeastShare, static_cast<double>(shares.flat()[i]))));
    }
    return nn::focal_softmax<Real>(tape, tape.constant(logits), targets, {});
  }

  void scores(nn::Tape<Real>& tape, Value result, std::span<double> scores) const override {
    const auto shares = tape.value(result);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<double>(shares(i, 1));
    }
  }

 private:
  static constexpr double kLeastShare = 1e-6;

  static double share_of(double sum, std::size_t trees) {
    return trees == 0 ? 0.5 : sum / static_cast<double>(trees);
  }

  static void add_values(const Forest& forest, const GraphRows<float>& rows,
                         std::span<const std::uint32_t> graphs, std::span<std::uint8_t> scratch,
                         std::span<double> sums) {
    forest.run(rows, graphs, scratch,
               [&](std::size_t, std::size_t i, double value) { sums[i] += value; });
  }

  StoredTrees stored() const {
    return read_trees<Real>(this->weights_.value(sizes_), this->weights_.value(nodes_));
  }

  /// So many of the trees are there after so many epochs.
  std::size_t trees_after(int epochs) const {
    return options_.trees * static_cast<std::size_t>(std::min(epochs, kForestEpochs)) /
           kForestEpochs;
  }

  class ForestLearner : public Learner {
   public:
    ForestLearner(EcfpForest& model, const LearningSet& set)
        : model_(model),
          rows_(static_cast<const Fingerprints&>(set.features).rows),
          graphs_(set.train.begin(), set.train.end()),
          fitted_(graphs_.size()),
          random_(set.seed, "forest"),
          pool_(set.pool),
          grower_(rows_, set.train, labels_of(set), kFingerprintBits) {
      graphs_.insert(graphs_.end(), set.validation.begin(), set.validation.end());
      sums_.assign(graphs_.size(), 0.0);
      for (const std::uint32_t g : set.train) {
        targets_.push_back(set.targets[g]);
      }
    }

    void restore(int epochs) override {
      epochs_ = epochs;
      take(model_.stored());
    }

    double learn(int epoch) override {
      const std::size_t first = model_.trees_after(epoch);
      std::vector<Tree> grown(model_.trees_after(epoch + 1) - first);
      pool_.run(grown.size(), [&](std::size_t t) {
        grown[t] = grower_.grow(random_.at(first + t), model_.options_.looks);
      });
      StoredTrees fresh;
      for (const Tree& tree : grown) {
        fresh.sizes.push_back(tree.size());
        fresh.nodes.insert(fresh.nodes.end(), tree.begin(), tree.end());
      }
      model_.add_trees(fresh);
      take(fresh);
      epochs_ = epoch + 1;
      return loss();
    }

    void validation_scores(std::span<double> scores) const override {
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] = share(fitted_ + i);
      }
    }

    bool finished() const override { return epochs_ >= kForestEpochs; }
    /// More trees are never worse, but for noise.
    bool converges() const override { return true; }

    void keep(int epochs) override {
      auto& p = model_.weights_;
      p.set_rows(model_.sizes_, model_.trees_after(epochs));
      std::size_t nodes = 0;
      for (const Real size : p.value(model_.sizes_).flat()) {
        nodes += static_cast<std::size_t>(size);
      }
      p.set_rows(model_.nodes_, nodes);
    }

   private:
    static std::vector<std::uint8_t> labels_of(const LearningSet& set) {
      std::vector<std::uint8_t> labels;
      labels.reserve(set.train.size());
      for (const std::uint32_t g : set.train) {
        labels.push_back(set.targets[g] > 0.5F ? 1 : 0);
      }
      return labels;
    }

    /// Adds what these trees say of every graph.
    void take(const StoredTrees& trees) {
      const Forest forest(trees, kFingerprintBits);
      const std::size_t tasks =
          (graphs_.size() + Forest::kGraphsAtOnce - 1) / Forest::kGraphsAtOnce;
      pool_.run(tasks, [&](std::size_t task) {
        const std::size_t begin = task * Forest::kGraphsAtOnce;
        const std::size_t count = std::min(Forest::kGraphsAtOnce, graphs_.size() - begin);
        std::vector<std::uint8_t> scratch(forest.scratch_bytes(count));
        add_values(forest, rows_, std::span(graphs_).subspan(begin, count), scratch,
                   std::span(sums_).subspan(begin, count));
      });
      trees_ += trees.sizes.size();
    }

    double share(std::size_t i) const { return share_of(sums_[i], trees_); }

    double loss() const {
      double sum = 0;
      for (std::size_t i = 0; i < fitted_; ++i) {
        const double own = targets_[i] > 0.5F ? share(i) : 1 - share(i);
        sum -= std::log(std::max(own, kLeastShare));
      }
      return sum / static_cast<double>(std::max<std::size_t>(1, fitted_));
    }

    EcfpForest& model_;
    const GraphRows<float>& rows_;
    std::vector<std::uint32_t> graphs_;  ///< of the training part, then of the validation part
    std::size_t fitted_;
    core::RandomStream random_;
    core::ThreadPool& pool_;
    BitTreeGrower grower_;
    std::vector<float> targets_;
    std::vector<double> sums_;  ///< of all trees, for each of graphs_
    std::size_t trees_ = 0;
    int epochs_ = 0;
  };

  void draw(std::uint64_t /*seed*/) override {}

  void add_trees(const StoredTrees& trees) {
    auto& p = this->weights_;
    std::size_t tree = p.info(sizes_).rows;
    std::size_t row = p.info(nodes_).rows;
    p.set_rows(sizes_, tree + trees.sizes.size());
    p.set_rows(nodes_, row + trees.nodes.size());
    for (const std::size_t size : trees.sizes) {
      p.value(sizes_)(tree++, 0) = static_cast<Real>(size);
    }
    const auto nodes = p.value(nodes_);
    for (const TreeNode& node : trees.nodes) {
      nodes(row, 0) = static_cast<Real>(node.column);
      nodes(row, 1) = static_cast<Real>(node.limit);
      nodes(row, 2) = static_cast<Real>(node.child);
      nodes(row++, 3) = static_cast<Real>(node.value);
    }
  }

  EcfpForestOptions options_;
  nn::WeightId sizes_;
  nn::WeightId nodes_;
  Forest forest_;
};

class EcfpForestRecipe : public RecipeOf<EcfpForestRecipe> {
 public:
  std::string name() const override { return "ecfp-forest"; }
  std::string summary() const override {
    return "yardstick for molecules: a random forest on ECFP4 fingerprints";
  }
  Standing standing() const override { return {Origin::yardstick, 3}; }
  void declare(core::OptionSet& p) override {
    p.add("trees", options_.trees, "of the forest; an epoch grows a tenth of them", {10, 2000});
    p.add("node-bits", options_.looks, "bits that a node of a tree looks at",
          {1, kFingerprintBits});
  }
  std::vector<EncoderOptions> encoders() const override { return {{}}; }
  TrainingDefaults defaults() const override {
    return {.epochs = kForestEpochs, .patience = 0, .select = Select::average_precision};
  }
  bool needs_fingerprints() const override { return true; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& /*inputs*/) const {
    return std::make_unique<EcfpForest<Real>>(options_);
  }

 private:
  EcfpForestOptions options_;
};

}  // namespace

std::unique_ptr<Recipe> make_ecfp_forest_recipe() { return std::make_unique<EcfpForestRecipe>(); }

}  // namespace rayleigh::models
