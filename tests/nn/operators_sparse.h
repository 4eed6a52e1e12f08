// The part of the operator table for ops_sparse.h and ops_attention.h.
// Included by operator_table.h.
// Matrices with empty rows, batches with empty graphs, and enough of both for several parts.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "models/gmt_attention.h"
#include "operator_fixtures.h"

namespace rayleigh::nn::test {

struct SparseShape {
  std::size_t rows;
  std::size_t cols;
  std::size_t width;
};

inline std::vector<SparseShape> sparse_shapes() {
  return {{1, 1, 1}, {5, 9, 7}, {9, 5, 19}, {0, 3, 2}, {40, 40, 67}, {1500, 700, 16}};
}

template <typename Real>
Case<Real> spmm_case(const std::shared_ptr<const SparseMatrix<Real>>& matrix, std::size_t width,
                     bool symmetric, Purpose purpose = Purpose::test) {
  return {.shape = fmt::format("{}x{}x{}", matrix->rows(), matrix->cols, width),
          .inputs = {{matrix->cols, width}},
          .apply =
              [=](const Step<Real>& in) {
                return symmetric ? spmm_symmetric(in.tape, matrix->csr(), in[0])
                                 : spmm(in.tape, matrix->csr(), matrix->transposed_csr(), in[0]);
              },
          .reference =
              [=](std::span<const Dense> in) { return dense_product(matrix->as_dense(), in[0]); },
          .operations = 2 * static_cast<double>(matrix->col.size() * width),
          .purpose = purpose};
}

template <typename Real>
Case<Real> spmm_weighted_case(const std::shared_ptr<const SparseMatrix<Real>>& matrix,
                              std::size_t width, Purpose purpose = Purpose::test) {
  return {.shape = fmt::format("{}x{}x{}", matrix->rows(), matrix->cols, width),
          .inputs = {{matrix->col.size(), 1}, {matrix->cols, width}},
          .apply =
              [=](const Step<Real>& in) {
                return spmm_weighted(in.tape, matrix->pattern(), in[0], in[1]);
              },
          .reference =
              [=](std::span<const Dense> in) {
                return dense_product(matrix->as_dense([&](std::size_t e) { return in[0](e, 0); }),
                                     in[1]);
              },
          .operations = 2 * static_cast<double>(matrix->col.size() * width),
          .purpose = purpose};
}

template <typename Real>
Operator<Real> spmm_operator(std::string name, Values values) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const SparseShape& shape : sparse_shapes()) {
              cases.push_back(spmm_case<Real>(
                  make_sparse_matrix<Real>(shape.rows, shape.cols, values), shape.width, false));
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> spmm_bias_operator() {
  return {"spmm_bias", [=] {
            Cases<Real> cases;
            for (const SparseShape& shape : sparse_shapes()) {
              const auto matrix = make_sparse_matrix<Real>(shape.rows, shape.cols, Values::ones);
              Case<Real> with_bias = spmm_case<Real>(matrix, shape.width, false);
              with_bias.inputs.push_back({1, shape.width});
              with_bias.apply = [=](const Step<Real>& in) {
                return spmm(in.tape, matrix->csr(), matrix->transposed_csr(), in[0], in[1]);
              };
              with_bias.reference = [=](std::span<const Dense> in) {
                Dense y = dense_product(matrix->as_dense(), in[0]);
                for (std::size_t k = 0; k < y.data.size(); ++k) {
                  y.data[k] += in[1].data[k % y.cols];
                }
                return y;
              };
              cases.push_back(std::move(with_bias));
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> spmm_symmetric_operator() {
  return {
      "spmm_symmetric", [=] {
        Cases<Real> cases;
        for (const Sizes& sizes : test_sizes()) {
          cases.push_back(spmm_case<Real>(make_rings<Real>(sizes), 19, true));
        }
        cases.push_back(spmm_case<Real>(make_rings<Real>(bench_sizes()), 64, true, Purpose::bench));
        return cases;
      }};
}

template <typename Real>
Operator<Real> spmm_weighted_operator() {
  return {"spmm_weighted", [=] {
            Cases<Real> cases;
            for (const SparseShape& shape : sparse_shapes()) {
              cases.push_back(spmm_weighted_case<Real>(
                  make_sparse_matrix<Real>(shape.rows, shape.cols, Values::random), shape.width));
            }
            cases.push_back(
                spmm_weighted_case<Real>(make_rings<Real>(bench_sizes()), 64, Purpose::bench));
            return cases;
          }};
}

struct AttentionShape {
  Sizes sizes;
  std::size_t queries;
  std::size_t width;
  std::size_t heads;
  Purpose purpose = Purpose::test;
};

inline std::vector<AttentionShape> attention_shapes() {
  return {{{1}, 1, 1, 1},
          {{3, 0, 1, 5, 0}, 2, 6, 3},
          {{4, 4, 4}, 4, 19, 1},
          {many_sizes(40), 3, 12, 2},
          {bench_sizes(), 7, 128, 4, Purpose::bench}};
}

/// Head by head, graph by graph.
inline Dense attention_reference(std::span<const Dense> in, bool shared,
                                 std::span<const std::uint32_t> first_key,
                                 models::AttentionOptions options) {
  const Dense& q = in[0];
  const Dense& k = in[1];
  const std::size_t graphs = first_key.size() - 1;
  const std::size_t queries = shared ? q.rows : q.rows / graphs;
  const std::size_t split = q.cols / options.heads;
  Dense out = dense(graphs * queries, q.cols, [](std::size_t, std::size_t) { return 0.0; });
  for (std::size_t g = 0; g < graphs; ++g) {
    for (std::size_t head = 0; head < options.heads; ++head) {
      const Dense exps =
          dense(queries, first_key[g + 1] - first_key[g], [&](std::size_t i, std::size_t j) {
            double logit = 0;
            for (std::size_t c = head * split; c < (head + 1) * split; ++c) {
              logit += q(shared ? i : g * queries + i, c) * k(first_key[g] + j, c);
            }
            return std::exp(logit / std::sqrt(static_cast<double>(q.cols)));
          });
      for (std::size_t i = 0; i < exps.rows; ++i) {
        for (std::size_t j = 0; j < exps.cols; ++j) {
          double total = 0;
          if (options.over == models::SoftmaxOver::keys) {
            for (std::size_t l = 0; l < exps.cols; ++l) {
              total += exps(i, l);
            }
          } else {
            for (std::size_t l = 0; l < exps.rows; ++l) {
              total += exps(l, j);
            }
          }
          for (std::size_t c = head * split; c < (head + 1) * split; ++c) {
            out(g * queries + i, c) += exps(i, j) / total * in[2](first_key[g] + j, c);
          }
        }
      }
    }
  }
  return out;
}

template <typename Real>
Operator<Real> attention_operator(std::string name, models::Queries kind,
                                  models::SoftmaxOver over) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const AttentionShape& shape : attention_shapes()) {
              const auto first_key = std::make_shared<const Sizes>(first_rows(shape.sizes));
              const models::AttentionOptions options{.heads = shape.heads, .over = over};
              const bool shared = kind == models::Queries::shared;
              const std::size_t keys = first_key->back();
              cases.push_back(
                  {.shape = fmt::format("{} to {}x{} in {}, {} heads", shape.queries, keys,
                                        shape.width, shape.sizes.size(), shape.heads),
                   .inputs = {{shape.queries * (shared ? 1 : shape.sizes.size()), shape.width},
                              {keys, shape.width},
                              {keys, shape.width}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::attention(in.tape, in[0], kind, in[1], in[2], *first_key,
                                                  options);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         return attention_reference(in, shared, *first_key, options);
                       },
                   .operations = 4 * static_cast<double>(shape.queries * keys * shape.width),
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
void add_sparse_operators(Operators<Real>& table) {
  table.push_back(spmm_operator<Real>("spmm", Values::random));
  table.push_back(spmm_operator<Real>("spmm_ones", Values::ones));
  table.push_back(spmm_bias_operator<Real>());
  table.push_back(spmm_symmetric_operator<Real>());
  table.push_back(spmm_weighted_operator<Real>());
  table.push_back(
      attention_operator<Real>("attention", models::Queries::shared, models::SoftmaxOver::keys));
  table.push_back(attention_operator<Real>("attention_per_graph", models::Queries::per_graph,
                                           models::SoftmaxOver::keys));
  table.push_back(attention_operator<Real>("attention_cluster", models::Queries::shared,
                                           models::SoftmaxOver::queries));
  table.push_back(attention_operator<Real>(
      "attention_cluster_per_graph", models::Queries::per_graph, models::SoftmaxOver::queries));
}

}  // namespace rayleigh::nn::test
