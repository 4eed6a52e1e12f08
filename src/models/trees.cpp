#include <algorithm>
#include <cmath>
#include <utility>

#include "models/boosting.h"
#include "models/quotient_features.h"
#include "models/recipe.h"
#include "nn/ops_loss.h"

// Boosted trees on x'x and x'Lx of labels. Counts of refined labels are substructures, of which
// most graphs have few: deep trees that see a few columns at each node find the combinations that
// matter.

namespace rayleigh::models {
namespace {

using nn::Value;

constexpr const char* kTrees = "trees";

double sigmoid(double margin) { return 1 / (1 + std::exp(-margin)); }

template <typename Real>
class Trees : public Model<Real> {
 public:
  Trees(const BoostingOptions& options, std::size_t refinements,
        std::span<const LabelEncoder> labels, const graph::AttributeBins& bins)
      : options_(options), columns_(labels, bins) {
    options_.ignored = columns_.refined_beyond(refinements);
    auto& p = this->weights_;
    start_ = p.add("start", 1, 1, nn::Role::frozen);
    sizes_ = p.add_free("trees.sizes", 1);
    nodes_ = p.add_free("trees.nodes", kTreeNodeNumbers);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                                    core::ThreadPool& pool) const override {
    return quotient_features(columns_, graphs, labels, mode, pool);
  }

  bool learns_by_itself() const override { return true; }
  std::unique_ptr<Learner> learner(const LearningSet& set) override {
    return std::make_unique<TreeLearner>(*this, set);
  }

  void ready() override {
    stored_ = read_trees<Real>(std::as_const(this->weights_).value(sizes_),
                               std::as_const(this->weights_).value(nodes_));
    forest_ = Forest(stored_, columns_.size());
  }

  std::optional<NumberDefect> defect() const override {
    return forest_defect<Real>(kTrees, this->weights_.value(sizes_), this->weights_.value(nodes_),
                               columns_.size());
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& rows = static_cast<const QuotientFeatures&>(features).rows;
    const nn::Matrix<Real> logits = tape.scratch(graphs.size(), 2);
    const std::size_t tasks = (graphs.size() + Forest::kGraphsAtOnce - 1) / Forest::kGraphsAtOnce;
    const auto sums = tape.template array<double>(graphs.size());
    std::ranges::fill(sums, 0.0);
    const std::size_t room = forest_.scratch_bytes(graphs.size());
    const auto scratch = tape.template array<std::uint8_t>(tasks * room);
    tape.for_parts(tasks, [&](std::size_t task) {
      const std::size_t begin = task * Forest::kGraphsAtOnce;
      const std::size_t count = std::min(Forest::kGraphsAtOnce, graphs.size() - begin);
      forest_.run(rows, graphs.subspan(begin, count), scratch.subspan(task * room, room),
                  [&](std::size_t, std::size_t i, double value) { sums[begin + i] += value; });
      for (std::size_t i = begin; i < begin + count; ++i) {
        logits(i, 0) = 0;
        logits(i, 1) = static_cast<Real>(margin_of(sums[i]));
      }
    });
    const Value result = tape.constant(logits);
    return {result, result};
  }

  Value loss(nn::Tape<Real>& tape, const Output& out,
             std::span<const float> targets) const override {
    return nn::focal_softmax<Real>(tape, out.result, targets, {});
  }

  std::optional<MarginShares> explain(nn::Tape<Real>& /*tape*/, const Features& features,
                                      std::uint32_t graph) const override {
    const auto& inputs = static_cast<const QuotientFeatures&>(features);
    std::vector<double> shares(columns_.size(), 0.0);
    MarginShares explanation;
    explanation.constant = margin_of(path_shares(stored_, inputs.rows, graph, shares));
    explanation.margin = explanation.constant;
    for (double& share : shares) {
      share /= static_cast<double>(options_.chains);
      explanation.margin += share;
    }
    explain_columns(columns_, inputs, graph, shares, explanation);
    return explanation;
  }

 private:
  /// A round of boosting is an epoch.
  class TreeLearner : public Learner {
   public:
    TreeLearner(Trees& model, const LearningSet& set)
        : model_(model), fitted_(set.train.size()), boosting_(boosting_of(model, set)) {}

    void restore(int /*epochs*/) override {
      model_.ready();
      boosting_.restore(model_.stored_);
    }

    double learn(int epoch) override {
      auto& p = model_.weights_;
      if (epoch == 0) {
        p.value(model_.start_)(0, 0) = static_cast<Real>(boosting_.start());
      }
      model_.add_trees(boosting_.grow_round(static_cast<std::uint32_t>(epoch)));
      return boosting_.loss();
    }

