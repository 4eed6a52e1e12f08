// Operators on dense matrices: products, linear layers, joining columns.
// Forward passes use our own kernels (same bits for any number of rows), backward passes oneDNN.
// Large products are split by rows into fixed parts that threads share.
#pragma once

#include <span>

#include "nn/gemm.h"
#include "nn/tape.h"

namespace rayleigh::nn {

enum class Activation { none, relu, leaky_relu };

/// Slope below zero; leaky_relu is that of the paper's code.
template <typename Real>
constexpr Real slope_of(Activation activation) {
  return activation == Activation::none   ? Real{1}
         : activation == Activation::relu ? Real{0}
                                          : static_cast<Real>(0.01);
}

/// activation(x w' + b): w is outputs x inputs, b 1 x outputs or absent.
template <typename Real>
Value linear(Tape<Real>& tape, Value x, Value w, Value b, Activation activation = Activation::none);

/// linear() of the identity matrix: row i is activation(column i of w + b). `zero_rows` more rows
/// follow with activation(b), the result of all-zero features.
template <typename Real>
Value one_hot_linear(Tape<Real>& tape, Value w, Value b, Activation activation = Activation::none,
                     std::size_t zero_rows = 0);

/// op(a) op(b)
template <typename Real>
Value product(Tape<Real>& tape, Value a, Value b, Transpose transpose_a = Transpose::no,
              Transpose transpose_b = Transpose::no);

template <typename Real>
Value transpose(Tape<Real>& tape, Value a);

/// b is cut into blocks of as many rows as a has columns; block k of the result is a times block k.
template <typename Real>
Value block_product(Tape<Real>& tape, Value a, Value b);

/// The activation alone.
template <typename Real>
Value activate(Tape<Real>& tape, Value x, Activation activation);

/// Columns of all, side by side.
template <typename Real>
Value concat(Tape<Real>& tape, std::span<const Value> parts);

/// A copy in the arena, for operators.
template <typename Real>
Matrix<const Real> transposed(Tape<Real>& tape, Matrix<const Real> a);

/// c += a' b, summed over rows in an order that does not depend on the threads.
template <typename Real>
void add_gram(Tape<Real>& tape, Matrix<const Real> a, Matrix<const Real> b, Matrix<Real> c);

}  // namespace rayleigh::nn
