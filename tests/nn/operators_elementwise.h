// The part of the operator table for ops_elementwise.h, ops_reduce.h and ops_shape.h.
// Included by operator_table.h.
// Shapes: one row, no rows, widths that fill no vector register, and rows for several parts.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "nn/ops_elementwise.h"
#include "nn/ops_reduce.h"
#include "nn/ops_shape.h"
#include "operator_case.h"

namespace rayleigh::nn::test {

struct Shape {
  std::size_t rows;
  std::size_t cols;
  Purpose purpose = Purpose::test;

  std::string text() const { return fmt::format("{}x{}", rows, cols); }
};

inline std::vector<Shape> matrix_shapes() {
  return {{1, 1}, {1, 7},     {5, 1},    {6, 17},
          {0, 4}, {150, 131}, {1100, 3}, {13312, 64, Purpose::bench}};
}

/// One case a shape; `inputs` gives those of the shape.
template <typename Real, typename Inputs, typename Apply, typename Reference>
Operator<Real> shaped_operator(std::string name, Inputs inputs, Apply apply, Reference reference) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const Shape& shape : matrix_shapes()) {
              cases.push_back({.shape = shape.text(),
                               .inputs = inputs(shape),
                               .apply = apply,
                               .reference = reference,
                               .purpose = shape.purpose});
            }
            return cases;
          }};
}

inline auto one_input(Draw draw) {
  return [draw](const Shape& shape) { return std::vector<Input>{{shape.rows, shape.cols, draw}}; };
}

/// y = f(x) number by number.
template <typename Real, typename Apply, typename Function>
Operator<Real> map_operator(std::string name, Draw draw, Apply apply, Function f) {
  return shaped_operator<Real>(
      std::move(name), one_input(draw),
      [apply](const Step<Real>& in) { return apply(in.tape, in[0]); },
      [f](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return f(in[0](i, j)); });
      });
}

template <typename Real, typename Apply, typename Function>
Operator<Real> pair_operator(std::string name, Apply apply, Function f) {
  return shaped_operator<Real>(
      std::move(name),
      [](const Shape& shape) {
        return std::vector<Input>{{shape.rows, shape.cols},
                                  {shape.rows, shape.cols, Draw::away_from_zero}};
      },
      [apply](const Step<Real>& in) { return apply(in.tape, in[0], in[1]); },
      [f](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return f(in[0](i, j), in[1](i, j)); });
      });
}

template <typename Real>
void add_pair_operators(Operators<Real>& table) {
  using T = Tape<Real>;
  table.push_back(pair_operator<Real>(
      "add", [](T& t, Value a, Value b) { return add(t, a, b); },
      [](double a, double b) { return a + b; }));
  table.push_back(pair_operator<Real>(
      "subtract", [](T& t, Value a, Value b) { return subtract(t, a, b); },
      [](double a, double b) { return a - b; }));
  table.push_back(pair_operator<Real>(
      "multiply", [](T& t, Value a, Value b) { return multiply(t, a, b); },
      [](double a, double b) { return a * b; }));
  table.push_back(pair_operator<Real>(
      "multiply_by_itself", [](T& t, Value a, Value) { return multiply(t, a, a); },
      [](double a, double) { return a * a; }));
  table.push_back(pair_operator<Real>(
      "divide", [](T& t, Value a, Value b) { return divide(t, a, b); },
      [](double a, double b) { return a / b; }));
  table.push_back(shaped_operator<Real>(
      "add_row",
      [](const Shape& shape) {
        return std::vector<Input>{{shape.rows, shape.cols}, {1, shape.cols}};
      },
      [](const Step<Real>& in) { return add_row(in.tape, in[0], in[1]); },
      [](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return in[0](i, j) + in[1](0, j); });
      }));
  table.push_back(shaped_operator<Real>(
      "scale_columns",
      [](const Shape& shape) {
        return std::vector<Input>{{shape.rows, shape.cols}, {1, shape.cols}};
      },
      [](const Step<Real>& in) { return scale_columns(in.tape, in[0], in[1]); },
      [](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return in[0](i, j) * in[1](0, j); });
      }));
  table.push_back(shaped_operator<Real>(
      "pad_blocks", one_input(Draw::anywhere),
      [](const Step<Real>& in) {
        return pad_blocks(in.tape, in[0], std::max<std::size_t>(1, in.tape.rows(in[0])),
                          in.tape.rows(in[0]) + 2);
      },
      [](std::span<const Dense> in) {
        return dense(
            in[0].rows == 0 ? 0 : in[0].rows + 2, in[0].cols,
            [&](std::size_t i, std::size_t j) { return i < in[0].rows ? in[0](i, j) : 0; });
      }));
  table.push_back(shaped_operator<Real>(
      "scale_rows",
      [](const Shape& shape) {
        return std::vector<Input>{{shape.rows, shape.cols}, {shape.rows, 1}};
      },
      [](const Step<Real>& in) { return scale_rows(in.tape, in[0], in[1]); },
      [](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return in[0](i, j) * in[1](i, 0); });
      }));
}

