// The fixed inputs of spectral detectors on node labels: label basis and quadratic forms of labels,
// and how a batch of graphs picks its rows from them.
// Made once per set.
#pragma once

#include "rayleigh/spectral/label_basis.h"

#include "models/model.h"
#include "nn/ops_rows.h"
#include "spectral/label_basis_builder.h"
#include "spectral/workspace_forms.h"

namespace rayleigh::models {

/// A label basis by columns, graph by graph: what the way back of training needs.
template <typename Real>
struct BasisColumns {
  core::Vector<std::uint32_t> graph_ptr{0};  ///< first column of each graph, and the count
  core::Vector<std::uint32_t> column;
  core::Vector<std::uint32_t> col_ptr;               ///< within a graph; one more per graph
  core::Vector<std::size_t> entry_ptr;               ///< first entry of each graph
  core::Vector<spectral::BasisEntry<Real>> entries;  ///< column = node of the graph

  bool empty() const { return entry_ptr.empty(); }
  nn::SparseColumns<Real> of(std::size_t graph) const {
    return {entries.data() + entry_ptr[graph], &col_ptr[graph_ptr[graph] + graph],
            &column[graph_ptr[graph]], graph_ptr[graph + 1] - graph_ptr[graph]};
  }
};

template <typename Real>
BasisColumns<Real> columns_of(const spectral::LabelBasis<Real>& basis, core::ThreadPool& pool);

/// One sparse row per graph.
template <typename Real>
struct GraphRows {
  core::Vector<std::uint32_t> row_ptr{0};
  core::Vector<spectral::BasisEntry<Real>> entries;
};

/// x'Lx of every label below `known` that occurs in a graph.
template <typename Real>
GraphRows<Real> form_rows(const spectral::WorkspaceForms& forms, std::size_t known) {
  GraphRows<Real> rows;
  rows.row_ptr.reserve(forms.label_ptr.size());
  rows.entries.reserve(forms.label.size());
  for (std::size_t g = 0; g < forms.graphs(); ++g) {
    for (std::size_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
      if (forms.label[k] < known) {
        rows.entries.push_back({forms.label[k], static_cast<Real>(forms.form[k])});
      }
    }
    rows.row_ptr.push_back(static_cast<std::uint32_t>(rows.entries.size()));
  }
  return rows;
}

template <typename Real>
struct LabelFeatures : Features {
  spectral::LabelBasis<Real> basis;
  BasisColumns<Real> columns;  ///< empty where nothing is trained
  GraphRows<Real> forms;

  std::size_t graphs() const override { return basis.graphs(); }
  std::size_t memory_bytes() const override {
    return (basis.nonzeros() + columns.entries.size() + forms.entries.size()) *
           sizeof(spectral::BasisEntry<Real>);
  }
};

/// The nodes of the chosen graphs, in the arena of the tape.
template <typename Real>
nn::RowBatch<Real> node_batch(nn::Tape<Real>& tape, const spectral::LabelBasis<Real>& basis,
                              std::span<const std::uint32_t> graphs,
                              const BasisColumns<Real>* columns = nullptr) {
  const auto pieces = tape.template array<nn::SparseRows<Real>>(graphs.size());
  const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
  first[0] = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t g = graphs[i];
    pieces[i] = {basis.entries(g).data(), basis.row_ptr(g).data(), basis.nodes(g)};
    first[i + 1] = first[i] + static_cast<std::uint32_t>(basis.nodes(g));
  }
  if (columns == nullptr || columns->empty() || !tape.training()) {
    return {pieces, first};
  }
  const auto by_column = tape.template array<nn::SparseColumns<Real>>(graphs.size());
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    by_column[i] = columns->of(graphs[i]);
  }
  return {pieces, first, by_column};
}

/// One row for each of the chosen graphs.
template <typename Real>
nn::RowBatch<Real> graph_batch(nn::Tape<Real>& tape, const GraphRows<Real>& rows,
                               std::span<const std::uint32_t> graphs) {
  const auto pieces = tape.template array<nn::SparseRows<Real>>(graphs.size());
  const auto first = tape.template array<std::uint32_t>(graphs.size() + 1);
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    pieces[i] = {rows.entries.data(), &rows.row_ptr[graphs[i]], 1};
    first[i] = static_cast<std::uint32_t>(i);
  }
  first[graphs.size()] = static_cast<std::uint32_t>(graphs.size());
  return {pieces, first};
}

}  // namespace rayleigh::models
