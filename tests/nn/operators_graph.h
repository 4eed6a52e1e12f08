// The part of the operator table for ops_rows.h, ops_label.h and ops_segment.h.
// Included by operator_table.h.
// Batches with empty graphs, a single one, and enough graphs for several parts.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <numeric>

#include "models/rqgnn_paper_forms.h"
#include "nn/ops_segment.h"
#include "operator_fixtures.h"
#include "operators_dense.h"

namespace rayleigh::nn::test {

struct SegmentShape {
  Sizes sizes;
  std::size_t cols;
  Purpose purpose = Purpose::test;

  std::size_t rows() const { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); }
  std::shared_ptr<const Sizes> first_row() const {
    return std::make_shared<const Sizes>(first_rows(sizes));
  }
  std::string text() const { return fmt::format("{}x{} in {}", rows(), cols, sizes.size()); }
};

inline std::vector<SegmentShape> segment_shapes() {
  std::vector<SegmentShape> shapes = {{bench_sizes(), 64, Purpose::bench}, {many_sizes(1300), 3}};
  for (const Sizes& sizes : test_sizes()) {
    shapes.push_back({sizes, 1});
    shapes.push_back({sizes, 19});
  }
  return shapes;
}

/// value(first row, one behind the last, column) for each segment.
template <typename Entry>
Dense per_segment(std::span<const std::uint32_t> first_row, std::size_t cols, Entry entry) {
  return dense(first_row.size() - 1, cols, [&](std::size_t s, std::size_t c) {
    return entry(first_row[s], first_row[s + 1], c);
  });
}

inline std::vector<std::size_t> segment_of_rows(std::span<const std::uint32_t> first_row) {
  std::vector<std::size_t> segment(first_row.back());
  for (std::size_t s = 0; s + 1 < first_row.size(); ++s) {
    std::fill(segment.begin() + first_row[s], segment.begin() + first_row[s + 1], s);
  }
  return segment;
}

inline Dense segment_reference(const Dense& x, std::span<const std::uint32_t> first_row,
                               Reduce how) {
  return per_segment(first_row, x.cols, [&](std::size_t begin, std::size_t end, std::size_t c) {
    double result = how == Reduce::max && begin < end ? x(begin, c) : 0;
    for (std::size_t i = begin; i < end; ++i) {
      result = how == Reduce::max ? std::max(result, x(i, c)) : result + x(i, c);
    }
    return how == Reduce::mean && begin < end ? result / static_cast<double>(end - begin) : result;
  });
}

/// Σ_j <h_j, query> h_j of each graph, or the mean or sum.
inline Dense pool_reference(const Dense& h, std::span<const std::uint32_t> first_row, Pool pool,
                            const Dense* query) {
  if (pool != Pool::attention) {
    return segment_reference(h, first_row, pool == Pool::mean ? Reduce::mean : Reduce::sum);
  }
  Dense pooled = dense(first_row.size() - 1, h.cols, [](std::size_t, std::size_t) { return 0.0; });
  for (std::size_t g = 0; g < pooled.rows; ++g) {
    for (std::size_t i = first_row[g]; i < first_row[g + 1]; ++i) {
      double score = 0;
      for (std::size_t c = 0; c < h.cols; ++c) {
        score += h(i, c) * (*query)(g, c);
      }
      for (std::size_t c = 0; c < h.cols; ++c) {
        pooled(g, c) += score * h(i, c);
      }
    }
  }
  return pooled;
}

