#include "models/tvgnn_variation.h"

#include <algorithm>
#include <cmath>

#include "nn/fixed_sums.h"
#include "nn/ops_segment.h"

namespace rayleigh::models {
namespace {

using nn::Activation;
using nn::Csr;
using nn::fixed_sums;
using nn::for_segments;
using nn::Kernels;
using nn::kTurnedStep;
using nn::leaky_and_bias_backward;
using nn::Matrix;
using nn::slope_of;
using nn::Tape;
using nn::transposed;
using nn::Value;

std::size_t padded(std::size_t count) {
  return (count + kTurnedStep - 1) / kTurnedStep * kTurnedStep;
}

/// Square blocks below each other, one a graph.
struct Blocks {
  std::size_t graphs;
  std::size_t side;
  std::size_t stride() const { return padded(side); }
};

template <typename Real>
Blocks blocks_of(Matrix<Real> a) {
  assert(a.cols == 0 || a.rows % a.cols == 0);
  return {.graphs = a.cols == 0 ? 0 : a.rows / a.cols, .side = a.cols};
}

template <typename Real>
Matrix<Real> block(Matrix<Real> m, Blocks blocks, std::size_t g) {
  return m.part(g * blocks.side, (g + 1) * blocks.side);
}

/// The rows of all graphs, transposed graph by graph, in rows that kernels like.
template <typename Real>
class Turned {
 public:
  Turned(Tape<Real>& tape, Blocks blocks, std::size_t width)
      : numbers_(tape.scratch(blocks.graphs * width, blocks.stride())), width_(width) {}

  const Real* of(std::size_t g) const { return numbers_.data + g * width_ * numbers_.cols; }
  void fill(std::size_t g, Matrix<const Real> rows) const {
    for (std::size_t c = 0; c < width_; ++c) {
      Real* to = numbers_.row(g * width_ + c).data();
      for (std::size_t i = 0; i < rows.rows; ++i) {
        to[i] = rows.data[i * width_ + c];
      }
      std::fill(to + rows.rows, to + numbers_.cols, Real{0});
    }
  }

 private:
  Matrix<Real> numbers_;
  std::size_t width_;
};

/// Distances between the rows of each graph; of one row at a time where nothing comes back.
template <typename Real>
class Distances {
 public:
  Distances(Tape<Real>& tape, Blocks blocks)
      : kept_(tape.training()),
        side_(blocks.side),
        numbers_(tape.scratch(blocks.graphs * (kept_ ? blocks.side : 1), blocks.stride())) {}
  Real* row(std::size_t g, std::size_t i) const {
    return numbers_.row(kept_ ? g * side_ + i : g).data();
  }

 private:
  bool kept_;
  std::size_t side_;
  Matrix<Real> numbers_;
};

template <typename Real>
struct StepNumbers {
  Real delta;
  Real epsilon;

  explicit StepNumbers(VariationStep step)
      : delta(static_cast<Real>(step.delta)), epsilon(static_cast<Real>(step.epsilon)) {}
  Real weight(Real adjacency, Real distance) const {
    return delta * adjacency / std::max(epsilon, distance);
  }
  /// Of the sign of the difference, in the gradient: the weight falls as the distance grows.
  Real slope(Real weight, Real distance, Real dot) const {
    return distance > epsilon ? -weight * dot / distance : Real{0};
  }
};

/// y = activation(y + bias)
template <typename Real>
void finish_rows(Tape<Real>& tape, Matrix<Real> y, Value bias, Activation activation) {
  tape.kernels().bias_leaky(y.data, y.rows, y.cols, bias.exists() ? tape.value(bias).data : nullptr,
                            slope_of<Real>(activation));
}

/// work(i, e) for the entries of rows begin … end-1.
template <typename Work>
void for_entries(std::span<const std::uint32_t> row_ptr, std::size_t begin, std::size_t end,
                 Work work) {
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      work(i, e);
    }
  }
}

}  // namespace

