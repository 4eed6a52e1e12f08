#include "cli/interrupt.h"

#include <csignal>
#include <ctime>
#include <unistd.h>

namespace rayleigh::cli {
namespace {

/// Those that would end the program; one that whoever started it ignores stays ignored.
sigset_t watched_signals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&watched, number);
    }
  }
  return watched;
}

}  // namespace

Interrupt::Interrupt() {
  // Blocked in all threads, so that only the watcher takes them.
  const sigset_t watched = watched_signals();
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  watcher_ = std::jthread([this](const std::stop_token& ended) { watch(ended); });
}

Interrupt::~Interrupt() = default;

void Interrupt::watch(const std::stop_token& ended) {
  const sigset_t watched = watched_signals();
  constexpr timespec kNap{.tv_sec = 0, .tv_nsec = 50'000'000};
  while (!ended.stop_requested()) {
    const int number = sigtimedwait(&watched, nullptr, &kNap);
    if (number <= 0) {
      continue;
    }
    if (signal_ != 0) {
      _exit(kExitOfSignals + number);
    }
    signal_ = number;
    source_.request_stop();
  }
}

}  // namespace rayleigh::cli
