#include "spectral/symmetric_eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rayleigh/error.h"
#include "rayleigh/spectral/spectrum.h"

#include "core/isa.h"

namespace rayleigh::spectral {
namespace {

/// Rows begin at multiples of this many numbers, so that every loop has whole vectors.
constexpr std::size_t kLanes = 4;

/// The next p is gamma² r/p, whose limit for p -> 0 is taken before r/p can overflow.
constexpr double kTiny = 1e-250;

/// p += a0 x0 + a1 x1 + a2 x2 + a3 x3 over [begin, end).
inline void add_four_rows(double* __restrict p, const double* __restrict rows, std::size_t stride,
                          const double* factors, std::size_t begin, std::size_t end) {
  const double f0 = factors[0];
  const double f1 = factors[1];
  const double f2 = factors[2];
  const double f3 = factors[3];
  const double* r1 = rows + stride;
  const double* r2 = r1 + stride;
  const double* r3 = r2 + stride;
  for (std::size_t c = begin; c < end; ++c) {
    p[c] += (f0 * rows[c] + f1 * r1[c]) + (f2 * r2[c] + f3 * r3[c]);
  }
}

/// Rows i and i + 1 lose v_i w + w_i v over [begin, end).
inline void update_two_rows(double* __restrict row, std::size_t stride, const double* __restrict v,
                            const double* __restrict w, std::size_t i, std::size_t begin,
                            std::size_t end) {
  double* __restrict next = row + stride;
  const double v0 = v[i];
  const double w0 = w[i];
  const double v1 = v[i + 1];
  const double w1 = w[i + 1];
  for (std::size_t c = begin; c < end; ++c) {
    row[c] -= v0 * w[c] + w0 * v[c];
    next[c] -= v1 * w[c] + w1 * v[c];
  }
}

/// A := H A H on rows and columns from `begin`, with H = I - beta v v': A -= v w' + w v' where
/// w = p - (beta/2)(p'v) v and p = beta A v. Both triangles are kept: twice the arithmetic, but
/// whole vectors of it.
RAYLEIGH_ISA_CLONES
void reflect(double* a, std::size_t stride, const double* v, double* w, double beta,
             std::size_t begin) {
  std::fill(w + begin, w + stride, 0.0);
  for (std::size_t i = begin; i < stride; i += kLanes) {
    add_four_rows(w, a + i * stride, stride, v + i, begin, stride);
  }
  double projection = 0;
  for (std::size_t i = begin; i < stride; ++i) {
    projection += w[i] * v[i];
  }
  const double half = 0.5 * beta * beta * projection;
  for (std::size_t i = begin; i < stride; ++i) {
    w[i] = beta * w[i] - half * v[i];
  }
  for (std::size_t i = begin; i < stride; i += 2) {
    update_two_rows(a + i * stride, stride, v, w, i, begin, stride);
  }
}

/// The eigenvalue of the leading 2 x 2 block nearer to its first diagonal element.
double wilkinson_shift(double d0, double d1, double square) {
  const double root = std::sqrt(square);
  const double half = (d1 - d0) / (2 * root);
  return d0 - root / (half + std::copysign(std::sqrt(half * half + 1), half));
}

/// One QL sweep over an unreduced block, on squares of the off-diagonal: rotations are kept as c²
/// and s² and so need no root. step() goes from the lower end up, one row at a time, and is all
/// latency: two sweeps of different matrices side by side take hardly longer than one.
class Sweep {
 public:
  Sweep(double* d, double* e2, std::size_t low, std::size_t high)
      : d_(d), e2_(e2), low_(low), high_(high), i_(high) {
    shift_ = wilkinson_shift(d[low], d[low + 1], e2[low]);
    gamma_ = d[high] - shift_;
    p_ = gamma_ * gamma_;
  }

  std::size_t steps_left() const { return i_ - low_; }

  void step() {
    --i_;
    const double square = e2_[i_];
    const double r = p_ + square;
    const double grown = r / p_;  // off the critical path; unused where p vanishes
    if (i_ + 1 < high_) {
      e2_[i_ + 1] = s_ * r;
    }
    const double old_c = c_;
    const double old_gamma = gamma_;
    const double d = d_[i_];
    const double inverse = 1 / r;
    c_ = p_ * inverse;
    s_ = square * inverse;
    gamma_ = c_ * (d - shift_) - s_ * old_gamma;
    d_[i_ + 1] = old_gamma + (d - gamma_);
    p_ = p_ > kTiny ? gamma_ * gamma_ * grown : old_c * square;
  }

  void finish() {
    e2_[low_] = s_ * p_;
    d_[low_] = shift_ + gamma_;
  }

