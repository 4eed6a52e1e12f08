#include "core/workspace.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <thread>

#include "allocation_counter.h"
#include "core/thread_pool.h"

namespace rayleigh::core {
namespace {

using test::allocations;

TEST(Arena, GivesMemoryForNoNumbersBeforeAnyOther) {
  Arena arena;
  EXPECT_EQ(arena.array<double>(0).size(), 0U);
  EXPECT_NE(arena.allocate(1), nullptr);
}

TEST(Arena, MergesItsPiecesWhenReset) {
  RAYLEIGH_NEEDS_COUNTS();
  Arena arena;
  for (int k = 0; k < 100; ++k) {
    arena.array<double>(5000)[4999] = 1;
  }
  const std::size_t held = arena.capacity();
  arena.reset();
  const std::size_t before = allocations;
  for (int k = 0; k < 100; ++k) {
    arena.array<double>(5000)[4999] = 1;
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_EQ(arena.capacity(), held);
}

TEST(Arena, AlignsToCacheLines) {
  Arena arena;
  for (const std::size_t count : {1U, 3U, 70U}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.array<char>(count).data()) % 64, 0U);
  }
}

TEST(Workspace, IsCurrentWithinItsScopeAndOnItsThreadOnly) {
  Workspace outer;
  Workspace inner;
  EXPECT_EQ(Workspace::current(), nullptr);
  {
    const Workspace::Scope scope(&outer);
    EXPECT_EQ(Workspace::current(), &outer);
    {
      const Workspace::Scope within(&inner);
      EXPECT_EQ(Workspace::current(), &inner);
    }
    EXPECT_EQ(Workspace::current(), &outer);
    std::jthread([] { EXPECT_EQ(Workspace::current(), nullptr); });
  }
  EXPECT_EQ(Workspace::current(), nullptr);
}

TEST(Workspace, KeepsAVectorInTheMemoryItWasMadeIn) {
  Workspace workspace;
  Vector<int> of_the_heap(3, 1);
  {
    const Workspace::Scope scope(&workspace);
    Vector<int> of_the_workspace(100);
    std::iota(of_the_workspace.begin(), of_the_workspace.end(), 0);
    const Vector<int> copy = of_the_heap;
    EXPECT_EQ(copy.get_allocator().workspace(), &workspace);
    of_the_heap = std::move(of_the_workspace);
  }
  EXPECT_EQ(of_the_heap.get_allocator().workspace(), nullptr);
  EXPECT_EQ(std::accumulate(of_the_heap.begin(), of_the_heap.end(), 0), 4950);
}

/// Tasks of very different sizes, whose results go to vectors that were made before.
std::size_t use(Workspace& workspace, ThreadPool& pool) {
  const Workspace::Scope scope(&workspace);
  Vector<Vector<std::size_t>> results(200);
  pool.run(results.size(), [&](std::size_t task) {
    Vector<std::size_t> own;
    for (std::size_t k = 0; k < 10 * task; ++k) {
      own.push_back(k);
    }
    results[task] = std::move(own);
  });
  std::size_t sum = 0;
  for (const auto& result : results) {
    EXPECT_EQ(result.get_allocator().workspace(), &workspace);
    sum = std::accumulate(result.begin(), result.end(), sum);
  }
  return sum;
}

TEST(Workspace, AllocatesNothingForAUseLikeTheOneBeforeWhoeverTakesWhichTask) {
  RAYLEIGH_NEEDS_COUNTS();
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    Workspace workspace;
    const std::size_t sum = use(workspace, pool);
    for (int again = 0; again < 20; ++again) {
      const std::size_t before = allocations;
      EXPECT_EQ(use(workspace, pool), sum);
      EXPECT_EQ(allocations - before, 0U) << threads << " threads";
    }
  }
}

TEST(Workspace, CanBeUsedAgainAfterAnException) {
  Workspace workspace;
  ThreadPool pool(3);
  const auto fail = [&] {
    const Workspace::Scope scope(&workspace);
    const Vector<int> some(1000);
    pool.run(10, [](std::size_t task) {
      const Vector<std::size_t> own(100, task);
      throw std::to_string(own.front());
    });
  };
  EXPECT_THROW(fail(), std::string);
  EXPECT_EQ(Workspace::current(), nullptr);
  EXPECT_GT(use(workspace, pool), 0U);
}

#if !defined(NDEBUG) && !defined(__SANITIZE_THREAD__)
TEST(WorkspaceDeathTest, TellsThatSomethingOutlivesItsScope) {
  Workspace workspace;
  EXPECT_DEATH(
      {
        Vector<int>* left = nullptr;
        const Workspace::Scope scope(&workspace);
        left = new Vector<int>(10);
        static_cast<void>(left);
      },
      "outlives its scope");
}
#endif

}  // namespace
}  // namespace rayleigh::core
