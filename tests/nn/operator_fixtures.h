// What operators of the table need beside their inputs: segments, sparse matrices, label forms.
// Cases share them through std::shared_ptr, as they must outlive every step.
// Made from fixed streams; sizes include empty segments and empty rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "nn/ops_rows.h"
#include "nn/ops_sparse.h"
#include "operator_case.h"
#include "spectral/workspace_forms.h"

namespace rayleigh::nn::test {

using Sizes = std::vector<std::uint32_t>;

/// Prefix sums, from 0 to the row count.
inline Sizes first_rows(const Sizes& sizes) {
  Sizes first = {0};
  first.reserve(sizes.size() + 1);
  for (const std::uint32_t size : sizes) {
    first.push_back(first.back() + size);
  }
  return first;
}

/// 0 … 5 rows a segment.
inline Sizes many_sizes(std::size_t segments) {
  Sizes sizes(segments);
  for (std::size_t s = 0; s < segments; ++s) {
    sizes[s] = static_cast<std::uint32_t>(s * 7 % 6);
  }
  return sizes;
}

/// A batch of molecules: 512 graphs of about 26 nodes.
inline Sizes bench_sizes() {
  Sizes sizes(512);
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    sizes[s] = static_cast<std::uint32_t>(14 + s * 11 % 25);
  }
  return sizes;
}

inline std::vector<Sizes> test_sizes() {
  return {{1}, {3, 0, 1, 5, 0}, {0, 0, 2}, {4, 4, 4}, many_sizes(150)};
}

/// Up to `most` different columns for each row; some rows have none.
inline std::vector<std::vector<std::uint32_t>> draw_columns(std::size_t rows, std::size_t columns,
                                                            std::uint32_t most) {
  core::Generator generator = core::RandomStream(7, "sparse rows").at(rows, most);
  std::vector<std::vector<std::uint32_t>> all(rows);
  for (auto& row : all) {
    std::set<std::uint32_t> drawn;
    for (std::uint32_t k = generator.below(most + 1); k > 0; --k) {
      drawn.insert(generator.below(static_cast<std::uint32_t>(columns)));
    }
    row.assign(drawn.begin(), drawn.end());
  }
  return all;
}

/// The rows of one graph by columns.
template <typename Real>
struct ColumnArrays {
  std::vector<spectral::BasisEntry<Real>> entries;  ///< with the row as column
  Sizes col_ptr;
  Sizes column;

  SparseColumns<Real> view() const {
    return {entries.data(), col_ptr.data(), column.data(), column.size()};
  }
};

template <typename Real>
ColumnArrays<Real> by_columns(const std::vector<spectral::BasisEntry<Real>>& entries,
                              const Sizes& row_ptr) {
  std::map<std::uint32_t, std::vector<spectral::BasisEntry<Real>>> columns;
  for (std::uint32_t i = 0; i + 1 < row_ptr.size(); ++i) {
    for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      columns[entries[e].column].push_back({i, entries[e].value});
    }
  }
  ColumnArrays<Real> result;
  result.col_ptr = {0};
  for (const auto& [column, rows] : columns) {
    result.entries.insert(result.entries.end(), rows.begin(), rows.end());
    result.column.push_back(column);
    result.col_ptr.push_back(static_cast<std::uint32_t>(result.entries.size()));
  }
  return result;
}

/// Sparse feature rows of a batch of graphs.
template <typename Real>
struct SparseGraphs {
  Sizes first_row;
  std::size_t columns = 0;
  std::vector<std::vector<spectral::BasisEntry<Real>>> entries;  ///< of each graph
  std::vector<Sizes> row_ptr;
  std::vector<SparseRows<Real>> rows;
  std::vector<ColumnArrays<Real>> column_arrays;
  std::vector<SparseColumns<Real>> by_column;

  RowBatch<Real> batch() const { return {rows, first_row}; }
  RowBatch<Real> batch_by_column() const { return {rows, first_row, by_column}; }
  Dense as_dense() const {
    Dense m = dense(first_row.back(), columns, [](std::size_t, std::size_t) { return 0.0; });
    for (std::size_t g = 0; g < rows.size(); ++g) {
      for (std::size_t i = 0; i < rows[g].rows; ++i) {
        for (std::size_t e = row_ptr[g][i]; e < row_ptr[g][i + 1]; ++e) {
          m(first_row[g] + i, entries[g][e].column) = static_cast<double>(entries[g][e].value);
        }
      }
    }
    return m;
  }
  std::size_t nonzeros() const {
    std::size_t count = 0;
    for (const auto& graph : entries) {
      count += graph.size();
    }
    return count;
  }
};

