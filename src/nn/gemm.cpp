#include "nn/gemm.h"

#include <Eigen/Core>
#include <cassert>
#include <dnnl.h>

#include "rayleigh/error.h"

// Of the OpenMP runtime that oneDNN brings; omp.h is not everywhere where its library is.
extern "C" void omp_set_num_threads(int threads);

namespace rayleigh::nn {
namespace {

/// oneDNN would split small products among OpenMP threads; our own threads already share the work.
void keep_to_this_thread() {
  thread_local bool done = false;
  if (!done) {
    omp_set_num_threads(1);
    done = true;
  }
}

template <typename Real>
[[maybe_unused]] bool shapes_fit(bool ta, bool tb, Matrix<const Real> a, Matrix<const Real> b,
                                 Matrix<Real> c) {
  return (ta ? a.cols : a.rows) == c.rows && (tb ? b.rows : b.cols) == c.cols &&
         (ta ? a.rows : a.cols) == (tb ? b.cols : b.rows);
}

template <typename Real>
void scale(Matrix<Real> c, Real beta) {
  for (Real& x : c.flat()) {
    x = beta == 0 ? 0 : beta * x;
  }
}

}  // namespace

template <>
void gemm(Transpose transpose_a, Transpose transpose_b, float alpha, Matrix<const float> a,
          Matrix<const float> b, float beta, Matrix<float> c) {
  const bool ta = transpose_a == Transpose::yes;
  const bool tb = transpose_b == Transpose::yes;
  assert(shapes_fit(ta, tb, a, b, c));
  const std::size_t inner = ta ? a.rows : a.cols;
  if (c.empty() || inner == 0) {
    scale(c, beta);
    return;
  }
  keep_to_this_thread();
  const auto status =
      dnnl_sgemm(ta ? 'T' : 'N', tb ? 'T' : 'N', static_cast<dnnl_dim_t>(c.rows),
                 static_cast<dnnl_dim_t>(c.cols), static_cast<dnnl_dim_t>(inner), alpha, a.data,
                 static_cast<dnnl_dim_t>(a.cols), b.data, static_cast<dnnl_dim_t>(b.cols), beta,
                 c.data, static_cast<dnnl_dim_t>(c.cols));
  if (status != dnnl_success) {
    throw Error(ErrorKind::failed, "a matrix product failed: out of memory?");
  }
}

template <>
void gemm(Transpose transpose_a, Transpose transpose_b, double alpha, Matrix<const double> a,
          Matrix<const double> b, double beta, Matrix<double> c) {
  using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const bool ta = transpose_a == Transpose::yes;
  const bool tb = transpose_b == Transpose::yes;
  assert(shapes_fit(ta, tb, a, b, c));
  const auto map = [](auto m) {
    return Eigen::Map<const Dense>(m.data, static_cast<Eigen::Index>(m.rows),
                                   static_cast<Eigen::Index>(m.cols));
  };
  Eigen::Map<Dense> out(c.data, static_cast<Eigen::Index>(c.rows),
                        static_cast<Eigen::Index>(c.cols));
  scale(c, beta);
  if (ta && tb) {
    out.noalias() += alpha * map(a).transpose() * map(b).transpose();
  } else if (ta) {
    out.noalias() += alpha * map(a).transpose() * map(b);
  } else if (tb) {
    out.noalias() += alpha * map(a) * map(b).transpose();
  } else {
    out.noalias() += alpha * map(a) * map(b);
  }
}

bool limit_products_to(core::Isa isa) {
  using core::Isa;
  switch (isa) {
    case Isa::baseline:
      return dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41) == dnnl_success;
    case Isa::avx2:
      return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_success;
    case Isa::avx512:
      return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx512_core) == dnnl_success;
  }
  return false;
}

}  // namespace rayleigh::nn
