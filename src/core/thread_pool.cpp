#include "core/thread_pool.h"

#include <algorithm>
#include <cassert>
#include <sched.h>
#include <utility>

#include "rayleigh/error.h"

#include "core/start_threads.h"

namespace rayleigh::core {

int available_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return std::max(1, CPU_COUNT(&allowed));
  }
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads, std::stop_token stop) : stop_(std::move(stop)) {
  if (threads <= 0) {
    threads = available_cores();
  }
  spins_ = threads <= available_cores();
  workers_ = start_threads(static_cast<std::size_t>(threads - 1),
                           [this](std::size_t worker) { work(worker + 1); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  workers_.clear();  // they use what is declared behind them
}

template <typename Done>
void ThreadPool::spin(Done done) const {
  constexpr int kTurns = 2000;  // about 30 microseconds
  for (int turn = 0; spins_ && turn < kTurns && !done(); ++turn) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

void ThreadPool::run(std::size_t count, FunctionRef<void(std::size_t)> task) {
  if (count == 0) {
    return;
  }
  Workspace* const workspace = Workspace::current();
  if (workspace != nullptr) {
    workspace->make_tasks(workers_.size() + 1);
  }
  const bool alone = count == 1 || workers_.empty();  // nobody is woken for a single task
  {
    const std::lock_guard lock(mutex_);
    assert(task_ == nullptr && "ThreadPool::run is not reentrant");
    task_ = &task;
    workspace_ = workspace;
    count_ = count;
    next_ = 0;
    failure_ = nullptr;
    if (!alone) {
      busy_ = workers_.size();
      ++generation_;
    }
  }
  if (!alone) {
    start_.notify_all();
  }
  drain(0);
  spin([this] { return busy_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  task_ = nullptr;
  if (failure_) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void ThreadPool::check_stop() const {
  if (stop_.stop_requested()) {
    throw Cancelled();
  }
}

void ThreadPool::work(std::size_t thread) {
  std::size_t seen = 0;
  while (true) {
    spin([&] { return stopping_ || generation_ != seen; });
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) {
        return;
      }
      seen = generation_;
    }
    drain(thread);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) {
      done_.notify_one();
    }
  }
}

void ThreadPool::drain(std::size_t thread) {
  std::unique_lock lock(mutex_);
  Workspace* const own = workspace_ == nullptr ? nullptr : workspace_->tasks_of(thread);
  // After a failure, only tasks below the failed one can still change which error is reported.
  while (next_ < count_ && !(failure_ && next_ > failed_task_)) {
    const std::size_t index = next_++;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      const Workspace::Scope scope(own);
      check_stop();
      (*task_)(index);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && (!failure_ || index < failed_task_)) {
      failure_ = thrown;
      failed_task_ = index;
    }
  }
}

Range part_of(std::size_t total, std::size_t parts, std::size_t index) {
  const std::size_t size = total / parts;
  const std::size_t larger = total % parts;
  const std::size_t begin = index * size + std::min(index, larger);
  return {begin, begin + size + (index < larger ? 1 : 0)};
}

}  // namespace rayleigh::core
