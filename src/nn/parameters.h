// All numbers of a model: weights that are trained, weights that stay, and running statistics.
// Models declare them by name once; the tape, the optimiser and model files find them here.
// One flat array of values and one of gradients, so stepping, copying and saving are single loops.
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
  buffer,  ///< running statistics, written by training passes
};

/// Position of a parameter in its Parameters.
struct ParameterId {
  std::uint32_t index = 0;
};

struct ParameterInfo {
  std::string name;
  std::size_t rows = 0;
  std::size_t cols = 0;
  Role role = Role::trained;
  std::size_t offset = 0;
  double rate = 1;   ///< factor on the learning rate
  double decay = 1;  ///< factor on L2

  std::size_t size() const { return rows * cols; }
};

template <typename Real>
class Parameters {
 public:
  /// Only declares it. A name may be used once.
  ParameterId add(std::string name, std::size_t rows, std::size_t cols, Role role = Role::trained);

  /// Makes room for everything declared, all zero. Before it no number can be asked for.
  void allocate();

  std::span<const ParameterInfo> all() const { return infos_; }
  const ParameterInfo& info(ParameterId id) const { return infos_[id.index]; }
  ParameterInfo& info(ParameterId id) { return infos_[id.index]; }
  std::optional<ParameterId> find(std::string_view name) const;
  /// Numbers that are trained.
  std::size_t trained() const;

  Matrix<Real> value(ParameterId id) { return view(values_, id); }
  Matrix<const Real> value(ParameterId id) const {
    const ParameterInfo& at = infos_[id.index];
    return {values_.data() + at.offset, at.rows, at.cols};
  }
  Matrix<Real> gradient(ParameterId id) { return view(gradients_, id); }

  std::span<Real> values() { return values_; }
  std::span<const Real> values() const { return values_; }
  std::span<Real> gradients() { return gradients_; }
  void zero_gradients();

 private:
  Matrix<Real> view(std::vector<Real>& numbers, ParameterId id) {
    const ParameterInfo& at = infos_[id.index];
    return {numbers.data() + at.offset, at.rows, at.cols};
  }

  std::vector<ParameterInfo> infos_;
  std::size_t size_ = 0;
  std::vector<Real> values_;
  std::vector<Real> gradients_;
};

extern template class Parameters<float>;
extern template class Parameters<double>;

}  // namespace rayleigh::nn
