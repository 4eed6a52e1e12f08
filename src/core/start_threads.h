// Threads for a task, as many as the system gives.
// Use instead of making std::thread in a loop: when one cannot be made, nobody waits for it, and
// half of the others are given back so that the rest of the program has room to work.
// A few microseconds per thread.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace rayleigh::core {

/// Threads that run work(0) … work(n - 1), n being `wanted` or less, down to none. No call begins
/// before it is known which threads there are. Results must not depend on their number.
std::vector<std::jthread> start_threads(std::size_t wanted,
                                        const std::function<void(std::size_t)>& work);

}  // namespace rayleigh::core
