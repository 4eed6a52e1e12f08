// Logistic regression with an L2 penalty on sparse rows, solved by Newton's method with conjugate
// gradients: 1/2 |w|^2 + C * sum of log(1 + exp(-y m)), m = offset + <w, x>, the offset free.
// One step() at a time from any weights; what it needs to go on is the weights alone.
// A step costs some tens of passes over the entries; about ten steps converge.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/thread_pool.h"

namespace rayleigh::models {

/// Rows of numbers with a target of 0 or 1 each.
struct LogisticRows {
  std::size_t columns = 0;
  std::vector<std::size_t> row_ptr{0};
  std::vector<std::uint32_t> column;
  std::vector<float> value;
  std::vector<float> target;

  std::size_t rows() const { return target.size(); }
};

struct LogisticWeights {
  std::vector<double> of_column;
  double offset = 0;
};

/// Sums are made in an order that does not depend on the number of threads.
class NewtonLogistic {
 public:
  NewtonLogistic(LogisticRows rows, double c, core::ThreadPool& pool);

  /// One Newton step with a line search.
  void step(LogisticWeights& weights);
  /// Norm of the gradient over what it is where all weights are 0.
  double remaining(const LogisticWeights& weights);
  /// Mean logistic loss of the rows.
  double loss(const LogisticWeights& weights);

 private:
  using Numbers = std::vector<double>;

  Numbers margins(const LogisticWeights& weights) const;
  double objective(const LogisticWeights& weights, const Numbers& margins) const;
  /// X'r, and the sum of r behind it.
  Numbers transposed(const Numbers& of_row) const;
  /// X v, v with the offset's direction behind the columns'.
  Numbers product(const Numbers& direction) const;
  Numbers gradient(const LogisticWeights& weights, const Numbers& margins) const;
  Numbers newton_direction(const Numbers& gradient, const Numbers& curvature) const;

  LogisticRows rows_;
  double c_;
  core::ThreadPool& pool_;
  // The same entries by columns.
  std::vector<std::size_t> column_ptr_;
  std::vector<std::uint32_t> row_;
  std::vector<float> value_;
  double gradient_at_zero_ = 0;
};

}  // namespace rayleigh::models
