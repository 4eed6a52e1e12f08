// Builds a label basis for any plan of polynomials, shard by shard.
// Use the two functions of the public header; tests use this to force the sparse way.
// See the public header for the cost.
#pragma once

#include <cstddef>

#include "rayleigh/spectral/label_basis.h"

#include "spectral/polynomial_plan.h"

namespace rayleigh::spectral {

/// Numbers a graph may take as full rows; graphs that need more go the sparse way.
inline constexpr std::size_t kDenseScratch = std::size_t{1} << 21U;

template <typename Real>
class LabelBasisBuilder {
 public:
  static LabelBasis<Real> build(const GraphSet& graphs, const NodeLabels& labels,
                                const PolynomialPlan& plan, int threads,
                                std::size_t dense_scratch = kDenseScratch);
};

}  // namespace rayleigh::spectral
