#include "models/label_features.h"

#include <algorithm>

namespace rayleigh::models {
namespace {

constexpr std::size_t kGraphsPerPart = 512;

template <typename Work>
void for_graphs(std::size_t graphs, core::ThreadPool& pool, Work work) {
  pool.run((graphs + kGraphsPerPart - 1) / kGraphsPerPart, [&](std::size_t part) {
    work(part * kGraphsPerPart, std::min(graphs, (part + 1) * kGraphsPerPart));
  });
}

/// The columns of a graph, ascending, with how often they occur; `count` is zero before and after.
template <typename Entries>
void count_columns(const Entries& entries, core::Vector<std::uint32_t>& count,
                   core::Vector<std::uint32_t>& columns) {
  columns.clear();
  for (const auto& entry : entries) {
    if (count[entry.column]++ == 0) {
      columns.push_back(entry.column);
    }
  }
  std::ranges::sort(columns);
}

}  // namespace

template <typename Real>
BasisColumns<Real> columns_of(const spectral::LabelBasis<Real>& basis, core::ThreadPool& pool) {
  BasisColumns<Real> out;
  const std::size_t graphs = basis.graphs();
  out.graph_ptr.assign(graphs + 1, 0);
  out.entry_ptr.assign(graphs + 1, 0);
  for_graphs(graphs, pool, [&](std::size_t begin, std::size_t end) {
    core::Vector<std::uint32_t> count(basis.columns(), 0);
    core::Vector<std::uint32_t> columns;
    for (std::size_t g = begin; g < end; ++g) {
      count_columns(basis.entries(g), count, columns);
      out.graph_ptr[g + 1] = static_cast<std::uint32_t>(columns.size());
      out.entry_ptr[g + 1] = basis.entries(g).size();
      for (const std::uint32_t column : columns) {
        count[column] = 0;
      }
    }
  });
  for (std::size_t g = 0; g < graphs; ++g) {
    out.graph_ptr[g + 1] += out.graph_ptr[g];
    out.entry_ptr[g + 1] += out.entry_ptr[g];
  }
  out.column.resize(out.graph_ptr.back());
  out.col_ptr.resize(out.graph_ptr.back() + graphs);
  out.entries.resize(out.entry_ptr.back());
  for_graphs(graphs, pool, [&](std::size_t begin, std::size_t end) {
    core::Vector<std::uint32_t> next(basis.columns(), 0);
    core::Vector<std::uint32_t> columns;
    for (std::size_t g = begin; g < end; ++g) {
      count_columns(basis.entries(g), next, columns);
      std::uint32_t* col_ptr = &out.col_ptr[out.graph_ptr[g] + g];
      col_ptr[0] = 0;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        out.column[out.graph_ptr[g] + k] = columns[k];
        col_ptr[k + 1] = col_ptr[k] + next[columns[k]];
        next[columns[k]] = col_ptr[k];
      }
      for (std::size_t node = 0; node < basis.nodes(g); ++node) {
        for (const auto& entry : basis.row(g, node)) {
          out.entries[out.entry_ptr[g] + next[entry.column]++] = {static_cast<std::uint32_t>(node),
                                                                  entry.value};
        }
      }
      for (const std::uint32_t column : columns) {
        next[column] = 0;
      }
    }
  });
  return out;
}

template BasisColumns<float> columns_of(const spectral::LabelBasis<float>&, core::ThreadPool&);
template BasisColumns<double> columns_of(const spectral::LabelBasis<double>&, core::ThreadPool&);

}  // namespace rayleigh::models
