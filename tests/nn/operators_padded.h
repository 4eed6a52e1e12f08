// The part of the operator table for ops_padded.h and ops_memory.h.
// Included by operator_table.h.
// References fill every graph up with its empty rows and compute on those.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "models/himnet_memory.h"
#include "nn/ops_padded.h"
#include "operators_graph.h"
#include "operators_norm.h"

namespace rayleigh::nn::test {

/// How graphs share their empty rows.
enum class Sharing {
  by_position,  ///< a row a position from the smallest graph on, and one for all behind the largest
  one_row,      ///< a row for all
  none,         ///< there are no empty rows
};

/// Arrays behind PaddedRows and RowGroups, and which row each position of each graph is.
struct Padding {
  Sizes first_row;
  Sizes first_shared;
  Sizes last_repeats;
  Sizes group;
  Sizes repeats;
  std::size_t rows = 0;
  std::size_t smallest = 0;
  std::size_t groups = 0;
  std::vector<Sizes> row_of;  ///< of each graph, position by position

  PaddedRows padded() const { return {first_row, first_shared, last_repeats, rows}; }
  RowGroups by_position() const { return {group, repeats, groups}; }
};

inline std::shared_ptr<const Padding> make_padding(const Sizes& sizes, std::uint32_t size,
                                                   Sharing sharing) {
  auto padding = std::make_shared<Padding>();
  Padding& p = *padding;
  p.first_row = first_rows(sizes);
  p.smallest = *std::ranges::min_element(sizes);
  const std::uint32_t largest = *std::ranges::max_element(sizes);
  const std::uint32_t own = p.first_row.back();
  const bool by_position = sharing == Sharing::by_position;
  const auto positions = by_position ? largest - static_cast<std::uint32_t>(p.smallest) : 0;
  p.rows = own + (sharing == Sharing::none ? 0 : positions + 1);
  p.group.resize(p.rows);
  p.repeats.assign(p.rows, 1);
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    const std::uint32_t skipped =
        by_position ? sizes[g] - static_cast<std::uint32_t>(p.smallest) : 0;
    p.first_shared.push_back(own + skipped);
    p.last_repeats.push_back(sharing == Sharing::none ? 0
                                                      : size - (by_position ? largest : sizes[g]));
    p.row_of.emplace_back();
    for (std::uint32_t k = 0; k < (sharing == Sharing::none ? sizes[g] : size); ++k) {
      const auto shared = static_cast<std::uint32_t>(
          std::min<std::size_t>(own + (by_position ? k - p.smallest : 0), p.rows - 1));
      p.row_of[g].push_back(k < sizes[g] ? p.first_row[g] + k : shared);
      if (k < sizes[g]) {
        p.group[p.first_row[g] + k] = k;
      }
    }
  }
  for (std::uint32_t k = own; k < p.rows; ++k) {
    p.group[k] = static_cast<std::uint32_t>(p.smallest) + k - own;
    p.repeats[k] = 0;
    for (const std::uint32_t nodes : sizes) {
      p.repeats[k] += nodes <= p.group[k] ? 1 : 0;
    }
  }
  p.groups = p.rows == 0 ? 0 : *std::ranges::max_element(p.group) + 1;
  return padding;
}

struct PaddedShape {
  Sizes sizes;
  std::uint32_t size;
  std::size_t cols;
  Sharing sharing;
  Purpose purpose = Purpose::test;

  std::shared_ptr<const Padding> padding() const { return make_padding(sizes, size, sharing); }
  std::string text() const {
    constexpr std::array<const char*, 3> kNames = {"by position", "one row", "none"};
    return fmt::format("{} graphs of up to {}x{}, {}", sizes.size(), size, cols,
                       kNames[static_cast<std::size_t>(sharing)]);
  }
};

inline std::vector<PaddedShape> padded_shapes() {
  std::vector<PaddedShape> shapes = {
      {bench_sizes(), 100, 512, Sharing::by_position, Purpose::bench}};
  for (const Sharing sharing : {Sharing::by_position, Sharing::one_row, Sharing::none}) {
    shapes.push_back({{1}, 1, 3, sharing});
    shapes.push_back({{3, 0, 1, 5, 0}, 7, 19, sharing});
    shapes.push_back({{4, 4, 4}, 4, 5, sharing});
    shapes.push_back({many_sizes(150), 6, 17, sharing});
  }
  return shapes;
}

