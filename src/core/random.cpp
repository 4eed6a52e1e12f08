#include "core/random.h"

#include <Random123/philox.h>
#include <bit>
#include <cassert>

#include "core/hash.h"

// The C interface of Random123 has a macro of this name.
#undef philox4x32

namespace rayleigh::core {
namespace {

std::uint32_t high(std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32U); }
std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  return std::bit_cast<PhiloxBlock>(
      r123::Philox4x32()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}}));
}

std::uint32_t Generator::operator()() {
  if (used_ == block_.size()) {
    block_ = philox4x32({blocks_drawn_++, epoch_, index_low_, index_high_}, key_);
    used_ = 0;
  }
  return block_[used_++];
}

void Generator::fill(std::span<std::uint32_t> numbers) {
  std::size_t at = 0;
  while (at < numbers.size() && used_ < block_.size()) {
    numbers[at++] = (*this)();
  }
  // Copies, as the numbers that are written might be members for all the compiler knows.
  const r123::Philox4x32::key_type key{{key_[0], key_[1]}};
  r123::Philox4x32::ctr_type counter{{blocks_drawn_, epoch_, index_low_, index_high_}};
  for (; at + block_.size() <= numbers.size(); ++counter[0]) {
    for (const std::uint32_t number : r123::Philox4x32()(counter, key)) {
      numbers[at++] = number;
    }
  }
  blocks_drawn_ = counter[0];
  for (; at < numbers.size(); ++at) {
    numbers[at] = (*this)();
  }
}

std::uint64_t Generator::next64() {
  const std::uint64_t first = (*this)();
  return (first << 32U) | (*this)();
}

double Generator::uniform() { return static_cast<double>(next64() >> 11U) * 0x1.0p-53; }

std::uint32_t Generator::below(std::uint32_t bound) {
  assert(bound > 0);
  // Lemire's multiply-and-reject.
  std::uint64_t product = std::uint64_t{(*this)()} * bound;
  if (low(product) < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (low(product) < threshold) {
      product = std::uint64_t{(*this)()} * bound;
    }
  }
  return high(product);
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) {
  const std::uint64_t key = combine64(seed, hash64(purpose));
  key_ = {low(key), high(key)};
}

}  // namespace rayleigh::core
