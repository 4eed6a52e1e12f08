#include "models/quotient_features.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "core/isa.h"
#include "spectral/workspace_forms.h"

namespace rayleigh::models {

using graph::LabelLevel;

namespace {

constexpr std::size_t kRowsMadeAtOnce = 256;

/// One part of all rows, made by one task.
struct RowsOfPart {
  core::Vector<spectral::BasisEntry<float>> entries;
  core::Vector<std::uint32_t> lengths;
};

/// A column that a graph has, and how often.
struct Placed {
  std::int32_t column;
  std::int32_t count;
};

/// Puts the first `taken` columns where sorting them would: so few are compared with each other
/// in less time than a sort loses by wrong guesses of branches. Numbers behind them are larger.
RAYLEIGH_ISA_CLONES void place_few(std::span<const std::int32_t> columns, std::size_t taken,
                                   std::span<Placed> placed) {
  for (std::size_t i = 0; i < taken; ++i) {
    const std::int32_t column = columns[i];
    std::int32_t smaller = 0;
    std::int32_t equal = 0;
    for (const std::int32_t other : columns) {
      smaller += other < column ? 1 : 0;
      equal += other == column ? 1 : 0;
    }
    placed[static_cast<std::size_t>(smaller)] = {column, equal};
  }
}

/// What one graph has of one vocabulary, and room to count it.
class ColumnCounter {
 public:
  void clear() { columns_.clear(); }
  void take(std::size_t column) { columns_.push_back(static_cast<std::int32_t>(column)); }

  /// An entry for every column, ascending.
  void add_to(core::Vector<spectral::BasisEntry<float>>& entries, float each) {
    const std::size_t taken = columns_.size();
    if (taken > kFew) {
      std::ranges::sort(columns_);
      for (std::size_t begin = 0; begin < taken;) {
        const auto end = static_cast<std::size_t>(
            std::upper_bound(columns_.begin() + static_cast<std::ptrdiff_t>(begin), columns_.end(),
                             columns_[begin]) -
            columns_.begin());
        entries.push_back(
            {static_cast<std::uint32_t>(columns_[begin]), each * static_cast<float>(end - begin)});
        begin = end;
      }
      return;
    }
    columns_.resize((taken + kLanes - 1) / kLanes * kLanes,
                    std::numeric_limits<std::int32_t>::max());
    place_few(columns_, taken, placed_);
    for (std::size_t at = 0; at < taken;) {
      const Placed& placed = placed_[at];
      entries.push_back(
          {static_cast<std::uint32_t>(placed.column), each * static_cast<float>(placed.count)});
      at += static_cast<std::size_t>(placed.count);
    }
  }

 private:
  static constexpr std::size_t kFew = 64;
  static constexpr std::size_t kLanes = 16;

