#include "core/start_threads.h"

#include <atomic>
#include <memory>
#include <new>
#include <system_error>

namespace rayleigh::core {
namespace {

enum class Gate { closed, open, give_up };

/// All of `wanted`, waiting at the gate, or as many as there could be made.
std::vector<std::jthread> make_threads(std::size_t wanted,
                                       const std::shared_ptr<std::atomic<Gate>>& gate,
                                       const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(wanted);
  try {
    for (std::size_t i = 0; i < wanted; ++i) {
      threads.emplace_back([gate, work, i] {
        gate->wait(Gate::closed);
        if (*gate == Gate::open) {
          work(i);
        }
      });
    }
  } catch (const std::system_error&) {
    // No more threads: the caller sees how many there are.
  } catch (const std::bad_alloc&) {
    // No room for one.
  }
  return threads;
}

}  // namespace

std::vector<std::jthread> start_threads(std::size_t wanted,
                                        const std::function<void(std::size_t)>& work) {
  while (wanted > 0) {
    const auto gate = std::make_shared<std::atomic<Gate>>(Gate::closed);
    auto threads = make_threads(wanted, gate, work);
    const bool enough = threads.size() == wanted;
    *gate = enough ? Gate::open : Gate::give_up;
    gate->notify_all();
    if (enough) {
      return threads;
    }
    wanted = threads.size() / 2;
  }
  return {};
}

}  // namespace rayleigh::core
