#include "models/himnet_memory.h"

#include <algorithm>

#include "nn/gemm.h"
#include "nn/ops_dense.h"

namespace rayleigh::models {
namespace {

using nn::Csr;
using nn::for_segments;
using nn::gemm;
using nn::kernels;
using nn::Matrix;
using nn::PaddedRows;
using nn::product;
using nn::Tape;
using nn::Transpose;
using nn::transposed;
using nn::Value;

constexpr std::size_t kMemoryCost = 4;

/// Row `position` of the first block; those of the others lie `stride` numbers apart.
template <typename Real>
struct BlockRows {
  Matrix<Real> blocks;
  std::size_t count;

  std::size_t size() const { return blocks.rows / count; }
  std::size_t stride() const { return size() * blocks.cols; }
  Real* at(std::size_t position) const { return blocks.row(position).data(); }
};

std::size_t longest_of(std::span<const std::uint32_t> first_row) {
  std::size_t longest = 0;
  for (std::size_t g = 0; g + 1 < first_row.size(); ++g) {
    longest = std::max<std::size_t>(longest, first_row[g + 1] - first_row[g]);
  }
  return longest;
}

/// Row k of block m += Σ_g weight(g, m) times row k of graph g in x: a position is one thread's.
template <typename Real>
void add_by_position(Tape<Real>& tape, Matrix<const Real> weight, Matrix<const Real> x,
                     std::span<const std::uint32_t> first_row, BlockRows<Real> target) {
  const std::size_t graphs = first_row.size() - 1;
  const std::size_t cost = kMemoryCost * target.count * x.cols * graphs;
  tape.for_rows(longest_of(first_row), cost, [&](std::size_t begin, std::size_t end) {
    for (std::size_t position = begin; position < end; ++position) {
      for (std::size_t g = 0; g < graphs; ++g) {
        const std::size_t row = first_row[g] + position;
        for (std::size_t m = 0; row < first_row[g + 1] && m < target.count; ++m) {
          tape.kernels().axpy(weight(g, m), x.row(row).data(), x.cols,
                              target.at(position) + m * target.stride());
        }
      }
    }
  });
}

}  // namespace

template <typename Real>
Value block_dots(Tape<Real>& tape, Value x, const PaddedRows& rows, std::size_t first_position,
                 Value blocks, std::size_t count) {
  const Matrix<const Real> in = tape.value(x);
  const BlockRows<const Real> memory{tape.value(blocks), count};
  assert(memory.blocks.rows % count == 0 && memory.blocks.cols == in.cols && rows.rows == in.rows);
  const Value out = tape.make(rows.graphs(), count, x, blocks);
  const Matrix<Real> y = tape.output(out);
  // Row k: of shared rows k … without the last one.
  const std::size_t shared = rows.shared_rows();
  const Matrix<Real> suffix = tape.scratch(shared, count);
  const auto shared_row = [in, rows](std::size_t k) { return in.row(rows.own_rows() + k).data(); };
  if (shared > 0) {
    std::ranges::fill(suffix.row(shared - 1), Real{0});
    for (std::size_t k = shared - 1; k-- > 0;) {
      tape.kernels().dots(shared_row(k), memory.at(first_position + k), count, memory.stride(),
                          in.cols, suffix.row(k).data());
      tape.kernels().axpy(Real{1}, suffix.row(k + 1).data(), count, suffix.row(k).data());
    }
  }
  for_segments(tape, rows.first_row, kMemoryCost * count * in.cols, [&](std::size_t g) {
    const std::size_t first = rows.first_row[g];
    for (std::size_t m = 0; m < count; ++m) {
      double sum = 0;
      for (std::size_t i = first; i < rows.first_row[g + 1]; ++i) {
        sum += static_cast<double>(tape.kernels().dot(
            in.row(i).data(), memory.at(i - first) + m * memory.stride(), in.cols));
      }
      y(g, m) = static_cast<Real>(sum);
      if (rows.first_shared[g] < rows.rows) {
        y(g, m) += suffix(rows.first_shared[g] - rows.own_rows(), m);
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    // Row k: of the graphs whose empty rows begin there or before.
    const Matrix<Real> prefix = t.scratch(shared, count);
    std::ranges::fill(prefix.flat(), Real{0});
    for (std::size_t g = 0; g < rows.graphs(); ++g) {
      if (rows.first_shared[g] < rows.rows) {
        t.kernels().axpy(Real{1}, d.row(g).data(), count,
                         prefix.row(rows.first_shared[g] - rows.own_rows()).data());
      }
    }
    for (std::size_t k = 1; k < shared; ++k) {
      t.kernels().axpy(Real{1}, prefix.row(k - 1).data(), count, prefix.row(k).data());
    }
    if (t.wants_gradient(x)) {
      const Matrix<Real> dx = t.gradient(x);
      const auto add_row = [&](const Real* weights, std::size_t position, std::size_t row) {
        t.kernels().add_weighted_rows(weights, 1, memory.at(position), count, memory.stride(),
                                      dx.cols, dx.row(row).data());
      };
      for_segments(t, rows.first_row, kMemoryCost * count * dx.cols, [&](std::size_t g) {
        for (std::size_t i = rows.first_row[g]; i < rows.first_row[g + 1]; ++i) {
          add_row(d.row(g).data(), i - rows.first_row[g], i);
        }
      });
      for (std::size_t k = 0; k + 1 < shared; ++k) {
        add_row(prefix.row(k).data(), first_position + k, rows.own_rows() + k);
      }
    }
    if (t.wants_gradient(blocks)) {
      const BlockRows<Real> d_memory{t.gradient(blocks), count};
      add_by_position<Real>(t, d, in, rows.first_row, d_memory);
      for (std::size_t k = 0; k + 1 < shared; ++k) {
        for (std::size_t m = 0; m < count; ++m) {
          t.kernels().axpy(prefix(k, m), shared_row(k), in.cols,
                           d_memory.at(first_position + k) + m * d_memory.stride());
        }
      }
    }
  });
  return out;
}

template <typename Real>
Value mix_blocks(Tape<Real>& tape, Value mix, Value blocks,
                 std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> weight = tape.value(mix);
  const BlockRows<const Real> memory{tape.value(blocks), weight.cols};
  const std::size_t cols = memory.blocks.cols;
  assert(weight.rows + 1 == first_row.size() && memory.blocks.rows % weight.cols == 0);
  const Value out = tape.make(first_row.back(), cols, mix, blocks);
  const Matrix<Real> y = tape.output(out);
  for_segments(tape, first_row, kMemoryCost * weight.cols * cols, [&](std::size_t g) {
    for (std::size_t i = first_row[g]; i < first_row[g + 1]; ++i) {
      std::ranges::fill(y.row(i), Real{0});
      tape.kernels().add_weighted_rows(weight.row(g).data(), 1, memory.at(i - first_row[g]),
                                       memory.count, memory.stride(), cols, y.row(i).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    if (t.wants_gradient(mix)) {
      const Matrix<Real> d_mix = t.gradient(mix);
      for_segments(t, first_row, kMemoryCost * weight.cols * cols, [&](std::size_t g) {
        for (std::size_t m = 0; m < weight.cols; ++m) {
          double sum = 0;
          for (std::size_t i = first_row[g]; i < first_row[g + 1]; ++i) {
            sum += static_cast<double>(t.kernels().dot(
                d.row(i).data(), memory.at(i - first_row[g]) + m * memory.stride(), cols));
          }
          d_mix(g, m) += static_cast<Real>(sum);
        }
      });
    }
    if (t.wants_gradient(blocks)) {
      add_by_position<Real>(t, weight, d, first_row, {t.gradient(blocks), weight.cols});
    }
  });
  return out;
}

namespace {

/// Rows of the products that are made at once: a multiple of what kernels keep in registers.
constexpr std::size_t kRowsAtOnce = 12;
/// Of the rows of a block; each has memory of its own.
constexpr std::size_t kMostParts = 16;

/// The work of mixture_error() and its way back: a plane is the products of a pair of blocks m <=
/// l, <row i of m, row j of l> + <row i of l, row j of m>, the second only for m != l. The entry of
/// a graph is then Σ over pairs of mix(m) mix(l) plane(i, j).
template <typename Real>
class Planes {
 public:
  Planes(Tape<Real>& tape, Matrix<const Real> mix, Matrix<const Real> blocks, Csr<Real> target,
         std::span<const std::uint32_t> first_row, Extent extent)
      : tape_(tape),
        mix_(mix),
        blocks_(blocks),
        target_(target),
        first_row_(first_row),
        extent_(extent),
        size_(blocks.rows / mix.cols),
        pairs_(mix.cols * (mix.cols + 1) / 2),
        parts_(std::clamp<std::size_t>(size_ / kRowsAtOnce, 1, kMostParts)),
        turned_(transposed<Real>(tape, blocks)),
        weight_(tape.scratch(mix.rows, pairs_)) {
    for (std::size_t g = 0; g < mix.rows; ++g) {
      for_pairs([&](std::size_t pair, std::size_t m, std::size_t l) {
        weight_(g, pair) = mix(g, m) * mix(g, l);
      });
    }
  }

  /// Assigns one number a graph.
  void errors(Matrix<Real> out) {
    const std::size_t graphs = mix_.rows;
    const auto places = make_places();
    const auto sums = tape_.template array<double>(parts_ * graphs);
    std::ranges::fill(sums, 0.0);
    tape_.for_parts(parts_, [&](std::size_t part) {
      for_runs(part, [&](core::Range rows) {
        multiply(rows, places[part]);
        for_entries(rows, places[part],
                    [&](std::size_t g, std::size_t row, std::span<Real> entries) {
                      Real moments[3];
                      tape_.kernels().positive_moments(entries.data(), entries.size(), moments);
                      auto sum = static_cast<double>(moments[2]);
                      for_target(g, row, [&](std::size_t column) {
                        sum += 1 - 2 * static_cast<double>(std::max(entries[column], Real{0}));
                      });
                      sums[part * graphs + g] += sum;
                    });
      });
    });
    for (std::size_t g = 0; g < graphs; ++g) {
      double sum = 0;
      for (std::size_t part = 0; part < parts_; ++part) {
        sum += sums[part * graphs + g];
      }
      out.data[g] = static_cast<Real>(sum);
    }
  }

  /// Adds what the gradient d of the errors is worth; either target may be empty.
  void backward(Matrix<const Real> d, Matrix<Real> d_mix, Matrix<Real> d_blocks) {
    const std::size_t graphs = mix_.rows;
    const auto places = make_places();
    const auto d_weight = tape_.template array<double>(parts_ * graphs * pairs_);
    std::ranges::fill(d_weight, 0.0);
    tape_.for_parts(parts_, [&](std::size_t part) {
      const Place& place = places[part];
      for_runs(part, [&](core::Range rows) {
        multiply(rows, place);
        std::ranges::fill(place.d_planes.flat(), Real{0});
        for_entries(rows, place, [&](std::size_t g, std::size_t row, std::span<Real> entries) {
          add_entries(g, row - rows.begin, slopes(g, row, 2 * d.data[g], entries), place,
                      d_weight.data() + (part * graphs + g) * pairs_);
        });
        if (!d_blocks.empty()) {
          multiply_back(rows, place, d_blocks);
        }
      });
    });
    for (std::size_t g = 0; g < graphs && !d_mix.empty(); ++g) {
      for_pairs([&](std::size_t pair, std::size_t m, std::size_t l) {
        double sum = 0;
        for (std::size_t part = 0; part < parts_; ++part) {
          sum += d_weight[(part * graphs + g) * pairs_ + pair];
        }
        d_mix(g, m) += static_cast<Real>(sum) * mix_(g, l);
        d_mix(g, l) += static_cast<Real>(sum) * mix_(g, m);
      });
    }
  }

 private:
  /// What a part of the rows needs for itself.
  struct Place {
    Matrix<Real> products;  ///< count x kRowsAtOnce rows, a column a row of the blocks
    Matrix<Real> planes;    ///< kRowsAtOnce x pairs rows, a column a position
    Matrix<Real> d_planes;  ///< the same
    std::span<Real> entries;
    std::span<Real> dots;
  };

  /// The arena is one thread's, so that all parts get theirs before they are shared out.
  std::span<Place> make_places() {
    const auto places = tape_.template array<Place>(parts_);
    for (Place& place : places) {
      place = {.products = tape_.scratch(mix_.cols * kRowsAtOnce, blocks_.rows),
               .planes = tape_.scratch(kRowsAtOnce * pairs_, size_),
               .d_planes = tape_.scratch(kRowsAtOnce * pairs_, size_),
               .entries = tape_.template array<Real>(size_),
               .dots = tape_.template array<Real>(pairs_)};
    }
    return places;
  }

  /// use(rows) with up to kRowsAtOnce rows of a part, in order.
  template <typename Use>
  void for_runs(std::size_t part, Use use) const {
    const core::Range range = core::part_of(size_, parts_, part);
    for (std::size_t begin = range.begin; begin < range.end; begin += kRowsAtOnce) {
      use(core::Range{begin, std::min(range.end, begin + kRowsAtOnce)});
    }
  }

  /// Of the squared error by the entries of a row, times `factor`; what is not above zero has none.
  std::span<Real> slopes(std::size_t g, std::size_t row, Real factor,
                         std::span<Real> entries) const {
    tape_.kernels().relu_line(entries.data(), entries.size(), factor, Real{0}, entries.data());
    for_target(g, row, [&](std::size_t column) {
      entries[column] -= entries[column] == 0 ? Real{0} : factor;
    });
    return entries;
  }

  /// Adds gradients of the entries to those of the planes and of the weights of a graph.
  void add_entries(std::size_t g, std::size_t local, std::span<const Real> d_entries,
                   const Place& place, double* d_weight) const {
    tape_.kernels().dots(d_entries.data(), place.planes.row(local * pairs_).data(), pairs_, size_,
                         d_entries.size(), place.dots.data());
    for (std::size_t pair = 0; pair < pairs_; ++pair) {
      d_weight[pair] += static_cast<double>(place.dots[pair]);
      tape_.kernels().axpy(weight_(g, pair), d_entries.data(), d_entries.size(),
                           place.d_planes.row(local * pairs_ + pair).data());
    }
  }

  template <typename Use>
  void for_pairs(Use use) const {
    std::size_t pair = 0;
    for (std::size_t m = 0; m < mix_.cols; ++m) {
      for (std::size_t l = m; l < mix_.cols; ++l) {
        use(pair++, m, l);
      }
    }
  }

  void multiply(core::Range rows, const Place& place) const {
    const std::size_t count = rows.end - rows.begin;
    for (std::size_t m = 0; m < mix_.cols; ++m) {
      tape_.kernels().affine_rows(blocks_.row(m * size_ + rows.begin).data(), count, blocks_.cols,
                                  turned_.data, nullptr, blocks_.rows, Real{1},
                                  place.products.row(m * kRowsAtOnce).data());
    }
    for (std::size_t i = 0; i < count; ++i) {
      for_pairs([&](std::size_t pair, std::size_t m, std::size_t l) {
        Real* plane = place.planes.row(i * pairs_ + pair).data();
        std::copy_n(product_row(place, m, i, l), size_, plane);
        if (m != l) {
          tape_.kernels().axpy(Real{1}, product_row(place, l, i, m), size_, plane);
        }
      });
    }
  }

  /// Matrices are symmetric, so a row gets from its column what it gets from itself: twice.
  void multiply_back(core::Range rows, const Place& place, Matrix<Real> d_blocks) const {
    const std::size_t count = rows.end - rows.begin;
    for (std::size_t i = 0; i < count; ++i) {
      for_pairs([&](std::size_t pair, std::size_t m, std::size_t l) {
        const Real* from = place.d_planes.row(i * pairs_ + pair).data();
        std::copy_n(from, size_, product_row(place, m, i, l));
        std::copy_n(from, size_, product_row(place, l, i, m));
      });
    }
    for (std::size_t m = 0; m < mix_.cols; ++m) {
      gemm<Real>(Transpose::no, Transpose::no, Real{2},
                 place.products.part(m * kRowsAtOnce, m * kRowsAtOnce + count), blocks_, Real{1},
                 d_blocks.part(m * size_ + rows.begin, m * size_ + rows.end));
    }
  }

  /// Of row i at hand of block m, with all rows of block l.
  Real* product_row(const Place& place, std::size_t m, std::size_t i, std::size_t l) const {
    return place.products.row(m * kRowsAtOnce + i).data() + l * size_;
  }

  /// use(graph, row, entries) with row `row` of the product of each graph that has it.
  template <typename Use>
  void for_entries(core::Range rows, const Place& place, Use use) const {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const Real* planes = place.planes.row((row - rows.begin) * pairs_).data();
      for (std::size_t g = 0; g < mix_.rows; ++g) {
        const std::size_t nodes = first_row_[g + 1] - first_row_[g];
        const std::size_t extent = extent_ == Extent::whole ? size_ : nodes;
        if (row < extent) {
          const auto entries = place.entries.first(extent);
          std::ranges::fill(entries, Real{0});
          tape_.kernels().add_weighted_rows(weight_.row(g).data(), 1, planes, pairs_, size_, extent,
                                            entries.data());
          use(g, row, entries);
        }
      }
    }
  }

  /// use(column) where the target of a graph has a one in this row.
  template <typename Use>
  void for_target(std::size_t g, std::size_t row, Use use) const {
    const std::size_t at = first_row_[g] + row;
    if (at < first_row_[g + 1]) {
      for (std::size_t e = target_.row_ptr[at]; e < target_.row_ptr[at + 1]; ++e) {
        use(target_.col[e] - first_row_[g]);
      }
    }
  }

  Tape<Real>& tape_;
  Matrix<const Real> mix_;
  Matrix<const Real> blocks_;
  Csr<Real> target_;
  std::span<const std::uint32_t> first_row_;
  Extent extent_;
  std::size_t size_;   ///< rows of a block
  std::size_t pairs_;  ///< of blocks
  std::size_t parts_;  ///< of the rows of a block
  Matrix<const Real> turned_;
  Matrix<Real> weight_;  ///< of each pair, a row a graph
};

}  // namespace

template <typename Real>
Value mixture_error(Tape<Real>& tape, Value mix, Value blocks, Csr<Real> target,
                    std::span<const std::uint32_t> first_row, Extent extent) {
  const Matrix<const Real> weight = tape.value(mix);
  const Matrix<const Real> memory = tape.value(blocks);
  assert(target.value.empty() && weight.rows + 1 == first_row.size());
  assert(memory.rows % weight.cols == 0 && longest_of(first_row) * weight.cols <= memory.rows);
  const Value out = tape.make(weight.rows, 1, mix, blocks);
  Planes<Real>(tape, weight, memory, target, first_row, extent).errors(tape.output(out));
  tape.on_backward(out, [=](Tape<Real>& t) {
    Planes<Real>(t, weight, memory, target, first_row, extent)
        .backward(t.gradient(out), t.wants_gradient(mix) ? t.gradient(mix) : Matrix<Real>{},
                  t.wants_gradient(blocks) ? t.gradient(blocks) : Matrix<Real>{});
  });
  return out;
}

template Value block_dots(Tape<float>&, Value, const PaddedRows&, std::size_t, Value, std::size_t);
template Value block_dots(Tape<double>&, Value, const PaddedRows&, std::size_t, Value, std::size_t);
template Value mix_blocks(Tape<float>&, Value, Value, std::span<const std::uint32_t>);
template Value mix_blocks(Tape<double>&, Value, Value, std::span<const std::uint32_t>);
template Value mixture_error(Tape<float>&, Value, Value, Csr<float>, std::span<const std::uint32_t>,
                             Extent);
template Value mixture_error(Tape<double>&, Value, Value, Csr<double>,
                             std::span<const std::uint32_t>, Extent);

}  // namespace rayleigh::models
