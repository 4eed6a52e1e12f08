// Every operator of src/nn with inputs of several shapes and a naive reference: the one table that
// drives tests of values and gradients and the benchmark (bench/nn_bench.cpp).
// A new operator gets an entry in the part of its ops file. Making the table costs nothing.
#pragma once

#include "operators_clusters.h"
#include "operators_dense.h"
#include "operators_elementwise.h"
#include "operators_graph.h"
#include "operators_norm.h"
#include "operators_padded.h"
#include "operators_sparse.h"

namespace rayleigh::nn::test {

template <typename Real>
const Operators<Real>& operator_table() {
  static const Operators<Real> all = [] {
    Operators<Real> table;
    add_dense_operators(table);
    add_norm_operators(table);
    add_graph_operators(table);
    add_sparse_operators(table);
    add_cluster_operators(table);
    add_elementwise_operators(table);
    add_padded_operators(table);
    return table;
  }();
  return all;
}

}  // namespace rayleigh::nn::test
