// Polynomials of L - I on the one-hot labels of one graph, as full rows over the graph's own
// labels. The usual way for small graphs, which have few labels; sparse_polynomials.h takes the
// others. Additions only in the inner loop: order * directed edges * labels of the graph.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rayleigh/graph_set.h"

#include "core/workspace.h"
#include "spectral/local_labels.h"
#include "spectral/nonzero_rows.h"
#include "spectral/polynomial_plan.h"

namespace rayleigh::spectral {

/// With W_k = D^-1/2 T_k(L - I) X the recurrence is W_k = -2 D^-1 A W_{k-1} - W_{k-2}: the sum over
/// neighbours needs no weights. Isolated nodes take D = 1.
template <typename Real>
class DensePolynomials {
 public:
  DensePolynomials(const GraphSet& graphs, const PolynomialPlan& plan)
      : row_ptr_(graphs.row_ptr()), col_(graphs.col()), plan_(plan) {
    for (std::size_t d = 1; d < kTable; ++d) {
      root_table_[d] = std::sqrt(static_cast<Real>(d));
      inverse_table_[d] = Real{1} / static_cast<Real>(d);
    }
    root_table_[0] = inverse_table_[0] = Real{1};
  }

  /// Numbers that evaluate() keeps for a graph of this size.
  std::size_t scratch(std::size_t nodes, std::size_t labels) const {
    return (plan_.blocks() + 3) * (nodes + 1) * padded(labels);
  }

  void evaluate(std::size_t first, std::size_t nodes, const LocalLabels& local) {
    first_ = first;
    n_ = nodes;
    width_ = padded(local.size());
    block_ = (n_ + 1) * width_;
    gather_neighbours();
    values_.resize(plan_.blocks() * block_);
    if (plan_.series.empty()) {
      start(local, values_.data());
      for (std::size_t k = 1; k <= plan_.order; ++k) {
        next_order(k, &values_[(k - 1) * block_], &values_[(k == 1 ? 0 : k - 2) * block_],
                   &values_[k * block_]);
      }
    } else {
      evaluate_series(local);
    }
  }

  /// Labels, rounded up to a multiple of four; the surplus columns are zero.
  std::size_t width() const { return width_; }
  FullRows<Real> rows(std::span<const std::uint32_t> columns, std::size_t first_block) const {
    return {.values = values_.data(),
            .block = block_,
            .width = width_,
            .row_scale = root_degree_,
            .columns = columns,
            .first_block = first_block,
            .blocks = plan_.blocks()};
  }

 private:
  static constexpr std::size_t kTable = 64;  ///< degrees with tabulated roots
  static constexpr std::size_t kNear = 4;    ///< neighbours that are added without a branch
  static std::size_t padded(std::size_t labels) { return (labels + 3) / 4 * 4; }

  /// The first four neighbours of each node, missing ones replaced by the zero row n_: most nodes
  /// of molecules and call graphs have no more, and loops of one to four turns are badly predicted.
  void gather_neighbours() {
    near_.resize(n_ * kNear);
    root_degree_.resize(n_);
    inverse_degree_.resize(n_);
    const auto zero_row = static_cast<std::uint32_t>(n_);
    const std::size_t last = col_.empty() ? 0 : col_.size() - 1;
    std::size_t begin = row_ptr_[first_];
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t end = row_ptr_[first_ + i + 1];
      const std::size_t degree = end - begin;
      for (std::size_t s = 0; s < kNear && !col_.empty(); ++s) {
        const auto neighbour = static_cast<std::uint32_t>(col_[std::min(begin + s, last)] - first_);
        near_[i * kNear + s] = s < degree ? neighbour : zero_row;
      }
      const bool tabulated = degree < kTable;
      root_degree_[i] = tabulated ? root_table_[degree] : std::sqrt(static_cast<Real>(degree));
      inverse_degree_[i] = tabulated ? inverse_table_[degree] : Real{1} / static_cast<Real>(degree);
      begin = end;
    }
    if (col_.empty()) {
      std::ranges::fill(near_, zero_row);
    }
  }

