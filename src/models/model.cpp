#include "models/model.h"

#include <cstddef>
#include <new>

#include "nn/ops_loss.h"

namespace rayleigh::models {

namespace {

/// In front of features: where their memory comes from.
struct alignas(std::max_align_t) MemoryOrigin {
  core::Workspace* workspace;
};

}  // namespace

void* Features::operator new(std::size_t bytes) {
  core::Workspace* const workspace = core::Workspace::current();
  bytes += sizeof(MemoryOrigin);
  void* const memory = workspace == nullptr ? ::operator new(bytes) : workspace->allocate(bytes);
  return new (memory) MemoryOrigin{workspace} + 1;
}

void Features::operator delete(void* features) {
  MemoryOrigin* const origin = static_cast<MemoryOrigin*>(features) - 1;
  if (origin->workspace == nullptr) {
    ::operator delete(origin);
  } else {
    origin->workspace->deallocate();
  }
}

template <typename Real>
void Model<Real>::scores(nn::Tape<Real>& tape, nn::Value result, std::span<double> scores) const {
  nn::anomaly_probability<Real>(tape.value(result), scores);
}

template class Model<float>;
template class Model<double>;

}  // namespace rayleigh::models
