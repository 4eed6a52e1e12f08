// Builds a label basis for any plan of polynomials, shard by shard.
// Use the functions of the public header, or those here that run on a pool which is there already;
// tests use the builder to force the sparse way.
// See the public header for the cost.
#pragma once

#include <cstddef>

#include "rayleigh/spectral/label_basis.h"

#include "core/thread_pool.h"
#include "spectral/polynomial_plan.h"

namespace rayleigh::spectral {

/// Numbers a graph may take as full rows; graphs that need more go the sparse way.
inline constexpr std::size_t kDenseScratch = std::size_t{1} << 21U;

template <typename Real>
class LabelBasisBuilder {
 public:
  static LabelBasis<Real> build(const GraphSet& graphs, const NodeLabels& labels,
                                const PolynomialPlan& plan, core::ThreadPool& pool,
                                std::size_t dense_scratch = kDenseScratch);
};

template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                       std::size_t order, core::ThreadPool& pool);
template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                    std::span<const std::vector<double>> series,
                                    core::ThreadPool& pool);

}  // namespace rayleigh::spectral
