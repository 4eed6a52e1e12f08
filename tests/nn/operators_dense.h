// The part of the operator table for ops_dense.h.
// Included by operator_table.h.
// Shapes: one row, no rows, widths that fill no vector register, and rows for several parts.
#pragma once

#include <array>
#include <fmt/format.h>

#include "nn/ops_dense.h"
#include "operator_case.h"

namespace rayleigh::nn::test {

struct ProductShape {
  std::size_t rows;
  std::size_t inner;
  std::size_t cols;
  Purpose purpose = Purpose::test;

  std::string text() const { return fmt::format("{}x{}x{}", rows, inner, cols); }
  double operations() const {
    return 2 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(cols);
  }
};

inline std::vector<ProductShape> product_shapes() {
  return {{1, 1, 1},     {1, 5, 7},      {4, 3, 1},
          {0, 3, 4},     {9, 17, 19},    {130, 67, 70},
          {1500, 40, 3}, {900, 60, 130}, {13312, 64, 64, Purpose::bench}};
}

inline double leaky_reference(double x, Activation activation) {
  return x > 0 ? x : x * slope_of<double>(activation);
}

inline Dense linear_reference(const Dense& x, const Dense& w, const Dense* b,
                              Activation activation) {
  Dense y = dense_product(x, dense_transpose(w));
  for (std::size_t i = 0; i < y.rows; ++i) {
    for (std::size_t j = 0; j < y.cols; ++j) {
      y(i, j) = leaky_reference(y(i, j) + (b == nullptr ? 0 : (*b)(0, j)), activation);
    }
  }
  return y;
}

template <typename Real>
Operator<Real> linear_operator(std::string name, Activation activation, bool biased) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        for (const ProductShape& shape : product_shapes()) {
          cases.push_back(
              {.shape = shape.text(),
               .inputs = {{shape.rows, shape.inner}, {shape.cols, shape.inner}, {1, shape.cols}},
               .apply =
                   [=](const Step<Real>& in) {
                     return linear(in.tape, in[0], in[1], biased ? in[2] : Value{}, activation);
                   },
               .reference =
                   [=](std::span<const Dense> in) {
                     return linear_reference(in[0], in[1], biased ? &in[2] : nullptr, activation);
                   },
               .operations = shape.operations(),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> one_hot_linear_operator(std::string name, std::size_t zero_rows) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const ProductShape& shape : product_shapes()) {
              cases.push_back(
                  {.shape = fmt::format("{}x{}", shape.inner, shape.cols),
                   .inputs = {{shape.cols, shape.inner}, {1, shape.cols}},
                   .apply =
                       [=](const Step<Real>& in) {
                         return one_hot_linear(in.tape, in[0], in[1], Activation::leaky_relu,
                                               zero_rows);
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         const Dense one_hot =
                             dense(in[0].cols + zero_rows, in[0].cols,
                                   [](std::size_t i, std::size_t j) { return i == j ? 1.0 : 0.0; });
                         return linear_reference(one_hot, in[0], &in[1], Activation::leaky_relu);
                       },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> product_operator(std::string name, Transpose ta, Transpose tb) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        const auto turned = [](std::size_t rows, std::size_t cols, Transpose t) {
          return t == Transpose::yes ? Input{cols, rows} : Input{rows, cols};
        };
        for (const ProductShape& shape : product_shapes()) {
          cases.push_back(
              {.shape = shape.text(),
               .inputs = {turned(shape.rows, shape.inner, ta), turned(shape.inner, shape.cols, tb)},
               .apply =
                   [=](const Step<Real>& in) { return product(in.tape, in[0], in[1], ta, tb); },
               .reference =
                   [=](std::span<const Dense> in) {
                     return dense_product(ta == Transpose::yes ? dense_transpose(in[0]) : in[0],
                                          tb == Transpose::yes ? dense_transpose(in[1]) : in[1]);
                   },
               .operations = shape.operations(),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> transpose_operator() {
  return {"transpose", [=] {
            Cases<Real> cases;
            for (const ProductShape& shape : product_shapes()) {
              cases.push_back(
                  {.shape = fmt::format("{}x{}", shape.rows, shape.cols),
                   .inputs = {{shape.rows, shape.cols}},
                   .apply = [](const Step<Real>& in) { return transpose(in.tape, in[0]); },
                   .reference = [](std::span<const Dense> in) { return dense_transpose(in[0]); },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

/// ProductShape.rows x inner times each of a few blocks of inner x cols.
template <typename Real>
Operator<Real> block_product_operator() {
  struct BlockShape {
    std::size_t blocks;
    ProductShape product;
  };
  return {
      "block_product", [=] {
        Cases<Real> cases;
        for (const auto& [blocks, shape] :
             std::vector<BlockShape>{{1, {1, 1, 1}},
                                     {3, {5, 3, 7}},
                                     {0, {2, 3, 4}},
                                     {7, {4, 6, 33}},
                                     {7, {64, 46, 64, Purpose::bench}}}) {
          cases.push_back(
              {.shape = fmt::format("{} x {}", blocks, shape.text()),
               .inputs = {{shape.rows, shape.inner}, {blocks * shape.inner, shape.cols}},
               .apply = [](const Step<Real>& in) { return block_product(in.tape, in[0], in[1]); },
               .reference =
                   [](std::span<const Dense> in) {
                     const std::size_t inner = in[0].cols;
                     return dense(in[1].rows / inner * in[0].rows, in[1].cols,
                                  [&](std::size_t i, std::size_t j) {
                                    double sum = 0;
                                    for (std::size_t k = 0; k < inner; ++k) {
                                      sum += in[0](i % in[0].rows, k) *
                                             in[1](i / in[0].rows * inner + k, j);
                                    }
                                    return sum;
                                  });
                   },
               .operations = static_cast<double>(blocks) * shape.operations(),
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
Operator<Real> concat_operator() {
  return {
      "concat", [=] {
        Cases<Real> cases;
        const auto add = [&](std::size_t rows, std::vector<std::size_t> widths, Purpose purpose) {
          std::vector<Input> inputs;
          inputs.reserve(widths.size());
          std::size_t cols = 0;
          for (const std::size_t width : widths) {
            inputs.push_back({rows, width});
            cols += width;
          }
          cases.push_back({.shape = fmt::format("{}x{} of {}", rows, cols, widths.size()),
                           .inputs = std::move(inputs),
                           .apply =
                               [](const Step<Real>& in) {
                                 std::vector<Value> parts;
                                 parts.reserve(in.ids.size());
                                 for (std::size_t k = 0; k < in.ids.size(); ++k) {
                                   parts.push_back(in[k]);
                                 }
                                 return concat<Real>(in.tape, parts);
                               },
                           .reference =
                               [cols](std::span<const Dense> in) {
                                 return dense(in[0].rows, cols, [&](std::size_t i, std::size_t j) {
                                   std::size_t k = 0;
                                   while (j >= in[k].cols) {
                                     j -= in[k++].cols;
                                   }
                                   return in[k](i, j);
                                 });
                               },
                           .purpose = purpose});
        };
        add(1, {1}, Purpose::test);
        add(5, {3, 1, 9}, Purpose::test);
        add(3, {0, 4, 0, 2}, Purpose::test);
        add(0, {2, 3}, Purpose::test);
        add(13312, {64, 64, 64}, Purpose::bench);
        return cases;
      }};
}

template <typename Real>
Operator<Real> activate_operator(std::string name, Activation activation) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        for (const ProductShape& shape : product_shapes()) {
          cases.push_back(
              {.shape = fmt::format("{}x{}", shape.rows, shape.cols),
               .inputs = {{shape.rows, shape.cols, Draw::away_from_zero}},
               .apply = [=](const Step<Real>& in) { return activate(in.tape, in[0], activation); },
               .reference =
                   [=](std::span<const Dense> in) {
                     return dense(in[0].rows, in[0].cols, [&](std::size_t i, std::size_t j) {
                       return leaky_reference(in[0](i, j), activation);
                     });
                   },
               .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
void add_dense_operators(Operators<Real>& table) {
  table.push_back(linear_operator<Real>("linear", Activation::none, true));
  table.push_back(linear_operator<Real>("linear_without_bias", Activation::none, false));
  table.push_back(linear_operator<Real>("linear_relu", Activation::relu, true));
  table.push_back(linear_operator<Real>("linear_leaky_relu", Activation::leaky_relu, true));
  table.push_back(one_hot_linear_operator<Real>("one_hot_linear", 0));
  table.push_back(one_hot_linear_operator<Real>("one_hot_linear_with_zero_rows", 2));
  table.push_back(product_operator<Real>("product", Transpose::no, Transpose::no));
  table.push_back(product_operator<Real>("product_nt", Transpose::no, Transpose::yes));
  table.push_back(product_operator<Real>("product_tn", Transpose::yes, Transpose::no));
  table.push_back(product_operator<Real>("product_tt", Transpose::yes, Transpose::yes));
  table.push_back(transpose_operator<Real>());
  table.push_back(block_product_operator<Real>());
  table.push_back(concat_operator<Real>());
  table.push_back(activate_operator<Real>("activate_relu", Activation::relu));
  table.push_back(activate_operator<Real>("activate_leaky_relu", Activation::leaky_relu));
}

}  // namespace rayleigh::nn::test
