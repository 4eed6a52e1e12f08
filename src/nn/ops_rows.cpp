#include "nn/ops_rows.h"

#include <algorithm>

#include "nn/fixed_sums.h"
#include "nn/graph_groups.h"

namespace rayleigh::nn {
namespace {

/// Graphs whose nodes go through all stages before the next ones: their rows stay in the cache.
constexpr std::size_t kGraphsAtOnce = 8;

/// work(first graph, one behind the last) on small runs of graphs of one group, in order.
template <typename Work>
void for_runs(core::Range graphs, Work work) {
  for (std::size_t g = graphs.begin; g < graphs.end; g += kGraphsAtOnce) {
    work(g, std::min(graphs.end, g + kGraphsAtOnce));
  }
}

/// The most rows that for_runs() gives at once in any group.
template <typename Real>
std::size_t rows_at_once(const RowBatch<Real>& batch, std::size_t groups) {
  std::size_t most = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    for_runs(core::part_of(batch.graphs.size(), groups, group),
             [&](std::size_t begin, std::size_t end) {
               most = std::max<std::size_t>(most, batch.first_row[end] - batch.first_row[begin]);
             });
  }
  return most;
}

template <typename Real>
Real pool_factor(Pool pool, std::size_t rows) {
  return pool == Pool::mean && rows > 0 ? Real{1} / static_cast<Real>(rows) : Real{1};
}

/// What pooling needs to know of one graph.
template <typename Real>
struct PooledGraph {
  const Real* h;
  std::size_t rows;
  std::size_t width;
};

template <typename Real>
void pool_graph(const Kernels<Real>& kernels, Pool pool, PooledGraph<Real> graph, const Real* query,
                Real* score, Real* pooled) {
  if (pool == Pool::attention) {
    kernels.attend(graph.h, graph.rows, graph.width, query, score, pooled);
    return;
  }
  std::fill_n(pooled, graph.width, Real{0});
  const Real factor = pool_factor<Real>(pool, graph.rows);
  for (std::size_t j = 0; j < graph.rows; ++j) {
    kernels.axpy(factor, graph.h + j * graph.width, graph.width, pooled);
  }
}

/// Assigns d_h, times the slope of the activation that made h, and adds to d_query where given.
template <typename Real>
void pool_graph_backward(const Kernels<Real>& kernels, Pool pool, PooledGraph<Real> graph,
                         const Real* query, const Real* score, const Real* d_pooled, Real slope,
                         Real* d_h, Real* d_query, Real* spare) {
  if (pool == Pool::attention) {
    kernels.attend_backward(graph.h, graph.rows, graph.width, query, score, d_pooled, slope, d_h,
                            spare);
    if (d_query != nullptr) {
      kernels.axpy(Real{1}, spare, graph.width, d_query);
    }
    return;
  }
  const Real factor = pool_factor<Real>(pool, graph.rows);
  for (std::size_t j = 0; j < graph.rows; ++j) {
    for (std::size_t c = 0; c < graph.width; ++c) {
      d_h[j * graph.width + c] = factor * d_pooled[c];
    }
  }
  kernels.leaky_backward(d_h, graph.h, graph.rows * graph.width, slope);
}

/// table += rows of graph g, transposed, times d.
template <typename Real>
void scatter(const Kernels<Real>& kernels, const RowBatch<Real>& batch, std::size_t g,
             const Real* d, std::size_t width, Real* table) {
  if (batch.by_column.empty()) {
    kernels.scatter_rows(batch.graphs[g], d, width, table);
  } else {
    kernels.scatter_columns(batch.by_column[g], d, width, table);
  }
}

/// The entries of a batch by column, so that each row of the table's gradient has one writer.
template <typename Real>
struct ByColumn {
  std::span<std::uint32_t> column_ptr;
  std::span<spectral::BasisEntry<Real>> entries;  ///< column = row of the batch
};

template <typename Real>
ByColumn<Real> by_column(Tape<Real>& tape, const RowBatch<Real>& batch, std::size_t columns) {
  const auto for_each = [&](auto&& use) {
    for (std::size_t g = 0; g < batch.graphs.size(); ++g) {
      const SparseRows<Real>& rows = batch.graphs[g];
      for (std::size_t i = 0; i < rows.rows; ++i) {
        for (std::size_t e = rows.row_ptr[i]; e < rows.row_ptr[i + 1]; ++e) {
          use(static_cast<std::uint32_t>(batch.first_row[g] + i), rows.entries[e]);
        }
      }
    }
  };
  ByColumn<Real> result;
  result.column_ptr = tape.template array<std::uint32_t>(columns + 2);
  std::ranges::fill(result.column_ptr, 0U);
  for_each([&](std::uint32_t, const auto& entry) { ++result.column_ptr[entry.column + 2]; });
  for (std::size_t c = 2; c < result.column_ptr.size(); ++c) {
    result.column_ptr[c] += result.column_ptr[c - 1];
  }
  result.entries = tape.template array<spectral::BasisEntry<Real>>(result.column_ptr[columns + 1]);
  for_each([&](std::uint32_t row, const auto& entry) {
    result.entries[result.column_ptr[entry.column + 1]++] = {row, entry.value};
  });
  return result;
}

/// Large tables: one pass over the entries by column instead of a table a group.
template <typename Real>
void scatter_by_column(Tape<Real>& tape, const RowBatch<Real>& batch, Matrix<const Real> d,
                       Matrix<Real> d_table) {
  const ByColumn<Real> sorted = by_column(tape, batch, d_table.rows);
  tape.for_rows(d_table.rows, 16 * d_table.cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      for (std::size_t e = sorted.column_ptr[c]; e < sorted.column_ptr[c + 1]; ++e) {
        tape.kernels().axpy(sorted.entries[e].value, d.data + sorted.entries[e].column * d.cols,
                            d.cols, d_table.data + c * d.cols);
      }
    }
  });
}

}  // namespace