    void validation_scores(std::span<double> scores) const override {
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] = sigmoid(boosting_.margin(fitted_ + i));
      }
    }

    bool finished() const override { return false; }

    void keep(int epochs) override {
      auto& p = model_.weights_;
      p.set_rows(model_.sizes_, static_cast<std::size_t>(epochs) * model_.options_.chains);
      std::size_t nodes = 0;
      for (const Real size : p.value(model_.sizes_).flat()) {
        nodes += static_cast<std::size_t>(size);
      }
      p.set_rows(model_.nodes_, nodes);
    }

   private:
    static Boosting boosting_of(const Trees& model, const LearningSet& set) {
      std::vector<std::uint32_t> graphs(set.train.begin(), set.train.end());
      graphs.insert(graphs.end(), set.validation.begin(), set.validation.end());
      std::vector<float> targets;
      targets.reserve(graphs.size());
      std::ranges::transform(graphs, std::back_inserter(targets),
                             [&](std::uint32_t g) { return set.targets[g]; });
      return Boosting(static_cast<const QuotientFeatures&>(set.features).rows,
                      model.columns_.size(), graphs, set.train.size(), targets, model.options_,
                      set.seed, set.pool);
    }

    Trees& model_;
    std::size_t fitted_;
    Boosting boosting_;
  };

  void draw(std::uint64_t /*seed*/) override {}

  double margin_of(double sum_of_trees) const {
    return static_cast<double>(this->weights_.value(start_)(0, 0)) +
           sum_of_trees / static_cast<double>(options_.chains);
  }

  void add_trees(std::span<const Tree> trees) {
    auto& p = this->weights_;
    std::size_t next_tree = p.info(sizes_).rows;
    std::size_t next = p.info(nodes_).rows;
    std::size_t all = next;
    for (const Tree& tree : trees) {
      all += tree.size();
    }
    p.set_rows(sizes_, next_tree + trees.size());
    p.set_rows(nodes_, all);
    const auto nodes = p.value(nodes_);
    for (const Tree& tree : trees) {
      p.value(sizes_)(next_tree++, 0) = static_cast<Real>(tree.size());
      for (const TreeNode& node : tree) {
        nodes(next, 0) = static_cast<Real>(node.column);
        nodes(next, 1) = static_cast<Real>(node.limit);
        nodes(next, 2) = static_cast<Real>(node.child);
        nodes(next++, 3) = static_cast<Real>(node.value);
      }
    }
  }

  BoostingOptions options_;
  QuotientColumns columns_;
  nn::WeightId start_;
  nn::WeightId sizes_;
  nn::WeightId nodes_;
  StoredTrees stored_;
  Forest forest_;
};

class TreesRecipe : public RecipeOf<TreesRecipe> {
 public:
  std::string name() const override { return "trees"; }
  std::string summary() const override {
    return "boosted trees on quotients of refined labels; an epoch is a round";
  }
  Standing standing() const override { return {Origin::ours, 2}; }
  void declare(core::OptionSet& p) override {
    p.add("chains", boosting_.chains, "boosted models whose mean is the margin", {1, 100});
    p.add("tree-depth", boosting_.tree.depth, "questions a tree asks of a graph at most", {1, 30});
    p.add("shrinkage", boosting_.tree.shrinkage, "share of its answer that a tree adds",
          {0.0001, 1});
    p.add("columns", boosting_.columns, "share of the columns that a node looks at", {0.001, 1});
    p.add("rows", boosting_.rows, "share of the graphs that a tree is fitted to", {0.01, 1});
    p.add("least-slope", boosting_.tree.least_slope, "sum of second derivatives of a leaf",
          {0, 1e6});
    p.add("lambda", boosting_.tree.lambda, "L2 penalty on values of leaves", {0, 1e6});
    p.add("tree-refinements", refinements_,
          "most rounds of refinement of a label that trees ask for", {0, 3});
    declare_quotients(p, quotients_);
  }
  std::vector<EncoderOptions> encoders() const override { return quotient_encoders(quotients_); }
  bool bins_attributes() const override { return true; }
  TrainingDefaults defaults() const override {
    return {.epochs = 400, .patience = 30, .select = Select::log_loss};
  }
  Budget budget() const override { return {.epochs = 400}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    return std::make_unique<Trees<Real>>(boosting_, refinements_, inputs.labels, inputs.bins);
  }

 private:
  BoostingOptions boosting_;
  std::size_t refinements_ = 3;
  QuotientOptions quotients_{.rounds = 2};
};

}  // namespace

std::unique_ptr<Recipe> make_trees_recipe() { return std::make_unique<TreesRecipe>(); }

}  // namespace rayleigh::models
