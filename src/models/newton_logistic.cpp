#include "models/newton_logistic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rayleigh::models {
namespace {

constexpr std::size_t kPerTask = 2048;
constexpr int kMostProducts = 60;  // of the Hessian, in one step
constexpr int kMostHalvings = 30;  // of a step's length

template <typename Work>
void for_all(std::size_t count, core::ThreadPool& pool, Work work) {
  pool.run((count + kPerTask - 1) / kPerTask, [&](std::size_t task) {
    for (std::size_t i = task * kPerTask; i < std::min(count, (task + 1) * kPerTask); ++i) {
      work(i);
    }
  });
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double log_one_plus_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

}  // namespace

NewtonLogistic::NewtonLogistic(LogisticRows rows, double c, core::ThreadPool& pool)
    : rows_(std::move(rows)), c_(c), pool_(pool), column_ptr_(rows_.columns + 1, 0) {
  for (const std::uint32_t column : rows_.column) {
    ++column_ptr_[column + 1];
  }
  std::partial_sum(column_ptr_.begin(), column_ptr_.end(), column_ptr_.begin());
  row_.resize(rows_.column.size());
  value_.resize(rows_.column.size());
  std::vector<std::size_t> next(column_ptr_.begin(), column_ptr_.end() - 1);
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    for (std::size_t e = rows_.row_ptr[i]; e < rows_.row_ptr[i + 1]; ++e) {
      const std::size_t at = next[rows_.column[e]]++;
      row_[at] = static_cast<std::uint32_t>(i);
      value_[at] = rows_.value[e];
    }
  }
  const LogisticWeights zero{.of_column = Numbers(rows_.columns, 0.0)};
  const Numbers at_zero = gradient(zero, margins(zero));
  gradient_at_zero_ = std::sqrt(dot(at_zero, at_zero));
}

NewtonLogistic::Numbers NewtonLogistic::margins(const LogisticWeights& weights) const {
  Numbers out(rows_.rows());
  for_all(rows_.rows(), pool_, [&](std::size_t i) {
    double sum = weights.offset;
    for (std::size_t e = rows_.row_ptr[i]; e < rows_.row_ptr[i + 1]; ++e) {
      sum += weights.of_column[rows_.column[e]] * static_cast<double>(rows_.value[e]);
    }
    out[i] = sum;
  });
  return out;
}

NewtonLogistic::Numbers NewtonLogistic::product(const Numbers& direction) const {
  Numbers out(rows_.rows());
  for_all(rows_.rows(), pool_, [&](std::size_t i) {
    double sum = direction.back();
    for (std::size_t e = rows_.row_ptr[i]; e < rows_.row_ptr[i + 1]; ++e) {
      sum += direction[rows_.column[e]] * static_cast<double>(rows_.value[e]);
    }
    out[i] = sum;
  });
  return out;
}

NewtonLogistic::Numbers NewtonLogistic::transposed(const Numbers& of_row) const {
  Numbers out(rows_.columns + 1);
  for_all(rows_.columns, pool_, [&](std::size_t column) {
    double sum = 0;
    for (std::size_t e = column_ptr_[column]; e < column_ptr_[column + 1]; ++e) {
      sum += of_row[row_[e]] * static_cast<double>(value_[e]);
    }
    out[column] = sum;
  });
  out.back() = std::accumulate(of_row.begin(), of_row.end(), 0.0);
  return out;
}

double NewtonLogistic::objective(const LogisticWeights& weights, const Numbers& margins) const {
  double sum = 0;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    sum += log_one_plus_exp(rows_.target[i] > 0.5F ? -margins[i] : margins[i]);
  }
  return dot(weights.of_column, weights.of_column) / 2 + c_ * sum;
}

NewtonLogistic::Numbers NewtonLogistic::gradient(const LogisticWeights& weights,
                                                 const Numbers& margins) const {
  Numbers wrong(margins.size());
  for (std::size_t i = 0; i < margins.size(); ++i) {
    wrong[i] = c_ * (1 / (1 + std::exp(-margins[i])) - static_cast<double>(rows_.target[i]));
  }
  Numbers out = transposed(wrong);
  for (std::size_t column = 0; column < rows_.columns; ++column) {
    out[column] += weights.of_column[column];
  }
  return out;
}

