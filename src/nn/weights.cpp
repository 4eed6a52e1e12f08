#include "nn/weights.h"

#include <algorithm>
#include <cassert>

namespace rayleigh::nn {

template <typename Real>
WeightId Weights<Real>::add(std::string name, std::size_t rows, std::size_t cols, Role role) {
  return declare({.name = std::move(name), .rows = rows, .cols = cols, .role = role});
}

template <typename Real>
WeightId Weights<Real>::add_free(std::string name, std::size_t cols) {
  return declare({.name = std::move(name), .cols = cols, .role = Role::frozen, .free_rows = true});
}

template <typename Real>
WeightId Weights<Real>::declare(WeightInfo info) {
  assert(!find(info.name));
  size_ = place(info, size_);
  infos_.push_back(std::move(info));
  return {static_cast<std::uint32_t>(infos_.size() - 1)};
}

template <typename Real>
std::size_t Weights<Real>::place(WeightInfo& info, std::size_t end) {
  constexpr std::size_t kAlignment = 64 / sizeof(Real);
  info.offset = (end + kAlignment - 1) / kAlignment * kAlignment;
  return info.offset + info.size();
}

template <typename Real>
void Weights<Real>::allocate() {
  values_.assign(size_, Real{0});
  allocated_ = true;
}

template <typename Real>
void Weights<Real>::set_rows(WeightId id, std::size_t rows) {
  assert(infos_[id.index].free_rows);
  const std::vector<WeightInfo> before = infos_;
  infos_[id.index].rows = rows;
  size_ = 0;
  for (WeightInfo& info : infos_) {
    size_ = place(info, size_);
  }
  if (!allocated_) {
    return;
  }
  std::vector<Real> values(size_, Real{0});
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    const std::size_t kept = std::min(infos_[i].size(), before[i].size());
    std::ranges::copy(std::span(values_).subspan(before[i].offset, kept),
                      values.begin() + static_cast<std::ptrdiff_t>(infos_[i].offset));
  }
  values_ = std::move(values);
}

template <typename Real>
std::vector<std::size_t> Weights<Real>::free_rows() const {
  std::vector<std::size_t> rows;
  for (const WeightInfo& info : infos_) {
    if (info.free_rows) {
      rows.push_back(info.rows);
    }
  }
  return rows;
}

template <typename Real>
void Weights<Real>::set_free_rows(std::span<const std::size_t> rows) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].free_rows) {
      set_rows({static_cast<std::uint32_t>(i)}, rows[next++]);
    }
  }
  assert(next == rows.size());
}

template <typename Real>
std::size_t Weights<Real>::size_with(std::span<const std::size_t> free_rows) const {
  std::size_t next = 0;
  std::size_t size = 0;
  for (WeightInfo info : infos_) {
    if (info.free_rows) {
      info.rows = free_rows[next++];
    }
    size = place(info, size);
  }
  return size;
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
