// Counts what all threads ask of the heap: by new, by containers, by malloc and its kin.
// Include in one file of a test executable: it replaces the malloc of glibc there.
// A test that counts begins with RAYLEIGH_NEEDS_COUNTS(). Nothing here is part of the library.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace rayleigh::test {

inline std::atomic<std::size_t> allocations = 0;

}  // namespace rayleigh::test

// Sanitizers bring a malloc of their own, which knows more than a count.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RAYLEIGH_NEEDS_COUNTS() GTEST_SKIP() << "skipped: a sanitizer's build counts nothing"
#elif !defined(__GLIBC__)
#define RAYLEIGH_NEEDS_COUNTS() GTEST_SKIP() << "skipped: only glibc lets a test count"
#else
#define RAYLEIGH_NEEDS_COUNTS()

// NOLINTBEGIN(bugprone-*, misc-*, readability-*)
extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  return __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  ++rayleigh::test::allocations;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

}  // extern "C"
   // NOLINTEND(bugprone-*, misc-*, readability-*)

#endif