template <typename Real>
Value sparse_linear(Tape<Real>& tape, RowBatch<Real> batch, Value table, Value bias,
                    Activation activation) {
  const std::size_t width = tape.cols(table);
  const Real slope = slope_of<Real>(activation);
  const Value out = tape.make(batch.rows(), width, table, bias);
  const Matrix<Real> y = tape.output(out);
  const Real* shift = bias.exists() ? tape.value(bias).data : nullptr;
  const std::size_t groups = groups_of(batch.graphs.size());
  tape.for_parts(groups, [&](std::size_t group) {
    const core::Range range = core::part_of(batch.graphs.size(), groups, group);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      tape.kernels().gather_rows(batch.graphs[g], tape.value(table).data, shift, width, slope,
                                 y.data + batch.first_row[g] * width);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    constexpr std::size_t kLargeTable = 512;  // rows
    if (t.rows(table) > kLargeTable) {
      leaky_and_bias_backward<Real>(t, d, y, slope, bias);
      if (t.wants_gradient(table)) {
        scatter_by_column<Real>(t, batch, d, t.gradient(table));
      }
      return;
    }
    const std::size_t table_size = t.value(table).size();
    const Matrix<Real> sums = t.scratch(groups, table_size + width);
    t.for_parts(groups, [&](std::size_t group) {
      Real* own = sums.row(group).data();
      std::fill_n(own, sums.cols, Real{0});
      const core::Range range = core::part_of(batch.graphs.size(), groups, group);
      const std::size_t first = batch.first_row[range.begin];
      const std::size_t rows = batch.first_row[range.end] - first;
      t.kernels().leaky_backward(d.data + first * width, y.data + first * width, rows * width,
                                 slope);
      t.kernels().add_column_sums(d.data + first * width, rows, width, own + table_size);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        scatter(t.kernels(), batch, g, d.data + batch.first_row[g] * width, width, own);
      }
    });
    if (t.wants_gradient(table)) {
      add_groups<Real>(t, sums, 0, t.gradient(table));
    }
    if (t.wants_gradient(bias)) {
      add_groups<Real>(t, sums, table_size, t.gradient(bias));
    }
  });
  return out;
}

