// The part of the operator table for ops_clusters.h and ops_total_variation.h.
// Included by operator_table.h.
// Graphs without nodes or edges, more clusters than nodes, neighbours closer than epsilon.
#pragma once

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <memory>

#include "models/tvgnn_variation.h"
#include "nn/ops_clusters.h"
#include "nn/ops_reduce.h"
#include "operator_fixtures.h"

namespace rayleigh::nn::test {

struct ClusterShape {
  Sizes sizes;
  std::size_t clusters;
  std::size_t width;
  Purpose purpose = Purpose::test;
};

inline std::vector<ClusterShape> cluster_shapes() {
  return {{{1}, 1, 1},
          {{3, 0, 1, 5, 0}, 2, 19},
          {{0, 0, 2}, 7, 3},
          {many_sizes(40), 17, 16},
          {bench_sizes(), 57, 32, Purpose::bench}};
}

inline std::string name_of(const ClusterShape& shape) {
  return fmt::format("{} nodes in {}, {} clusters of {}", first_rows(shape.sizes).back(),
                     shape.sizes.size(), shape.clusters, shape.width);
}

inline Dense rows_of(const Dense& m, std::size_t begin, std::size_t end) {
  return dense(end - begin, m.cols, [&](std::size_t i, std::size_t j) { return m(begin + i, j); });
}

/// piece(g) of every graph, below each other.
template <typename Piece>
Dense below_each_other(std::size_t graphs, std::size_t cols, Piece piece) {
  Dense all{.rows = 0, .cols = cols, .data = {}};
  for (std::size_t g = 0; g < graphs; ++g) {
    const Dense own = piece(g);
    all.rows += own.rows;
    all.data.insert(all.data.end(), own.data.begin(), own.data.end());
  }
  return all;
}

template <typename Real>
Operator<Real> segment_gram_operator() {
  return {
      "segment_gram", [] {
        Cases<Real> cases;
        for (const ClusterShape& shape : cluster_shapes()) {
          const auto first = std::make_shared<const Sizes>(first_rows(shape.sizes));
          cases.push_back(
              {.shape = name_of(shape),
               .inputs = {{first->back(), shape.clusters}, {first->back(), shape.width}},
               .apply =
                   [=](const Step<Real>& in) {
                     return segment_gram(in.tape, in[0], in[1], *first);
                   },
               .reference =
                   [=](std::span<const Dense> in) {
                     return below_each_other(first->size() - 1, in[1].cols, [&](std::size_t g) {
                       return dense_product(
                           dense_transpose(rows_of(in[0], (*first)[g], (*first)[g + 1])),
                           rows_of(in[1], (*first)[g], (*first)[g + 1]));
                     });
                   },
               .operations = 2 * static_cast<double>(first->back() * shape.clusters * shape.width),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

struct PairShape {
  std::size_t blocks;
  std::size_t rows;
  std::size_t inner;
  std::size_t cols;
  Purpose purpose = Purpose::test;
};

template <typename Real>
Operator<Real> paired_product_operator() {
  return {"paired_product", [] {
            Cases<Real> cases;
            for (const PairShape& s :
                 {PairShape{1, 1, 1, 1}, PairShape{3, 4, 5, 7}, PairShape{9, 17, 16, 19},
                  PairShape{0, 3, 3, 3}, PairShape{16, 114, 114, 57, Purpose::bench}}) {
              cases.push_back(
                  {.shape = fmt::format("{} of {}x{}x{}", s.blocks, s.rows, s.inner, s.cols),
                   .inputs = {{s.blocks * s.rows, s.inner}, {s.blocks * s.inner, s.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return paired_product(in.tape, in[0], in[1], s.blocks);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         return below_each_other(s.blocks, s.cols, [&](std::size_t k) {
                           return dense_product(rows_of(in[0], k * s.rows, (k + 1) * s.rows),
                                                rows_of(in[1], k * s.inner, (k + 1) * s.inner));
                         });
                       },
                   .operations = 2 * static_cast<double>(s.blocks * s.rows * s.inner * s.cols),
                   .purpose = s.purpose});
            }
            return cases;
          }};
}

/// By sorting whole columns, zeros included.
inline double balance_reference(const Dense& s, std::size_t rows) {
  const std::size_t n = std::max(rows, s.rows);
  if (s.cols == 1 || n == 0) {
    return 0;
  }
  const auto others = static_cast<double>(s.cols - 1);
  double norm = 0;
  for (std::size_t c = 0; c < s.cols; ++c) {
    std::vector<double> column(n, 0.0);
    for (std::size_t i = 0; i < s.rows; ++i) {
      column[i] = s(i, c);
    }
    std::ranges::sort(column, std::greater<>());
    const double q = column[n / s.cols];
    for (const double x : column) {
      norm += x >= q ? others * (x - q) : q - x;
    }
  }
  return 1 - norm / (others * static_cast<double>(n));
}

template <typename Real>
Operator<Real> cluster_balance_operator(std::string name, std::size_t rows) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const ClusterShape& shape : cluster_shapes()) {
              const auto first = std::make_shared<const Sizes>(first_rows(shape.sizes));
              cases.push_back({.shape = name_of(shape),
                               .inputs = {{first->back(), shape.clusters, Draw::fraction}},
                               .apply =
                                   [=](const Step<Real>& in) {
                                     return cluster_balance(in.tape, in[0], *first, rows);
                                   },
                               .reference =
                                   [=](std::span<const Dense> in) {
                                     return dense(
                                         first->size() - 1, 1, [&](std::size_t g, std::size_t) {
                                           return balance_reference(
                                               rows_of(in[0], (*first)[g], (*first)[g + 1]), rows);
                                         });
                                   },
                               .operations = 0,
                               .purpose = shape.purpose});
            }
            return cases;
          }};
}

inline double l1(const Dense& x, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t c = 0; c < x.cols; ++c) {
    sum += std::abs(x(i, c) - x(j, c));
  }
  return sum;
}

inline Dense step_reference(const Dense& a, const Dense& x, const Dense* bias,
                            models::VariationStep step) {
  return dense(x.rows, x.cols, [&](std::size_t i, std::size_t c) {
    double sum = x(i, c) + (bias == nullptr ? 0 : (*bias)(0, c));
    for (std::size_t j = 0; j < x.rows; ++j) {
      sum += step.delta * a(i, j) / std::max(step.epsilon, l1(x, i, j)) * (x(j, c) - x(i, c));
    }
    return sum > 0 ? sum : sum * slope_of<double>(step.activation);
  });
}

inline double variation_reference(const Dense& a, const Dense& s) {
  double sum = 0;
  double entries = 0;
  for (std::size_t i = 0; i < s.rows; ++i) {
    for (std::size_t j = 0; j < s.rows; ++j) {
      sum += a(i, j) * l1(s, i, j);
      entries += a(i, j) != 0 ? 1 : 0;
    }
  }
  return entries == 0 ? 0 : sum / (2 * entries);
}

/// Rings with a bias or without.
template <typename Real>
Operator<Real> variation_step_operator(std::string name, bool biased) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        for (const ClusterShape& shape : cluster_shapes()) {
          const auto rings = make_rings<Real>(shape.sizes);
          const models::VariationStep step{
              .delta = 1.5,
              .epsilon = 0.3 * static_cast<double>(shape.width),
              .activation = biased ? Activation::leaky_relu : Activation::none};
          std::vector<Input> inputs = {{rings->cols, shape.width}};
          if (biased) {
            inputs.push_back({1, shape.width});
          }
          cases.push_back({.shape = name_of(shape),
                           .inputs = inputs,
                           .apply =
                               [=](const Step<Real>& in) {
                                 return models::variation_step(in.tape, rings->csr(), in[0],
                                                               biased ? in[1] : Value{}, step);
                               },
                           .reference =
                               [=](std::span<const Dense> in) {
                                 return step_reference(rings->as_dense(), in[0],
                                                       biased ? &in[1] : nullptr, step);
                               },
                           .operations = 6 * static_cast<double>(rings->col.size() * shape.width),
                           .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> total_variation_operator() {
  return {"total_variation", [] {
            Cases<Real> cases;
            for (const ClusterShape& shape : cluster_shapes()) {
              auto rings = std::make_shared<SparseMatrix<Real>>(*make_rings<Real>(shape.sizes));
              rings->value.clear();
              const std::shared_ptr<const SparseMatrix<Real>> edges = rings;
              const auto first = std::make_shared<const Sizes>(first_rows(shape.sizes));
              cases.push_back(
                  {.shape = name_of(shape),
                   .inputs = {{first->back(), shape.width}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::total_variation(in.tape, edges->csr(), in[0], *first);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const Dense all = edges->as_dense();
                         return dense(first->size() - 1, 1, [&](std::size_t g, std::size_t) {
                           const std::size_t begin = (*first)[g];
                           const std::size_t end = (*first)[g + 1];
                           return variation_reference(dense(end - begin, end - begin,
                                                            [&](std::size_t i, std::size_t j) {
                                                              return all(begin + i, begin + j);
                                                            }),
                                                      rows_of(in[0], begin, end));
                         });
                       },
                   .operations = 3 * static_cast<double>(edges->col.size() * shape.width),
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

struct DenseShape {
  std::size_t graphs;
  std::size_t side;
  std::size_t width;
  Purpose purpose = Purpose::test;
};

inline std::vector<DenseShape> dense_shapes() {
  return {{1, 1, 1},
          {3, 4, 5},
          {2, 17, 19},
          {1, 37, 33},
          {20, 8, 16},
          {0, 3, 2},
          {16, 114, 32, Purpose::bench}};
}

inline std::string name_of(const DenseShape& shape) {
  return fmt::format("{} of {}x{}", shape.graphs, shape.side, shape.width);
}

/// y y' of each graph, a symmetric matrix; y has three columns, so that entries have both signs.
inline constexpr std::size_t kFactors = 3;

inline Dense symmetric_reference(const Dense& factors, std::size_t side, std::size_t g) {
  const Dense y = rows_of(factors, g * kFactors, (g + 1) * kFactors);
  return side == 0 ? y : dense_product(dense_transpose(y), y);
}

template <typename Real>
Value symmetric_blocks(const Step<Real>& in, std::size_t graphs) {
  const auto first = in.tape.template array<std::uint32_t>(graphs + 1);
  for (std::size_t g = 0; g <= graphs; ++g) {
    first[g] = static_cast<std::uint32_t>(g * kFactors);
  }
  return segment_gram(in.tape, in[0], in[0], first);
}

template <typename Real>
Operator<Real> dense_variation_step_operator() {
  return {"dense_variation_step", [] {
            Cases<Real> cases;
            for (const DenseShape& shape : dense_shapes()) {
              const models::VariationStep step{.delta = 0.5,
                                               .epsilon = 0.5 * static_cast<double>(shape.width),
                                               .activation = Activation::leaky_relu};
              cases.push_back(
                  {.shape = name_of(shape),
                   .inputs = {{shape.graphs * kFactors, shape.side},
                              {shape.graphs * shape.side, shape.width},
                              {1, shape.width}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::dense_variation_step(
                             in.tape, symmetric_blocks(in, shape.graphs), in[1], in[2], step);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         return below_each_other(shape.graphs, shape.width, [&](std::size_t g) {
                           return step_reference(
                               symmetric_reference(in[0], shape.side, g),
                               rows_of(in[1], g * shape.side, (g + 1) * shape.side), &in[2], step);
                         });
                       },
                   .operations = 6 * static_cast<double>(shape.graphs * shape.side * shape.side *
                                                         shape.width),
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> dense_total_variation_operator() {
  return {"dense_total_variation", [] {
            Cases<Real> cases;
            for (const DenseShape& shape : dense_shapes()) {
              cases.push_back({.shape = name_of(shape),
                               .inputs = {{shape.graphs * kFactors, shape.side},
                                          {shape.graphs * shape.side, shape.width}},
                               .apply =
                                   [=](const Step<Real>& in) {
                                     return models::dense_total_variation(
                                         in.tape, symmetric_blocks(in, shape.graphs), in[1]);
                                   },
                               .reference =
                                   [=](std::span<const Dense> in) {
                                     return dense(shape.graphs, 1, [&](std::size_t g, std::size_t) {
                                       return variation_reference(
                                           symmetric_reference(in[0], shape.side, g),
                                           rows_of(in[1], g * shape.side, (g + 1) * shape.side));
                                     });
                                   },
                               .operations = 4 * static_cast<double>(shape.graphs * shape.side *
                                                                     shape.side * shape.width),
                               .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
void add_cluster_operators(Operators<Real>& table) {
  table.push_back(segment_gram_operator<Real>());
  table.push_back(paired_product_operator<Real>());
  table.push_back(cluster_balance_operator<Real>("cluster_balance", 0));
  table.push_back(cluster_balance_operator<Real>("cluster_balance_padded", 6));
  table.push_back(variation_step_operator<Real>("variation_step", true));
  table.push_back(variation_step_operator<Real>("variation_step_plain", false));
  table.push_back(total_variation_operator<Real>());
  table.push_back(dense_variation_step_operator<Real>());
  table.push_back(dense_total_variation_operator<Real>());
}

}  // namespace rayleigh::nn::test
