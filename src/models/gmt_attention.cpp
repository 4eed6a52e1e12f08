#include "models/gmt_attention.h"

#include <algorithm>
#include <cmath>

namespace rayleigh::models {
namespace {

using nn::Kernels;
using nn::Matrix;
using nn::Tape;
using nn::Value;

/// Graphs of a group, which adds up its own share of the gradient of shared queries.
constexpr std::size_t kGraphsPerGroup = 16;
constexpr std::size_t kMostGroups = 64;

/// Where the numbers of the attention lie.
struct Layout {
  std::span<const std::uint32_t> first_key;
  std::size_t queries;  ///< of a graph
  std::size_t width;
  std::size_t heads;
  bool shared;

  std::size_t graphs() const { return first_key.size() - 1; }
  std::size_t keys(std::size_t g) const { return first_key[g + 1] - first_key[g]; }
  std::size_t head_width() const { return width / heads; }
  std::size_t first_query(std::size_t g) const { return shared ? 0 : g * queries; }
  /// Weights of a graph and head: queries x keys.
  template <typename Real>
  Matrix<Real> weights(Real* all, std::size_t g, std::size_t head) const {
    return {all + queries * (heads * first_key[g] + head * keys(g)), queries, keys(g)};
  }
};

template <typename Real>
void softmax_of_rows(Matrix<Real> a) {
  for (std::size_t q = 0; q < a.rows && a.cols > 0; ++q) {
    const auto row = a.row(q);
    const Real largest = *std::ranges::max_element(row);
    Real sum = 0;
    for (Real& v : row) {
      v = std::exp(v - largest);
      sum += v;
    }
    for (Real& v : row) {
      v /= sum;
    }
  }
}

template <typename Real>
void softmax_of_columns(Matrix<Real> a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    Real largest = a(0, j);
    for (std::size_t q = 1; q < a.rows; ++q) {
      largest = std::max(largest, a(q, j));
    }
    Real sum = 0;
    for (std::size_t q = 0; q < a.rows; ++q) {
      a(q, j) = std::exp(a(q, j) - largest);
      sum += a(q, j);
    }
    for (std::size_t q = 0; q < a.rows; ++q) {
      a(q, j) /= sum;
    }
  }
}

/// d, the gradient of the weights a, becomes that of the logits.
template <typename Real>
void softmax_backward(SoftmaxOver over, Matrix<const Real> a, Matrix<Real> d) {
  const bool keys = over == SoftmaxOver::keys;
  const std::size_t lines = keys ? a.rows : a.cols;
  const std::size_t line_step = keys ? a.cols : 1;
  const std::size_t count = keys ? a.cols : a.rows;
  const std::size_t step = keys ? 1 : a.cols;
  for (std::size_t line = 0; line < lines; ++line) {
    const Real* weight = a.data + line * line_step;
    Real* slope = d.data + line * line_step;
    Real along = 0;
    for (std::size_t k = 0; k < count; ++k) {
      along += weight[k * step] * slope[k * step];
    }
    for (std::size_t k = 0; k < count; ++k) {
      slope[k * step] = weight[k * step] * (slope[k * step] - along);
    }
  }
}

}  // namespace

