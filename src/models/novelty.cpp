#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "models/one_class.h"
#include "models/overlap_index.h"
#include "models/quantile_scale.h"
#include "models/quotient_features.h"
#include "models/recipe.h"

// How far a graph is from the nearest of a sample of normal graphs. Two graphs are near when they
// share most of their nodes' labels: plain, with degrees, and after one and two rounds of
// Weisfeiler-Leman refinement, which is what x'x of their columns counts. Nothing is fitted, so
// that a hundred graphs are enough to begin with.

namespace rayleigh::models {
namespace {

using graph::LabelLevel;
using nn::Value;

constexpr int kRounds = 4;  // in which the reference sample grows
constexpr std::size_t kQuantiles = 257;
constexpr std::size_t kGraphsAtOnce = 16;
constexpr std::size_t kDivisors = 4096;

struct NoveltyOptions {
  std::size_t references = 2048;
  double exponent = 0.25;
  double attributes = 0.5;
};

/// What is asked of a graph: what it has, how large it is and whether a label is new.
struct Asked {
  std::span<const CountEntry> labels;
  std::span<const CountEntry> bins;  ///< of attributes
  double nodes = 0;
  bool unseen = false;  ///< a node's own label
};

template <typename Real>
class Novelty : public OneClassModel<Real> {
 public:
  Novelty(const NoveltyOptions& options, std::span<const LabelEncoder> labels,
          const graph::AttributeBins& bins)
      : options_(options), columns_(labels, bins) {
    others_.reserve(labels.size());
    for (std::size_t v = 0; v < labels.size(); ++v) {
      others_.push_back(columns_.of_label(v, static_cast<std::uint32_t>(labels[v].size())));
    }
    divisors_.reserve(kDivisors);
    for (std::size_t nodes = 0; nodes < kDivisors; ++nodes) {
      divisors_.push_back(divisor(static_cast<double>(nodes)));
    }
    auto& p = this->weights_;
    sizes_ = p.add_free("references.sizes", 2);      // nodes and entries of each graph
    entries_ = p.add_free("references.entries", 2);  // column and count
    quantiles_ = p.add("quantiles", 1, kQuantiles, nn::Role::frozen);
    unseen_ = p.add("unseen", 1, 1, nn::Role::frozen);
  }

  std::unique_ptr<Features> prepare(const GraphSet& graphs,
                                    std::span<const spectral::NodeLabels> labels, nn::Mode mode,
                                    core::ThreadPool& pool) const override {
    return quotient_features(columns_, graphs, labels, mode, pool);
  }

  bool learns_by_itself() const override { return true; }
  std::unique_ptr<Learner> learner(const LearningSet& set) override {
    return std::make_unique<NoveltyLearner>(*this, set);
  }

  void ready() override {
    const auto& weights = std::as_const(this->weights_);
    const auto sizes = weights.value(sizes_);
    const auto stored = weights.value(entries_);
    std::vector<std::uint32_t> lengths;
    std::vector<CountEntry> entries;
    nodes_.clear();
    for (std::size_t r = 0; r < sizes.rows; ++r) {
      nodes_.push_back(static_cast<float>(sizes(r, 0)));
      lengths.push_back(static_cast<std::uint32_t>(sizes(r, 1)));
    }
    entries.reserve(stored.rows);
    for (std::size_t k = 0; k < stored.rows; ++k) {
      entries.push_back(
          {static_cast<std::uint32_t>(stored(k, 0)), static_cast<float>(stored(k, 1))});
    }
    index_ = OverlapIndex(entries, lengths, columns_.size());
  }

  std::optional<NumberDefect> defect() const override;

