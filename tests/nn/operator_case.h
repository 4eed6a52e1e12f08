// One operator applied to inputs of one shape: how to make it, run it and compute it naively.
// operator_table.h lists them; tests of values and gradients and bench/nn_bench.cpp run them.
// Inputs are drawn from a fixed stream and are exact in single precision.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/thread_pool.h"
#include "nn/tape.h"

namespace rayleigh::nn::test {

/// A matrix of its own, for references.
struct Dense {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> data;

  double& operator()(std::size_t i, std::size_t j) { return data[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return data[i * cols + j]; }
};

/// entry(i, j) everywhere.
template <typename Entry>
Dense dense(std::size_t rows, std::size_t cols, Entry entry) {
  Dense m{.rows = rows, .cols = cols, .data = std::vector<double>(rows * cols)};
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      m(i, j) = entry(i, j);
    }
  }
  return m;
}

inline Dense dense_product(const Dense& a, const Dense& b) {
  return dense(a.rows, b.cols, [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < a.cols; ++k) {
      sum += a(i, k) * b(k, j);
    }
    return sum;
  });
}

inline Dense dense_transpose(const Dense& a) {
  return dense(a.cols, a.rows, [&](std::size_t i, std::size_t j) { return a(j, i); });
}

/// Where the numbers of an input lie; away from the kinks of the operator.
enum class Draw { anywhere, away_from_zero, positive, fraction };

struct Input {
  std::size_t rows = 0;
  std::size_t cols = 0;
  Draw draw = Draw::anywhere;
  Role role = Role::trained;
};

/// A multiple of 2^-16, so that it is the same number in single and double precision.
inline double draw_number(core::Generator& generator, Draw draw) {
  const auto below = [&](std::uint32_t bound) { return generator.below(bound) / 65536.0; };
  switch (draw) {
    case Draw::anywhere:
      return below(1U << 17U) - 1;
    case Draw::away_from_zero:
      return (0.125 + below(7U << 13U)) * (generator.below(2) == 0 ? 1 : -1);
    case Draw::positive:
      return 0.5 + below(1U << 16U);
    case Draw::fraction:
      return 0.125 + below(1U << 15U);
  }
  return 0;
}

/// Numbers that do not depend on Real.
template <typename Real>
std::vector<Real> draw_numbers(std::size_t count, std::uint64_t index, Draw draw = Draw::anywhere) {
  core::Generator generator = core::RandomStream(7, "operator table").at(index);
  std::vector<Real> numbers(count);
  std::ranges::generate(numbers, [&] { return static_cast<Real>(draw_number(generator, draw)); });
  return numbers;
}

/// What an operator is applied in; inputs are weights, so that they get gradients.
template <typename Real>
struct Step {
  Tape<Real>& tape;
  const Weights<Real>& weights;
  std::span<const WeightId> ids;

  Value operator[](std::size_t input) const { return tape.weight(weights, ids[input]); }
};

/// Large shapes are for the benchmark only.
enum class Purpose { test, bench };

template <typename Real>
struct Case {
  std::string shape;
  std::vector<Input> inputs;
  std::function<Value(const Step<Real>&)> apply;
  std::function<Dense(std::span<const Dense>)> reference;
  double operations = 0;  ///< of the forward pass; 0 = moving memory is what counts
  Purpose purpose = Purpose::test;
};

template <typename Real>
using Cases = std::vector<Case<Real>>;

/// Cases are made when asked for: some have large matrices.
template <typename Real>
struct Operator {
  std::string name;
  std::function<Cases<Real>()> cases;
};

template <typename Real>
using Operators = std::vector<Operator<Real>>;

/// A case with its inputs drawn, ready to run as often as wanted.
template <typename Real>
class CaseRun {
 public:
  CaseRun(const Case<Real>& operation, core::ThreadPool& pool, core::Isa isa = core::best_isa())
      : case_(&operation), tape_(pool, isa) {
    ids_.reserve(operation.inputs.size());
    for (const Input& input : operation.inputs) {
      ids_.push_back(weights_.add(std::to_string(ids_.size()), input.rows, input.cols, input.role));
    }
    weights_.allocate();
    gradients_ = Gradients<Real>(weights_);
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const Matrix<Real> to = value(k);
      const auto numbers = draw_numbers<Real>(to.size(), k + 1, operation.inputs[k].draw);
      std::copy_n(numbers.data(), numbers.size(), to.data);
    }
  }

  /// Starts a new step.
  Matrix<const Real> forward(Mode mode = Mode::training) {
    if (mode == Mode::training) {
      tape_.start_training(weights_, gradients_);
    } else {
      tape_.start_scoring();
    }
    out_ = case_->apply({tape_, weights_, ids_});
    return tape_.value(out_);
  }
  /// Adds the gradients of Σ weight * out to those there; after forward().
  void backward(std::span<const Real> weight) {
    const Value loss = tape_.make(1, 1, out_);
    tape_.output(loss)(0, 0) = 0;
    const Value out = out_;
    tape_.on_backward(loss, [=](Tape<Real>& t) {
      t.kernels().axpy(Real{1}, weight.data(), weight.size(), t.gradient(out).data);
    });
    tape_.backward(loss);
  }
  void zero_gradients() { gradients_.zero(); }

  std::size_t inputs() const { return ids_.size(); }
  bool trained(std::size_t input) const { return weights_.info(ids_[input]).role == Role::trained; }
  Matrix<Real> value(std::size_t input) { return weights_.value(ids_[input]); }
  Matrix<Real> gradient(std::size_t input) { return gradients_.of(weights_.info(ids_[input])); }
  std::vector<Dense> dense_inputs() {
    std::vector<Dense> all;
    all.reserve(ids_.size());
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const Matrix<Real> m = value(k);
      all.push_back({m.rows, m.cols, {m.data, m.data + m.size()}});
    }
    return all;
  }

 private:
  const Case<Real>* case_;
  Weights<Real> weights_;
  Gradients<Real> gradients_;
  std::vector<WeightId> ids_;
  Tape<Real> tape_;
  Value out_;
};

}  // namespace rayleigh::nn::test