template <typename Real>
Value variation_step(Tape<Real>& tape, Csr<Real> a, Value x, Value bias, VariationStep step) {
  const Matrix<const Real> in = tape.value(x);
  assert(a.rows() == in.rows);
  const Value out = tape.make(in.rows, in.cols, x, bias);
  const Matrix<Real> y = tape.output(out);
  const auto distance = tape.template array<Real>(a.col.size());
  const StepNumbers<Real> numbers(step);
  const auto value_of = [=](std::size_t e) { return a.value.empty() ? Real{1} : a.value[e]; };
  const std::size_t cost = 8 * in.cols * (in.rows == 0 ? 1 : a.col.size() / in.rows + 1);
  tape.for_rows(in.rows, cost, [&](std::size_t begin, std::size_t end) {
    const Kernels<Real>& kernels = tape.kernels();
    std::copy(in.data + begin * in.cols, in.data + end * in.cols, y.data + begin * in.cols);
    for_entries(a.row_ptr, begin, end, [&](std::size_t i, std::size_t e) {
      const Real* own = in.row(i).data();
      const Real* other = in.row(a.col[e]).data();
      distance[e] = kernels.l1_distance(own, other, in.cols);
      const Real weight = numbers.weight(value_of(e), distance[e]);
      kernels.add_differences(&weight, other, 1, in.cols, own, y.row(i).data());
    });
    finish_rows(tape, y.part(begin, end), bias, step.activation);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    leaky_and_bias_backward<Real>(t, d, y, slope_of<Real>(step.activation), bias);
    if (!t.wants_gradient(x)) {
      return;
    }
    const Matrix<Real> dx = t.gradient(x);
    t.for_rows(in.rows, 2 * cost, [&](std::size_t begin, std::size_t end) {
      const Kernels<Real>& kernels = t.kernels();
      kernels.axpy(Real{1}, d.data + begin * d.cols, (end - begin) * d.cols,
                   dx.data + begin * d.cols);
      for_entries(a.row_ptr, begin, end, [&](std::size_t i, std::size_t e) {
        const std::size_t j = a.col[e];
        const Real weight = numbers.weight(value_of(e), distance[e]);
        kernels.add_differences(&weight, d.row(j).data(), 1, d.cols, d.row(i).data(),
                                dx.row(i).data());
        Real dot = 0;
        for (std::size_t c = 0; c < d.cols; ++c) {
          dot += (d(j, c) - d(i, c)) * (in(j, c) - in(i, c));
        }
        const Real slope = numbers.slope(weight, distance[e], dot);
        kernels.add_signs(&slope, in.row(j).data(), 1, d.cols, in.row(i).data(), dx.row(i).data());
      });
    });
  });
  return out;
}

