// Operators of HimNet's node memory: a few learned blocks, each with one row per position of a
// node, so row k of all blocks belongs to node k of a graph. A graph is a mixture of the blocks.
// `blocks` holds them one below the other, count x size rows; `mix` has one row per graph and one
// column per block. Linear in rows x blocks, except mixture_error().
#pragma once

#include "nn/ops_padded.h"
#include "nn/ops_sparse.h"
#include "nn/tape.h"

namespace rayleigh::models {

/// One row per graph, one column per block: Σ_k <x_k, row k of the block> over the rows of the
/// graph. Shared rows belong to the positions from `first_position` on; the last one, that of
/// positions which no graph reaches, is left out: it must be zero.
template <typename Real>
nn::Value block_dots(nn::Tape<Real>& tape, nn::Value x, const nn::PaddedRows& rows,
                     std::size_t first_position, nn::Value blocks, std::size_t count);

/// Row k of graph g: Σ_m mix(g, m) times row k of block m, for the graph's own rows.
template <typename Real>
nn::Value mix_blocks(nn::Tape<Real>& tape, nn::Value mix, nn::Value blocks,
                     std::span<const std::uint32_t> first_row);

/// Which entries of a square matrix a graph is compared in.
enum class Extent {
  whole,      ///< as many rows as a block has
  own_nodes,  ///< as many as the graph has
};

/// One number per graph: Σ_ij (max(<z_i, z_j>, 0) - a_ij)^2 with z the mixture of the blocks and a
/// the graph's block of the symmetric 0/1 matrix `target`.
/// <z_i, z_j> = Σ_ml mix(m) mix(l) <row i of block m, row j of block l>: the products of blocks are
/// those of all graphs, so that an entry costs count (count + 1) / 2 multiplications per graph,
/// however wide the blocks are. The products are not stored but made for a few rows at a time, and
/// again on the way back.
template <typename Real>
nn::Value mixture_error(nn::Tape<Real>& tape, nn::Value mix, nn::Value blocks, nn::Csr<Real> target,
                        std::span<const std::uint32_t> first_row, Extent extent);

}  // namespace rayleigh::models