template <typename Real>
Value table_of(Tape<Real>& tape, const RowBatch<Real>& batch, Value weights) {
  const Matrix<const Real> from = tape.value(weights);
  std::size_t entries = 0;
  for (const SparseRows<Real>& rows : batch.graphs) {
    entries += rows.row_ptr[rows.rows] - rows.row_ptr[0];
  }
  // Graphs share labels: with many entries the same rows would be turned again and again.
  if (tape.training() || 4 * entries > from.cols) {
    return transpose(tape, weights);
  }
  const Value out = tape.make(from.cols, from.rows);
  const Matrix<Real> table = tape.output(out);
  for (const SparseRows<Real>& rows : batch.graphs) {
    for (std::size_t e = rows.row_ptr[0]; e < rows.row_ptr[rows.rows]; ++e) {
      const std::size_t column = rows.entries[e].column;
      for (std::size_t i = 0; i < from.rows; ++i) {
        table(column, i) = from(i, column);
      }
    }
  }
  return out;
}

template <typename Real>
Value pool_nodes(Tape<Real>& tape, Value nodes, std::span<const std::uint32_t> first_row, Pool pool,
                 Value query) {
  const Matrix<const Real> h = tape.value(nodes);
  const std::size_t graphs = first_row.size() - 1;
  const Value out = tape.make(graphs, h.cols, nodes, query);
  const auto score = tape.template array<Real>(h.rows);
  const std::size_t groups = groups_of(graphs);
  const auto graph_of = [=](std::size_t g) {
    return PooledGraph<Real>{h.data + first_row[g] * h.cols, first_row[g + 1] - first_row[g],
                             h.cols};
  };
  const auto query_of = [=](Tape<Real>& t, std::size_t g) {
    return query.exists() ? t.value(query).row(g).data() : nullptr;
  };
  tape.for_parts(groups, [&](std::size_t group) {
    const core::Range range = core::part_of(graphs, groups, group);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      pool_graph(tape.kernels(), pool, graph_of(g), query_of(tape, g), score.data() + first_row[g],
                 tape.output(out).row(g).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> d_query = t.wants_gradient(query) ? t.gradient(query) : Matrix<Real>{};
    const Matrix<Real> d_nodes = t.wants_gradient(nodes) ? t.gradient(nodes) : Matrix<Real>{};
    const Matrix<Real> spare = t.scratch(groups, h.cols);
    const Matrix<Real> d_h = t.scratch(h.rows, h.cols);
    t.for_parts(groups, [&](std::size_t group) {
      const core::Range range = core::part_of(graphs, groups, group);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        pool_graph_backward(
            t.kernels(), pool, graph_of(g), query_of(t, g), score.data() + first_row[g],
            d.row(g).data(), Real{1}, d_h.data + first_row[g] * h.cols,
            d_query.empty() ? nullptr : d_query.row(g).data(), spare.row(group).data());
      }
      if (!d_nodes.empty()) {
        const std::size_t first = first_row[range.begin] * h.cols;
        t.kernels().axpy(Real{1}, d_h.data + first, first_row[range.end] * h.cols - first,
                         d_nodes.data + first);
      }
    });
  });
  return out;
}