  Output forward(nn::Tape<Real>& tape, const Features& features,
                 std::span<const std::uint32_t> graphs,
                 const nn::StepRandom& /*random*/) const override {
    const auto& inputs = static_cast<const QuotientFeatures&>(features);
    const nn::Matrix<Real> scores = tape.scratch(graphs.size(), 1);
    const std::size_t tasks = (graphs.size() + kGraphsAtOnce - 1) / kGraphsAtOnce;
    const auto room = tape.template array<float>(tasks * scratch_size());
    tape.for_parts(tasks, [&](std::size_t task) {
      const auto scratch = room.subspan(task * scratch_size(), scratch_size());
      const std::size_t end = std::min(graphs.size(), (task + 1) * kGraphsAtOnce);
      for (std::size_t i = task * kGraphsAtOnce; i < end; ++i) {
        const Asked asked = asked_of(inputs.row(graphs[i]));
        scores(i, 0) = static_cast<Real>(score_of(asked, distance(asked, scratch)));
      }
    });
    const Value result = tape.constant(scores);
    return {result, result};
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  class NoveltyLearner : public Learner {
   public:
    NoveltyLearner(Novelty& model, const LearningSet& set)
        : model_(model), set_(set), order_(set.train.begin(), set.train.end()) {
      core::Generator generator = core::RandomStream(set.seed, "reference graphs").at(0);
      generator.shuffle(std::span(order_));
      order_.resize(std::min(order_.size(), model.options_.references));
    }

    void restore(int /*epochs*/) override { model_.ready(); }

    double learn(int epoch) override {
      const auto round = static_cast<std::size_t>(std::min(epoch + 1, kRounds));
      const std::size_t count = (order_.size() * round + kRounds - 1) / kRounds;
      model_.store(features(), std::span(order_).first(count));
      model_.weights_.value(model_.unseen_)(0, 0) =
          static_cast<Real>(model_.weight_of_unseen(features(), set_.train));
      model_.ready();
      // Of a graph that is a reference itself, to the others.
      std::vector<float> far(order_.size());
      each(order_, [&](std::size_t i, const Asked& asked, std::span<float> scratch) {
        far[i] = static_cast<float>(model_.distance(asked, scratch, i < count ? i : kNone));
      });
      double sum = 0;
      for (std::size_t i = count; i < far.size(); ++i) {
        sum += static_cast<double>(far[i]);
      }
      far.resize(count);
      std::vector<float> quantiles(kQuantiles);
      fill_quantiles(std::move(far), quantiles);
      std::ranges::copy(quantiles, model_.weights_.value(model_.quantiles_).flat().begin());
      return sum / static_cast<double>(order_.size());
    }

    void validation_scores(std::span<double> scores) const override {
      each(set_.validation, [&](std::size_t i, const Asked& asked, std::span<float> scratch) {
        scores[i] = model_.score_of(asked, model_.distance(asked, scratch));
      });
    }

    bool finished() const override { return model_.nodes_.size() == order_.size(); }
    bool converges() const override { return true; }
    void keep(int /*epochs*/) override {}

   private:
    const QuotientFeatures& features() const {
      return static_cast<const QuotientFeatures&>(set_.features);
    }
    /// take(i, what is asked of graphs[i], memory for the way) on many threads.
    template <typename Take>
    void each(std::span<const std::uint32_t> graphs, Take take) const {
      const std::size_t parts = (graphs.size() + kGraphsAtOnce - 1) / kGraphsAtOnce;
      set_.pool.run(parts, [&](std::size_t part) {
        std::vector<float> scratch(model_.scratch_size());
        const core::Range range = core::part_of(graphs.size(), parts, part);
        for (std::size_t i = range.begin; i < range.end; ++i) {
          take(i, model_.asked_of(features().row(graphs[i])), scratch);
        }
      });
    }

    Novelty& model_;
    LearningSet set_;
    std::vector<std::uint32_t> order_;  ///< the graphs that will be references
  };

  void draw(std::uint64_t /*seed*/) override {}

  /// Two sums for each reference.
  std::size_t scratch_size() const { return 2 * nodes_.size(); }

  Asked asked_of(std::span<const CountEntry> row) const {
    Asked asked;
    std::size_t labels = 0;
    for (; labels < row.size() && row[labels].column < columns_.first_of_attributes(); ++labels) {
      if (row[labels].column <= others_[0]) {
        asked.nodes += static_cast<double>(row[labels].value);
        asked.unseen = asked.unseen || row[labels].column == others_[0];
      }
    }
    asked.labels = row.first(labels);
    asked.bins = row.subspan(labels);
    return asked;
  }

  /// Of the nearest reference but one. A distance counts the nodes that have no counterpart in the
  /// other graph, a mean over the levels of their labels.
  double distance(const Asked& asked, std::span<float> scratch, std::size_t but = kNone) const {
    const std::size_t references = nodes_.size();
    const auto shared = scratch.first(references);
    const auto shared_bins = scratch.subspan(references, references);
    std::ranges::fill(scratch, 0.0F);
    index_.add_shared(asked.labels, shared);
    index_.add_shared(asked.bins, shared_bins);
    const auto levels = static_cast<double>(others_.size());
    const auto attributes = static_cast<double>(columns_.bins().attributes());
    const double weight = attributes > 0 ? options_.attributes : 0;
    const double of_bin = attributes > 0 ? weight / attributes : 0;
    // Where there is no reference, to a graph without nodes.
    double nearest = relative((1 + weight) * asked.nodes, asked.nodes);
    bool none = true;
    for (std::size_t r = 0; r < references; ++r) {
      if (r == but) {
        continue;
      }
      const double nodes = asked.nodes + static_cast<double>(nodes_[r]);
      const double apart = (1 + weight) * nodes - 2 / levels * static_cast<double>(shared[r]) -
                           2 * of_bin * static_cast<double>(shared_bins[r]);
      const double far = relative(apart, nodes);
      nearest = none ? far : std::min(nearest, far);
      none = false;
    }
    return nearest;
  }

  /// Large graphs differ in more nodes; by how much that is forgiven the exponent says.
  double relative(double apart, double nodes) const {
    const bool usual = nodes < static_cast<double>(kDivisors);
    return std::max(0.0, apart) /
           (usual ? divisors_[static_cast<std::size_t>(nodes)] : divisor(nodes));
  }
  double divisor(double nodes) const { return std::pow(std::max(1.0, nodes), options_.exponent); }

  double score_of(const Asked& asked, double distance) const {
    const auto& weights = std::as_const(this->weights_);
    return position_among(std::span<const Real>(weights.value(quantiles_).flat()), distance) +
           (asked.unseen ? static_cast<double>(weights.value(unseen_)(0, 0)) : 0);
  }

  /// References without what no other graph can share: labels that are not known.
  void store(const QuotientFeatures& features, std::span<const std::uint32_t> graphs) {
    std::vector<CountEntry> kept;
    std::vector<std::array<std::size_t, 2>> sizes;
    for (const std::uint32_t g : graphs) {
      const std::size_t before = kept.size();
      for (const CountEntry& entry : features.row(g)) {
        const auto meaning = columns_.meaning(entry.column);
        const bool known = meaning.vocabulary == kBinsOfAttributes ||
                           (!meaning.form && entry.column != others_[meaning.vocabulary]);
        if (known) {
          kept.push_back(entry);
        }
      }
      sizes.push_back(
          {static_cast<std::size_t>(asked_of(features.row(g)).nodes), kept.size() - before});
    }
    auto& p = this->weights_;
    p.set_rows(sizes_, sizes.size());
    p.set_rows(entries_, kept.size());
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      p.value(sizes_)(r, 0) = static_cast<Real>(sizes[r][0]);
      p.value(sizes_)(r, 1) = static_cast<Real>(sizes[r][1]);
    }
    const auto entries = p.value(entries_);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      entries(k, 0) = static_cast<Real>(kept[k].column);
      entries(k, 1) = static_cast<Real>(kept[k].value);
    }
  }