/// apply(step, first_row) and reference(inputs, first_row) on a matrix with a row a node, or a row
/// a segment.
template <typename Real, typename Apply, typename Reference>
Operator<Real> segment_operator(std::string name, bool row_a_segment, Apply apply,
                                Reference reference) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        for (const SegmentShape& shape : segment_shapes()) {
          const auto first_row = shape.first_row();
          cases.push_back(
              {.shape = shape.text(),
               .inputs = {{row_a_segment ? shape.sizes.size() : shape.rows(), shape.cols}},
               .apply = [=](const Step<Real>& in) { return apply(in, *first_row); },
               .reference = [=](std::span<const Dense> in) { return reference(in[0], *first_row); },
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
void add_segment_operators(Operators<Real>& table) {
  using Span = std::span<const std::uint32_t>;
  const auto add_reduce = [&](std::string name, Reduce how) {
    table.push_back(segment_operator<Real>(
        std::move(name), false,
        [=](const Step<Real>& in, Span first) {
          return segment_reduce(in.tape, in[0], first, how);
        },
        [=](const Dense& x, Span first) { return segment_reference(x, first, how); }));
  };
  add_reduce("segment_sum", Reduce::sum);
  add_reduce("segment_mean", Reduce::mean);
  add_reduce("segment_max", Reduce::max);
  table.push_back(segment_operator<Real>(
      "segment_softmax", false,
      [](const Step<Real>& in, Span first) { return segment_softmax(in.tape, in[0], first); },
      [](const Dense& x, Span first) {
        const Dense exps =
            dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) { return std::exp(x(i, j)); });
        const Dense sums = segment_reference(exps, first, Reduce::sum);
        const auto segment = segment_of_rows(first);
        return dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
          return exps(i, j) / sums(segment[i], j);
        });
      }));
  table.push_back(segment_operator<Real>(
      "segment_broadcast", true,
      [](const Step<Real>& in, Span first) { return segment_broadcast(in.tape, in[0], first); },
      [](const Dense& x, Span first) {
        const auto segment = segment_of_rows(first);
        return dense(segment.size(), x.cols,
                     [&](std::size_t i, std::size_t j) { return x(segment[i], j); });
      }));
}

