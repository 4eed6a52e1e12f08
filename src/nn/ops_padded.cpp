#include "nn/ops_padded.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rayleigh::nn {
namespace {

constexpr std::size_t kPaddedCost = 4;

/// Empty rows of a graph.
std::size_t empty_rows(const PaddedRows& rows, std::size_t g) {
  if (rows.first_shared[g] >= rows.rows) {
    return 0;
  }
  return rows.rows - 1 - rows.first_shared[g] + rows.last_repeats[g];
}

template <typename Real>
Real factor_of(const PaddedRows& rows, std::size_t g, Reduce how) {
  const std::size_t count = rows.first_row[g + 1] - rows.first_row[g] + empty_rows(rows, g);
  return how == Reduce::mean && count > 0 ? Real{1} / static_cast<Real>(count) : Real{1};
}

/// work(graph) for all, shared among threads in runs fixed by the shape.
template <typename Real, typename Work>
void for_graphs(Tape<Real>& tape, const PaddedRows& rows, std::size_t cost, Work work) {
  for_segments(tape, rows.first_row, cost, work);
}

template <typename Real>
Value padded_sum(Tape<Real>& tape, Value x, const PaddedRows& rows, Reduce how) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  const Value out = tape.make(rows.graphs(), cols, x);
  const Matrix<Real> y = tape.output(out);
  // Row k: the sum of shared rows k … without the last one.
  const std::size_t shared = rows.shared_rows();
  const Matrix<Real> suffix = tape.scratch(shared, cols);
  if (shared > 0) {
    std::ranges::fill(suffix.row(shared - 1), Real{0});
    for (std::size_t k = shared - 1; k-- > 0;) {
      std::copy_n(suffix.row(k + 1).data(), cols, suffix.row(k).data());
      tape.kernels().axpy(Real{1}, in.row(rows.own_rows() + k).data(), cols, suffix.row(k).data());
    }
  }
  for_graphs(tape, rows, kPaddedCost * cols, [&](std::size_t g) {
    const Matrix<const Real> own = in.part(rows.first_row[g], rows.first_row[g + 1]);
    Real* sum = y.row(g).data();
    std::fill_n(sum, cols, Real{0});
    tape.kernels().add_column_sums(own.data, own.rows, cols, sum);
    if (rows.first_shared[g] < rows.rows) {
      tape.kernels().axpy(Real{1}, suffix.row(rows.first_shared[g] - rows.own_rows()).data(), cols,
                          sum);
      tape.kernels().axpy(static_cast<Real>(rows.last_repeats[g]), in.row(rows.rows - 1).data(),
                          cols, sum);
    }
    const Real factor = factor_of<Real>(rows, g, how);
    for (std::size_t c = 0; c < cols; ++c) {
      sum[c] *= factor;
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    for_graphs(t, rows, kPaddedCost * cols, [&](std::size_t g) {
      for (std::size_t i = rows.first_row[g]; i < rows.first_row[g + 1]; ++i) {
        t.kernels().axpy(factor_of<Real>(rows, g, how), d.row(g).data(), cols, dx.row(i).data());
      }
    });
    if (shared == 0) {
      return;
    }
    // Row k: the gradients of the graphs whose empty rows begin there, then of all before too.
    const Matrix<Real> prefix = t.scratch(shared, cols);
    std::ranges::fill(prefix.flat(), Real{0});
    Real* last = dx.row(rows.rows - 1).data();
    for (std::size_t g = 0; g < rows.graphs(); ++g) {
      if (rows.first_shared[g] < rows.rows) {
        const auto factor = factor_of<Real>(rows, g, how);
        t.kernels().axpy(factor, d.row(g).data(), cols,
                         prefix.row(rows.first_shared[g] - rows.own_rows()).data());
        t.kernels().axpy(factor * static_cast<Real>(rows.last_repeats[g]), d.row(g).data(), cols,
                         last);
      }
    }
    for (std::size_t k = 0; k + 1 < shared; ++k) {
      t.kernels().axpy(Real{1}, prefix.row(k).data(), cols, dx.row(rows.own_rows() + k).data());
      t.kernels().axpy(Real{1}, prefix.row(k).data(), cols, prefix.row(k + 1).data());
    }
  });
  return out;
}

/// The largest number of each column so far, and the row it came from.
template <typename Real>
struct Maxima {
  Real* value;
  std::uint32_t* where;

