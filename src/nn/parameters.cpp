#include "nn/parameters.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::nn {

template <typename Real>
ParameterId Parameters<Real>::add(std::string name, std::size_t rows, std::size_t cols, Role role) {
  assert(!find(name));
  constexpr std::size_t kAlignment = 64 / sizeof(Real);
  const std::size_t offset = (size_ + kAlignment - 1) / kAlignment * kAlignment;
  infos_.push_back(
      {.name = std::move(name), .rows = rows, .cols = cols, .role = role, .offset = offset});
  size_ = offset + rows * cols;
  return {static_cast<std::uint32_t>(infos_.size() - 1)};
}

template <typename Real>
void Parameters<Real>::allocate() {
  values_.assign(size_, Real{0});
  gradients_.assign(size_, Real{0});
}

template <typename Real>
std::optional<ParameterId> Parameters<Real>::find(std::string_view name) const {
  const auto at = std::ranges::find(infos_, name, &ParameterInfo::name);
  if (at == infos_.end()) {
    return std::nullopt;
  }
  return ParameterId{static_cast<std::uint32_t>(at - infos_.begin())};
}

template <typename Real>
std::size_t Parameters<Real>::trained() const {
  std::size_t count = 0;
  for (const ParameterInfo& info : infos_) {
    count += info.role == Role::trained ? info.size() : 0;
  }
  return count;
}

template <typename Real>
void Parameters<Real>::zero_gradients() {
  std::ranges::fill(gradients_, Real{0});
}

template class Parameters<float>;
template class Parameters<double>;

}  // namespace rayleigh::nn
