// Memory for a piece of work that is done over and over, such as scoring one graph: kept between
// uses, so that a use like those before allocates nothing.
// Open a Workspace::Scope, and every core::Vector made below it takes its memory from there, also
// in tasks of a ThreadPool. Where no scope is open a core::Vector is a std::vector.
// Memory is handed out front to back and taken back at the end of the scope; an uncontended mutex
// per vector.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/arena.h"

namespace rayleigh::core {

/// Thread safe. The memory that a use takes does not depend on how tasks meet threads: what a task
/// makes comes from a workspace of its thread, which is free again after the task, and at the end
/// of a use all threads get as much as the task that took most.
class Workspace {
 public:
  /// Makes a workspace the current one of this thread. What was made of it must be gone before the
  /// end. Without a workspace memory comes from the heap.
  class Scope {
   public:
    explicit Scope(Workspace* workspace)
        : before_(std::exchange(current_, workspace)), own_(workspace) {}
    ~Scope() {
      current_ = before_;
      if (own_ != nullptr) {
        own_->reset();
      }
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace* before_;
    Workspace* own_;
  };

  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Of this thread; none = the heap.
  static Workspace* current() { return current_; }

  /// Not initialised; aligned to 64 bytes.
  void* allocate(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    ++alive_;
    return arena_.allocate(bytes);
  }
  /// The memory itself stays handed out until the scope ends.
  void deallocate() noexcept { --alive_; }

  /// Of the tasks that a thread of a pool runs. Not while tasks run.
  void make_tasks(std::size_t threads) {
    while (tasks_.size() < threads) {
      tasks_.push_back(std::make_unique<Workspace>());
    }
  }
  Workspace* tasks_of(std::size_t thread) { return tasks_[thread].get(); }

 private:
  void reset() noexcept {
    assert(alive_ == 0 && "memory of a workspace outlives its scope");
    try {
      arena_.reset();
      std::size_t most = 0;
      for (const auto& tasks : tasks_) {
        most = std::max(most, tasks->arena_.capacity());
      }
      for (const auto& tasks : tasks_) {
        tasks->arena_.reserve(most);
      }
    } catch (const std::bad_alloc&) {
      // The next use asks for what it needs.
    }
  }

  // NOLINTNEXTLINE(readability-identifier-naming): it is a private member like the others
  static inline constinit thread_local Workspace* current_ = nullptr;

  std::mutex mutex_;
  Arena arena_;
  std::atomic<std::ptrdiff_t> alive_ = 0;
  std::vector<std::unique_ptr<Workspace>> tasks_;
};

/// Takes the workspace that is current when a container is made, and stays with it.
template <typename T>
class WorkspaceAllocator {
 public:
  using value_type = T;
  using propagate_on_container_swap = std::true_type;
  // Assigning moves the numbers where two containers have different workspaces: what a task made
  // may be handed to what was there before.
  using propagate_on_container_move_assignment = std::false_type;
  using is_always_equal = std::false_type;

  WorkspaceAllocator() = default;
  template <typename Other>
  WorkspaceAllocator(const WorkspaceAllocator<Other>& other) : workspace_(other.workspace()) {}

  T* allocate(std::size_t count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (workspace_ == nullptr) {
      return std::allocator<T>().allocate(count);
    }
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    return static_cast<T*>(workspace_->allocate(count * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (workspace_ == nullptr) {
      std::allocator<T>().deallocate(memory, count);
    } else {
      workspace_->deallocate();
    }
  }
  /// Copies are made where the copying is done.
  WorkspaceAllocator select_on_container_copy_construction() const { return {}; }

  Workspace* workspace() const { return workspace_; }
  friend bool operator==(const WorkspaceAllocator&, const WorkspaceAllocator&) = default;

 private:
  Workspace* workspace_ = Workspace::current();
};

/// For everything whose memory is made anew for each set of graphs.
template <typename T>
using Vector = std::vector<T, WorkspaceAllocator<T>>;

}  // namespace rayleigh::core