  core::Vector<std::int32_t> columns_;
  std::array<Placed, kFew> placed_;
};

void add_attributes(const QuotientColumns& columns, const GraphSet& graphs, nn::Mode mode,
                    core::ThreadPool& pool, QuotientFeatures& features) {
  const std::size_t first = columns.first_of_attributes();
  const auto of_nodes = bins_of_nodes(columns.bins(), graphs, pool);
  put_behind(bin_counts(columns.bins(), of_nodes, graphs), first, features.rows);
  if (mode == nn::Mode::scoring) {
    for (const std::uint32_t bin : of_nodes) {
      features.node_columns.push_back(static_cast<std::uint32_t>(first + bin));
    }
  }
}

}  // namespace

void declare_quotients(core::OptionSet& options, QuotientOptions& quotients) {
  options.add("refinements", quotients.rounds, "rounds of Weisfeiler-Leman refinement of labels",
              {0, 3});
  options.add("least-graphs", quotients.least_graphs, "that a refined label must occur in",
              {1, 1'000'000});
  options.add("max-labels", quotients.max_labels, "most frequent labels kept of each level",
              {1, 1'000'000});
}

std::vector<EncoderOptions> quotient_encoders(const QuotientOptions& options) {
  std::vector<EncoderOptions> encoders = {
      {.level = LabelLevel::plain, .max_labels = options.max_labels},
      {.level = LabelLevel::edge, .max_labels = options.max_labels, .fall_back = false}};
  constexpr std::array kRefined = {LabelLevel::degree, LabelLevel::degree_wl1,
                                   LabelLevel::degree_wl2, LabelLevel::degree_wl3};
  for (std::size_t round = 0; round <= std::min(options.rounds, kRefined.size() - 1); ++round) {
    encoders.push_back({.level = kRefined[round],
                        .max_labels = options.max_labels,
                        .fall_back = false,
                        .least_graphs = options.least_graphs,
                        .words = round <= 1});
  }
  return encoders;
}

QuotientColumns::QuotientColumns(std::span<const LabelEncoder> labels, graph::AttributeBins bins)
    : bins_(std::move(bins)) {
  for (const LabelEncoder& encoder : labels) {
    first_.push_back(forms_);
    edges_.push_back(encoder.finest() == LabelLevel::edge);
    forms_ += encoder.size() + 1;
  }
  plain_ = labels[0].size();
}

core::Range QuotientColumns::refined_beyond(std::size_t rounds) const {
  // Plain labels, edges and labels with degrees come first.
  const std::size_t vocabulary = 3 + rounds;
  return {vocabulary < first_.size() ? first_[vocabulary] : forms_, forms_};
}

QuotientColumns::Meaning QuotientColumns::meaning(std::size_t column) const {
  if (column >= first_of_attributes()) {
    return {.form = false,
            .vocabulary = kBinsOfAttributes,
            .label = static_cast<std::uint32_t>(column - first_of_attributes())};
  }
  if (column >= forms_) {
    return {.form = true, .vocabulary = 0, .label = static_cast<std::uint32_t>(column - forms_)};
  }
  const auto after = std::ranges::upper_bound(first_, column);
  const auto vocabulary = static_cast<std::size_t>(after - first_.begin()) - 1;
  return {.form = false,
          .vocabulary = vocabulary,
          .label = static_cast<std::uint32_t>(column - first_[vocabulary])};
}

std::unique_ptr<QuotientFeatures> quotient_features(const QuotientColumns& columns,
                                                    const GraphSet& graphs,
                                                    std::span<const spectral::NodeLabels> labels,
                                                    nn::Mode mode, core::ThreadPool& pool) {
  auto features = std::make_unique<QuotientFeatures>();
  const auto forms =
      spectral::workspace_forms(graphs, labels[0], {}, pool, spectral::LabelPairs::none);
  const std::size_t known = labels[0].count - 1;
  const std::size_t parts = (graphs.size() + kRowsMadeAtOnce - 1) / kRowsMadeAtOnce;
  core::Vector<RowsOfPart> made(parts);
  pool.run(parts, [&](std::size_t part) {
    RowsOfPart rows;
    ColumnCounter counter;
    for (std::size_t g = part * kRowsMadeAtOnce;
         g < std::min(graphs.size(), (part + 1) * kRowsMadeAtOnce); ++g) {
      const std::size_t before = rows.entries.size();
      for (std::size_t v = 0; v < labels.size(); ++v) {
        const bool edges = columns.counts_edges(v);
        const auto items =
            graph::labelled_items(graphs, g, edges ? LabelLevel::edge : LabelLevel::plain);
        counter.clear();
        for (std::size_t i = items.begin; i < items.end; ++i) {
          counter.take(columns.of_label(v, labels[v].of_node[i]));
        }
        // Each edge has two entries.
        counter.add_to(rows.entries, edges ? 0.5F : 1.0F);
      }
      for (std::size_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
        if (forms.label[k] < known && forms.form[k] > 0) {
          rows.entries.push_back({static_cast<std::uint32_t>(columns.of_form(forms.label[k])),
                                  static_cast<float>(forms.form[k])});
        }
      }
      rows.lengths.push_back(static_cast<std::uint32_t>(rows.entries.size() - before));
    }
    made[part] = std::move(rows);
  });
  std::size_t entries = 0;
  for (const RowsOfPart& part : made) {
    entries += part.entries.size();
  }
  features->rows.entries.reserve(entries);
  features->rows.row_ptr.reserve(graphs.size() + 1);
  for (const RowsOfPart& part : made) {
    features->rows.entries.insert(features->rows.entries.end(), part.entries.begin(),
                                  part.entries.end());
    for (const std::uint32_t length : part.lengths) {
      features->rows.row_ptr.push_back(features->rows.row_ptr.back() + length);
    }
  }
  if (mode == nn::Mode::scoring) {
    features->graph_ptr.assign(graphs.graph_ptr().begin(), graphs.graph_ptr().end());
    for (std::size_t v = 0; v < labels.size(); ++v) {
      if (!columns.counts_edges(v)) {
        for (const std::uint32_t label : labels[v].of_node) {
          features->node_columns.push_back(static_cast<std::uint32_t>(columns.of_label(v, label)));
        }
      }
    }
  }
  if (!columns.bins().empty()) {
    add_attributes(columns, graphs, mode, pool, *features);
  }
  return features;
}

void explain_columns(const QuotientColumns& columns, const QuotientFeatures& features,
                     std::uint32_t graph, std::span<const double> share_of_column,
                     MarginShares& explanation) {
  const std::size_t first = features.graph_ptr[graph];
  const std::size_t nodes = features.graph_ptr[graph + 1] - first;
  const std::size_t all_nodes = features.graph_ptr.back();
  std::map<std::uint32_t, double> count;  // of nodes, of the columns that the graph has
  for (const auto& entry : features.row(graph)) {
    count[entry.column] = static_cast<double>(entry.value);
  }
  explanation.nodes.assign(nodes, 0.0);
  for (std::size_t at = first; at < features.node_columns.size(); at += all_nodes) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::uint32_t column = features.node_columns[at + i];
      explanation.nodes[i] += share_of_column[column] / count[column];
    }
  }
  for (std::size_t column = 0; column < share_of_column.size(); ++column) {
    const auto meaning = columns.meaning(column);
    const bool of_nodes =
        meaning.vocabulary == kBinsOfAttributes || !columns.counts_edges(meaning.vocabulary);
    const bool on_nodes =
        !meaning.form && of_nodes && count.contains(static_cast<std::uint32_t>(column));
    if (share_of_column[column] != 0 && !on_nodes) {
      explanation.labels.push_back({.vocabulary = meaning.vocabulary,
                                    .label = meaning.label,
                                    .share = share_of_column[column]});
    }
  }
}

}  // namespace rayleigh::models
