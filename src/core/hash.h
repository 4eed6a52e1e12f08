// Small, fixed, non-cryptographic hash functions: the same on every machine and in every version.
// Use for random keys, graph fingerprints and change detection, not against an adversary.
// About one nanosecond per call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rayleigh::core {

/// The finaliser of SplitMix64: a bijection that mixes all bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

/// Order matters: combine(a, b) != combine(b, a).
constexpr std::uint64_t combine64(std::uint64_t a, std::uint64_t b) { return mix64(mix64(a) ^ b); }

/// FNV-1a over bytes, finished by mix64.
constexpr std::uint64_t hash64(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return mix64(hash);
}

/// Of large contents, such as files: four chains of eight bytes each, side by side, which is thirty
/// times as fast as hash64().
inline std::uint64_t hash_content64(std::string_view bytes) {
  constexpr std::size_t kBlock = 32;
  std::array<std::uint64_t, 4> chains{1, 2, 3, 4};
  std::size_t at = 0;
  const auto take_block = [&](const char* block) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), block, kBlock);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      chains[i] = (chains[i] ^ words[i]) * 0x9e3779b97f4a7c15ULL;
      chains[i] ^= chains[i] >> 32U;
    }
  };
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    take_block(bytes.data() + at);
  }
  std::array<char, kBlock> rest{};
  std::ranges::copy(bytes.substr(at), rest.begin());
  take_block(rest.data());
  std::uint64_t hash = mix64(bytes.size());
  for (const std::uint64_t chain : chains) {
    hash = combine64(hash, chain);
  }
  return hash;
}

}  // namespace rayleigh::core
