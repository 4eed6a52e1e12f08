// Counter-based random numbers: Philox4x32-10 (Salmon et al., 2011).
// A number depends only on seed, purpose, epoch and index, never on who asks first, so any thread
// may draw any part in any order. Making a Generator costs nothing; a draw is about 3 ns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace rayleigh::core {

using PhiloxBlock = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Ten rounds of Philox on one counter.
PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key);

/// The numbers of one (stream, index, epoch), in sequence. A UniformRandomBitGenerator.
class Generator {
 public:
  using result_type = std::uint32_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffffU; }

  Generator(PhiloxKey key, std::uint64_t index, std::uint32_t epoch)
      : key_(key),
        index_low_(static_cast<std::uint32_t>(index)),
        index_high_(static_cast<std::uint32_t>(index >> 32U)),
        epoch_(epoch) {}

  std::uint32_t operator()();
  /// The next numbers of the sequence; faster than one by one.
  void fill(std::span<std::uint32_t> numbers);
  std::uint64_t next64();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in 0 … bound-1 without bias; bound > 0.
  std::uint32_t below(std::uint32_t bound);
  bool chance(double probability) { return uniform() < probability; }

  /// Fisher-Yates; unlike std::shuffle the same on every platform.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[below(static_cast<std::uint32_t>(left))]);
    }
  }

 private:
  PhiloxKey key_;
  std::uint32_t index_low_;
  std::uint32_t index_high_;
  std::uint32_t epoch_;
  std::uint32_t blocks_drawn_ = 0;
  PhiloxBlock block_{};
  unsigned used_ = 4;
};

/// All numbers drawn for one named purpose under one seed.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view purpose);

  Generator at(std::uint64_t index, std::uint32_t epoch = 0) const { return {key_, index, epoch}; }

 private:
  PhiloxKey key_;
};

}  // namespace rayleigh::core