/// Solves H d = -g by conjugate gradients with the diagonal of H as a preconditioner, as exactly as
/// the distance from the solution makes worthwhile.
NewtonLogistic::Numbers NewtonLogistic::newton_direction(const Numbers& gradient,
                                                         const Numbers& curvature) const {
  Numbers diagonal(gradient.size());
  for_all(rows_.columns, pool_, [&](std::size_t column) {
    double sum = 1;
    for (std::size_t e = column_ptr_[column]; e < column_ptr_[column + 1]; ++e) {
      const auto value = static_cast<double>(value_[e]);
      sum += curvature[row_[e]] * value * value;
    }
    diagonal[column] = sum;
  });
  constexpr double kLeast = 1e-12;
  diagonal.back() = std::max(kLeast, std::accumulate(curvature.begin(), curvature.end(), 0.0));
  const auto times_hessian = [&](const Numbers& direction) {
    Numbers of_row = product(direction);
    for (std::size_t i = 0; i < of_row.size(); ++i) {
      of_row[i] *= curvature[i];
    }
    Numbers out = transposed(of_row);
    for (std::size_t column = 0; column < rows_.columns; ++column) {
      out[column] += direction[column];
    }
    return out;
  };
  const auto preconditioned = [&](const Numbers& of) {
    Numbers out(of.size());
    for (std::size_t i = 0; i < of.size(); ++i) {
      out[i] = of[i] / diagonal[i];
    }
    return out;
  };
  Numbers solution(gradient.size(), 0.0);
  Numbers residual(gradient.size());
  std::ranges::transform(gradient, residual.begin(), [](double g) { return -g; });
  Numbers scaled = preconditioned(residual);
  Numbers direction = scaled;
  const double size = std::sqrt(dot(gradient, gradient));
  const double wanted = size * std::min(0.1, std::sqrt(size / std::max(size, gradient_at_zero_)));
  double fit = dot(residual, scaled);
  for (int i = 0; i < kMostProducts && std::sqrt(dot(residual, residual)) > wanted; ++i) {
    const Numbers turned = times_hessian(direction);
    const double length = fit / dot(direction, turned);
    for (std::size_t k = 0; k < solution.size(); ++k) {
      solution[k] += length * direction[k];
      residual[k] -= length * turned[k];
    }
    scaled = preconditioned(residual);
    const double next = dot(residual, scaled);
    for (std::size_t k = 0; k < direction.size(); ++k) {
      direction[k] = scaled[k] + next / fit * direction[k];
    }
    fit = next;
  }
  return solution;
}

void NewtonLogistic::step(LogisticWeights& weights) {
  const Numbers before = margins(weights);
  const Numbers slope = gradient(weights, before);
  Numbers curvature(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double p = 1 / (1 + std::exp(-before[i]));
    curvature[i] = c_ * p * (1 - p);
  }
  const Numbers direction = newton_direction(slope, curvature);
  const double start = objective(weights, before);
  const double promised = dot(slope, direction);
  double length = 1;
  for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
    LogisticWeights tried = weights;
    for (std::size_t column = 0; column < rows_.columns; ++column) {
      tried.of_column[column] += length * direction[column];
    }
    tried.offset += length * direction.back();
    constexpr double kEnough = 1e-4;  // of what the slope promises
    if (objective(tried, margins(tried)) <= start + kEnough * length * promised) {
      weights = std::move(tried);
      return;
    }
  }
}

double NewtonLogistic::remaining(const LogisticWeights& weights) {
  const Numbers now = gradient(weights, margins(weights));
  return std::sqrt(dot(now, now)) / std::max(gradient_at_zero_, 1e-300);
}

double NewtonLogistic::loss(const LogisticWeights& weights) {
  const Numbers now = margins(weights);
  double sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    sum += log_one_plus_exp(rows_.target[i] > 0.5F ? -now[i] : now[i]);
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, now.size()));
}

}  // namespace rayleigh::models
