// A view of a row-major matrix of numbers that live elsewhere: an arena, a weight, a span.
// The one way in which numbers pass between operators; copy it freely.
// Costs nothing; no bounds checks outside assertions.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace rayleigh::nn {

template <typename Real>
struct Matrix {
  Real* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;

  std::size_t size() const { return rows * cols; }
  bool empty() const { return size() == 0; }
  std::span<Real> flat() const { return {data, size()}; }
  std::span<Real> row(std::size_t i) const {
    assert(i < rows);
    return {data + i * cols, cols};
  }
  Real& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i * cols + j];
  }
  /// Rows begin … end-1.
  Matrix part(std::size_t begin, std::size_t end) const {
    assert(begin <= end && end <= rows);
    return {data + begin * cols, end - begin, cols};
  }

  operator Matrix<const Real>() const requires(!std::is_const_v<Real>) {
    return {data, rows, cols};
  }
};

}  // namespace rayleigh::nn