  void take(std::span<const Real> row, std::uint32_t from) const {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool larger = row[c] > value[c];
      value[c] = larger ? row[c] : value[c];
      where[c] = larger ? from : where[c];
    }
  }
  void take(const Maxima& other, std::size_t cols) const {
    for (std::size_t c = 0; c < cols; ++c) {
      const bool larger = other.value[c] > value[c];
      value[c] = larger ? other.value[c] : value[c];
      where[c] = larger ? other.where[c] : where[c];
    }
  }
};

template <typename Real>
Value padded_max(Tape<Real>& tape, Value x, const PaddedRows& rows) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  const Value out = tape.make(rows.graphs(), cols, x);
  const Matrix<Real> y = tape.output(out);
  const auto where = tape.template array<std::uint32_t>(y.size());
  const std::size_t shared = rows.shared_rows();
  const auto nothing = [cols](Maxima<Real> best) {
    std::fill_n(best.value, cols, std::numeric_limits<Real>::lowest());
    std::fill_n(best.where, cols, kNoRow);
  };
  // Row k: over shared rows k … without the last one.
  const Matrix<Real> suffix = tape.scratch(shared, cols);
  const auto suffix_where = tape.template array<std::uint32_t>(suffix.size());
  const auto suffix_at = [&](std::size_t k) {
    return Maxima<Real>{suffix.row(k).data(), suffix_where.data() + k * cols};
  };
  for (std::size_t k = shared; k-- > 0;) {
    nothing(suffix_at(k));
    if (k + 1 < shared) {
      const std::size_t row = rows.own_rows() + k;
      suffix_at(k).take(in.row(row), static_cast<std::uint32_t>(row));
      suffix_at(k).take(suffix_at(k + 1), cols);
    }
  }
  for_graphs(tape, rows, kPaddedCost * cols, [&](std::size_t g) {
    const Maxima<Real> best{y.row(g).data(), where.data() + g * cols};
    nothing(best);
    for (std::uint32_t i = rows.first_row[g]; i < rows.first_row[g + 1]; ++i) {
      best.take(in.row(i), i);
    }
    if (rows.first_shared[g] < rows.rows) {
      best.take(suffix_at(rows.first_shared[g] - rows.own_rows()), cols);
      if (rows.last_repeats[g] > 0) {
        best.take(in.row(rows.rows - 1), static_cast<std::uint32_t>(rows.rows - 1));
      }
    }
    for (std::size_t c = 0; c < cols; ++c) {
      best.value[c] = best.where[c] == kNoRow ? Real{0} : best.value[c];
    }
  });
  on_backward_to_rows<Real>(tape, out, x, where);
  return out;
}

/// What a group of rows has in common.
struct GroupMoments {
  double rows = 0;
  double first = 0;   ///< sum, then mean
  double second = 0;  ///< sum of squares, then 1 / deviation
};

/// The group of a row; a row by itself is its own.
std::size_t group_of(const RowGroups& groups, std::size_t row) {
  return groups.group.empty() ? row : groups.group[row];
}
double repeats_of(const RowGroups& groups, std::size_t row) {
  return groups.repeats.empty() ? 1 : static_cast<double>(groups.repeats[row]);
}

}  // namespace

template <typename Real>
Value padded_reduce(Tape<Real>& tape, Value x, const PaddedRows& rows, Reduce how) {
  assert(rows.rows == tape.rows(x) && rows.first_shared.size() == rows.graphs());
  return how == Reduce::max ? padded_max(tape, x, rows) : padded_sum(tape, x, rows, how);
}

