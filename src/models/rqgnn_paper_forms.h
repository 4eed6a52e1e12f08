// Operators of the paper's model on graphs with node labels: learned features are a table with one
// row per label, so the quotient of a graph and its attention pooling need no rows of nodes of
// their own. label_quotient() works on label pairs, wavelet_pool() on the sparse rows of the
// wavelets. Linear in label pairs x features, respectively in non-zeros + labels x features.
#pragma once

#include <cstdint>
#include <span>

#include "nn/ops_rows.h"
#include "nn/tape.h"
#include "spectral/workspace_forms.h"

namespace rayleigh::models {

/// Where x'x of a column is below this, quotient and gradient are 0.
inline constexpr double kQuotientGuard = 1e-12;

/// RQ(g, c) = x'Lx / x'x of column c of the features of graph g; row a of `table` holds the
/// features of label a. `forms` must outlive the step.
template <typename Real>
nn::Value label_quotient(nn::Tape<Real>& tape, const spectral::WorkspaceForms& forms,
                         std::span<const std::uint32_t> graphs, nn::Value table);

/// With h_j = [f_1 X, …, f_q X]_j, X = onehot * table: Σ_j <h_j, query> h_j, or the mean or sum of
/// h_j. Row j of the batch holds [f_1 onehot, …, f_q onehot]_j, q being `filters`; `query` has q *
/// features columns, one row per graph, and is used by attention only.
template <typename Real>
nn::Value wavelet_pool(nn::Tape<Real>& tape, nn::RowBatch<Real> wavelets, std::size_t filters,
                       nn::Value table, nn::Pool pool, nn::Value query);

}  // namespace rayleigh::models
