#include "rayleigh/spectral/label_basis.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/isa.h"
#include "core/thread_pool.h"
#include "spectral/dense_polynomials.h"
#include "spectral/label_basis_builder.h"
#include "spectral/local_labels.h"
#include "spectral/nonzero_rows.h"
#include "spectral/shards.h"
#include "spectral/slabs.h"
#include "spectral/sparse_polynomials.h"

namespace rayleigh::spectral {
namespace {

/// Writes the rows of the graphs of one shard.
template <typename Real>
class RowWriter {
 public:
  using Entry = BasisEntry<Real>;

  RowWriter(const GraphSet& graphs, const NodeLabels& labels, const PolynomialPlan& plan,
            std::size_t dense_scratch, Slabs& slabs)
      : graphs_(graphs),
        labels_(labels),
        blocks_(plan.blocks()),
        unit_first_(plan.series.empty()),
        dense_scratch_(dense_scratch),
        slabs_(slabs),
        local_(labels.count),
        dense_(graphs, plan),
        sparse_(graphs, plan) {}
  ~RowWriter() { slabs_.give_back(piece_); }
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  /// Fills the graph's part of the row pointers and returns its first entry.
  const Entry* write(std::size_t graph, std::span<std::uint32_t> row_ptr) {
    const std::size_t first = graphs_.graph_ptr()[graph];
    const std::size_t n = row_ptr.size() - 1;
    local_.assign(labels_.of_node.subspan(first, n));
    if (dense_.scratch(n, local_.size()) <= dense_scratch_) {
      dense_.evaluate(first, n, local_);
      return write_dense(row_ptr);
    }
    sparse_.evaluate(first, n, local_);
    return write_sparse(row_ptr);
  }

 private:
  Entry* room_for(std::size_t entries) {
    const std::size_t bytes = entries * sizeof(Entry);
    if (static_cast<std::size_t>(piece_.end - piece_.begin) < bytes) {
      piece_ = slabs_.exchange(piece_, bytes);
    }
    return reinterpret_cast<Entry*>(piece_.begin);
  }
  void keep(std::size_t entries) { piece_.begin += entries * sizeof(Entry); }

  std::uint32_t column(std::size_t block, std::size_t local_label) const {
    return static_cast<std::uint32_t>(block * labels_.count + local_.labels()[local_label]);
  }

  const Entry* write_dense(std::span<std::uint32_t> row_ptr) {
    const std::size_t width = dense_.width();
    columns_.assign(blocks_ * width, 0);
    for (std::size_t b = 0; b < blocks_; ++b) {
      for (std::size_t c = 0; c < local_.size(); ++c) {
        columns_[b * width + c] = column(b, c);
      }
    }
    const std::size_t n = row_ptr.size() - 1;
    Entry* const begin = room_for(n * blocks_ * width + 4);
    Entry* end = begin;
    const FullRows<Real> rows = dense_.rows(columns_, unit_first_ ? 1 : 0);
    for (std::size_t i = 0; i < n; ++i) {
      row_ptr[i] = static_cast<std::uint32_t>(end - begin);
      if (unit_first_) {
        *end++ = {local_.labels()[local_.of_node(i)], Real{1}};
      }
      end = append(rows, i, end);
    }
    row_ptr[n] = static_cast<std::uint32_t>(end - begin);
    keep(row_ptr[n]);
    return begin;
  }

  Entry* append(const FullRows<Real>& rows, std::size_t node, Entry* end) const {
#ifdef RAYLEIGH_HAS_AVX_ROWS
    if constexpr (sizeof(Real) == 4) {
      if (has_avx_) {
        return append_row_avx(rows, node, end);
      }
    }
#endif
    return append_row(rows, node, end);
  }

  const Entry* write_sparse(std::span<std::uint32_t> row_ptr) {
    const std::size_t n = row_ptr.size() - 1;
    std::size_t candidates = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < blocks_; ++b) {
        candidates += sparse_.row(b, i).size();
      }
    }
    if (candidates > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorKind::failed,
                  "the label basis of one graph has more than 4,294,967,295 entries");
    }
    Entry* const begin = room_for(candidates + 1);
    Entry* end = begin;
    for (std::size_t i = 0; i < n; ++i) {
      row_ptr[i] = static_cast<std::uint32_t>(end - begin);
      if (unit_first_) {
        *end++ = {local_.labels()[local_.of_node(i)], Real{1}};
      }
      for (std::size_t b = unit_first_ ? 1 : 0; b < blocks_; ++b) {
        for (const auto& [label, value] : sparse_.row(b, i)) {
          *end = {column(b, label), sparse_.row_scale(i) * value};
          end += is_nonzero(value);
        }
      }
    }
    row_ptr[n] = static_cast<std::uint32_t>(end - begin);
    keep(row_ptr[n]);
    return begin;
  }

  const GraphSet& graphs_;
  NodeLabels labels_;
  std::size_t blocks_;
#ifdef RAYLEIGH_HAS_AVX_ROWS
  bool has_avx_ = core::has_avx();