template <typename Real>
Value unit_relu_norm(Tape<Real>& tape, Value x, const RowGroups& groups) {
  const Matrix<const Real> in = tape.value(x);
  const std::size_t cols = in.cols;
  assert(groups.group.empty() || groups.group.size() == in.rows);
  const Value out = tape.make(in.rows, cols, x);
  const Matrix<Real> y = tape.output(out);
  const std::size_t count = groups.group.empty() ? in.rows : groups.groups;
  constexpr Real kShortest = static_cast<Real>(1e-12);
  const Matrix<Real> of_row = tape.scratch(in.rows, 3);    // see positive_moments
  const auto length = tape.template array<Real>(in.rows);  // at least kShortest
  const auto moments = tape.template array<GroupMoments>(count);
  tape.for_rows(in.rows, kPaddedCost * cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      tape.kernels().positive_moments(in.row(i).data(), cols, of_row.row(i).data());
      length[i] = std::max(std::sqrt(of_row(i, 0)), kShortest);
    }
  });
  // A few additions a row, in the order of rows.
  std::ranges::fill(moments, GroupMoments{});
  for (std::size_t i = 0; i < in.rows; ++i) {
    GroupMoments& group = moments[group_of(groups, i)];
    const double repeats = repeats_of(groups, i);
    const double inverse = 1 / static_cast<double>(length[i]);
    group.rows += repeats;
    group.first += repeats * inverse * static_cast<double>(of_row(i, 1));
    group.second += repeats * inverse * inverse * static_cast<double>(of_row(i, 2));
  }
  for (GroupMoments& group : moments) {
    const double numbers = std::max(1.0, group.rows * static_cast<double>(cols));
    group.first /= numbers;
    const double variance = std::max(0.0, group.second / numbers - group.first * group.first);
    group.second = 1 / std::sqrt(variance + kUnitNormEpsilon);
  }
  tape.for_rows(in.rows, kPaddedCost * cols, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const GroupMoments& group = moments[group_of(groups, i)];
      tape.kernels().relu_line(in.row(i).data(), cols,
                               static_cast<Real>(group.second / static_cast<double>(length[i])),
                               static_cast<Real>(-group.first * group.second), y.row(i).data());
    }
  });
  tape.on_backward(out, [=](Tape<Real>& t) {
    const Matrix<Real> d = t.gradient(out);
    const Matrix<Real> dx = t.gradient(x);
    const Matrix<Real> sums = t.scratch(in.rows, 2);
    t.for_rows(in.rows, kPaddedCost * cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        t.kernels().sum_and_dot(d.row(i).data(), y.row(i).data(), cols, sums.row(i).data());
      }
    });
    const auto means = t.template array<GroupMoments>(count);
    std::ranges::fill(means, GroupMoments{});
    for (std::size_t i = 0; i < in.rows; ++i) {
      GroupMoments& group = means[group_of(groups, i)];
      const double numbers = moments[group_of(groups, i)].rows * static_cast<double>(cols);
      group.first += static_cast<double>(sums(i, 0)) / numbers;
      group.second += static_cast<double>(sums(i, 1)) / numbers;
    }
    t.for_rows(in.rows, 2 * kPaddedCost * cols, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const GroupMoments& mean = means[group_of(groups, i)];
        const double repeats = repeats_of(groups, i);
        const double inverse = 1 / static_cast<double>(length[i]);
        const UnitNorm<Real> norm{
            .factor = static_cast<Real>(moments[group_of(groups, i)].second * inverse),
            .mean_d = static_cast<Real>(repeats * mean.first),
            .mean_dy = static_cast<Real>(repeats * mean.second),
            .inverse_square =
                length[i] > kShortest ? static_cast<Real>(inverse * inverse) : Real{0}};
        t.kernels().unit_norm_backward(norm, in.row(i).data(), y.row(i).data(), d.row(i).data(),
                                       cols, dx.row(i).data());
      }
    });
  });
  return out;
}

template Value padded_reduce(Tape<float>&, Value, const PaddedRows&, Reduce);
template Value padded_reduce(Tape<double>&, Value, const PaddedRows&, Reduce);
template Value unit_relu_norm(Tape<float>&, Value, const RowGroups&);
template Value unit_relu_norm(Tape<double>&, Value, const RowGroups&);

}  // namespace rayleigh::nn
