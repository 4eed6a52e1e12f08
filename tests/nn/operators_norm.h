// The part of the operator table for ops_norm.h, ops_layer_norm.h and ops_loss.h.
// Included by operator_table.h.
// Shapes: one row, widths that fill no vector register, empty graphs, and rows for several parts.
#pragma once

#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "nn/ops_layer_norm.h"
#include "nn/ops_loss.h"
#include "nn/ops_norm.h"
#include "operators_elementwise.h"
#include "operators_graph.h"

namespace rayleigh::nn::test {

/// Of the numbers at(0) … at(count - 1): mean, and biased variance around it.
struct Moments {
  double mean = 0;
  double variance = 0;
};
template <typename At>
Moments moments(std::size_t count, At at) {
  Moments m;
  for (std::size_t i = 0; i < count; ++i) {
    m.mean += at(i) / static_cast<double>(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    m.variance += (at(i) - m.mean) * (at(i) - m.mean) / static_cast<double>(count);
  }
  return m;
}

inline Dense batch_norm_reference(std::span<const Dense> in) {
  const Dense& x = in[0];
  std::vector<Moments> columns(x.cols);
  for (std::size_t j = 0; j < x.cols; ++j) {
    columns[j] = moments(x.rows, [&](std::size_t i) { return x(i, j); });
  }
  return dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    return (x(i, j) - columns[j].mean) / std::sqrt(columns[j].variance + 1e-5) * in[1](0, j) +
           in[2](0, j);
  });
}

inline Dense layer_norm_reference(std::span<const Dense> in) {
  const Dense& x = in[0];
  return dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    const Moments m = moments(x.cols, [&](std::size_t k) { return x(i, k); });
    return (x(i, j) - m.mean) / std::sqrt(m.variance + 1e-5) * in[1](0, j) + in[2](0, j);
  });
}

/// Inputs x, alpha, scale and, if `shifted`, shift.
inline Dense graph_norm_reference(std::span<const Dense> in,
                                  std::span<const std::uint32_t> first_row, bool shifted) {
  const Dense& x = in[0];
  const auto segment = segment_of_rows(first_row);
  const Dense mean = segment_reference(x, first_row, Reduce::mean);
  const Dense u = dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    return x(i, j) - in[1](0, j) * mean(segment[i], j);
  });
  const Dense squares =
      dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) { return u(i, j) * u(i, j); });
  const Dense variance = segment_reference(squares, first_row, Reduce::mean);
  return dense(x.rows, x.cols, [&](std::size_t i, std::size_t j) {
    return in[2](0, j) * u(i, j) / std::sqrt(variance(segment[i], j) + 1e-8) +
           (shifted ? in[3](0, j) : 0);
  });
}

template <typename Real>
Operator<Real> batch_norm_operator() {
  return {"batch_norm", [=] {
            Cases<Real> cases;
            for (const Shape& shape : matrix_shapes()) {
              if (shape.rows == 0) {
                continue;  // has no statistics
              }
              const Input row{1, shape.cols};
              const Input mean{1, shape.cols, Draw::anywhere, Role::buffer};
              const Input variance{1, shape.cols, Draw::positive, Role::buffer};
              for (const Activation activation : {Activation::none, Activation::leaky_relu}) {
                const bool plain = activation == Activation::none;
                cases.push_back(
                    {.shape = shape.text() + (plain ? "" : "_leaky"),
                     .inputs = {{shape.rows, shape.cols}, row, row, mean, variance},
                     .apply =
                         [activation](const Step<Real>& in) {
                           const BatchNorm norm{in.ids[1], in.ids[2], in.ids[3], in.ids[4]};
                           return batch_norm(in.tape, in.weights, norm, in[0], activation);
                         },
                     .reference =
                         [activation](std::span<const Dense> in) {
                           Dense y = batch_norm_reference(in);
                           for (double& number : y.data) {
                             number = number > 0 ? number : number * slope_of<double>(activation);
                           }
                           return y;
                         },
                     .purpose = shape.purpose});
              }
            }
            return cases;
          }};
}

template <typename Real>
Operator<Real> dropout_operator() {
  const StepRandom random{core::RandomStream(3, "dropout"), 5};
  return shaped_operator<Real>(
      "dropout", one_input(Draw::anywhere),
      [=](const Step<Real>& in) { return dropout(in.tape, in[0], 0.375, random); },
      [=](std::span<const Dense> in) {
        Dense y = in[0];
        for (std::size_t i = 0; i < y.rows; ++i) {
          core::Generator generator = random.stream.at(i, random.step);
          std::uint32_t two = 0;
          for (std::size_t j = 0; j < y.cols; ++j) {
            two = j % 2 == 0 ? generator() : two >> 16U;
            y(i, j) = (two & 0xffffU) < 0.375 * 65536 ? 0 : y(i, j) / 0.625;
          }
        }
        return y;
      });
}