#endif
  bool unit_first_;  ///< block 0 is T_0 X = X: one entry, 1
  std::size_t dense_scratch_;
  Slabs& slabs_;
  Slabs::Piece piece_;
  LocalLabels local_;
  DensePolynomials<Real> dense_;
  SparsePolynomials<Real> sparse_;
  core::Vector<std::uint32_t> columns_;
};

}  // namespace

template <typename Real>
LabelBasis<Real> LabelBasisBuilder<Real>::build(const GraphSet& graphs, const NodeLabels& labels,
                                                const PolynomialPlan& plan, core::ThreadPool& pool,
                                                std::size_t dense_scratch) {
  assert(labels.of_node.size() == graphs.nodes());
  struct Memory {
    core::Vector<std::uint32_t> graph_ptr;
    core::Vector<std::uint32_t> row_ptr;
    core::Vector<const BasisEntry<Real>*> rows;
    Slabs slabs;
  };
  const auto memory = std::allocate_shared<Memory>(core::WorkspaceAllocator<Memory>());
  memory->graph_ptr.assign(graphs.graph_ptr().begin(), graphs.graph_ptr().end());
  memory->row_ptr.resize(graphs.nodes() + graphs.size());
  memory->rows.resize(graphs.size());
  LabelBasis<Real> basis;
  basis.labels_ = labels.count;
  basis.blocks_ = plan.blocks();
  assert(basis.columns() <= std::numeric_limits<std::uint32_t>::max());
  basis.graph_ptr_ = memory->graph_ptr;
  basis.row_ptr_ = memory->row_ptr;
  basis.rows_ = memory->rows;
  basis.memory_ = memory;
  const auto shards = shards_of(graphs);
  for_each_shard(shards, pool, [&](std::size_t, core::Range range) {
    RowWriter<Real> writer(graphs, labels, plan, dense_scratch, memory->slabs);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      memory->rows[g] = writer.write(
          g, std::span(memory->row_ptr).subspan(basis.graph_ptr_[g] + g, basis.nodes(g) + 1));
    }
  });
  return basis;
}

template class LabelBasisBuilder<float>;
template class LabelBasisBuilder<double>;

template <typename Real>
std::size_t LabelBasis<Real>::nonzeros() const {
  std::size_t sum = 0;
  for (std::size_t g = 0; g < graphs(); ++g) {
    sum += row_ptr(g).back();
  }
  return sum;
}

template class LabelBasis<float>;
template class LabelBasis<double>;

template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                       std::size_t order, core::ThreadPool& pool) {
  return LabelBasisBuilder<Real>::build(graphs, labels, PolynomialPlan{order, {}}, pool);
}

template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                       std::size_t order, const RunOptions& run) {
  core::ThreadPool pool(run);
  return chebyshev_label_basis<Real>(graphs, labels, order, pool);
}

template <typename Real>
LabelBasis<Real> chebyshev_label_basis(const GraphSet& graphs, std::size_t order,
                                       const RunOptions& run) {
  return chebyshev_label_basis<Real>(graphs, NodeLabels(graphs), order, run);
}

template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                    std::span<const std::vector<double>> series,
                                    core::ThreadPool& pool) {
  std::size_t order = 0;
  for (const std::vector<double>& coefficients : series) {
    assert(!coefficients.empty());
    order = std::max(order, coefficients.size() - 1);
  }
  return LabelBasisBuilder<Real>::build(graphs, labels, PolynomialPlan{order, series}, pool);
}

template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs, const NodeLabels& labels,
                                    std::span<const std::vector<double>> series,
                                    const RunOptions& run) {
  core::ThreadPool pool(run);
  return series_label_basis<Real>(graphs, labels, series, pool);
}

template <typename Real>
LabelBasis<Real> series_label_basis(const GraphSet& graphs,
                                    std::span<const std::vector<double>> series,
                                    const RunOptions& run) {
  return series_label_basis<Real>(graphs, NodeLabels(graphs), series, run);
}

using Series = std::span<const std::vector<double>>;
#define RAYLEIGH_INSTANTIATE(Real)                                                                 \
  template LabelBasis<Real> chebyshev_label_basis(const GraphSet&, std::size_t,                    \
                                                  const RunOptions&);                              \
  template LabelBasis<Real> chebyshev_label_basis(const GraphSet&, const NodeLabels&, std::size_t, \
                                                  const RunOptions&);                              \
  template LabelBasis<Real> chebyshev_label_basis(const GraphSet&, const NodeLabels&, std::size_t, \
                                                  core::ThreadPool&);                              \
  template LabelBasis<Real> series_label_basis(const GraphSet&, Series, const RunOptions&);        \
  template LabelBasis<Real> series_label_basis(const GraphSet&, const NodeLabels&, Series,         \
                                               const RunOptions&);                                 \
  template LabelBasis<Real> series_label_basis(const GraphSet&, const NodeLabels&, Series,         \
                                               core::ThreadPool&);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::spectral
