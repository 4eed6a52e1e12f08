#include "models/graph_matrix.h"

#include <algorithm>
#include <cmath>

namespace rayleigh::models {
namespace {

/// An entry as a function of the degrees of its two ends.
double weight_of(Propagation propagation, std::size_t degree_a, std::size_t degree_b) {
  switch (propagation) {
    case Propagation::shifted:
      return -1 / std::sqrt(static_cast<double>(degree_a) * static_cast<double>(degree_b));
    case Propagation::gcn:
      return 1 / std::sqrt(static_cast<double>(degree_a + 1) * static_cast<double>(degree_b + 1));
    case Propagation::adjacency:
    case Propagation::self_loops:
    case Propagation::double_self_loops:
      break;
  }
  return 1;
}

int diagonal_entries(Propagation propagation) {
  switch (propagation) {
    case Propagation::self_loops:
    case Propagation::gcn:
      return 1;
    case Propagation::double_self_loops:
      return 2;
    case Propagation::adjacency:
    case Propagation::shifted:
      break;
  }
  return 0;
}

}  // namespace

template <typename Real>
GraphMatrix<Real> graph_matrix(const GraphSet& graphs, Propagation propagation) {
  GraphMatrix<Real> m;
  const bool weighted = propagation == Propagation::shifted || propagation == Propagation::gcn;
  m.graph_ptr.assign(graphs.graph_ptr().begin(), graphs.graph_ptr().end());
  m.row_ptr.reserve(graphs.nodes() + 1);
  m.row_ptr.push_back(0);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const GraphView graph = graphs[g];
    for (std::uint32_t i = 0; i < graph.nodes(); ++i) {
      const auto add = [&](std::uint32_t j) {
        m.col.push_back(j);
        if (weighted) {
          m.value.push_back(
              static_cast<Real>(weight_of(propagation, graph.degree(i), graph.degree(j))));
        }
      };
      int diagonal = diagonal_entries(propagation);
      for (const std::uint32_t far : graph.neighbours(i)) {
        const std::uint32_t j = far - graph.first_node();
        for (; diagonal > 0 && j > i; --diagonal) {
          add(i);
        }
        add(j);
      }
      for (; diagonal > 0; --diagonal) {
        add(i);
      }
      m.row_ptr.push_back(static_cast<std::uint32_t>(m.col.size()));
    }
  }
  return m;
}

template <typename Real>
BlockMatrix<Real> block_matrix(nn::Tape<Real>& tape, const GraphMatrix<Real>& m,
                               std::span<const std::uint32_t> graphs) {
  const auto first_row = tape.template array<std::uint32_t>(graphs.size() + 1);
  const auto first_entry = tape.template array<std::uint32_t>(graphs.size() + 1);
  first_row[0] = 0;
  first_entry[0] = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::size_t begin = m.graph_ptr[graphs[i]];
    const std::size_t end = m.graph_ptr[graphs[i] + 1];
    first_row[i + 1] = first_row[i] + static_cast<std::uint32_t>(end - begin);
    first_entry[i + 1] = first_entry[i] + (m.row_ptr[end] - m.row_ptr[begin]);
  }
  const auto row_ptr = tape.template array<std::uint32_t>(first_row[graphs.size()] + 1);
  const auto col = tape.template array<std::uint32_t>(first_entry[graphs.size()]);
  const auto value = tape.template array<Real>(m.value.empty() ? 0 : col.size());
  row_ptr[0] = 0;
  tape.for_rows(graphs.size(), 512, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t begin = m.graph_ptr[graphs[i]];
      const std::size_t nodes = m.graph_ptr[graphs[i] + 1] - begin;
      const std::uint32_t old_entry = m.row_ptr[begin];
      for (std::size_t node = 0; node < nodes; ++node) {
        row_ptr[first_row[i] + node + 1] = m.row_ptr[begin + node + 1] - old_entry + first_entry[i];
      }
      const std::size_t entries = first_entry[i + 1] - first_entry[i];
      for (std::size_t e = 0; e < entries; ++e) {
        col[first_entry[i] + e] = m.col[old_entry + e] + first_row[i];
      }
      if (!value.empty()) {
        std::copy_n(m.value.data() + old_entry, entries, value.data() + first_entry[i]);
      }
    }
  });
  return {{row_ptr, col, value}, first_row};
}

template GraphMatrix<float> graph_matrix(const GraphSet&, Propagation);
template GraphMatrix<double> graph_matrix(const GraphSet&, Propagation);
template BlockMatrix<float> block_matrix(nn::Tape<float>&, const GraphMatrix<float>&,
                                         std::span<const std::uint32_t>);
template BlockMatrix<double> block_matrix(nn::Tape<double>&, const GraphMatrix<double>&,
                                          std::span<const std::uint32_t>);

}  // namespace rayleigh::models
