// All numbers of a model: those that are trained, those that stay, and running statistics.
// Models declare them by name once; the tape, the optimiser and model files find them here.
// Whoever trains has Gradients beside them. Both are one flat array, so stepping, copying and
// saving are single loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/matrix.h"

namespace rayleigh::nn {

enum class Role {
  trained,
  frozen,  ///< takes part in the result, never in a step
  buffer,  ///< running statistics, moved by training passes
};

/// Position of a matrix in its Weights.
struct WeightId {
  std::uint32_t index = 0;
};

struct WeightInfo {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  Role role = Role::trained;
  std::size_t offset = 0;
  double rate = 1;         ///< factor on the learning rate
  double decay = 1;        ///< factor on L2
  bool free_rows = false;  ///< how many is known only once the model has learned

  std::size_t size() const { return rows * cols; }
};

template <typename Real>
class Weights {
 public:
  /// Only declares it. A name may be used once.
  WeightId add(std::string name, std::size_t rows, std::size_t cols, Role role = Role::trained);
  /// Frozen, without rows until set_rows(): for what grows while a model learns, such as trees.
  WeightId add_free(std::string name, std::size_t cols);

  /// Makes room for everything declared, all zero. Before it no number can be asked for.
  void allocate();
  /// Of a matrix with free rows. Rows that stay keep their numbers, new ones are zero; matrices
  /// handed out before become invalid.
  void set_rows(WeightId id, std::size_t rows);
  /// Of all matrices with free rows, in their order.
  std::vector<std::size_t> free_rows() const;
  void set_free_rows(std::span<const std::size_t> rows);
  /// How many values() there would be with these.
  std::size_t size_with(std::span<const std::size_t> free_rows) const;

  std::span<const WeightInfo> all() const { return infos_; }
  const WeightInfo& info(WeightId id) const { return infos_[id.index]; }
  WeightInfo& info(WeightId id) { return infos_[id.index]; }
  std::optional<WeightId> find(std::string_view name) const;
  /// Numbers that are trained.
  std::size_t trained() const;

  Matrix<Real> value(WeightId id) {
    const WeightInfo& at = infos_[id.index];
    return {values_.data() + at.offset, at.rows, at.cols};
  }
  Matrix<const Real> value(WeightId id) const {
    const WeightInfo& at = infos_[id.index];
    return {values_.data() + at.offset, at.rows, at.cols};
  }

  std::span<Real> values() { return values_; }
  std::span<const Real> values() const { return values_; }

 private:
  WeightId declare(WeightInfo info);
  /// Places the matrix behind those that end at `end`.
  static std::size_t place(WeightInfo& info, std::size_t end);

  std::vector<WeightInfo> infos_;
  std::size_t size_ = 0;
  bool allocated_ = false;
  std::vector<Real> values_;
};

/// A number for each of some Weights, at the same place.
template <typename Real>
class Gradients {
 public:
  Gradients() = default;
  /// All zero, for weights that are allocated.
  explicit Gradients(const Weights<Real>& weights) : values_(weights.values().size(), Real{0}) {}

  Matrix<Real> of(const WeightInfo& info) {
    return {values_.data() + info.offset, info.rows, info.cols};
  }
  std::span<Real> values() { return values_; }
  std::span<const Real> values() const { return values_; }
  void zero();

 private:
  std::vector<Real> values_;
};

extern template class Weights<float>;
extern template class Weights<double>;
extern template class Gradients<float>;
extern template class Gradients<double>;

}  // namespace rayleigh::nn