template <typename Real>
std::shared_ptr<const SparseGraphs<Real>> make_sparse_graphs(const Sizes& sizes,
                                                             std::size_t columns,
                                                             std::uint32_t most = 5) {
  auto graphs = std::make_shared<SparseGraphs<Real>>();
  graphs->first_row = first_rows(sizes);
  graphs->columns = columns;
  graphs->entries.resize(sizes.size());
  graphs->row_ptr.resize(sizes.size());
  const auto drawn = draw_columns(graphs->first_row.back(), columns, most);
  core::Generator generator = core::RandomStream(7, "sparse values").at(columns);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    graphs->row_ptr[g] = {0};
    for (std::size_t i = graphs->first_row[g]; i < graphs->first_row[g + 1]; ++i) {
      for (const std::uint32_t column : drawn[i]) {
        graphs->entries[g].push_back(
            {column, static_cast<Real>(draw_number(generator, Draw::anywhere))});
      }
      graphs->row_ptr[g].push_back(static_cast<std::uint32_t>(graphs->entries[g].size()));
    }
    graphs->rows.push_back(
        {graphs->entries[g].data(), graphs->row_ptr[g].data(), graphs->row_ptr[g].size() - 1});
    graphs->column_arrays.push_back(by_columns(graphs->entries[g], graphs->row_ptr[g]));
    graphs->by_column.push_back(graphs->column_arrays.back().view());
  }
  return graphs;
}

/// A sparse matrix with its transpose.
template <typename Real>
struct SparseMatrix {
  std::size_t cols = 0;
  Sizes row_ptr;
  Sizes col;
  std::vector<Real> value;  ///< empty = all ones
  TransposedPattern transposed;
  std::vector<Real> transposed_value;

  std::size_t rows() const { return row_ptr.size() - 1; }
  Csr<Real> csr() const { return {row_ptr, col, value}; }
  Csr<Real> transposed_csr() const {
    return {transposed.row_ptr, transposed.col, transposed_value};
  }
  EdgePattern pattern() const {
    return {row_ptr, col, transposed.row_ptr, transposed.col, transposed.entry};
  }
  /// With these values in place of its own.
  template <typename ValueAt>
  Dense as_dense(ValueAt value_at) const {
    Dense m = dense(rows(), cols, [](std::size_t, std::size_t) { return 0.0; });
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
        m(i, col[e]) = value_at(e);
      }
    }
    return m;
  }
  Dense as_dense() const {
    return as_dense([this](std::size_t e) { return value.empty() ? 1.0 : double{value[e]}; });
  }
};

enum class Values { ones, random };

template <typename Real>
std::shared_ptr<const SparseMatrix<Real>> make_sparse_matrix(std::size_t rows, std::size_t cols,
                                                             Values values) {
  auto matrix = std::make_shared<SparseMatrix<Real>>();
  matrix->cols = cols;
  matrix->row_ptr = {0};
  for (const auto& row : draw_columns(rows, cols, 4)) {
    matrix->col.insert(matrix->col.end(), row.begin(), row.end());
    matrix->row_ptr.push_back(static_cast<std::uint32_t>(matrix->col.size()));
  }
  matrix->transposed = transpose_pattern(matrix->row_ptr, matrix->col, cols);
  if (values == Values::random) {
    matrix->value = draw_numbers<Real>(matrix->col.size(), rows);
    matrix->transposed_value.reserve(matrix->col.size());
    for (const std::uint32_t entry : matrix->transposed.entry) {
      matrix->transposed_value.push_back(matrix->value[entry]);
    }
  }
  return matrix;
}

/// Rings of the given sizes in one symmetric matrix, value 1 / 2 each.
template <typename Real>
std::shared_ptr<const SparseMatrix<Real>> make_rings(const Sizes& sizes) {
  auto matrix = std::make_shared<SparseMatrix<Real>>();
  const Sizes first = first_rows(sizes);
  matrix->cols = first.back();
  matrix->row_ptr = {0};
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    for (std::uint32_t i = 0; i < sizes[g]; ++i) {
      std::set<std::uint32_t> neighbours = {first[g] + (i + 1) % sizes[g],
                                            first[g] + (i + sizes[g] - 1) % sizes[g]};
      neighbours.erase(first[g] + i);
      matrix->col.insert(matrix->col.end(), neighbours.begin(), neighbours.end());
      matrix->row_ptr.push_back(static_cast<std::uint32_t>(matrix->col.size()));
    }
  }
  matrix->value.assign(matrix->col.size(), static_cast<Real>(0.5));
  matrix->transposed = transpose_pattern(matrix->row_ptr, matrix->col, matrix->cols);
  matrix->transposed_value = matrix->value;
  return matrix;
}

/// Label forms of graphs with 1 … labels labels each, and an order in which to take the graphs.
struct LabelGraphs {
  spectral::WorkspaceForms forms;
  std::vector<std::uint32_t> order;
};

inline std::shared_ptr<const LabelGraphs> make_label_graphs(std::size_t graphs,
                                                            std::uint32_t labels) {
  auto result = std::make_shared<LabelGraphs>();
  spectral::WorkspaceForms& forms = result->forms;
  core::Generator generator = core::RandomStream(7, "label forms").at(graphs, labels);
  for (std::size_t g = 0; g < graphs; ++g) {
    const std::uint32_t first = generator.below(labels);
    for (std::uint32_t a = first; a < labels; ++a) {
      forms.label.push_back(a);
      forms.count.push_back(1 + generator.below(4));
      forms.form.push_back(draw_number(generator, Draw::positive));
      if (a > first) {
        forms.pair.push_back({a - 1, a, -draw_number(generator, Draw::fraction)});
      }
    }
    forms.label_ptr.push_back(static_cast<std::uint32_t>(forms.label.size()));
    forms.pair_ptr.push_back(static_cast<std::uint32_t>(forms.pair.size()));
    result->order.push_back(static_cast<std::uint32_t>(graphs - 1 - g));
  }
  return result;
}

}  // namespace rayleigh::nn::test
