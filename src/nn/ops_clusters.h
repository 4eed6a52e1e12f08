// Soft clusters of the nodes of each graph: what becomes of features and edges when nodes are
// pooled, and how even the clusters are (TVGNN). S has one row per node and one column per cluster.
// Products cost two operations per pair of numbers forward, four backward; one thread per graph.
#pragma once

#include <cstdint>
#include <span>

#include "nn/tape.h"

namespace rayleigh::nn {

/// a' b of the rows of each segment, below each other: S'X, or S'(AS). A segment without rows gives
/// zeros. a and b may be the same value.
template <typename Real>
Value segment_gram(Tape<Real>& tape, Value a, Value b, std::span<const std::uint32_t> first_row);

/// Both are cut into `blocks` of equally many rows; block k of the result is the product of theirs.
template <typename Real>
Value paired_product(Tape<Real>& tape, Value a, Value b, std::size_t blocks);

/// How far each segment is from k clusters of equal size, one number per segment: 1 - norm / (n (k
/// - 1)). The norm adds up (k - 1) (s - q) above and q - s below q, a cluster's own quantile: the
/// entry with n / k larger ones. n counts the rows of the segment and rows of zeros up to `rows`,
/// as of a padded batch; `rows` 0 = none. S must not be negative. A single cluster is balanced.
template <typename Real>
Value cluster_balance(Tape<Real>& tape, Value s, std::span<const std::uint32_t> first_row,
                      std::size_t rows = 0);

}  // namespace rayleigh::nn
