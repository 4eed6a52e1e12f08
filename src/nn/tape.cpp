#include "nn/tape.h"

namespace rayleigh::nn {

template <typename Real>
void Tape<Real>::reset(Mode mode) {
  mode_ = mode;
  nodes_.clear();
  arena_.reset();
}

template <typename Real>
Value Tape<Real>::push(Matrix<Real> value, bool wants_gradient) {
  nodes_.push_back({.value = value,
                    .gradient = {},
                    .step = nullptr,
                    .closure = nullptr,
                    .wants_gradient = wants_gradient});
  return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

template <typename Real>
Value Tape<Real>::constant(Matrix<const Real> numbers) {
  // Operators write only to matrices they made themselves.
  return push({const_cast<Real*>(numbers.data), numbers.rows, numbers.cols}, false);
}

template <typename Real>
Value Tape<Real>::parameter(Parameters<Real>& parameters, ParameterId id) {
  const bool trained = training() && parameters.info(id).role == Role::trained;
  const Value v = push(parameters.value(id), trained);
  if (trained) {
    nodes_[v.id].gradient = parameters.gradient(id);
  }
  return v;
}

template <typename Real>
Matrix<Real> Tape<Real>::gradient(Value v) {
  Node& node = nodes_[v.id];
  assert(node.wants_gradient);
  if (node.gradient.data == nullptr) {
    node.gradient = scratch(node.value.rows, node.value.cols);
    std::ranges::fill(node.gradient.flat(), Real{0});
  }
  return node.gradient;
}

template <typename Real>
void Tape<Real>::backward(Value loss) {
  assert(rows(loss) == 1 && cols(loss) == 1);
  if (!wants_gradient(loss)) {
    return;
  }
  gradient(loss)(0, 0) += Real{1};
  for (std::size_t at = loss.id + 1; at-- > 0;) {
    const Node node = nodes_[at];
    if (node.step != nullptr && node.gradient.data != nullptr) {
      node.step(node.closure, *this);
    }
  }
}

template class Tape<float>;
template class Tape<double>;

}  // namespace rayleigh::nn
