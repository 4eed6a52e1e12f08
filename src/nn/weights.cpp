#include "nn/weights.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::nn {

template <typename Real>
WeightId Weights<Real>::add(std::string name, std::size_t rows, std::size_t cols, Role role) {
  assert(!find(name));
  constexpr std::size_t kAlignment = 64 / sizeof(Real);
  const std::size_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
  infos_.push_back(
      {.name = std::move(name), .rows = rows, .cols = cols, .role = role, .offset = offset});
  size_ = offset + rows * cols;
  return {static_cast<std::uint32_t>(infos_.size() - 1)};
}

template <typename Real>
void Weights<Real>::allocate() {
  values_.assign(size_, Real{0});
}

template <typename Real>
std::optional<WeightId> Weights<Real>::find(std::string_view name) const {
  const auto at = std::ranges::find(infos_, name, &WeightInfo::name);
  if (at == infos_.end()) {
    return std::nullopt;
  }
  return WeightId{static_cast<std::uint32_t>(at - infos_.begin())};
}

template <typename Real>
std::size_t Weights<Real>::trained() const {
  std::size_t count = 0;
  for (const WeightInfo& info : infos_) {
    count += info.role == Role::trained ? info.size() : 0;
  }
  return count;
}

template <typename Real>
void Gradients<Real>::zero() {
  std::ranges::fill(values_, Real{0});
}

template class Weights<float>;
template class Weights<double>;
template class Gradients<float>;
template class Gradients<double>;

}  // namespace rayleigh::nn