template <typename Real>
Value dense_variation_step(Tape<Real>& tape, Value a, Value x, Value bias, VariationStep step) {
  const Matrix<const Real> edges = tape.value(a);
  const Matrix<const Real> in = tape.value(x);
  const Blocks blocks = blocks_of(edges);
  const std::size_t side = blocks.side;
  const std::size_t width = in.cols;
  assert(in.rows == edges.rows);
  const Value out = tape.make(in.rows, width, a, x, bias);
  const Matrix<Real> y = tape.output(out);
  const Turned<Real> turned(tape, blocks, width);
  const Distances<Real> distances(tape, blocks);
  const StepNumbers<Real> numbers(step);
  const Matrix<Real> weights = tape.scratch(blocks.graphs, blocks.stride());
  tape.for_parts(blocks.graphs, [&](std::size_t g) {
    const Kernels<Real>& kernels = tape.kernels();
    const Matrix<const Real> rows = block(in, blocks, g);
    const Matrix<Real> result = block(y, blocks, g);
    std::ranges::copy(rows.flat(), result.data);
    turned.fill(g, rows);
    Real* weight = weights.row(g).data();
    for (std::size_t i = 0; i < side; ++i) {
      Real* distance = distances.row(g, i);
      const Real* edge = edges.row(g * side + i).data();
      kernels.l1_distances(rows.row(i).data(), turned.of(g), width, blocks.stride(), side,
                           distance);
      for (std::size_t j = 0; j < side; ++j) {
        weight[j] = numbers.weight(edge[j], distance[j]);
      }
      kernels.add_differences(weight, rows.data, side, width, rows.row(i).data(),
                              result.row(i).data());
    }
    finish_rows(tape, result, bias, step.activation);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    leaky_and_bias_backward<Real>(t, d, y, slope_of<Real>(step.activation), bias);
    const Matrix<Real> dx = t.wants_gradient(x) ? t.gradient(x) : Matrix<Real>{};
    const Matrix<Real> da = t.wants_gradient(a) ? t.gradient(a) : Matrix<Real>{};
    const Turned<Real> turned_d(t, blocks, width);
    const Matrix<Real> dots = t.scratch(blocks.graphs, blocks.stride());
    const Matrix<Real> slopes = t.scratch(blocks.graphs, blocks.stride());
    t.for_parts(blocks.graphs, [&](std::size_t g) {
      const Kernels<Real>& kernels = t.kernels();
      const Matrix<const Real> rows = block(in, blocks, g);
      const Matrix<Real> d_rows = block(d, blocks, g);
      turned_d.fill(g, d_rows);
      Real* weight = weights.row(g).data();
      Real* dot = dots.row(g).data();
      Real* slope = slopes.row(g).data();
      for (std::size_t i = 0; i < side; ++i) {
        const Real* distance = distances.row(g, i);
        const Real* edge = edges.row(g * side + i).data();
        const Real* own_d = d_rows.row(i).data();
        kernels.difference_dots(own_d, turned_d.of(g), rows.row(i).data(), turned.of(g), width,
                                blocks.stride(), side, dot);
        if (!da.empty()) {
          Real* d_edge = da.row(g * side + i).data();
          for (std::size_t j = 0; j < side; ++j) {
            d_edge[j] -= numbers.weight(dot[j], distance[j]) / 2;
          }
        }
        if (!dx.empty()) {
          for (std::size_t j = 0; j < side; ++j) {
            weight[j] = numbers.weight(edge[j], distance[j]);
            slope[j] = numbers.slope(weight[j], distance[j], dot[j]);
          }
          Real* to = dx.row(g * side + i).data();
          kernels.axpy(Real{1}, own_d, width, to);
          kernels.add_differences(weight, d_rows.data, side, width, own_d, to);
          kernels.add_signs(slope, rows.data, side, width, rows.row(i).data(), to);
        }
      }
    });
  });
  return out;
}

template <typename Real>
Value total_variation(Tape<Real>& tape, Csr<Real> a, Value s,
                      std::span<const std::uint32_t> first_row) {
  const Matrix<const Real> in = tape.value(s);
  assert(a.rows() == in.rows && a.value.empty());
  const Value out = tape.make(first_row.size() - 1, 1, s);
  Real* sum = tape.output(out).data;
  const auto entries_of = [=](std::size_t g) {
    return static_cast<Real>(a.row_ptr[first_row[g + 1]] - a.row_ptr[first_row[g]]);
  };
  constexpr std::size_t kCostOfNode = 8;
  for_segments(tape, first_row, kCostOfNode * in.cols, [&](std::size_t g) {
    const Kernels<Real>& kernels = tape.kernels();
    double total = 0;
    for_entries(a.row_ptr, first_row[g], first_row[g + 1], [&](std::size_t i, std::size_t e) {
      total += static_cast<double>(
          kernels.l1_distance(in.row(i).data(), in.row(a.col[e]).data(), in.cols));
    });
    sum[g] = entries_of(g) == 0 ? Real{0} : static_cast<Real>(total) / (2 * entries_of(g));
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const Matrix<Real> ds = t.gradient(s);
    for_segments(t, first_row, kCostOfNode * in.cols, [&](std::size_t g) {
      const Kernels<Real>& kernels = t.kernels();
      for_entries(a.row_ptr, first_row[g], first_row[g + 1], [&](std::size_t i, std::size_t e) {
        // An edge has two entries, each with half of this.
        const Real slope = -d[g] / entries_of(g);
        kernels.add_signs(&slope, in.row(a.col[e]).data(), 1, in.cols, in.row(i).data(),
                          ds.row(i).data());
      });
    });
  });
  return out;
}

