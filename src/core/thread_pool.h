// A fixed set of worker threads that share the tasks of a loop with the calling thread.
// Use run() for independent tasks whose results go to places fixed by the task number; results then
// never depend on the number of threads. Starting a loop costs a few microseconds and no memory.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "rayleigh/run_options.h"

#include "core/function_ref.h"
#include "core/workspace.h"

namespace rayleigh::core {

class ThreadPool {
 public:
  /// `threads` counts the caller too, 0 means one per core; fewer where the system gives no more.
  /// After a stop request run() throws Cancelled.
  explicit ThreadPool(int threads = 0, std::stop_token stop = {});
  explicit ThreadPool(const RunOptions& run) : ThreadPool(run.threads, run.stop) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Throws Cancelled after a stop request; for work that the calling thread does alone.
  void check_stop() const;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls task(0) … task(count-1), each once, and waits. If tasks throw, all others still run or
  /// are skipped, and the exception of the lowest task that threw is rethrown. Not reentrant.
  /// Where the caller has a workspace, what a task makes comes from it and is gone after the task.
  void run(std::size_t count, FunctionRef<void(std::size_t)> task);

 private:
  void work(std::size_t thread);
  /// `thread` is 0 for the caller.
  void drain(std::size_t thread);

  /// Waits for done() for a moment without sleeping: loops often follow each other
  /// closely, and waking a thread takes longer than many of them.
  template <typename Done>
  void spin(Done done) const;

  std::stop_token stop_;
  std::vector<std::jthread> workers_;
  bool spins_ = false;  ///< only where every thread has a core of its own
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  const FunctionRef<void(std::size_t)>* task_ = nullptr;
  Workspace* workspace_ = nullptr;  ///< of the caller
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::atomic<std::size_t> busy_ = 0;
  std::atomic<std::size_t> generation_ = 0;
  std::atomic<bool> stopping_ = false;
  std::exception_ptr failure_;
  std::size_t failed_task_ = 0;
};

/// [begin, end) of part `index` when `total` items are cut into `parts` nearly equal ranges.
struct Range {
  std::size_t begin;
  std::size_t end;
};
Range part_of(std::size_t total, std::size_t parts, std::size_t index);

/// The cores this process may use.
int available_cores();

}  // namespace rayleigh::core
