#include "core/random.h"

#include <cassert>

#include "core/hash.h"

namespace rayleigh::core {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53U;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57U;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9U;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85U;
constexpr int kRounds = 10;

std::uint32_t high(std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32U); }
std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key = {key[0] + kWeyl0, key[1] + kWeyl1};
  }
  return counter;
}

std::uint32_t Generator::operator()() {
  if (used_ == block_.size()) {
    block_ = philox4x32({blocks_drawn_++, epoch_, index_low_, index_high_}, key_);
    used_ = 0;
  }
  return block_[used_++];
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