inline Dense padded_reference(const Dense& x, const Padding& padding, Reduce how) {
  return dense(padding.row_of.size(), x.cols, [&](std::size_t g, std::size_t c) {
    const Sizes& rows = padding.row_of[g];
    double result = how == Reduce::max && !rows.empty() ? x(rows[0], c) : 0;
    for (const std::uint32_t row : rows) {
      result = how == Reduce::max ? std::max(result, x(row, c)) : result + x(row, c);
    }
    return how == Reduce::mean && !rows.empty() ? result / static_cast<double>(rows.size())
                                                : result;
  });
}

template <typename Real>
Operator<Real> padded_operator(std::string name, Reduce how) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const PaddedShape& shape : padded_shapes()) {
              const auto padding = shape.padding();
              cases.push_back({.shape = shape.text(),
                               .inputs = {{padding->rows, shape.cols}},
                               .apply =
                                   [=](const Step<Real>& in) {
                                     return padded_reduce(in.tape, in[0], padding->padded(), how);
                                   },
                               .reference =
                                   [=](std::span<const Dense> in) {
                                     return padded_reference(in[0], *padding, how);
                                   },
                               .purpose = shape.purpose});
            }
            return cases;
          }};
}

/// Every position of every graph, then mean and variance over those of the group of each.
inline Dense unit_relu_norm_reference(const Dense& x, const Padding& padding, bool by_position) {
  const Dense z = dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    double squares = 0;
    for (std::size_t c = 0; c < x.cols; ++c) {
      squares += x(i, c) * x(i, c);
    }
    return std::max(0.0, x(i, j)) / std::sqrt(squares);
  });
  return dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    std::vector<double> numbers;
    const auto add_row = [&](std::size_t row) {
      for (std::size_t c = 0; c < z.cols; ++c) {
        numbers.push_back(z(row, c));
      }
    };
    for (const Sizes& rows : padding.row_of) {
      if (by_position && padding.group[i] < rows.size()) {
        add_row(rows[padding.group[i]]);
      }
    }
    // A row by itself, or one that stands for no position.
    if (numbers.empty()) {
      add_row(i);
    }
    const Moments m = moments(numbers.size(), [&](std::size_t k) { return numbers[k]; });
    return (z(i, j) - m.mean) / std::sqrt(m.variance + 1e-5);
  });
}

template <typename Real>
Operator<Real> unit_relu_norm_operator(std::string name, bool by_position) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const PaddedShape& shape : padded_shapes()) {
              if (by_position && shape.sharing == Sharing::one_row) {
                continue;  // then rows are standardised by themselves
              }
              const auto padding = shape.padding();
              cases.push_back({.shape = shape.text(),
                               .inputs = {{padding->rows, shape.cols, Draw::away_from_zero}},
                               .apply =
                                   [=](const Step<Real>& in) {
                                     return unit_relu_norm(
                                         in.tape, in[0],
                                         by_position ? padding->by_position() : RowGroups{});
                                   },
                               .reference =
                                   [=](std::span<const Dense> in) {
                                     return unit_relu_norm_reference(in[0], *padding, by_position);
                                   },
                               .purpose = shape.purpose});
            }
            return cases;
          }};
}

struct MemoryShape {
  Sizes sizes;
  std::uint32_t size;
  std::size_t count;
  std::size_t cols;
  Purpose purpose = Purpose::test;

  std::string text() const {
    return fmt::format("{} graphs, {} blocks of {}x{}", sizes.size(), count, size, cols);
  }
};

inline std::vector<MemoryShape> memory_shapes() {
  return {{{1}, 1, 1, 1},
          {{3, 0, 1, 5, 0}, 7, 3, 19},
          {{4, 4, 4}, 4, 2, 5},
          {many_sizes(70), 31, 4, 9},
          {bench_sizes(), 100, 4, 256, Purpose::bench}};
}

