#include "core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/in_order.h"
#include "scarce_memory.h"

namespace rayleigh::core {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 4, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0UL, 1UL, 3UL, 1000UL}) {
      std::vector<std::atomic<int>> runs(count);
      pool.run(count, [&](std::size_t i) { ++runs[i]; });
      for (const auto& run : runs) {
        ASSERT_EQ(run, 1);
      }
    }
  }
}

TEST(ThreadPool, UsesSeveralThreadsAtOnce) {
  ThreadPool pool(2);
  std::atomic<int> inside = 0;
  std::atomic<bool> met = false;
  pool.run(2, [&](std::size_t) {
    ++inside;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (inside < 2 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    met = inside == 2;
  });
  EXPECT_TRUE(met);
}

TEST(ThreadPool, RethrowsTheErrorOfTheLowestTask) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      try {
        pool.run(64, [&](std::size_t i) {
          if (i % 10 == 3) {
            throw std::runtime_error(std::to_string(i));
          }
        });
        FAIL() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "3");
      }
    }
    int after = 0;
    pool.run(1, [&](std::size_t) { ++after; });
    EXPECT_EQ(after, 1) << "the pool works on after an error";
  }
}

TEST(PartOf, CutsIntoNearlyEqualPartsWithoutGaps) {
  for (const std::size_t total : {0UL, 1UL, 10UL, 11UL, 64UL, 1000UL}) {
    for (const std::size_t parts : {1UL, 3UL, 64UL}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < parts; ++i) {
        const auto range = part_of(total, parts, i);
        EXPECT_EQ(range.begin, next);
        EXPECT_LE(range.end - range.begin, total / parts + 1);
        next = range.end;
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST(ThreadPool, WorksWithFewerThreadsWhereTheSystemGivesNoMore) {
  if (!test::kMemoryCanBeLimited) {
    GTEST_SKIP() << "skipped: sanitizers need all memory";
  }
  // A thread takes eight megabytes for its stack.
  for (const std::uint64_t room : {4U << 20U, 50U << 20U, 200U << 20U}) {
    const int code = test::with_little_memory(room, [] {
      ThreadPool pool(500);
      std::vector<std::atomic<int>> runs(1000);
      pool.run(runs.size(), [&](std::size_t i) { ++runs[i]; });
      const bool all = std::ranges::all_of(runs, [](const auto& run) { return run == 1; });
      return all && pool.size() >= 1 && pool.size() < 500 ? 0 : 1;
    });
    EXPECT_EQ(code, 0) << room;
  }
}

TEST(InOrder, WorksWithFewerThreadsWhereTheSystemGivesNoMore) {
  if (!test::kMemoryCanBeLimited) {
    GTEST_SKIP() << "skipped: sanitizers need all memory";
  }
  for (const std::uint64_t room : {4U << 20U, 50U << 20U}) {
    const int code = test::with_little_memory(room, [] {
      int next = 0;
      std::vector<int> given;
      InOrder<int, int>::run(500, {.take = [&]() -> std::optional<int> {
                                     return next < 300 ? std::optional(next++) : std::nullopt;
                                   },
                                   .work = [](int&& piece, std::size_t) { return 2 * piece; },
                                   .give = [&](int&& result) { given.push_back(result); }});
      for (int i = 0; i < 300; ++i) {
        if (given.size() != 300 || given[static_cast<std::size_t>(i)] != 2 * i) {
          return 1;
        }
      }
      return 0;
    });
    EXPECT_EQ(code, 0) << room;
  }
}

}  // namespace
}  // namespace rayleigh::core
