// The instruction sets our kernels are compiled for, and which of them this machine has.
// Everything that is compiled more than once asks here: kernels of nn by Isa, loops of spectral by
// RAYLEIGH_ISA_CLONES or has_avx(). Results depend on the Isa of nn in the last bits, so models
// record it and the option `isa` pins it. Asking costs nothing after the first call.
#pragma once

#include <optional>
#include <string_view>

// In front of a function: compiles it once per instruction set (baseline, AVX2), and the loader
// picks the best for the machine. Only in files that are compiled without contraction to fused
// multiply-add, so that every clone gives the same bits.
// ThreadSanitizer is not set up yet when the loader resolves clones, and clang builds are for
// tools.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RAYLEIGH_ISA_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RAYLEIGH_ISA_CLONES
#endif

// Defined where functions can be compiled for other instruction sets than that of the file. clang,
// used for its tools only, knows other pragmas.
#if defined(__x86_64__) && !defined(__clang__)
#define RAYLEIGH_MANY_ISAS 1
#endif

namespace rayleigh::core {

enum class Isa { baseline, avx2, avx512 };

std::string_view isa_name(Isa isa);
std::optional<Isa> isa_by_name(std::string_view name);

/// The best one that this machine has and this build was compiled for.
Isa best_isa();

/// Whether vectors of 32 bytes can be compared and their matches counted at once.
bool has_avx();

}  // namespace rayleigh::core