template <typename Real>
Operator<Real> layer_norm_operator() {
  return shaped_operator<Real>(
      "layer_norm",
      [](const Shape& shape) {
        const Input row{1, shape.cols};
        return std::vector<Input>{{shape.rows, shape.cols}, row, row};
      },
      [](const Step<Real>& in) { return layer_norm(in.tape, in[0], in[1], in[2]); },
      layer_norm_reference);
}

template <typename Real>
Operator<Real> graph_norm_operator(std::string name, bool shifted) {
  return {std::move(name), [=] {
            Cases<Real> cases;
            for (const SegmentShape& shape : segment_shapes()) {
              const auto first_row = shape.first_row();
              // A share below one keeps single nodes away from u = 0.
              const Input alpha{1, shape.cols, Draw::fraction};
              const Input row{1, shape.cols};
              cases.push_back(
                  {.shape = shape.text(),
                   .inputs = {{shape.rows(), shape.cols, Draw::away_from_zero}, alpha, row, row},
                   .apply =
                       [=](const Step<Real>& in) {
                         return graph_norm(in.tape, in[0], *first_row, in[1], in[2],
                                           shifted ? in[3] : Value{});
                       },
                   .reference =
                       [=](std::span<const Dense> in) {
                         return graph_norm_reference(in, *first_row, shifted);
                       },
                   .purpose = shape.purpose});
            }
            return cases;
          }};
}

/// term(p) with p the probability of being right, summed over what the form looks at.
inline double focal_reference(const Dense& z, std::size_t g, std::size_t own, bool softmax,
                              double gamma) {
  const auto term = [gamma](double p) { return -std::pow(1 - p, gamma) * std::log(p); };
  const auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  if (softmax) {
    return term(sigmoid_of(z(g, own) - z(g, 1 - own)));
  }
  return term(sigmoid_of(z(g, own))) + term(1 - sigmoid_of(z(g, 1 - own)));
}

template <typename Real>
Operator<Real> focal_operator(std::string name, bool softmax, double gamma) {
  return {
      std::move(name), [=] {
        Cases<Real> cases;
        const FocalOptions options{.weight = {0.75, 1.25}, .gamma = gamma};
        for (const Shape& shape : std::vector<Shape>{{1, 2}, {13, 2}, {512, 2, Purpose::bench}}) {
          auto targets = std::make_shared<std::vector<float>>(shape.rows);
          for (std::size_t g = 0; g < shape.rows; ++g) {
            (*targets)[g] = static_cast<float>(g % 3) / 2;
          }
          cases.push_back({.shape = shape.text(),
                           .inputs = {{shape.rows, 2}},
                           .apply =
                               [=](const Step<Real>& in) {
                                 return softmax ? focal_softmax(in.tape, in[0], *targets, options)
                                                : focal_sigmoid(in.tape, in[0], *targets, options);
                               },
                           .reference =
                               [=](std::span<const Dense> in) {
                                 return dense(1, 1, [&](std::size_t, std::size_t) {
                                   double sum = 0;
                                   for (std::size_t g = 0; g < in[0].rows; ++g) {
                                     for (const std::size_t own : {0U, 1U}) {
                                       const double target = (*targets)[g];
                                       sum += (own == 1 ? target : 1 - target) *
                                              options.weight[own] *
                                              focal_reference(in[0], g, own, softmax, gamma);
                                     }
                                   }
                                   return sum / static_cast<double>(in[0].rows);
                                 });
                               },
                           .purpose = shape.purpose});
        }
        return cases;
      }};
}

template <typename Real>
void add_norm_operators(Operators<Real>& table) {
  table.push_back(batch_norm_operator<Real>());
  table.push_back(dropout_operator<Real>());
  table.push_back(layer_norm_operator<Real>());
  table.push_back(graph_norm_operator<Real>("graph_norm", true));
  table.push_back(graph_norm_operator<Real>("graph_norm_without_shift", false));
  table.push_back(focal_operator<Real>("focal_sigmoid", false, 1.5));
  table.push_back(focal_operator<Real>("focal_softmax", true, 1.5));
  table.push_back(focal_operator<Real>("cross_entropy", true, 0));
}

}  // namespace rayleigh::nn::test
