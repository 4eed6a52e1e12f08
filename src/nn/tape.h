// Reverse-mode differentiation: operators record what they did on a tape, backward() runs it back.
// Make one Tape, and for every step: start_training(), apply operators (ops_*.h), backward(loss).
// A pass that only scores begins with start_scoring(), and has nothing that it could write to.
// Values live in an arena that is kept, so a step like the one before allocates nothing.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "core/arena.h"
#include "core/isa.h"
#include "core/thread_pool.h"
#include "nn/kernels.h"
#include "nn/matrix.h"
#include "nn/weights.h"

namespace rayleigh::nn {

/// A matrix on the tape.
struct Value {
  std::uint32_t id = 0xffffffffU;
  bool exists() const { return id != 0xffffffffU; }
};

/// `training` passes use batch statistics and dropout, and record for backward().
enum class Mode { scoring, training };

template <typename Real>
class Tape {
 public:
  explicit Tape(core::ThreadPool& pool, core::Isa isa = core::best_isa())
      : pool_(&pool), isa_(isa) {}

  // Each of the two forgets everything recorded; values handed out before become invalid.

  void start_scoring();
  /// Gradients of `weights` are added to `gradients`, their running statistics move. Both must
  /// outlive the pass.
  void start_training(Weights<Real>& weights, Gradients<Real>& gradients);
  bool training() const { return weights_ != nullptr; }

  /// Numbers that no gradient is wanted for. They are not copied and must outlive the step.
  Value constant(Matrix<const Real> numbers);
  /// Wants a gradient if it is one of the weights that this pass trains, and not frozen.
  Value weight(const Weights<Real>& weights, WeightId id);

  Matrix<const Real> value(Value v) const { return nodes_[v.id].value; }
  std::size_t rows(Value v) const { return nodes_[v.id].value.rows; }
  std::size_t cols(Value v) const { return nodes_[v.id].value.cols; }
  bool wants_gradient(Value v) const { return v.exists() && nodes_[v.id].wants_gradient; }
  /// To be added to. Zero at the first request; only for values that want one.
  Matrix<Real> gradient(Value v);
  bool has_gradient(Value v) const { return nodes_[v.id].gradient.data != nullptr; }

  /// Derivatives of a 1 x 1 value with respect to everything that wants a gradient.
  void backward(Value loss);

  // For operators.

  /// A new matrix, not initialised. It wants a gradient if the pass is a training pass and one of
  /// its inputs does.
  template <typename... Inputs>
  Value make(std::size_t rows, std::size_t cols, Inputs... inputs) {
    const bool wanted = training() && (wants_gradient(inputs) || ...);
    Real* made = arena_.array<Real>(rows * cols).data();
    const Value out = push({made, rows, cols}, wanted);
    nodes_[out.id].made = made;
    return out;
  }
  /// Of a value that make() gave, for its operator to write.
  Matrix<Real> output(Value made) {
    const Node& node = nodes_[made.id];
    assert(node.made != nullptr || node.value.empty());
    return {node.made, node.value.rows, node.value.cols};
  }
  /// The same, for numbers that lie in memory of one of the inputs.
  template <typename... Inputs>
  Value view(Matrix<const Real> numbers, Inputs... inputs) {
    const bool wanted = training() && (wants_gradient(inputs) || ...);
    return push(numbers, wanted);
  }
  /// `step` is called in backward() when out has a gradient. It must be trivially destructible:
  /// capture values, spans and arena memory.
  template <typename Step>
  void on_backward(Value out, Step step) {
    static_assert(std::is_trivially_destructible_v<Step>);
    if (!wants_gradient(out)) {
      return;
    }
    Node& node = nodes_[out.id];
    node.closure = new (arena_.allocate(sizeof(Step))) Step(step);
    node.step = [](void* closure, Tape& tape) { (*static_cast<Step*>(closure))(tape); };
  }

  /// A running statistic, to be moved: of the weights that this pass trains, so not in a scoring
  /// pass.
  Matrix<Real> running([[maybe_unused]] const Weights<Real>& weights, WeightId id) {
    assert(weights_ == &weights && weights.info(id).role == Role::buffer);
    return weights_->value(id);
  }
  Matrix<Real> scratch(std::size_t rows, std::size_t cols) {
    return {arena_.array<Real>(rows * cols).data(), rows, cols};
  }
  template <typename T>
  std::span<T> array(std::size_t count) {
    return arena_.array<T>(count);
  }
  const Kernels<Real>& kernels() const { return nn::kernels<Real>(isa_); }
  core::Isa isa() const { return isa_; }
  std::size_t arena_bytes() const { return arena_.capacity(); }
  /// At least this much for values; only between passes.
  void reserve(std::size_t bytes) { arena_.reserve(bytes); }

  /// work(begin, end) over rows, in parts fixed by `rows` and `cost` (operations per row) alone.
  template <typename Work>
  void for_rows(std::size_t rows, std::size_t cost, Work work) {
    constexpr std::size_t kPart = 1U << 16U;
    const std::size_t per_part = std::max<std::size_t>(1, kPart / std::max<std::size_t>(cost, 1));
    const std::size_t parts = (rows + per_part - 1) / per_part;
    for_parts(parts, [&](std::size_t part) {
      work(part * per_part, std::min(rows, (part + 1) * per_part));
    });
  }
  /// work(0) … work(parts - 1), shared among the threads.
  template <typename Work>
  void for_parts(std::size_t parts, Work work) {
    if (parts <= 1 || pool_->size() == 1) {
      pool_->check_stop();
      for (std::size_t part = 0; part < parts; ++part) {
        work(part);
      }
    } else {
      pool_->run(parts, work);
    }
  }

 private:
  struct Node {
    Matrix<const Real> value;
    Real* made = nullptr;  ///< the same numbers, if make() gave them
    Matrix<Real> gradient;
    void (*step)(void* closure, Tape& tape) = nullptr;
    void* closure = nullptr;
    bool wants_gradient = false;
  };

  void start(Weights<Real>* weights, Gradients<Real>* gradients);
  Value push(Matrix<const Real> value, bool wants_gradient);

  core::ThreadPool* pool_;
  core::Isa isa_;
  Weights<Real>* weights_ = nullptr;      ///< of a training pass
  Gradients<Real>* gradients_ = nullptr;  ///< of a training pass
  core::Arena arena_;
  std::vector<Node> nodes_;
};

extern template class Tape<float>;
extern template class Tape<double>;

}  // namespace rayleigh::nn
