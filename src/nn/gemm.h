// C = alpha op(A) op(B) + beta C for row-major matrices: oneDNN in single, Eigen in double
// precision. Always on the calling thread; the caller splits large products into fixed parts.
// The very first product of a process in single precision costs tens of milliseconds (oneDNN writes
// its kernels), so code that must start at once uses kernels.h.
#pragma once

#include "core/isa.h"
#include "nn/matrix.h"

namespace rayleigh::nn {

enum class Transpose { no, yes };

template <typename Real>
void gemm(Transpose transpose_a, Transpose transpose_b, Real alpha, Matrix<const Real> a,
          Matrix<const Real> b, Real beta, Matrix<Real> c);

/// Limits the products of the whole process. Works only before its first product; returns false
/// when it came too late.
bool limit_products_to(core::Isa isa);

}  // namespace rayleigh::nn
