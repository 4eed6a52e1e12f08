#include "models/binned_rows.h"

#include <algorithm>
#include <numeric>

namespace rayleigh::models {
namespace {

constexpr std::size_t kColumnsPerTask = 1024;
constexpr std::size_t kRowsPerTask = 1024;

template <typename Work>
void for_ranges(std::size_t count, std::size_t per_task, core::ThreadPool& pool, Work work) {
  pool.run((count + per_task - 1) / per_task, [&](std::size_t task) {
    work(task * per_task, std::min(count, (task + 1) * per_task));
  });
}

/// A number from a up to, but not including, b.
float between(float a, float b) {
  const float middle = a + (b - a) / 2;
  return middle < b ? middle : a;
}

/// Limits between the bins of a column whose numbers, sorted, are these.
std::vector<float> limits_of(std::span<const float> sorted, std::size_t most) {
  std::vector<float> limits;
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    distinct += i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
  }
  float before = 0;
  std::size_t in_bin = 0;
  const std::size_t wanted = distinct <= most ? 1 : (sorted.size() + most - 1) / most;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool fresh = i == 0 || sorted[i] != before;
    if (fresh && (i == 0 || in_bin >= wanted)) {
      limits.push_back(between(before, sorted[i]));
      in_bin = 0;
    }
    ++in_bin;
    before = sorted[i];
  }
  return limits;
}

}  // namespace

BinnedRows bin_rows(const GraphRows<float>& from, std::size_t columns,
                    std::span<const std::uint32_t> graphs, std::size_t fitted, std::size_t most,
                    core::ThreadPool& pool, core::Range ignored) {
  std::vector<std::size_t> column_ptr(columns + 1, 0);
  const auto row = [&](std::uint32_t g) {
    return std::span(from.entries).subspan(from.row_ptr[g], from.row_ptr[g + 1] - from.row_ptr[g]);
  };
  for (const std::uint32_t g : graphs.first(fitted)) {
    for (const auto& entry : row(g)) {
      ++column_ptr[entry.column + 1];
    }
  }
  std::partial_sum(column_ptr.begin(), column_ptr.end(), column_ptr.begin());
  std::vector<float> values(column_ptr.back());
  std::vector<std::size_t> next(column_ptr.begin(), column_ptr.end() - 1);
  for (const std::uint32_t g : graphs.first(fitted)) {
    for (const auto& entry : row(g)) {
      values[next[entry.column]++] = entry.value;
    }
  }
  std::vector<std::vector<float>> limits(columns);
  for_ranges(columns, kColumnsPerTask, pool, [&](std::size_t begin, std::size_t end) {
    for (std::size_t column = begin; column < end; ++column) {
      const auto own = std::span(values).subspan(column_ptr[column],
                                                 column_ptr[column + 1] - column_ptr[column]);
      std::ranges::sort(own);
      const bool is_ignored = column >= ignored.begin && column < ignored.end;
      limits[column] = is_ignored ? std::vector<float>{} : limits_of(own, most);
    }
  });
  BinnedRows out;
  out.first_bin.push_back(0);
  for (std::size_t column = 0; column < columns; ++column) {
    out.limit.insert(out.limit.end(), limits[column].begin(), limits[column].end());
    out.column_of_bin.resize(out.limit.size(), static_cast<std::uint32_t>(column));
    out.first_bin.push_back(static_cast<std::uint32_t>(out.limit.size()));
  }
  out.row_ptr.push_back(0);
  for (const std::uint32_t g : graphs) {
    for (const auto& entry : row(g)) {
      const auto own = std::span<const float>(limits[entry.column]);
      const auto below = std::ranges::lower_bound(own, entry.value) - own.begin();
      if (below > 0) {
        out.bins.push_back(out.first_bin[entry.column] + static_cast<std::uint32_t>(below) - 1);
      }
    }
    out.row_ptr.push_back(static_cast<std::uint32_t>(out.bins.size()));
  }
  return out;
}

void GroupedRows::deal(core::Generator generator, core::ThreadPool& pool) {
  const BinnedRows& from = *rows_;
  std::vector<std::uint32_t> order(from.columns());
  std::iota(order.begin(), order.end(), 0U);
  generator.shuffle(std::span(order));
  place_.resize(from.limit.size());
  first_bin_.assign(1, 0);
  old_bin_.resize(from.limit.size());
  end_of_column_.resize(from.limit.size());
  std::uint32_t bin = 0;
  for (std::size_t group = 0; group < groups_; ++group) {
    const core::Range range = core::part_of(order.size(), groups_, group);
    for (std::size_t at = range.begin; at < range.end; ++at) {
      const std::uint32_t column = order[at];
      const std::uint32_t end = bin + from.first_bin[column + 1] - from.first_bin[column];
      for (std::uint32_t old = from.first_bin[column]; bin < end; ++old, ++bin) {
        place_[old] = {.group = static_cast<std::uint32_t>(group), .bin = bin};
        old_bin_[bin] = old;
        end_of_column_[bin] = end;
      }
    }
    first_bin_.push_back(bin);
  }
  sort_entries(pool);
}

void GroupedRows::sort_entries(core::ThreadPool& pool) {
  const BinnedRows& from = *rows_;
  const std::size_t stride = from.rows() + 1;
  const auto for_entries = [&](auto&& work) {
    for_ranges(from.rows(), kRowsPerTask, pool, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        for (std::size_t e = from.row_ptr[row]; e < from.row_ptr[row + 1]; ++e) {
          work(row, place_[from.bins[e]]);
        }
      }
    });
  };
  row_ptr_.assign(groups_ * stride, 0);
  for_entries([&](std::size_t row, Place place) { ++row_ptr_[place.group * stride + row + 1]; });
  std::uint32_t sum = 0;
  for (std::size_t group = 0; group < groups_; ++group) {
    row_ptr_[group * stride] = sum;
    for (std::size_t row = 0; row < from.rows(); ++row) {
      sum += row_ptr_[group * stride + row + 1];
      row_ptr_[group * stride + row + 1] = sum;
    }
  }
  bins_.resize(from.bins.size());
  row_.resize(from.bins.size());
  std::vector<std::uint32_t> next(row_ptr_);
  for_entries([&](std::size_t row, Place place) {
    const std::uint32_t at = next[place.group * stride + row]++;
    bins_[at] = place.bin;
    row_[at] = static_cast<std::uint32_t>(row);
  });
}

}  // namespace rayleigh::models