template <typename Real>
void add_map_operators(Operators<Real>& table) {
  using T = Tape<Real>;
  table.push_back(map_operator<Real>(
      "scale", Draw::anywhere, [](T& t, Value x) { return scale(t, x, -2.5); },
      [](double x) { return -2.5 * x; }));
  table.push_back(map_operator<Real>(
      "sigmoid", Draw::anywhere, [](T& t, Value x) { return sigmoid(t, x); },
      [](double x) { return 1 / (1 + std::exp(-x)); }));
  table.push_back(map_operator<Real>(
      "tanh", Draw::anywhere, [](T& t, Value x) { return tanh(t, x); },
      [](double x) { return std::tanh(x); }));
  table.push_back(map_operator<Real>(
      "exp", Draw::anywhere, [](T& t, Value x) { return exp(t, x); },
      [](double x) { return std::exp(x); }));
  table.push_back(map_operator<Real>(
      "log", Draw::positive, [](T& t, Value x) { return log(t, x); },
      [](double x) { return std::log(x); }));
  table.push_back(map_operator<Real>(
      "log_guarded", Draw::positive, [](T& t, Value x) { return log(t, x, 0.25); },
      [](double x) { return std::log(x + 0.25); }));
  table.push_back(map_operator<Real>(
      "sqrt", Draw::positive, [](T& t, Value x) { return sqrt(t, x); },
      [](double x) { return std::sqrt(x); }));
  table.push_back(map_operator<Real>(
      "square", Draw::anywhere, [](T& t, Value x) { return square(t, x); },
      [](double x) { return x * x; }));
  table.push_back(map_operator<Real>(
      "abs", Draw::away_from_zero, [](T& t, Value x) { return abs(t, x); },
      [](double x) { return std::abs(x); }));
  table.push_back(map_operator<Real>(
      "at_least", Draw::anywhere, [](T& t, Value x) { return at_least(t, x, 0.3); },
      [](double x) { return std::max(x, 0.3); }));
  table.push_back(map_operator<Real>(
      "hard_shrink", Draw::anywhere, [](T& t, Value x) { return hard_shrink(t, x, 0.3); },
      [](double x) { return x > 0.3 ? (x - 0.3) * x / (x - 0.3 + 1e-12) : 0; }));
}

/// factor(x) times sums over the rows and columns that fall onto an entry of the result.
template <typename Real, typename Apply, typename Factor>
Operator<Real> sum_operator(std::string name, bool over_rows, bool over_cols, Apply apply,
                            Factor factor) {
  return shaped_operator<Real>(
      std::move(name), one_input(Draw::anywhere),
      [apply](const Step<Real>& in) { return apply(in.tape, in[0]); },
      [=](std::span<const Dense> in) {
        Dense sums = dense(over_rows ? 1 : in[0].rows, over_cols ? 1 : in[0].cols,
                           [](std::size_t, std::size_t) { return 0.0; });
        for (std::size_t i = 0; i < in[0].rows; ++i) {
          for (std::size_t j = 0; j < in[0].cols; ++j) {
            sums(over_rows ? 0 : i, over_cols ? 0 : j) += factor(in[0]) * in[0](i, j);
          }
        }
        return sums;
      });
}

template <typename Real>
void add_sum_operators(Operators<Real>& table) {
  using T = Tape<Real>;
  const auto one = [](const Dense&) { return 1.0; };
  table.push_back(sum_operator<Real>(
      "sum_all", true, true, [](T& t, Value x) { return sum_all(t, x); }, one));
  table.push_back(sum_operator<Real>(
      "mean_all", true, true, [](T& t, Value x) { return mean_all(t, x); },
      [](const Dense& x) { return 1 / static_cast<double>(x.data.size()); }));
  table.push_back(sum_operator<Real>(
      "row_sums", false, true, [](T& t, Value x) { return row_sums(t, x); }, one));
  table.push_back(sum_operator<Real>(
      "column_sums", true, false, [](T& t, Value x) { return column_sums(t, x); }, one));
  table.push_back(sum_operator<Real>(
      "column_means", true, false, [](T& t, Value x) { return column_means(t, x); },
      [](const Dense& x) { return 1 / static_cast<double>(x.rows); }));
  table.push_back(shaped_operator<Real>(
      "row_dots",
      [](const Shape& shape) {
        return std::vector<Input>{{shape.rows, shape.cols}, {shape.rows, shape.cols}};
      },
      [](const Step<Real>& in) { return row_dots(in.tape, in[0], in[1]); },
      [](std::span<const Dense> in) {
        return dense(in[0].rows, 1, [&](std::size_t i, std::size_t) {
          double sum = 0;
          for (std::size_t j = 0; j < in[0].cols; ++j) {
            sum += in[0](i, j) * in[1](i, j);
          }
          return sum;
        });
      }));
}