  /// By how much a label that was never seen raises a score: 1 where every label of a normal graph
  /// occurs in others too, 0 where each graph brings labels of its own (Good and Turing's
  /// estimate).
  double weight_of_unseen(const QuotientFeatures& features,
                          std::span<const std::uint32_t> graphs) const {
    std::vector<std::uint32_t> occurs(others_[0] + 1, 0);
    const auto each_label = [&](std::uint32_t g, auto take) {
      for (const CountEntry& entry : features.row(g)) {
        if (entry.column <= others_[0]) {
          take(entry.column);
        }
      }
    };
    for (const std::uint32_t g : graphs) {
      each_label(g, [&](std::uint32_t column) { ++occurs[column]; });
    }
    const auto all = static_cast<double>(graphs.size());
    double alone = 0;
    for (const std::uint32_t g : graphs) {
      bool own = false;
      each_label(g, [&](std::uint32_t column) {
        own = own || column == others_[0] || occurs[column] == 1;
      });
      alone += own ? 1 : 0;
    }
    return std::log((all + 1) / (alone + 1)) / std::log(all + 1);
  }

  NoveltyOptions options_;
  QuotientColumns columns_;
  std::vector<std::size_t> others_;  ///< column "other" of each vocabulary
  nn::WeightId sizes_;
  nn::WeightId entries_;
  nn::WeightId quantiles_;
  nn::WeightId unseen_;
  std::vector<double> divisors_;  ///< for every small number of nodes
  std::vector<float> nodes_;      ///< of the references
  OverlapIndex index_;
};

template <typename Real>
std::optional<NumberDefect> Novelty<Real>::defect() const {
  const auto sizes = this->weights_.value(sizes_);
  const auto entries = this->weights_.value(entries_);
  const auto whole = [](double number, double least, double most) {
    return number >= least && number <= most && number == std::floor(number);
  };
  const auto rows = static_cast<double>(entries.rows);
  double sum = 0;
  for (std::size_t r = 0; r < sizes.rows; ++r) {
    const auto nodes = static_cast<double>(sizes(r, 0));
    const auto length = static_cast<double>(sizes(r, 1));
    sum += length;
    if (!(nodes >= 0)) {
      return NumberDefect{"references.sizes", 2 * r, nodes, "a number of nodes"};
    }
    const bool last = r + 1 == sizes.rows;
    if (!whole(length, 0, rows) || sum > rows || (last && sum != rows)) {
      return NumberDefect{"references.sizes", 2 * r + 1, length, "as many entries as are there"};
    }
  }
  if (sizes.rows == 0 && entries.rows > 0) {
    return NumberDefect{"references.entries", 0, static_cast<double>(entries(0, 0)),
                        "no entries without graphs"};
  }
  for (std::size_t k = 0; k < entries.rows; ++k) {
    if (const auto column = static_cast<double>(entries(k, 0));
        !whole(column, 0, static_cast<double>(columns_.size()) - 1)) {
      return NumberDefect{"references.entries", 2 * k, column, "a column of the vocabulary"};
    }
    if (const auto count = static_cast<double>(entries(k, 1)); !(count > 0)) {
      return NumberDefect{"references.entries", 2 * k + 1, count, "a number above 0"};
    }
  }
  const auto quantiles = this->weights_.value(quantiles_).flat();
  for (std::size_t k = 1; k < quantiles.size(); ++k) {
    if (quantiles[k] < quantiles[k - 1]) {
      return NumberDefect{"quantiles", k, static_cast<double>(quantiles[k]),
                          "a number not below the one before"};
    }
  }
  return std::nullopt;
}

class NoveltyRecipe : public RecipeOf<NoveltyRecipe> {
 public:
  std::string name() const override { return "novelty"; }
  std::string summary() const override {
    return "distance to the nearest of a sample of normal graphs, by labels; learns without labels";
  }
  Standing standing() const override { return {Origin::ours, 4}; }
  void declare(core::OptionSet& p) override {
    p.add("references", options_.references, "normal graphs that are kept to compare with",
          {1, 1'000'000});
    p.add("size-exponent", options_.exponent,
          "of the nodes that a distance is divided by: 0 counts differing nodes, 1 gives their "
          "share",
          {0, 1});
    p.add("attribute-weight", options_.attributes,
          "of bins of attributes in a distance, where labels weigh 1", {0, 1000});
    p.add("max-labels", max_labels_, "most frequent labels kept of each level", {1, 1'000'000});
  }
  std::vector<EncoderOptions> encoders() const override {
    std::vector<EncoderOptions> encoders = {
        {.level = LabelLevel::plain, .max_labels = max_labels_}};
    for (const LabelLevel level : {LabelLevel::degree, LabelLevel::wl1, LabelLevel::wl2}) {
      encoders.push_back({.level = level,
                          .max_labels = max_labels_,
                          .fall_back = false,
                          .words = level != LabelLevel::wl2});
    }
    return encoders;
  }
  bool bins_attributes() const override { return true; }
  TrainingDefaults defaults() const override {
    return {.epochs = kRounds, .select = Select::normal_score};
  }
  LearnsFrom learns_from() const override { return LearnsFrom::normal_graphs; }
  template <typename Real>
  std::unique_ptr<Model<Real>> model(const ModelInputs& inputs) const {
    return std::make_unique<Novelty<Real>>(options_, inputs.labels, inputs.bins);
  }

 private:
  NoveltyOptions options_;
  std::size_t max_labels_ = 50'000;
};

}  // namespace

std::unique_ptr<Recipe> make_novelty_recipe() { return std::make_unique<NoveltyRecipe>(); }

}  // namespace rayleigh::models
