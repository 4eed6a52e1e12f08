// Small, fixed, non-cryptographic hash functions: the same on every machine and in every version.
// Use for random keys, graph fingerprints and change detection, not against an adversary.
// About one nanosecond per call.
#pragma once

#include <cstdint>
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

}  // namespace rayleigh::core
