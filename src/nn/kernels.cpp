#include "nn/kernels.h"

#include <array>
#include <cstdint>
#include <utility>

/// Before loops over registers: an array stays in registers only when no loop indexes it.
#ifdef __clang__
#define RAYLEIGH_UNROLL _Pragma("unroll")
#else
#define RAYLEIGH_UNROLL _Pragma("GCC unroll 16")
#endif

namespace rayleigh::nn {

namespace baseline {
constexpr std::size_t kBytes = 16;
constexpr std::size_t kBlockRows = 3;
constexpr std::size_t kBlockVectors = 4;
#include "nn/kernels_isa.inc"
}  // namespace baseline

#ifdef RAYLEIGH_MANY_ISAS

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr std::size_t kBytes = 32;
constexpr std::size_t kBlockRows = 3;
constexpr std::size_t kBlockVectors = 4;
#include "nn/kernels_isa.inc"
}  // namespace avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,prefer-vector-width=512")
namespace avx512 {
constexpr std::size_t kBytes = 64;
constexpr std::size_t kBlockRows = 6;
constexpr std::size_t kBlockVectors = 4;
#include "nn/kernels_isa.inc"
}  // namespace avx512
#pragma GCC pop_options
#endif

namespace {

template <typename Real>
constexpr std::array kAll = {
    baseline::make_kernels<Real>(),
#ifdef RAYLEIGH_MANY_ISAS
    avx2::make_kernels<Real>(),
    avx512::make_kernels<Real>(),
#endif
};

}  // namespace

template <typename Real>
const Kernels<Real>& kernels(core::Isa isa) {
  const auto wanted = static_cast<std::size_t>(isa);
  return kAll<Real>[wanted < kAll<Real>.size() ? wanted : kAll<Real>.size() - 1];
}

template const Kernels<float>& kernels(core::Isa);
template const Kernels<double>& kernels(core::Isa);

}  // namespace rayleigh::nn