template <typename Real>
Value filter_and_pool(Tape<Real>& tape, RowBatch<Real> batch, Value table, Value bias, Value w,
                      Value b, Pool pool, Value query) {
  const std::size_t inner = tape.cols(table);
  const std::size_t width = tape.rows(w);
  const std::size_t graphs = batch.graphs.size();
  const Real slope = slope_of<Real>(Activation::leaky_relu);
  const Value out = tape.make(graphs, width, table, bias, w, b, query);
  const std::size_t groups = groups_of(graphs);
  const std::size_t most_rows = rows_at_once(batch, groups);
  // Training keeps every node for the way back; scoring needs room for one run of graphs a group.
  const bool keep = tape.training();
  const std::size_t room = keep ? batch.rows() : groups * most_rows;
  const Matrix<Real> mixed = tape.scratch(room, inner);
  const Matrix<Real> h = tape.scratch(room, width);
  const auto score = tape.template array<Real>(room);
  const Matrix<const Real> weights = transposed<Real>(tape, tape.value(w));
  const auto graph_at = [=](std::size_t row, std::size_t g) {
    return PooledGraph<Real>{h.data + row * width, batch.first_row[g + 1] - batch.first_row[g],
                             width};
  };
  const auto query_of = [=](Tape<Real>& t, std::size_t g) {
    return query.exists() ? t.value(query).row(g).data() : nullptr;
  };
  tape.for_parts(groups, [&](std::size_t group) {
    const Kernels<Real>& k = tape.kernels();
    for_runs(core::part_of(graphs, groups, group), [&](std::size_t begin, std::size_t end) {
      const std::size_t first = batch.first_row[begin];
      const std::size_t place = keep ? first : group * most_rows;
      const auto row_of = [&](std::size_t g) { return place + batch.first_row[g] - first; };
      for (std::size_t g = begin; g < end; ++g) {
        k.gather_rows(batch.graphs[g], tape.value(table).data, tape.value(bias).data, inner, slope,
                      mixed.data + row_of(g) * inner);
      }
      k.affine_rows(mixed.data + place * inner, batch.first_row[end] - first, inner, weights.data,
                    tape.value(b).data, width, slope, h.data + place * width);
      for (std::size_t g = begin; g < end; ++g) {
        pool_graph(k, pool, graph_at(row_of(g), g), query_of(tape, g), score.data() + row_of(g),
                   tape.output(out).row(g).data());
      }
    });
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> d_query = t.wants_gradient(query) ? t.gradient(query) : Matrix<Real>{};
    const std::size_t table_size = t.value(table).size();
    const std::size_t w_size = t.value(w).size();
    // A group's sums: table, bias, w, b.
    const Matrix<Real> sums = t.scratch(groups, table_size + inner + w_size + width);
    const Matrix<Real> scratch = t.scratch(groups, most_rows * (inner + width) + width);
    t.for_parts(groups, [&](std::size_t group) {
      const Kernels<Real>& k = t.kernels();
      Real* own = sums.row(group).data();
      std::fill_n(own, sums.cols, Real{0});
      Real* own_bias = own + table_size;
      Real* own_w = own_bias + inner;
      Real* own_b = own_w + w_size;
      Real* d_h = scratch.row(group).data();
      Real* d_mixed = d_h + most_rows * width;
      Real* spare = d_mixed + most_rows * inner;
      for_runs(core::part_of(graphs, groups, group), [&](std::size_t begin, std::size_t end) {
        const std::size_t first = batch.first_row[begin];
        const std::size_t rows = batch.first_row[end] - first;
        for (std::size_t g = begin; g < end; ++g) {
          pool_graph_backward(k, pool, graph_at(batch.first_row[g], g), query_of(t, g),
                              score.data() + batch.first_row[g], d.row(g).data(), slope,
                              d_h + (batch.first_row[g] - first) * width,
                              d_query.empty() ? nullptr : d_query.row(g).data(), spare);
        }
        k.add_column_sums(d_h, rows, width, own_b);
        const Matrix<Real> mixed_rows = mixed.part(first, first + rows);
        k.add_gram(d_h, rows, width, mixed_rows.data, inner, own_w);
        k.affine_rows(d_h, rows, width, t.value(w).data, nullptr, inner, Real{1}, d_mixed);
        k.leaky_backward(d_mixed, mixed_rows.data, rows * inner, slope);
        k.add_column_sums(d_mixed, rows, inner, own_bias);
        for (std::size_t g = begin; g < end; ++g) {
          scatter(k, batch, g, d_mixed + (batch.first_row[g] - first) * inner, inner, own);
        }
      });
    });
    if (t.wants_gradient(table)) {
      add_groups<Real>(t, sums, 0, t.gradient(table));
    }
    if (t.wants_gradient(bias)) {
      add_groups<Real>(t, sums, table_size, t.gradient(bias));
    }
    if (t.wants_gradient(w)) {
      add_groups<Real>(t, sums, table_size + inner, t.gradient(w));
    }
    if (t.wants_gradient(b)) {
      add_groups<Real>(t, sums, table_size + inner + w_size, t.gradient(b));
    }
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                                              \
  template Value sparse_linear(Tape<Real>&, RowBatch<Real>, Value, Value, Activation);          \
  template Value table_of(Tape<Real>&, const RowBatch<Real>&, Value);                           \
  template Value pool_nodes(Tape<Real>&, Value, std::span<const std::uint32_t>, Pool, Value);   \
  template Value filter_and_pool(Tape<Real>&, RowBatch<Real>, Value, Value, Value, Value, Pool, \
                                 Value);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::nn
