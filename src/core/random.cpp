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

PhiloxBlock round(PhiloxBlock counter, PhiloxKey key) {
  const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
  const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
  return {high(product1) ^ counter[1] ^ key[0], low(product1), high(product0) ^ counter[3] ^ key[1],
          low(product0)};
}

PhiloxKey next(PhiloxKey key) { return {key[0] + kWeyl0, key[1] + kWeyl1}; }

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int r = 0; r < kRounds; ++r) {
    counter = round(counter, key);
    key = next(key);
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

void Generator::fill(std::span<std::uint32_t> numbers) {
  std::size_t at = 0;
  while (at < numbers.size() && used_ < block_.size()) {
    numbers[at++] = (*this)();
  }
  // Blocks do not depend on each other: several at once hide the latency of the rounds.
  constexpr std::uint32_t kBlocks = 8;
  std::array<PhiloxBlock, kBlocks> blocks;
  for (; at + kBlocks * block_.size() <= numbers.size(); blocks_drawn_ += kBlocks) {
    for (std::uint32_t b = 0; b < kBlocks; ++b) {
      blocks[b] = {blocks_drawn_ + b, epoch_, index_low_, index_high_};
    }
    PhiloxKey key = key_;
    for (int r = 0; r < kRounds; ++r) {
      for (PhiloxBlock& block : blocks) {
        block = round(block, key);
      }
      key = next(key);
    }
    for (const PhiloxBlock& block : blocks) {
      for (const std::uint32_t number : block) {
        numbers[at++] = number;
      }
    }
  }
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