template <typename Real>
Value dense_total_variation(Tape<Real>& tape, Value a, Value s) {
  const Matrix<const Real> edges = tape.value(a);
  const Matrix<const Real> in = tape.value(s);
  const Blocks blocks = blocks_of(edges);
  const std::size_t side = blocks.side;
  assert(in.rows == edges.rows);
  const Value out = tape.make(blocks.graphs, 1, a, s);
  Real* sum = tape.output(out).data;
  const Turned<Real> turned(tape, blocks, in.cols);
  const Distances<Real> distances(tape, blocks);
  const auto entries = tape.template array<Real>(blocks.graphs);
  tape.for_parts(blocks.graphs, [&](std::size_t g) {
    const Kernels<Real>& kernels = tape.kernels();
    const Matrix<const Real> rows = block(in, blocks, g);
    turned.fill(g, rows);
    double total = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < side; ++i) {
      Real* distance = distances.row(g, i);
      const auto edge = edges.row(g * side + i);
      kernels.l1_distances(rows.row(i).data(), turned.of(g), in.cols, blocks.stride(), side,
                           distance);
      total += static_cast<double>(kernels.dot(edge.data(), distance, side));
      count += static_cast<std::size_t>(
          std::ranges::count_if(edge, [](Real weight) { return weight != 0; }));
    }
    entries[g] = static_cast<Real>(count);
    sum[g] = count == 0 ? Real{0} : static_cast<Real>(total) / (2 * entries[g]);
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Real* d = t.gradient(out).data;
    const Matrix<Real> ds = t.wants_gradient(s) ? t.gradient(s) : Matrix<Real>{};
    const Matrix<Real> da = t.wants_gradient(a) ? t.gradient(a) : Matrix<Real>{};
    const Matrix<Real> slopes = t.scratch(blocks.graphs, blocks.stride());
    t.for_parts(blocks.graphs, [&](std::size_t g) {
      if (entries[g] == 0) {
        return;
      }
      const Kernels<Real>& kernels = t.kernels();
      const Matrix<const Real> rows = block(in, blocks, g);
      const Real own = d[g] / (2 * entries[g]);
      Real* slope = slopes.row(g).data();
      for (std::size_t i = 0; i < side; ++i) {
        const std::size_t row = g * side + i;
        if (!da.empty()) {
          kernels.axpy(own, distances.row(g, i), side, da.row(row).data());
        }
        if (!ds.empty()) {
          std::ranges::transform(edges.row(row), slope,
                                 [own](Real weight) { return -2 * own * weight; });
          kernels.add_signs(slope, rows.data, side, in.cols, rows.row(i).data(),
                            ds.row(row).data());
        }
      }
    });
  });
  return out;
}

template Value variation_step(Tape<float>&, Csr<float>, Value, Value, VariationStep);
template Value variation_step(Tape<double>&, Csr<double>, Value, Value, VariationStep);
template Value dense_variation_step(Tape<float>&, Value, Value, Value, VariationStep);
template Value dense_variation_step(Tape<double>&, Value, Value, Value, VariationStep);
template Value total_variation(Tape<float>&, Csr<float>, Value, std::span<const std::uint32_t>);
template Value total_variation(Tape<double>&, Csr<double>, Value, std::span<const std::uint32_t>);
template Value dense_total_variation(Tape<float>&, Value, Value);
template Value dense_total_variation(Tape<double>&, Value, Value);

}  // namespace rayleigh::models
