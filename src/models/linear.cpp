#include <array>
#include <cmath>

#include "models/layers.h"
#include "models/newton_logistic.h"
#include "models/quotient_features.h"
#include "models/recipe.h"
#include "nn/ops_loss.h"
#include "nn/ops_rows.h"

// Logistic regression on log(1 + x'x) and log(1 + x'Lx) of labels: every label has its weight, so a
// score is taken apart exactly. An epoch is a Newton step.

namespace rayleigh::models {
namespace {

using nn::Value;

constexpr double kConverged = 1e-4;  // of the gradient at the start

struct LinearOptions {
  double c = 0.3;  ///< weight of the loss against the penalty
};

template <typename Real>
class LinearModel : public Model<Real> {
 public:
  LinearModel(const LinearOptions& options, std::span<const LabelEncoder> labels,
              const graph::AttributeBins& bins)
      : options_(options), columns_(labels, bins) {
    weight_ = this->weights_.add("weight", columns_.size(), 1);
    offset_ = this->weights_.add("offset", 1, 1);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                                    core::ThreadPool& pool) const override {
    return quotient_features(columns_, graphs, labels, mode, pool);
  }

  bool learns_by_itself() const override { return true; }
  std::unique_ptr<Learner> learner(const LearningSet& set) override {
    return std::make_unique<LinearLearner>(*this, set);
  }

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& inputs = static_cast<const QuotientFeatures&>(features);
    const Value margin = nn::sparse_linear<Real>(
        tape, log_batch(tape, inputs, graphs), tape.weight(this->weights_, weight_),
        tape.weight(this->weights_, offset_), nn::Activation::none);
    const nn::Matrix<Real> zeros = tape.scratch(graphs.size(), 1);
    std::ranges::fill(zeros.flat(), Real{0});
    const Value logits = nn::concat<Real>(tape, std::array{tape.constant(zeros), margin});
    return {logits, margin};
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
    explanation.constant = static_cast<double>(this->weights_.value(offset_)(0, 0));
    explanation.margin = explanation.constant;
    for (const auto& entry : inputs.row(graph)) {
      shares[entry.column] = static_cast<double>(this->weights_.value(weight_)(entry.column, 0)) *
                             std::log1p(static_cast<double>(entry.value));
      explanation.margin += shares[entry.column];
    }
    explain_columns(columns_, inputs, graph, shares, explanation);
    return explanation;
  }

 private:
  /// A Newton step is an epoch.
  class LinearLearner : public Learner {
   public:
    LinearLearner(LinearModel& model, const LearningSet& set)
        : model_(model), set_(set), solver_(rows_of(model, set), model.options_.c, set.pool) {}

    void restore(int /*epochs*/) override { remaining_ = solver_.remaining(read()); }

    double learn(int /*epoch*/) override {
      LogisticWeights weights = read();
      solver_.step(weights);
      write(weights);
      // Of the numbers as they are kept, so that a restored run sees the same.
      weights = read();
      remaining_ = solver_.remaining(weights);
      return solver_.loss(weights);
    }

    void validation_scores(std::span<double> scores) const override {
      const LogisticWeights weights = read();
      const auto& features = static_cast<const QuotientFeatures&>(set_.features);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        double margin = weights.offset;
        for (const auto& entry : features.row(set_.validation[i])) {
          margin += weights.of_column[entry.column] * std::log1p(static_cast<double>(entry.value));
        }
        scores[i] = 1 / (1 + std::exp(-margin));
      }
    }

    bool finished() const override { return remaining_ < kConverged; }
    bool converges() const override { return true; }
    void keep(int /*epochs*/) override {}

   private:
    static LogisticRows rows_of(const LinearModel& model, const LearningSet& set) {
      LogisticRows rows;
      rows.columns = model.columns_.size();
      for (const std::uint32_t g : set.train) {
        for (const auto& entry : static_cast<const QuotientFeatures&>(set.features).row(g)) {
          rows.column.push_back(entry.column);
          rows.value.push_back(std::log1p(entry.value));
        }
        rows.row_ptr.push_back(rows.column.size());
        rows.target.push_back(set.targets[g]);
      }
      return rows;
    }

    LogisticWeights read() const {
      const auto flat = model_.weights_.value(model_.weight_).flat();
      return {.of_column = std::vector<double>(flat.begin(), flat.end()),
              .offset = static_cast<double>(model_.weights_.value(model_.offset_)(0, 0))};
    }
    void write(const LogisticWeights& weights) {
      const auto flat = model_.weights_.value(model_.weight_).flat();
      for (std::size_t column = 0; column < flat.size(); ++column) {
        flat[column] = static_cast<Real>(weights.of_column[column]);
      }
      model_.weights_.value(model_.offset_)(0, 0) = static_cast<Real>(weights.offset);
    }

    LinearModel& model_;
    LearningSet set_;
    NewtonLogistic solver_;
    double remaining_ = 1;
  };

  void draw(std::uint64_t /*seed*/) override {}

  /// log(1 + x) of the rows of the graphs, in the arena of the tape.
  static nn::RowBatch<Real> log_batch(nn::Tape<Real>& tape, const QuotientFeatures& features,
                                      std::span<const std::uint32_t> graphs) {
    const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
    std::uint32_t entries = 0;
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      first[i] = entries;
      entries += static_cast<std::uint32_t>(features.row(graphs[i]).size());
    }
    first[graphs.size()] = entries;
    const auto logs = tape.template array<spectral::BasisEntry<Real>>(entries);
    constexpr std::size_t kCost = 1000;  // of a row
    tape.for_rows(graphs.size(), kCost, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t at = first[i];
        for (const auto& entry : features.row(graphs[i])) {
          logs[at++] = {entry.column, std::log1p(static_cast<Real>(entry.value))};
        }
      }
    });
    const auto pieces = tape.template array<nn::SparseRows<Real>>(graphs.size());
    const auto first_row = tape.template array<std::uint32_t>(graphs.size() + 1);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      pieces[i] = {logs.data(), &first[i], 1};
      first_row[i] = static_cast<std::uint32_t>(i);
    }
    first_row[graphs.size()] = static_cast<std::uint32_t>(graphs.size());
    return {pieces, first_row};
  }

  LinearOptions options_;
  QuotientColumns columns_;
  nn::WeightId weight_;
  nn::WeightId offset_;
};

class LinearRecipe : public RecipeOf<LinearRecipe> {
 public:
  std::string name() const override { return "linear"; }
  std::string summary() const override {
    return "logistic regression on quotients of refined labels; an epoch is a Newton step";
  }
  Standing standing() const override { return {Origin::ours, 3}; }
  void declare(core::OptionSet& p) override {
    p.add("c", options_.c, "weight of the loss against the L2 penalty", {1e-9, 1e9});
    declare_quotients(p, quotients_);
  }
  std::vector<EncoderOptions> encoders() const override { return quotient_encoders(quotients_); }
  bool bins_attributes() const override { return true; }
  TrainingDefaults defaults() const override { return {.epochs = 50, .select = Select::log_loss}; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    return std::make_unique<LinearModel<Real>>(options_, inputs.labels, inputs.bins);
  }

 private:
  LinearOptions options_;
  QuotientOptions quotients_;
};

}  // namespace

std::unique_ptr<Recipe> make_linear_recipe() { return std::make_unique<LinearRecipe>(); }

}  // namespace rayleigh::models