template <typename Real>
Value attention(Tape<Real>& tape, Value queries, Queries kind, Value keys, Value values,
                std::span<const std::uint32_t> first_key, AttentionOptions options) {
  const Matrix<const Real> q = tape.value(queries);
  const Matrix<const Real> k = tape.value(keys);
  const Matrix<const Real> v = tape.value(values);
  const std::size_t graphs = first_key.size() - 1;
  const bool shared = kind == Queries::shared;
  const Layout layout{.first_key = first_key,
                      .queries = shared ? q.rows : q.rows / std::max<std::size_t>(graphs, 1),
                      .width = q.cols,
                      .heads = options.heads,
                      .shared = shared};
  assert(k.cols == q.cols && v.cols == q.cols && q.cols % options.heads == 0);
  assert(k.rows == first_key.back() && v.rows == first_key.back());
  assert(shared || q.rows == graphs * layout.queries);
  const Value out = tape.make(graphs * layout.queries, v.cols, queries, keys, values);
  const Matrix<Real> y = tape.output(out);
  const auto weights = tape.template array<Real>(layout.heads * layout.queries * k.rows);
  const Real factor = 1 / std::sqrt(static_cast<Real>(layout.width));
  const std::size_t groups = std::clamp<std::size_t>(graphs / kGraphsPerGroup, 1, kMostGroups);
  const auto for_graphs = [=](Tape<Real>& t, auto work) {
    t.for_parts(groups, [&](std::size_t group) {
      const core::Range range = core::part_of(graphs, groups, group);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        work(group, g);
      }
    });
  };
  for_graphs(tape, [&](std::size_t, std::size_t g) {
    const Kernels<Real>& kernels = tape.kernels();
    std::ranges::fill(y.part(g * layout.queries, (g + 1) * layout.queries).flat(), Real{0});
    for (std::size_t head = 0; head < layout.heads; ++head) {
      const Matrix<Real> a = layout.weights(weights.data(), g, head);
      const std::size_t first = head * layout.head_width();
      const Real* key = k.data + first_key[g] * layout.width + first;
      for (std::size_t i = 0; i < a.rows; ++i) {
        kernels.dots(q.row(layout.first_query(g) + i).data() + first, key, a.cols, layout.width,
                     layout.head_width(), a.row(i).data());
      }
      for (Real& logit : a.flat()) {
        logit *= factor;
      }
      options.over == SoftmaxOver::keys ? softmax_of_rows(a) : softmax_of_columns(a);
      const Real* value = v.data + first_key[g] * layout.width + first;
      for (std::size_t i = 0; i < a.rows; ++i) {
        kernels.add_weighted_rows(a.row(i).data(), 1, value, a.cols, layout.width,
                                  layout.head_width(),
                                  y.row(g * layout.queries + i).data() + first);
      }
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const auto gradient_of = [&](Value to) {
      return t.wants_gradient(to) ? t.gradient(to) : Matrix<Real>{};
    };
    const Matrix<Real> dq = gradient_of(queries);
    const Matrix<Real> dk = gradient_of(keys);
    const Matrix<Real> dv = gradient_of(values);
    const auto slopes = t.template array<Real>(weights.size());
    const Matrix<Real> group_dq = t.scratch(groups, layout.shared ? dq.size() : 0);
    std::ranges::fill(group_dq.flat(), Real{0});
    for_graphs(t, [&](std::size_t group, std::size_t g) {
      const Kernels<Real>& kernels = t.kernels();
      Real* own_dq = layout.shared ? group_dq.data + group * group_dq.cols
                                   : dq.data + layout.first_query(g) * layout.width;
      for (std::size_t head = 0; head < layout.heads; ++head) {
        const Matrix<Real> a = layout.weights(weights.data(), g, head);
        const Matrix<Real> da = layout.weights(slopes.data(), g, head);
        const std::size_t first = head * layout.head_width();
        const std::size_t count = layout.head_width();
        const std::size_t first_of_keys = first_key[g] * layout.width + first;
        const Real* query = q.data + layout.first_query(g) * layout.width + first;
        const Real* dy = d.data + g * layout.queries * layout.width + first;
        for (std::size_t i = 0; i < a.rows; ++i) {
          kernels.dots(dy + i * layout.width, v.data + first_of_keys, a.cols, layout.width, count,
                       da.row(i).data());
        }
        softmax_backward<Real>(options.over, a, da);
        for (Real& slope : da.flat()) {
          slope *= factor;
        }
        for (std::size_t j = 0; j < a.cols; ++j) {
          const std::size_t at = first_of_keys + j * layout.width;
          if (!dv.empty()) {
            kernels.add_weighted_rows(a.data + j, a.cols, dy, a.rows, layout.width, count,
                                      dv.data + at);
          }
          if (!dk.empty()) {
            kernels.add_weighted_rows(da.data + j, a.cols, query, a.rows, layout.width, count,
                                      dk.data + at);
          }
        }
        for (std::size_t i = 0; i < a.rows && !dq.empty(); ++i) {
          kernels.add_weighted_rows(da.row(i).data(), 1, k.data + first_of_keys, a.cols,
                                    layout.width, count, own_dq + i * layout.width + first);
        }
      }
    });
    for (std::size_t group = 0; group < group_dq.rows && group_dq.cols > 0; ++group) {
      t.kernels().axpy(Real{1}, group_dq.row(group).data(), dq.size(), dq.data);
    }
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                    \
  template Value attention(Tape<Real>&, Value, Queries, Value, Value, \
                           std::span<const std::uint32_t>, AttentionOptions);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::models