template <typename Real>
Operator<Real> block_dots_operator() {
  return {"block_dots", [=] {
            Cases<Real> cases;
            for (const MemoryShape& shape : memory_shapes()) {
              for (const Sharing sharing : {Sharing::by_position, Sharing::none}) {
                const auto padding = make_padding(shape.sizes, shape.size, sharing);
                const std::size_t count = shape.count;
                const std::size_t size = shape.size;
                cases.push_back(
                    {.shape = shape.text() + (sharing == Sharing::none ? "" : ", shared rows"),
                     .inputs = {{padding->rows, shape.cols}, {count * size, shape.cols}},
                     .apply =
                         [=](const Step<Real>& in) {
                           return models::block_dots(in.tape, in[0], padding->padded(),
                                                     padding->smallest, in[1], count);
                         },
                     .reference =
                         [=](std::span<const Dense> in) {
                           return dense(
                               padding->row_of.size(), count, [&](std::size_t g, std::size_t m) {
                                 double sum = 0;
                                 for (std::size_t k = 0; k < padding->row_of[g].size(); ++k) {
                                   const std::uint32_t row = padding->row_of[g][k];
                                   // The last shared row is left out.
                                   const bool left_out =
                                       sharing != Sharing::none && row + 1 == padding->rows;
                                   for (std::size_t c = 0; c < in[0].cols && !left_out; ++c) {
                                     sum += in[0](row, c) * in[1](m * size + k, c);
                                   }
                                 }
                                 return sum;
                               });
                         },
                     .purpose = shape.purpose});
              }
            }
            return cases;
          }};
}

/// Row k of the mixture of a graph.
inline double mixed(std::span<const Dense> in, std::size_t size, std::size_t g, std::size_t k,
                    std::size_t c) {
  double sum = 0;
  for (std::size_t m = 0; m < in[0].cols; ++m) {
    sum += in[0](g, m) * in[1](m * size + k, c);
  }
  return sum;
}

template <typename Real>
Operator<Real> mix_blocks_operator() {
  return {"mix_blocks", [=] {
            Cases<Real> cases;
            for (const MemoryShape& shape : memory_shapes()) {
              const auto first_row = std::make_shared<const Sizes>(first_rows(shape.sizes));
              const std::size_t size = shape.size;
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{shape.sizes.size(), shape.count}, {shape.count * size, shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::mix_blocks(in.tape, in[0], in[1], *first_row);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const auto segment = segment_of_rows(*first_row);
                         return dense(
                             segment.size(), in[1].cols, [&](std::size_t i, std::size_t c) {
                               return mixed(in, size, segment[i], i - (*first_row)[segment[i]], c);
                             });
                       },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

inline double mixture_error_reference(std::span<const Dense> in, std::size_t size, std::size_t g,
                                      std::size_t extent, const Dense& target, std::size_t first,
                                      std::size_t nodes) {
  const Dense z = dense(extent, in[1].cols,
                        [&](std::size_t k, std::size_t c) { return mixed(in, size, g, k, c); });
  const Dense products = dense_product(z, dense_transpose(z));
  double sum = 0;
  for (std::size_t i = 0; i < extent; ++i) {
    for (std::size_t j = 0; j < extent; ++j) {
      const double wanted = i < nodes && j < nodes ? target(first + i, first + j) : 0;
      const double error = std::max(0.0, products(i, j)) - wanted;
      sum += error * error;
    }
  }
  return sum;
}

template <typename Real>
Operator<Real> mixture_error_operator(std::string name, models::Extent extent) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const MemoryShape& shape : memory_shapes()) {
              const auto rings = make_rings<Real>(shape.sizes);
              const auto first_row = std::make_shared<const Sizes>(first_rows(shape.sizes));
              const std::size_t size = shape.size;
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{shape.sizes.size(), shape.count}, {shape.count * size, shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return models::mixture_error<Real>(in.tape, in[0], in[1],
                                                            {rings->row_ptr, rings->col, {}},
                                                            *first_row, extent);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const Dense target = rings->as_dense([](std::size_t) { return 1.0; });
                         return dense(in[0].rows, 1, [&](std::size_t g, std::size_t) {
                           const std::size_t first = (*first_row)[g];
                           const std::size_t nodes = (*first_row)[g + 1] - first;
                           return mixture_error_reference(
                               in, size, g, extent == models::Extent::whole ? size : nodes, target,
                               first, nodes);
                         });
                       },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
void add_padded_operators(Operators<Real>& table) {
  table.push_back(padded_operator<Real>("padded_sum", Reduce::sum));
  table.push_back(padded_operator<Real>("padded_mean", Reduce::mean));
  table.push_back(padded_operator<Real>("padded_max", Reduce::max));
  table.push_back(unit_relu_norm_operator<Real>("unit_relu_norm_by_position", true));
  table.push_back(unit_relu_norm_operator<Real>("unit_relu_norm", false));
  table.push_back(block_dots_operator<Real>());
  table.push_back(mix_blocks_operator<Real>());
  table.push_back(mixture_error_operator<Real>("mixture_error", models::Extent::whole));
  table.push_back(
      mixture_error_operator<Real>("mixture_error_of_own_nodes", models::Extent::own_nodes));
}

}  // namespace rayleigh::nn::test
