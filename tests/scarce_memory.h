// A child process that has little memory left, for tests of what happens when threads or numbers
// find no room.
// Sanitizers reserve more than any limit allows: tests skip there.
#pragma once

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rayleigh::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryCanBeLimited = false;
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif

/// Address space of this process.
inline std::uint64_t memory_mapped() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Exit code of work() in a child that may map `bytes` more than it has; 128 and the signal when it
/// was killed, as it is after five minutes.
template <typename Work>
int with_little_memory(std::uint64_t bytes, Work work) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kPatience = 300;
    alarm(kPatience);
    const rlimit limit{memory_mapped() + bytes, memory_mapped() + bytes};
    setrlimit(RLIMIT_AS, &limit);
    _exit(work());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace rayleigh::test
