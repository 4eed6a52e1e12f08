#include "models/rqgnn_paper_forms.h"

#include <algorithm>
#include <vector>

#include "nn/graph_groups.h"

namespace rayleigh::models {
namespace {

using nn::add_groups;
using nn::groups_of;
using nn::Matrix;
using nn::Pool;
using nn::RowBatch;
using nn::SparseRows;
using nn::Tape;
using nn::Value;

/// Σ_ab S_ab E_ac E_bc of all columns, without its diagonal pairs counted twice.
template <typename Real>
void quotient_parts(const spectral::WorkspaceForms& forms, std::size_t graph,
                    Matrix<const Real> table, std::span<Real> numerator,
                    std::span<Real> denominator) {
  std::ranges::fill(numerator, Real{0});
  std::ranges::fill(denominator, Real{0});
  for (std::size_t k = forms.label_ptr[graph]; k < forms.label_ptr[graph + 1]; ++k) {
    const auto row = table.row(forms.label[k]);
    const auto form = static_cast<Real>(forms.form[k]);
    const auto count = static_cast<Real>(forms.count[k]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      numerator[c] += form * row[c] * row[c];
      denominator[c] += count * row[c] * row[c];
    }
  }
  for (const spectral::LabelPair& pair : forms.pairs(graph)) {
    const auto a = table.row(pair.a);
    const auto b = table.row(pair.b);
    const auto value = static_cast<Real>(2 * pair.value);
    for (std::size_t c = 0; c < a.size(); ++c) {
      numerator[c] += value * a[c] * b[c];
    }
  }
}

}  // namespace

template <typename Real>
Value label_quotient(Tape<Real>& tape, const spectral::WorkspaceForms& forms,
                     std::span<const std::uint32_t> graphs, Value table) {
  const Matrix<const Real> features = tape.value(table);
  const std::size_t width = features.cols;
  const Value out = tape.make(graphs.size(), width, table);
  const Matrix<Real> quotient = tape.output(out);
  const Matrix<Real> denominators = tape.scratch(graphs.size(), width);
  tape.for_rows(graphs.size(), 16 * width, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto top = quotient.row(i);
      const auto bottom = denominators.row(i);
      quotient_parts<Real>(forms, graphs[i], features, top, bottom);
      for (std::size_t c = 0; c < width; ++c) {
        top[c] = bottom[c] < static_cast<Real>(kQuotientGuard) ? Real{0} : top[c] / bottom[c];
      }
    }
  });
  const spectral::WorkspaceForms* kept = &forms;
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const std::size_t groups = groups_of(graphs.size());
    const Matrix<Real> sums = t.scratch(groups, features.size());
    t.for_parts(groups, [&](std::size_t group) {
      const Matrix<Real> own{sums.row(group).data(), features.rows, width};
      std::ranges::fill(own.flat(), Real{0});
      const core::Range range = core::part_of(graphs.size(), groups, group);
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const auto bottom = denominators.row(i);
        const auto share = d.row(i);  // becomes 2 d / (x'x)
        for (std::size_t c = 0; c < width; ++c) {
          share[c] =
              bottom[c] < static_cast<Real>(kQuotientGuard) ? Real{0} : 2 * share[c] / bottom[c];
        }
        const std::size_t g = graphs[i];
        for (std::size_t k = kept->label_ptr[g]; k < kept->label_ptr[g + 1]; ++k) {
          const auto row = features.row(kept->label[k]);
          const auto to = own.row(kept->label[k]);
          const auto form = static_cast<Real>(kept->form[k]);
          const auto count = static_cast<Real>(kept->count[k]);
          for (std::size_t c = 0; c < width; ++c) {
            to[c] += share[c] * (form - quotient(i, c) * count) * row[c];
          }
        }
        for (const spectral::LabelPair& pair : kept->pairs(g)) {
          const auto a = features.row(pair.a);
          const auto b = features.row(pair.b);
          const auto to_a = own.row(pair.a);
          const auto to_b = own.row(pair.b);
          const auto value = static_cast<Real>(pair.value);
          for (std::size_t c = 0; c < width; ++c) {
            to_a[c] += share[c] * value * b[c];
            to_b[c] += share[c] * value * a[c];
          }
        }
      }
    });
    add_groups<Real>(t, sums, 0, t.gradient(table));
  });
  return out;
}

