#include "models/padded_batch.h"

#include <algorithm>

namespace rayleigh::models {
namespace {

struct Sizes {
  std::size_t smallest = 0;
  std::size_t largest = 0;
};

Sizes sizes_of(std::span<const std::uint32_t> first_row) {
  Sizes sizes{.smallest = first_row.back(), .largest = 0};
  for (std::size_t g = 0; g + 1 < first_row.size(); ++g) {
    const std::size_t nodes = first_row[g + 1] - first_row[g];
    sizes.smallest = std::min(sizes.smallest, nodes);
    sizes.largest = std::max(sizes.largest, nodes);
  }
  return sizes;
}

/// A copy with `more` numbers behind it.
template <typename Real>
std::span<std::uint32_t> extended(nn::Tape<Real>& tape, std::span<const std::uint32_t> from,
                                  std::size_t more) {
  const auto all = tape.template array<std::uint32_t>(from.size() + more);
  std::ranges::copy(from, all.begin());
  return all;
}

/// With `count` rows behind it that have a one on the diagonal.
template <typename Real>
nn::Csr<Real> with_identity(nn::Tape<Real>& tape, nn::Csr<Real> matrix, std::size_t count) {
  const std::size_t rows = matrix.rows();
  const auto row_ptr = extended(tape, matrix.row_ptr, count);
  const auto col = extended(tape, matrix.col, count);
  for (std::size_t k = 0; k < count; ++k) {
    col[matrix.col.size() + k] = static_cast<std::uint32_t>(rows + k);
    row_ptr[rows + 1 + k] = row_ptr[rows + k] + 1;
  }
  return {row_ptr, col, {}};
}

/// With a graph of `count` rows without entries behind it.
template <typename Real>
nn::RowBatch<Real> with_empty_rows(nn::Tape<Real>& tape, const nn::RowBatch<Real>& batch,
                                   std::size_t count) {
  const auto graphs = tape.template array<nn::SparseRows<Real>>(batch.graphs.size() + 1);
  std::ranges::copy(batch.graphs, graphs.begin());
  const auto row_ptr = tape.template array<std::uint32_t>(count + 1);
  std::ranges::fill(row_ptr, 0U);
  graphs.back() = {nullptr, row_ptr.data(), count};
  const auto first_row = extended(tape, batch.first_row, 1);
  first_row.back() = static_cast<std::uint32_t>(batch.rows() + count);
  return {.graphs = graphs, .first_row = first_row};
}

/// Rows of one position are a group; position p of the shared rows is first_position + its place,
/// and each of them stands for the graphs that end before it.
template <typename Real>
nn::RowGroups position_groups(nn::Tape<Real>& tape, const nn::PaddedRows& rows,
                              std::size_t first_position) {
  const std::size_t own = rows.own_rows();
  const auto group = tape.template array<std::uint32_t>(rows.rows);
  const auto repeats = tape.template array<std::uint32_t>(rows.rows);
  std::ranges::fill(repeats, 1U);
  std::ranges::fill(repeats.subspan(own), 0U);
  std::uint32_t groups = 0;
  for (std::size_t g = 0; g < rows.graphs(); ++g) {
    for (std::uint32_t i = rows.first_row[g]; i < rows.first_row[g + 1]; ++i) {
      group[i] = i - rows.first_row[g];
      groups = std::max(groups, group[i] + 1);
    }
    if (rows.first_shared[g] < rows.rows) {
      ++repeats[rows.first_shared[g]];
    }
  }
  for (std::size_t k = own; k < rows.rows; ++k) {
    group[k] = static_cast<std::uint32_t>(first_position + k - own);
    groups = std::max(groups, group[k] + 1);
    repeats[k] += k > own ? repeats[k - 1] : 0;
  }
  return {.group = group, .repeats = repeats, .groups = groups};
}

}  // namespace

template <typename Real>
PaddedBatch<Real> padded_batch(nn::Tape<Real>& tape, const GraphFeatures<Real>& features,
                               std::span<const std::uint32_t> graphs,
                               const PaddingOptions& options) {
  const auto batch = message_batch(tape, features, graphs);
  const bool by_position = tape.training() && options.norm == NormOver::position;
  const Sizes sizes = sizes_of(batch.first_row);
  // Where a node is standardised by itself, all empty rows are alike.
  const std::size_t positions = by_position ? sizes.largest - sizes.smallest : 0;
  const std::size_t shared = options.empty == EmptyRows::count ? positions + 1 : 0;
  const std::size_t own = batch.first_row.back();
  const auto first_shared = tape.template array<std::uint32_t>(graphs.size());
  const auto last_repeats = tape.template array<std::uint32_t>(graphs.size());
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const std::size_t nodes = batch.first_row[g + 1] - batch.first_row[g];
    const std::size_t skipped = by_position && shared > 0 ? nodes - sizes.smallest : 0;
    first_shared[g] = static_cast<std::uint32_t>(own + skipped);
    const std::size_t reached = by_position ? sizes.largest : nodes;
    last_repeats[g] = shared > 0 ? static_cast<std::uint32_t>(options.size - reached) : 0;
  }
  PaddedBatch<Real> padded{.matrix = with_identity(tape, batch.matrix, shared),
                           .first = with_empty_rows(tape, batch.first, shared),
                           .own = batch.own,
                           .rows = {.first_row = batch.first_row,
                                    .first_shared = first_shared,
                                    .last_repeats = last_repeats,
                                    .rows = own + shared},
                           .groups = {},
                           .first_position = sizes.smallest};
  if (by_position) {
    padded.groups = position_groups(tape, padded.rows, sizes.smallest);
  }
  return padded;
}

template <typename Real>
nn::Value row_counts(nn::Tape<Real>& tape, const nn::PaddedRows& rows,
                     const PaddingOptions& options) {
  const nn::Matrix<Real> counts = tape.scratch(rows.graphs(), 1);
  for (std::size_t g = 0; g < rows.graphs(); ++g) {
    counts(g, 0) = static_cast<Real>(options.empty == EmptyRows::count
                                         ? options.size
                                         : rows.first_row[g + 1] - rows.first_row[g]);
  }
  return tape.constant(counts);
}

template PaddedBatch<float> padded_batch(nn::Tape<float>&, const GraphFeatures<float>&,
                                         std::span<const std::uint32_t>, const PaddingOptions&);
template PaddedBatch<double> padded_batch(nn::Tape<double>&, const GraphFeatures<double>&,
                                          std::span<const std::uint32_t>, const PaddingOptions&);
template nn::Value row_counts(nn::Tape<float>&, const nn::PaddedRows&, const PaddingOptions&);
template nn::Value row_counts(nn::Tape<double>&, const nn::PaddedRows&, const PaddingOptions&);

}  // namespace rayleigh::models