/// row_total(x, i) is taken of each row first, then value(x_ij, total).
template <typename Real, typename Apply, typename Total, typename Entry>
Operator<Real> row_operator(std::string name, Apply apply, Total term, Entry entry) {
  return shaped_operator<Real>(
      std::move(name), one_input(Draw::away_from_zero),
      [apply](const Step<Real>& in) { return apply(in.tape, in[0]); },
      [=](std::span<const Dense> in) {
        return dense(in[0].rows, in[0].cols, [&](std::size_t i, std::size_t j) {
          double total = 0;
          for (std::size_t k = 0; k < in[0].cols; ++k) {
            total += term(in[0](i, k));
          }
          return entry(in[0](i, j), total);
        });
      });
}

template <typename Real>
void add_row_operators(Operators<Real>& table) {
  using T = Tape<Real>;
  const auto e_to = [](double x) { return std::exp(x); };
  table.push_back(row_operator<Real>(
      "row_l2_normalise", [](T& t, Value x) { return row_l2_normalise(t, x); },
      [](double x) { return x * x; }, [](double x, double total) { return x / std::sqrt(total); }));
  table.push_back(row_operator<Real>(
      "row_softmax", [](T& t, Value x) { return row_softmax(t, x); }, e_to,
      [](double x, double total) { return std::exp(x) / total; }));
  table.push_back(row_operator<Real>(
      "row_log_softmax", [](T& t, Value x) { return row_log_softmax(t, x); }, e_to,
      [](double x, double total) { return x - std::log(total); }));
}

/// The middle half of rows or columns; all of a single one.
inline std::pair<std::size_t, std::size_t> middle(std::size_t count) {
  return {count / 4, (count + 1) / 2};
}

template <typename Real>
Operator<Real> gather_rows_operator() {
  return {
      "gather_rows", [=] {
        Cases<Real> cases;
        for (const Shape& shape : matrix_shapes()) {
          // Goes through rows in steps of three, more often than there are rows; some rows stay
          // unused.
          auto index = std::make_shared<std::vector<std::uint32_t>>();
          for (std::size_t k = 0; shape.rows > 0 && k < shape.rows + 3; ++k) {
            index->push_back(static_cast<std::uint32_t>(3 * k % shape.rows));
          }
          cases.push_back(
              {.shape = shape.text(),
               .inputs = {{shape.rows, shape.cols}},
               .apply =
                   [index](const Step<Real>& in) { return gather_rows(in.tape, in[0], *index); },
               .reference =
                   [index](std::span<const Dense> in) {
                     return dense(index->size(), in[0].cols, [&](std::size_t i, std::size_t j) {
                       return in[0]((*index)[i], j);
                     });
                   },
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
void add_shape_operators(Operators<Real>& table) {
  table.push_back(shaped_operator<Real>(
      "slice_columns", one_input(Draw::anywhere),
      [](const Step<Real>& in) {
        const Value x = in[0];
        const auto [first, count] = middle(in.tape.cols(x));
        return slice_columns(in.tape, x, first, count);
      },
      [](std::span<const Dense> in) {
        const std::size_t first = middle(in[0].cols).first;
        return dense(in[0].rows, middle(in[0].cols).second,
                     [&](std::size_t i, std::size_t j) { return in[0](i, first + j); });
      }));
  table.push_back(shaped_operator<Real>(
      "slice_rows", one_input(Draw::anywhere),
      [](const Step<Real>& in) {
        const Value x = in[0];
        const auto [first, count] = middle(in.tape.rows(x));
        return slice_rows(in.tape, x, first, count);
      },
      [](std::span<const Dense> in) {
        const std::size_t first = middle(in[0].rows).first;
        return dense(middle(in[0].rows).second, in[0].cols,
                     [&](std::size_t i, std::size_t j) { return in[0](first + i, j); });
      }));
  table.push_back(gather_rows_operator<Real>());
  table.push_back(shaped_operator<Real>(
      "reshape", one_input(Draw::anywhere),
      [](const Step<Real>& in) {
        const Value x = in[0];
        return reshape(in.tape, x, in.tape.cols(x), in.tape.rows(x));
      },
      [](std::span<const Dense> in) {
        return Dense{in[0].cols, in[0].rows, in[0].data};
      }));
}

template <typename Real>
void add_elementwise_operators(Operators<Real>& table) {
  add_pair_operators(table);
  add_map_operators(table);
  add_sum_operators(table);
  add_row_operators(table);
  add_shape_operators(table);
}

}  // namespace rayleigh::nn::test
