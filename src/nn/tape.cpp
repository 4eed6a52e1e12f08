#include "nn/tape.h"

namespace rayleigh::nn {

template <typename Real>
void Tape<Real>::start(Weights<Real>* weights, Gradients<Real>* gradients) {
  weights_ = weights;
  gradients_ = gradients;
  nodes_.clear();
  arena_.reset();
}

template <typename Real>
void Tape<Real>::start_scoring() {
  start(nullptr, nullptr);
}

template <typename Real>
void Tape<Real>::start_training(Weights<Real>& weights, Gradients<Real>& gradients) {
  assert(weights.values().size() == gradients.values().size());
  start(&weights, &gradients);
}

template <typename Real>
Value Tape<Real>::push(Matrix<const Real> value, bool wants_gradient) {
  nodes_.push_back({.value = value,
                    .made = nullptr,
                    .gradient = {},
                    .step = nullptr,
                    .closure = nullptr,
                    .wants_gradient = wants_gradient});
  return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

template <typename Real>
Value Tape<Real>::constant(Matrix<const Real> numbers) {
  return push(numbers, false);
}

template <typename Real>
Value Tape<Real>::weight(const Weights<Real>& weights, WeightId id) {
  const Value v = constant(weights.value(id));
  if (weights_ == &weights && weights.info(id).role == Role::trained) {
    nodes_[v.id].wants_gradient = true;
    nodes_[v.id].gradient = gradients_->of(weights.info(id));
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
