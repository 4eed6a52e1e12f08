// Sparse rows of what the Rayleigh quotients of labels are made of: x'x, how often a label occurs,
// for plain, refined and edge labels, and x'Lx of plain labels, L the normalised Laplacian.
// The fixed inputs of detectors that learn from counts rather than by layers.
// A few hundred nanoseconds per node; eight bytes per label that occurs in a graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/option_set.h"
#include "models/attribute_columns.h"
#include "models/label_encoder.h"
#include "models/label_features.h"
#include "models/model.h"

namespace rayleigh::models {

struct QuotientOptions {
  std::size_t rounds = 3;        ///< of refinement, at most 3
  std::size_t least_graphs = 3;  ///< that a refined label must occur in
  std::size_t max_labels = 100'000;
};

void declare_quotients(core::OptionSet& options, QuotientOptions& quotients);

/// Plain labels first, then edges, then labels with degrees and their refinements.
std::vector<EncoderOptions> quotient_encoders(const QuotientOptions& options);

/// Which column is what: a block for each vocabulary with its labels and a column "other" for those
/// never seen, then a block of x'Lx of the known plain labels, then the counts of
/// bins of attributes.
class QuotientColumns {
 public:
  explicit QuotientColumns(std::span<const LabelEncoder> labels, graph::AttributeBins bins = {});

  std::size_t size() const { return first_of_attributes() + bins_.bins(); }
  std::size_t vocabularies() const { return first_.size(); }
  std::size_t of_label(std::size_t vocabulary, std::uint32_t label) const {
    return first_[vocabulary] + label;
  }
  /// Of all labels that were refined more often.
  core::Range refined_beyond(std::size_t rounds) const;
  std::size_t of_form(std::uint32_t plain_label) const { return forms_ + plain_label; }
  std::size_t first_of_attributes() const { return forms_ + plain_; }
  const graph::AttributeBins& bins() const { return bins_; }
  /// Of a vocabulary whose items are not nodes but edges.
  bool counts_edges(std::size_t vocabulary) const { return edges_[vocabulary]; }

  struct Meaning {
    bool form = false;           ///< x'Lx, else a count
    std::size_t vocabulary = 0;  ///< or kBinsOfAttributes
    std::uint32_t label = 0;     ///< or bin
  };
  Meaning meaning(std::size_t column) const;

 private:
  std::vector<std::size_t> first_;  ///< column of each vocabulary
  std::vector<bool> edges_;
  std::size_t forms_ = 0;  ///< first of the forms
  std::size_t plain_ = 0;  ///< known plain labels
  graph::AttributeBins bins_;
};

struct QuotientFeatures : Features {
  GraphRows<float> rows;  ///< columns ascending, values above zero
  /// Column of each node in each vocabulary of nodes and each attribute, one behind the other; only
  /// where scores may have to be explained.
  core::Vector<std::uint32_t> node_columns;
  core::Vector<std::uint32_t> graph_ptr;  ///< first node of each graph

  std::size_t graphs() const override { return rows.row_ptr.size() - 1; }
  std::size_t memory_bytes() const override {
    return rows.entries.size() * sizeof(rows.entries[0]) +
           (rows.row_ptr.size() + node_columns.size() + graph_ptr.size()) * sizeof(std::uint32_t);
  }
  std::span<const spectral::BasisEntry<float>> row(std::size_t graph) const {
    return std::span(rows.entries)
        .subspan(rows.row_ptr[graph], rows.row_ptr[graph + 1] - rows.row_ptr[graph]);
  }
};

std::unique_ptr<QuotientFeatures> quotient_features(const QuotientColumns& columns,
                                                    const GraphSet& graphs,
                                                    std::span<const spectral::NodeLabels> labels,
                                                    nn::Mode mode, core::ThreadPool& pool);

/// Turns shares of columns into those of people's terms: what a count of nodes adds is shared out
/// among the nodes that have the label; what belongs to edges, to forms or to labels that the graph
/// lacks stays with the label.
void explain_columns(const QuotientColumns& columns, const QuotientFeatures& features,
                     std::uint32_t graph, std::span<const double> share_of_column,
                     MarginShares& explanation);

}  // namespace rayleigh::models
