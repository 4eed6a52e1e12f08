// RAYLEIGH_ISA_CLONES in front of a function compiles it once per instruction set (baseline, AVX2);
// the loader picks the best for the machine. Use on small hot loops over packed numbers, in files
// compiled without contraction to fused multiply-add, so that every clone gives the same bits.
#pragma once

// ThreadSanitizer is not set up yet when the loader resolves clones, and clang builds are for
// tools.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define RAYLEIGH_ISA_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define RAYLEIGH_ISA_CLONES
#endif