  void start(const LocalLabels& local, Real* out) const {
    std::fill_n(out, block_, Real{0});
    for (std::size_t i = 0; i < n_; ++i) {
      out[i * width_ + local.of_node(i)] = Real{1} / root_degree_[i];
    }
  }

  void next_order(std::size_t k, const Real* previous, const Real* before, Real* next) const {
    const Real factor = k == 1 ? Real{-1} : Real{-2};
    const Real keep = k == 1 ? Real{0} : Real{1};
    if (width_ == 4) {
      recur<4>(factor, keep, previous, before, next);
    } else {
      recur<0>(factor, keep, previous, before, next);
    }
  }

  /// Four numbers side by side: compilers do not find this parallelism by themselves here.
  using Four [[gnu::vector_size(4 * sizeof(Real))]] = Real;
  static void load(Four& four, const Real* from) { std::memcpy(&four, from, sizeof(Four)); }

  /// next = factor D^-1 A previous - keep before. FixedWidth 0 stands for any multiple of four.
  template <std::size_t FixedWidth>
  void recur(Real factor, Real keep, const Real* previous, const Real* before, Real* next) const {
    const std::size_t width = FixedWidth == 0 ? width_ : FixedWidth;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::uint32_t* near = &near_[i * kNear];
      const Real scale = factor * inverse_degree_[i];
      const std::size_t far_begin = row_ptr_[first_ + i] + kNear;
      const std::size_t end = row_ptr_[first_ + i + 1];
      for (std::size_t c = 0; c < width; c += 4) {
        Four sum;
        load(sum, previous + near[0] * width + c);
        for (std::size_t s = 1; s < kNear; ++s) {
          Four row;
          load(row, previous + near[s] * width + c);
          sum += row;
        }
        for (std::size_t e = far_begin; e < end; ++e) {
          Four row;
          load(row, previous + (col_[e] - first_) * width + c);
          sum += row;
        }
        Four old;
        load(old, before + i * width + c);
        const Four result = scale * sum - keep * old;
        std::memcpy(next + i * width + c, &result, sizeof(Four));
      }
    }
    std::fill_n(next + n_ * width, width, Real{0});
  }

  void evaluate_series(const LocalLabels& local) {
    rolling_.resize(3 * block_);
    std::ranges::fill(values_, Real{0});
    start(local, rolling_.data());
    add_to_series(0, rolling_.data());
    for (std::size_t k = 1; k <= plan_.order; ++k) {
      Real* now = &rolling_[k % 3 * block_];
      next_order(k, &rolling_[(k - 1) % 3 * block_], &rolling_[(k == 1 ? 0 : k - 2) % 3 * block_],
                 now);
      add_to_series(k, now);
    }
  }

  void add_to_series(std::size_t k, const Real* polynomial) {
    for (std::size_t b = 0; b < plan_.blocks(); ++b) {
      if (const auto c = static_cast<Real>(plan_.coefficient(b, k)); c != 0) {
        Real* out = &values_[b * block_];
        for (std::size_t at = 0; at < block_; ++at) {
          out[at] += c * polynomial[at];
        }
      }
    }
  }

  std::span<const std::uint32_t> row_ptr_;
  std::span<const std::uint32_t> col_;
  const PolynomialPlan& plan_;
  std::array<Real, kTable> root_table_;
  std::array<Real, kTable> inverse_table_;
  std::size_t first_ = 0;
  std::size_t n_ = 0;
  std::size_t width_ = 0;
  std::size_t block_ = 0;  ///< numbers of a block: n_ rows and the zero row
  core::Vector<std::uint32_t> near_;
  core::Vector<Real> root_degree_;
  core::Vector<Real> inverse_degree_;
  core::Vector<Real> values_;
  core::Vector<Real> rolling_;
};

}  // namespace rayleigh::spectral