template <typename Real>
Operator<Real> sparse_linear_operator(std::string name, std::size_t columns,
                                      bool by_column = false) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const SegmentShape& shape : segment_shapes()) {
              const auto graphs = make_sparse_graphs<Real>(
                  shape.sizes, columns, shape.purpose == Purpose::bench ? 26 : 5);
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{columns, shape.cols}, {1, shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return sparse_linear(
                             in.tape, by_column ? graphs->batch_by_column() : graphs->batch(),
                             in[0], in[1], Activation::leaky_relu);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         return linear_reference(graphs->as_dense(), dense_transpose(in[0]), &in[1],
                                                 Activation::leaky_relu);
                       },
                   .operations = 2 * static_cast<double>(graphs->nonzeros() * shape.cols),
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> pool_nodes_operator(std::string name, Pool pool) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        for (const SegmentShape& shape : segment_shapes()) {
          const auto first_row = shape.first_row();
          const bool asks = pool == Pool::attention;
          cases.push_back(
              {.shape = shape.text(),
               .inputs = {{shape.rows(), shape.cols}, {shape.sizes.size(), shape.cols}},
               .apply =
                   [=](const Step<Real>& in) {
                     return pool_nodes(in.tape, in[0], *first_row, pool, asks ? in[1] : Value{});
                   },
               .reference =
                   [=](std::span<const Dense> in) {
                     return pool_reference(in[0], *first_row, pool, &in[1]);
                   },
               .operations = (asks ? 4.0 : 1.0) * static_cast<double>(shape.rows() * shape.cols),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> filter_and_pool_operator(std::string name, Pool pool, bool by_column = false) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const SegmentShape& shape : segment_shapes()) {
              const bool bench = shape.purpose == Purpose::bench;
              const std::size_t columns = bench ? 322 : 23;
              const std::size_t inner = bench ? 64 : shape.cols + 2;
              const auto graphs = make_sparse_graphs<Real>(shape.sizes, columns, bench ? 26 : 5);
              const bool asks = pool == Pool::attention;
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{columns, inner},
                              {1, inner},
                              {shape.cols, inner},
                              {1, shape.cols},
                              {shape.sizes.size(), shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return filter_and_pool(
                             in.tape, by_column ? graphs->batch_by_column() : graphs->batch(),
                             in[0], in[1], in[2], in[3], pool, asks ? in[4] : Value{});
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const Dense mixed =
                             linear_reference(graphs->as_dense(), dense_transpose(in[0]), &in[1],
                                              Activation::leaky_relu);
                         const Dense h =
                             linear_reference(mixed, in[2], &in[3], Activation::leaky_relu);
                         return pool_reference(h, graphs->first_row, pool, &in[4]);
                       },
                   .operations = 2 * static_cast<double>(
                                         inner * (graphs->nonzeros() + shape.rows() * shape.cols)) +
                                 4 * static_cast<double>(shape.rows() * shape.cols),
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> label_quotient_operator() {
  struct QuotientShape {
    std::size_t graphs;
    std::uint32_t labels;
    std::size_t features;
    Purpose purpose = Purpose::test;
  };
  return {
      "label_quotient", [=] {
        Cases<Real> cases;
        for (const QuotientShape& shape : std::vector<QuotientShape>{
                 {1, 1, 1}, {5, 3, 7}, {150, 6, 19}, {2000, 4, 3}, {512, 6, 64, Purpose::bench}}) {
          const auto graphs = make_label_graphs(shape.graphs, shape.labels);
          cases.push_back(
              {.shape = fmt::format("{} graphs, {}x{}", shape.graphs, shape.labels, shape.features),
               .inputs = {{shape.labels, shape.features, Draw::away_from_zero}},
               .apply =
                   [=](const Step<Real>& in) {
                     return models::label_quotient(in.tape, graphs->forms, graphs->order, in[0]);
                   },
               .reference =
                   [=](std::span<const Dense> in) {
                     const spectral::WorkspaceForms& forms = graphs->forms;
                     return dense(forms.graphs(), in[0].cols, [&](std::size_t i, std::size_t c) {
                       const std::size_t g = graphs->order[i];
                       double top = 0;
                       double bottom = 0;
                       for (std::size_t k = forms.label_ptr[g]; k < forms.label_ptr[g + 1]; ++k) {
                         const double x = in[0](forms.label[k], c);
                         top += forms.form[k] * x * x;
                         bottom += forms.count[k] * x * x;
                       }
                       for (const spectral::LabelPair& pair : forms.pairs(g)) {
                         top += 2 * pair.value * in[0](pair.a, c) * in[0](pair.b, c);
                       }
                       return top / bottom;
                     });
                   },
               .operations = 8 * static_cast<double>(graphs->forms.label.size() * shape.features),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> wavelet_pool_operator(std::string name, Pool pool) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const SegmentShape& shape : segment_shapes()) {
              const bool bench = shape.purpose == Purpose::bench;
              const std::size_t filters = bench ? 4 : 3;
              const std::size_t labels = bench ? 46 : 7;
              const auto graphs =
                  make_sparse_graphs<Real>(shape.sizes, filters * labels, bench ? 12 : 5);
              const bool asks = pool == Pool::attention;
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{labels, shape.cols}, {shape.sizes.size(), filters * shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::wavelet_pool(in.tape, graphs->batch(), filters, in[0], pool,
                                                     asks ? in[1] : Value{});
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const Dense rows = graphs->as_dense();
                         const std::size_t width = in[0].cols;
                         const auto entry_of_h = [&](std::size_t i, std::size_t j) {
                           double sum = 0;
                           for (std::size_t a = 0; a < labels; ++a) {
                             sum += rows(i, j / width * labels + a) * in[0](a, j % width);
                           }
                           return sum;
                         };
                         return pool_reference(dense(rows.rows, filters * width, entry_of_h),
                                               graphs->first_row, pool, &in[1]);
                       },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
void add_graph_operators(Operators<Real>& table) {
  table.push_back(sparse_linear_operator<Real>("sparse_linear", 322));
  table.push_back(sparse_linear_operator<Real>("sparse_linear_by_column", 322, true));
  table.push_back(sparse_linear_operator<Real>("sparse_linear_few_columns", 7));
  table.push_back(sparse_linear_operator<Real>("sparse_linear_large_table", 2000));
  table.push_back(pool_nodes_operator<Real>("pool_nodes_attention", Pool::attention));
  table.push_back(pool_nodes_operator<Real>("pool_nodes_mean", Pool::mean));
  table.push_back(pool_nodes_operator<Real>("pool_nodes_sum", Pool::sum));
  table.push_back(filter_and_pool_operator<Real>("filter_and_pool_attention", Pool::attention));
  table.push_back(filter_and_pool_operator<Real>("filter_and_pool_mean", Pool::mean));
  table.push_back(
      filter_and_pool_operator<Real>("filter_and_pool_by_column", Pool::attention, true));
  table.push_back(label_quotient_operator<Real>());
  table.push_back(wavelet_pool_operator<Real>("wavelet_pool_attention", Pool::attention));
  table.push_back(wavelet_pool_operator<Real>("wavelet_pool_mean", Pool::mean));
  table.push_back(wavelet_pool_operator<Real>("wavelet_pool_sum", Pool::sum));
  add_segment_operators(table);
}

}  // namespace rayleigh::nn::test
