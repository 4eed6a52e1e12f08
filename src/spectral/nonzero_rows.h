// Writes the entries of full rows that are not zero, with their columns, one row behind the other.
// Use for the label basis of one graph. Without branches: every candidate is written and the end
// moves on only behind those that are kept, four at a time where the machine has AVX.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rayleigh/spectral/label_basis.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define RAYLEIGH_HAS_AVX_ROWS 1
#endif

namespace rayleigh::spectral {

/// Blocks of rows: number l of row i of block b stands at values[b * block + i * width + l] and
/// belongs to columns[b * width + l].
template <typename Real>
struct FullRows {
  const Real* values;
  std::size_t block;
  std::size_t width;  ///< a multiple of four
  std::span<const Real> row_scale;
  std::span<const std::uint32_t> columns;
  std::size_t first_block;
  std::size_t blocks;
};

/// True for every number but the two zeros; unlike a comparison of floats it costs no branch.
template <typename Real>
std::size_t is_nonzero(Real value) {
  if constexpr (sizeof(Real) == 4) {
    return (std::bit_cast<std::uint32_t>(value) << 1U) != 0 ? 1 : 0;
  } else {
    return (std::bit_cast<std::uint64_t>(value) << 1U) != 0 ? 1 : 0;
  }
}

/// Appends row `node` to `end` and returns the new end; up to three entries behind it are touched.
template <typename Real>
BasisEntry<Real>* append_row(const FullRows<Real>& rows, std::size_t node, BasisEntry<Real>* end) {
  const Real scale = rows.row_scale[node];
  for (std::size_t b = rows.first_block; b < rows.blocks; ++b) {
    const Real* row = rows.values + b * rows.block + node * rows.width;
    const std::uint32_t* columns = &rows.columns[b * rows.width];
    for (std::size_t l = 0; l < rows.width; ++l) {
      *end = {columns[l], scale * row[l]};
      end += is_nonzero(row[l]);
    }
  }
  return end;
}

#ifdef RAYLEIGH_HAS_AVX_ROWS
/// For each set of four lanes the order that moves its members to the front.
constexpr std::array<std::array<std::uint32_t, 4>, 16> front_orders() {
  std::array<std::array<std::uint32_t, 4>, 16> orders{};
  for (std::uint32_t set = 0; set < 16; ++set) {
    std::size_t at = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
      if ((set >> lane & 1U) != 0) {
        orders[set][at++] = lane;
      }
    }
  }
  return orders;
}
alignas(16) inline constexpr auto kFrontOrders = front_orders();

[[gnu::target("avx,popcnt")]] inline BasisEntry<float>* append_row_avx(const FullRows<float>& rows,
                                                                       std::size_t node,
                                                                       BasisEntry<float>* end) {
  const __m128 scale = _mm_set1_ps(rows.row_scale[node]);
  for (std::size_t b = rows.first_block; b < rows.blocks; ++b) {
    const float* row = rows.values + b * rows.block + node * rows.width;
    const std::uint32_t* columns = &rows.columns[b * rows.width];
    for (std::size_t l = 0; l < rows.width; l += 4) {
      const __m128 value = _mm_loadu_ps(row + l);
      const __m128 column = _mm_loadu_ps(reinterpret_cast<const float*>(columns + l));
      const auto kept =
          static_cast<unsigned>(_mm_movemask_ps(_mm_cmp_ps(value, _mm_setzero_ps(), _CMP_NEQ_UQ)));
      const __m128i order =
          _mm_load_si128(reinterpret_cast<const __m128i*>(kFrontOrders[kept].data()));
      const __m128 v = _mm_permutevar_ps(_mm_mul_ps(value, scale), order);
      const __m128 c = _mm_permutevar_ps(column, order);
      _mm_storeu_ps(reinterpret_cast<float*>(end), _mm_unpacklo_ps(c, v));
      _mm_storeu_ps(reinterpret_cast<float*>(end + 2), _mm_unpackhi_ps(c, v));
      end += std::popcount(kept);
    }
  }
  return end;
}
#endif

}  // namespace rayleigh::spectral