 private:
  double* d_;
  double* e2_;
  std::size_t low_;
  std::size_t high_;
  std::size_t i_;
  double shift_ = 0;
  double c_ = 1;
  double s_ = 0;
  double gamma_ = 0;
  double p_ = 0;
};

}  // namespace

std::span<double> SymmetricEigenvalues::matrix(std::size_t n) {
  n_ = n;
  stride_ = (n + kLanes - 1) / kLanes * kLanes;
  matrix_.assign(stride_ * stride_, 0.0);
  v_.assign(stride_, 0.0);
  w_.assign(stride_, 0.0);
  diagonal_.assign(n, 0.0);
  squares_.assign(n, 0.0);
  return matrix_;
}

void SymmetricEigenvalues::begin() {
  tridiagonalise();
  double bound = 0;  // of the largest eigenvalue
  double before = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double after = std::sqrt(squares_[i]);
    bound = std::max(bound, std::abs(diagonal_[i]) + before + after);
    before = after;
  }
  const double rounding = std::numeric_limits<double>::epsilon() * bound;
  negligible_ = rounding * rounding;
  low_ = 0;
  sweeps_left_ = 60 * n_;
}

/// Both eigenvalues of the block of two rows at work.
void SymmetricEigenvalues::solve_two() {
  const double middle = (diagonal_[low_] + diagonal_[high_]) / 2;
  const double half = (diagonal_[low_] - diagonal_[high_]) / 2;
  const double root = std::sqrt(half * half + squares_[low_]);
  diagonal_[low_] = middle - root;
  diagonal_[high_] = middle + root;
  squares_[low_] = 0;
}

/// Finds the next block of at least three rows that is not yet diagonal.
bool SymmetricEigenvalues::find_block() {
  while (low_ + 1 < n_) {
    high_ = low_;
    while (high_ + 1 < n_ && squares_[high_] > negligible_) {
      ++high_;
    }
    if (high_ > low_ + 1) {
      if (sweeps_left_-- == 0) {
        throw Error(ErrorKind::failed, "the eigenvalues of a graph did not converge");
      }
      return true;
    }
    if (high_ == low_ + 1) {
      solve_two();
    }
    low_ = high_ + 1;
  }
  return false;
}

std::span<const double> SymmetricEigenvalues::compute() {
  begin();
  finish();
  return diagonal_;
}

void SymmetricEigenvalues::finish() {
  while (find_block()) {
    Sweep sweep(diagonal_.data(), squares_.data(), low_, high_);
    while (sweep.steps_left() > 0) {
      sweep.step();
    }
    sweep.finish();
  }
  std::ranges::sort(diagonal_);
}

void SymmetricEigenvalues::compute_both(SymmetricEigenvalues& x, SymmetricEigenvalues& y) {
  x.begin();
  y.begin();
  bool more_x = x.find_block();
  bool more_y = y.find_block();
  while (more_x && more_y) {
    Sweep a(x.diagonal_.data(), x.squares_.data(), x.low_, x.high_);
    Sweep b(y.diagonal_.data(), y.squares_.data(), y.low_, y.high_);
    for (std::size_t both = std::min(a.steps_left(), b.steps_left()); both > 0; --both) {
      a.step();
      b.step();
    }
    while (a.steps_left() > 0) {
      a.step();
    }
    while (b.steps_left() > 0) {
      b.step();
    }
    a.finish();
    b.finish();
    more_x = x.find_block();
    more_y = y.find_block();
  }
  x.finish();
  y.finish();
}

/// Step k reflects row k beyond its diagonal onto one element, the k-th of the off-diagonal.
void SymmetricEigenvalues::tridiagonalise() {
  double* a = matrix_.data();
  const double largest = std::abs(
      *std::ranges::max_element(matrix_, {}, [](double value) { return std::abs(value); }));
  // Less than rounding has already done to the matrix; its reflector would overflow.
  const double negligible = 1e-36 * largest * largest;
  for (std::size_t k = 0; k < n_; ++k) {
    diagonal_[k] = a[k * stride_ + k];
    if (k + 1 == n_) {
      break;
    }
    const double* x = a + k * stride_;
    double tail = 0;
    for (std::size_t i = k + 2; i < n_; ++i) {
      tail += x[i] * x[i];
    }
    const double head = x[k + 1];
    squares_[k] = head * head + tail;
    if (tail <= negligible) {
      continue;
    }
    const std::size_t begin = (k + 1) / kLanes * kLanes;
    const double beta = make_reflector(x, k, begin, tail);
    reflect(a, stride_, v_.data(), w_.data(), beta, begin);
  }
}

/// v = x + sign(x_1) |x| e_1 over the elements behind k, zero before; returns 2 / v'v.
double SymmetricEigenvalues::make_reflector(const double* x, std::size_t k, std::size_t begin,
                                            double tail) {
  for (std::size_t i = begin; i < stride_; ++i) {
    v_[i] = i > k ? x[i] : 0.0;
  }
  v_[k + 1] += std::copysign(std::sqrt(squares_[k]), v_[k + 1]);
  return 2 / (v_[k + 1] * v_[k + 1] + tail);
}

std::vector<double> symmetric_eigenvalues(std::span<const double> matrix, std::size_t n) {
  SymmetricEigenvalues solver;
  const auto target = solver.matrix(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&matrix[i * n], n, &target[i * solver.stride()]);
  }
  const auto values = solver.compute();
  return {values.begin(), values.end()};
}

}  // namespace rayleigh::spectral
