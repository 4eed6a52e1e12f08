// Total variation of rows over the edges of a graph, in the L1 norm: a descent step and the value
// itself, for sparse adjacencies of a batch and for small dense ones, one block per graph (TVGNN).
// Adjacencies must be symmetric; the gradient of a dense one is that of both its halves, shared.
// An edge costs two to four operations per column forward, twice that backward; one thread per
// graph. Nothing larger than the adjacency is kept.
#pragma once

#include <cstdint>
#include <span>

#include "nn/ops_dense.h"
#include "nn/ops_sparse.h"

namespace rayleigh::models {

struct VariationStep {
  double delta = 2;       ///< length of the step
  double epsilon = 1e-3;  ///< least distance, so that equal neighbours have a finite weight
  nn::Activation activation = nn::Activation::relu;
};

/// activation(x_i + delta Σ_j g_ij (x_j - x_i) + bias) with g_ij = a_ij / max(epsilon, |x_i -
/// x_j|_1). `bias` is 1 x c or absent. The values of `a`, if any, get no gradient.
template <typename Real>
nn::Value variation_step(nn::Tape<Real>& tape, nn::Csr<Real> a, nn::Value x, nn::Value bias,
                         VariationStep step);

/// The same for dense blocks: `a` has one square block per graph, one below the other.
template <typename Real>
nn::Value dense_variation_step(nn::Tape<Real>& tape, nn::Value a, nn::Value x, nn::Value bias,
                               VariationStep step);

/// Σ_ij a_ij |s_i - s_j|_1 / (2 entries of a that are not 0), one number per graph; 0 for a graph
/// without edges. The rows of graph g are first_row[g] … first_row[g + 1] - 1. `a` is all ones.
template <typename Real>
nn::Value total_variation(nn::Tape<Real>& tape, nn::Csr<Real> a, nn::Value s,
                          std::span<const std::uint32_t> first_row);

/// The same for dense blocks.
template <typename Real>
nn::Value dense_total_variation(nn::Tape<Real>& tape, nn::Value a, nn::Value s);

}  // namespace rayleigh::models
