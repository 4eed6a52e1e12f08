// Workers that each take a piece of a stream, work on it alone, and give the results back in order.
// Use where pieces are independent and every step but taking and giving can run beside the others:
// no worker waits for the slowest of a round, and nothing depends on the number of workers.
// At most a few pieces per worker are in memory; one or two locks per piece.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/start_threads.h"

namespace rayleigh::core {

template <typename Piece, typename Result>
class InOrder {
 public:
  struct Steps {
    /// One thread at a time; nothing at the end.
    std::function<std::optional<Piece>()> take;
    /// Many threads at a time; `worker` counts from 0.
    std::function<Result(Piece&&, std::size_t worker)> work;
    /// One thread at a time, in the order of taking.
    std::function<void(Result&&)> give;
  };

  /// Runs until the input ends, on fewer threads where the system gives no more. If a step throws,
  /// the results before it are still given, then the exception leaves here.
  static void run(std::size_t workers, const Steps& steps) {
    InOrder all(workers, steps);
    {
      const auto others =
          start_threads(workers - 1, [&all](std::size_t other) { all.loop(other + 1); });
      all.loop(0);
    }
    if (all.failure_) {
      std::rethrow_exception(all.failure_);
    }
  }

 private:
  struct Done {
    std::optional<Result> result;
    std::exception_ptr failure;
  };

  InOrder(std::size_t workers, const Steps& steps) : steps_(steps), most_ahead_(2 * workers) {}

  void loop(std::size_t worker) {
    while (true) {
      Done done;
      std::optional<Piece> piece;
      std::size_t number = 0;
      {
        const std::lock_guard input(input_);
        if (!wait_for_room()) {
          return;
        }
        try {
          piece = steps_.take();
        } catch (...) {
          done.failure = std::current_exception();
        }
        if (!piece) {
          const std::lock_guard lock(mutex_);
          ended_ = true;
          if (!done.failure) {
            return;
          }
        }
        number = taken_++;
      }
      if (piece) {
        try {
          done.result = steps_.work(std::move(*piece), worker);
        } catch (...) {
          done.failure = std::current_exception();
        }
      }
      hand_over(number, std::move(done));
    }
  }

  /// False at the end of the input or after a failure.
  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return ended_ || taken_ - given_ < most_ahead_; });
    return !ended_;
  }

  /// Gives what is due, unless another worker is at it: that one gives this result too.
  void hand_over(std::size_t number, Done&& done) {
    std::unique_lock lock(mutex_);
    waiting_.emplace(number, std::move(done));
    if (giving_) {
      return;
    }
    giving_ = true;
    while (!failure_ && !waiting_.empty() && waiting_.begin()->first == given_) {
      auto next = waiting_.extract(waiting_.begin());
      lock.unlock();
      std::exception_ptr failure = next.mapped().failure;
      if (!failure) {
        try {
          steps_.give(std::move(*next.mapped().result));
        } catch (...) {
          failure = std::current_exception();
        }
      }
      lock.lock();
      ++given_;
      failure_ = failure;
      ended_ = ended_ || failure;
      room_.notify_all();
    }
    giving_ = false;
  }

  const Steps& steps_;
  std::size_t most_ahead_;
  std::mutex input_;
  std::size_t taken_ = 0;  ///< changed under input_
  std::mutex mutex_;       ///< of all below
  std::condition_variable room_;
  bool ended_ = false;
  std::size_t given_ = 0;
  bool giving_ = false;
  std::map<std::size_t, Done> waiting_;
  std::exception_ptr failure_;
};

}  // namespace rayleigh::core