namespace {

/// Pooling of one graph in terms of its own labels. All arrays are indexed by sparse column
/// (wavelet * labels + label) and used only at columns that occur in the graph.
template <typename Real>
struct WaveletPooling {
  std::size_t labels;
  std::size_t width;  ///< features
  Matrix<const Real> table;

  /// Columns of the graph, each once; `seen` must be all zero and is left so.
  static std::span<const std::uint32_t> columns(SparseRows<Real> rows, std::span<std::uint8_t> seen,
                                                std::span<std::uint32_t> out) {
    std::size_t count = 0;
    for (std::size_t e = rows.row_ptr[0]; e < rows.row_ptr[rows.rows]; ++e) {
      const std::uint32_t column = rows.entries[e].column;
      if (seen[column] == 0) {
        seen[column] = 1;
        out[count++] = column;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      seen[out[k]] = 0;
    }
    return out.first(count);
  }

  /// u[col] = <features of the label, part of the wavelet in `vector`>
  void project(std::span<const std::uint32_t> columns, std::span<const Real> vector,
               std::span<Real> u) const {
    for (const std::uint32_t column : columns) {
      const auto row = table.row(column % labels);
      const Real* part = vector.data() + column / labels * width;
      Real sum = 0;
      for (std::size_t c = 0; c < width; ++c) {
        sum += row[c] * part[c];
      }
      u[column] = sum;
    }
  }

  /// w = factor * column sums of rows
  static void add_up(SparseRows<Real> rows, std::span<const std::uint32_t> columns, Real factor,
                     std::span<Real> w) {
    for (const std::uint32_t column : columns) {
      w[column] = 0;
    }
    for (std::size_t e = rows.row_ptr[0]; e < rows.row_ptr[rows.rows]; ++e) {
      w[rows.entries[e].column] += factor * rows.entries[e].value;
    }
  }

  /// w = rows' rows u
  static void apply_gram(SparseRows<Real> rows, std::span<const std::uint32_t> columns,
                         std::span<const Real> u, std::span<Real> w) {
    for (const std::uint32_t column : columns) {
      w[column] = 0;
    }
    for (std::size_t j = 0; j < rows.rows; ++j) {
      Real score = 0;
      for (std::size_t e = rows.row_ptr[j]; e < rows.row_ptr[j + 1]; ++e) {
        score += rows.entries[e].value * u[rows.entries[e].column];
      }
      for (std::size_t e = rows.row_ptr[j]; e < rows.row_ptr[j + 1]; ++e) {
        w[rows.entries[e].column] += score * rows.entries[e].value;
      }
    }
  }

  /// vector part of the wavelet += w[col] * features of the label
  void expand(std::span<const std::uint32_t> columns, std::span<const Real> w,
              std::span<Real> vector) const {
    for (const std::uint32_t column : columns) {
      const auto row = table.row(column % labels);
      Real* part = vector.data() + column / labels * width;
      for (std::size_t c = 0; c < width; ++c) {
        part[c] += w[column] * row[c];
      }
    }
  }

  /// gradient of the table += w[col] * part of the wavelet in `vector`
  void add_outer(std::span<const std::uint32_t> columns, std::span<const Real> w,
                 std::span<const Real> vector, Matrix<Real> d_table) const {
    for (const std::uint32_t column : columns) {
      const auto to = d_table.row(column % labels);
      const Real* part = vector.data() + column / labels * width;
      for (std::size_t c = 0; c < width; ++c) {
        to[c] += w[column] * part[c];
      }
    }
  }
};

}  // namespace

template <typename Real>
Value wavelet_pool(Tape<Real>& tape, RowBatch<Real> wavelets, std::size_t filters, Value table,
                   Pool pool, Value query) {
  const std::size_t graphs = wavelets.graphs.size();
  const std::size_t groups = groups_of(graphs);
  const WaveletPooling<Real> pooling{
      .labels = tape.rows(table), .width = tape.cols(table), .table = tape.value(table)};
  const std::size_t all_columns = filters * pooling.labels;
  const Value out = tape.make(graphs, filters * pooling.width, table, query);
  // Per group: marks and list of columns, then u, w and their gradients.
  const auto marks = tape.template array<std::uint8_t>(groups * all_columns);
  std::ranges::fill(marks, std::uint8_t{0});
  const auto lists = tape.template array<std::uint32_t>(groups * all_columns);
  const Matrix<Real> work = tape.scratch(groups, 4 * all_columns);
  const auto columns_of = [=](std::size_t g, std::size_t group) {
    return pooling.columns(wavelets.graphs[g], marks.subspan(group * all_columns, all_columns),
                           lists.subspan(group * all_columns, all_columns));
  };
  const auto array = [=](std::size_t group, std::size_t k) {
    return work.row(group).subspan(k * all_columns, all_columns);
  };
  /// w of one graph: how much each (wavelet, label) adds to the pooled vector.
  const auto weigh = [=](Tape<Real>& t, std::size_t g, std::span<const std::uint32_t> columns,
                         std::span<Real> u, std::span<Real> w) {
    const SparseRows<Real> rows = wavelets.graphs[g];
    if (pool == Pool::attention) {
      pooling.project(columns, t.value(query).row(g), u);
      pooling.apply_gram(rows, columns, u, w);
    } else {
      const bool mean = pool == Pool::mean && rows.rows > 0;
      pooling.add_up(rows, columns, mean ? Real{1} / static_cast<Real>(rows.rows) : Real{1}, w);
    }
  };
  tape.for_parts(groups, [&](std::size_t group) {
    const core::Range range = core::part_of(graphs, groups, group);
    const auto w = array(group, 1);
    for (std::size_t g = range.begin; g < range.end; ++g) {
      const auto columns = columns_of(g, group);
      weigh(tape, g, columns, array(group, 0), w);
      const auto pooled = tape.output(out).row(g);
      std::ranges::fill(pooled, Real{0});
      pooling.expand(columns, w, pooled);
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> d_query = t.wants_gradient(query) ? t.gradient(query) : Matrix<Real>{};
    const Matrix<Real> sums = t.scratch(groups, pooling.table.size());
    t.for_parts(groups, [&](std::size_t group) {
      const Matrix<Real> own{sums.row(group).data(), pooling.labels, pooling.width};
      std::ranges::fill(own.flat(), Real{0});
      const auto w = array(group, 1);
      const auto du = array(group, 2);
      const auto dw = array(group, 3);
      const core::Range range = core::part_of(graphs, groups, group);
      for (std::size_t g = range.begin; g < range.end; ++g) {
        const auto columns = columns_of(g, group);
        weigh(t, g, columns, array(group, 0), w);
        pooling.add_outer(columns, w, d.row(g), own);
        if (pool != Pool::attention) {
          continue;
        }
        pooling.project(columns, d.row(g), dw);
        pooling.apply_gram(wavelets.graphs[g], columns, dw, du);
        pooling.add_outer(columns, du, t.value(query).row(g), own);
        if (!d_query.empty()) {
          pooling.expand(columns, du, d_query.row(g));
        }
      }
    });
    if (t.wants_gradient(table)) {
      add_groups<Real>(t, sums, 0, t.gradient(table));
    }
  });
  return out;
}

#define RAYLEIGH_INSTANTIATE(Real)                                            \
  template Value label_quotient(Tape<Real>&, const spectral::WorkspaceForms&, \
                                std::span<const std::uint32_t>, Value);       \
  template Value wavelet_pool(Tape<Real>&, RowBatch<Real>, std::size_t, Value, Pool, Value);
RAYLEIGH_INSTANTIATE(float)
RAYLEIGH_INSTANTIATE(double)
#undef RAYLEIGH_INSTANTIATE

}  // namespace rayleigh::models
